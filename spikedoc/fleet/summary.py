"""What a scan found, counted: by status, by cause, by project, by week."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import PurePath
from typing import Final

from spikedoc.fleet.record import HERE, RUNS, Record, State
from spikedoc.fleet.shared import Shared, shared_places

# Runs named as examples of a cause.
EXAMPLES: Final = 3
# Statuses of runs whose cause is counted; what is only "know it" has benign causes.
ILL: Final = (State.CRITICAL, State.WARNING)
# Worst first, in lists and in tables.
ORDER: Final = {state: place for place, state in enumerate(State)}
# Years that a clock in a log may show: others come from broken clocks.
YEARS: Final = (1990, 2200)


@dataclass(frozen=True, slots=True)
class CauseCount:
    """Runs whose likeliest cause this is; `rule` is empty where none is named."""

    rule: str
    cause: str
    runs: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Runs of one project or of one week, by status."""

    name: str
    counts: Mapping[State, int]

    @property
    def runs(self) -> int:
        """All of them."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of many runs; lists begin with what matters most."""

    counts: Mapping[State, int]
    causes: tuple[CauseCount, ...]
    projects: tuple[Group, ...]
    weeks: tuple[Group, ...]  # the newest first; "" for runs without any time
    ill: tuple[Record, ...]  # runs with findings to look at
    broken: tuple[Record, ...]  # places without a result
    points: int
    bytes: int
    shared: tuple[Shared, ...] = ()  # places that several runs of a project spike at

    @property
    def runs(self) -> int:
        """Runs that were diagnosed."""
        return sum(self.counts.get(state, 0) for state in RUNS)


def summarise(records: Sequence[Record], whole: Summary | None = None) -> Summary:
    """Return the figures of the records.

    Where they are some of many, `whole` sums up all: places shared with the others count.
    """
    runs = [one for one in records if one.status in RUNS]
    project = partial(_project, has_many_roots=len({one.root for one in records}) > 1)
    ill = sorted((one for one in runs if one.status in ILL), key=_gravity)
    broken = [one for one in records if one.status in (State.FAILED, State.UNREADABLE)]
    places = {(one.key, one.root): one.bytes for one in records}
    return Summary(
        counts=Counter(one.status for one in records),
        causes=_causes(ill),
        projects=_worst_first(_groups(runs, project)),
        weeks=tuple(sorted(_groups(runs, week), key=lambda group: group.name, reverse=True)),
        ill=tuple(ill),
        broken=tuple(sorted(broken, key=lambda one: (ORDER[one.status], one.root, one.path))),
        points=sum(one.points for one in runs),
        bytes=sum(places.values()),
        shared=shared_places(runs, project, label) if whole is None else _of(runs, whole.shared),
    )


def _of(runs: Iterable[Record], shared: Sequence[Shared]) -> tuple[Shared, ...]:
    """The places at which one of the runs spikes."""
    names = set(map(label, runs))
    return tuple(one for one in shared if not names.isdisjoint(one.place.runs))


def label(record: Record) -> str:
    """Return the run as a reader finds it: the path of its place, and its name if that says more.

    In a place of several runs the name tells them apart. A root that is a run itself has no path
    below it: it goes by its own name.
    """
    place = record.path
    if place == HERE:
        place = PurePath(record.root).name or record.run or place
    return place if record.parts == 1 else f"{place}: {record.run}"


def week(record: Record) -> str:
    """Return the ISO week in which the run was active last, such as 2024-W09; "" is unknown."""
    if record.time is None:
        return ""
    try:
        moment = datetime.fromtimestamp(record.time, UTC)
    except (OverflowError, ValueError, OSError):
        return ""
    year, number, _ = moment.isocalendar()
    return f"{year}-W{number:02}" if YEARS[0] <= year <= YEARS[1] else ""


def _project(record: Record, *, has_many_roots: bool) -> str:
    if not has_many_roots:
        return record.project
    root = record.root.rstrip("/")
    return root if record.project == HERE else f"{root}/{record.project}"


def _gravity(record: Record) -> tuple[int, float, str, str, int]:
    score = record.causes[0].score if record.causes else 0.0
    return ORDER[record.status], -score, record.root, record.path, record.part


def _causes(ill: Iterable[Record]) -> tuple[CauseCount, ...]:
    found: dict[tuple[str, str], list[str]] = {}
    for one in ill:
        first = (one.causes[0].rule, one.causes[0].cause) if one.causes else ("", "")
        found.setdefault(first, []).append(label(one))
    counted = [
        CauseCount(rule, cause, len(names), tuple(names[:EXAMPLES]))
        for (rule, cause), names in found.items()
    ]
    # Runs for which no cause could be named come last: nothing follows from how many they are.
    return tuple(sorted(counted, key=lambda one: (not one.rule, -one.runs, one.rule)))


def _groups(runs: Iterable[Record], name: Callable[[Record], str]) -> list[Group]:
    found: defaultdict[str, Counter[State]] = defaultdict(Counter)
    for one in runs:
        found[name(one)][one.status] += 1
    return [Group(key, counts) for key, counts in found.items()]


def _worst_first(groups: Iterable[Group]) -> tuple[Group, ...]:
    def key(group: Group) -> tuple[int, int, str]:
        return (
            -group.counts.get(State.CRITICAL, 0),
            -group.counts.get(State.WARNING, 0),
            group.name,
        )

    return tuple(sorted(groups, key=key))
