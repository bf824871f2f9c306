"""Places in the data that several runs of one project spike at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from spikedoc.coincidence.result import Coincidence
from spikedoc.coincidence.sets import parts
from spikedoc.coincidence.trace import Trace
from spikedoc.coincidence.weighing import weigh
from spikedoc.fleet.record import RUNS, Record


@dataclass(frozen=True, slots=True)
class Shared:
    """A place that several runs of a project spike at."""

    project: str
    place: Coincidence


def shared_places(
    records: Iterable[Record], project: Callable[[Record], str], label: Callable[[Record], str]
) -> tuple[Shared, ...]:
    """Return the places, the least likely first; nothing for fewer than two runs with spikes.

    Unrelated runs meet so in fewer than one of a hundred whole scans: the chance takes in all
    sets of runs that were looked at.
    """
    sets = [
        (name, part)
        for name, runs in _projects(records, project)
        for part in parts([_named(one, label) for one in runs])
    ]
    found = [Shared(name, place) for name, named in sets for place in weigh(named, sets=len(sets))]
    return tuple(sorted(found, key=lambda one: (one.place.chance, one.project, one.place.first)))


def _projects(
    records: Iterable[Record], project: Callable[[Record], str]
) -> Iterator[tuple[str, list[Record]]]:
    """The runs of each project in which two or more spike."""
    groups: dict[str, list[Record]] = {}
    for one in records:
        if one.status in RUNS and one.first_step is not None and one.last_step is not None:
            groups.setdefault(project(one), []).append(one)
    for name, runs in groups.items():
        if sum(one.spikes is not None for one in runs) > 1:
            yield name, sorted(runs, key=lambda one: (one.root, one.path, one.part))


def _named(record: Record, label: Callable[[Record], str]) -> tuple[str, Trace]:
    calm = Trace(record.first_step or 0, record.last_step or 0)
    return label(record), record.spikes or calm
