"""Sets of runs to be weighed: those of one call, told apart by name, in parts of bounded cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from spikedoc.coincidence.result import Coincidence
from spikedoc.coincidence.trace import trace_of
from spikedoc.coincidence.weighing import MOST_PLACES, Named, weigh
from spikedoc.model.report import Report
from spikedoc.model.run import Run

# Runs with spikes that are weighed together: a quarter of a second's work.
MOST_TOGETHER: Final = 300


def coincidences(examined: Sequence[tuple[Run, Report]]) -> tuple[Coincidence, ...]:
    """Return the places at which several of the runs spike, beyond what chance explains."""
    traces = [(run.name, trace_of(run, report)) for run, report in examined]
    return weigh_all([(name, trace) for name, trace in traces if trace is not None])


def weigh_all(named: Sequence[Named]) -> tuple[Coincidence, ...]:
    """Return the places at which several of any number of runs spike, the least likely first."""
    sets = list(parts(named))
    found = [place for part in sets for place in weigh(part, sets=len(sets))]
    return tuple(sorted(found, key=lambda one: one.chance)[:MOST_PLACES])


def parts(named: Sequence[Named]) -> Iterator[list[Named]]:
    """Yield the runs in sets of no more than `MOST_TOGETHER` with spikes, and no less than two.

    Their order is kept, so that runs that lie together stay together; those without spikes count
    as passers-by.
    """
    part: list[Named] = []
    spiky = 0
    for name, trace in named:
        if spiky == MOST_TOGETHER and trace.steps:
            yield part
            part, spiky = [], 0
        spiky += bool(trace.steps)
        part.append((name, trace))
    if spiky > 1:
        yield part


def names_apart(named: Sequence[tuple[str, str]]) -> list[str]:
    """Return a name for each run of a name and a path, no two alike.

    Runs of equal names are called by the last folders of their path and a count.
    """
    counts = Counter(name for name, _ in named)
    told: list[str] = []
    known: Counter[str] = Counter()
    for name, path in named:
        above = "/".join(Path(path).parts[-2:])
        shown = name if counts[name] == 1 else f"{above}: {name}"
        known[shown] += 1
        told.append(shown if known[shown] == 1 else f"{shown} ({known[shown]})")
    return told
