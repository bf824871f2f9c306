"""Any number of runs of one call."""

from __future__ import annotations

import fleets
import pytest

import spikedoc.coincidence.sets
from spikedoc.coincidence.sets import names_apart, parts, weigh_all
from spikedoc.coincidence.trace import Trace


def named(number: int, *steps: int) -> tuple[str, Trace]:
    return f"r{number}", fleets.trace(number, *steps)


def test_parts_hold_so_many_runs_with_spikes_and_those_that_lie_between(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spikedoc.coincidence.sets, "MOST_TOGETHER", 4)
    runs = [named(n, *([777] if n % 2 else [])) for n in range(20)]
    found = list(parts(runs))
    assert [one for part in found for one in part] == runs
    assert [sum(bool(trace.steps) for _, trace in part) for part in found] == [4, 4, 2]
    alone = [named(n, 777) for n in range(5)]
    assert [len(part) for part in parts(alone)] == [4]


def test_places_of_all_parts_are_told_with_the_chance_of_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs = [named(n, 777) for n in range(8)]
    (whole,) = weigh_all(runs)
    assert (whole.first, len(whole.runs)) == (777, 8)
    monkeypatch.setattr(spikedoc.coincidence.sets, "MOST_TOGETHER", 4)
    first, second = weigh_all(runs)
    assert (first.runs, second.runs) == (("r0", "r1", "r2", "r3"), ("r4", "r5", "r6", "r7"))
    (alone,) = weigh_all(runs[:4])
    assert first.chance == pytest.approx(2 * alone.chance)


def test_nothing_in_nothing_out() -> None:
    assert weigh_all([]) == ()
    assert weigh_all([named(0, 777), named(1)]) == ()


def test_names_are_told_apart() -> None:
    given = [("run", "a/x/run"), ("run", "b/y/run"), ("own", "c"), ("run", "b/y/run")]
    assert names_apart(given) == ["x/run: run", "y/run: run", "own", "y/run: run (2)"]
