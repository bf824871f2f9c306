"""Pauses: long gaps of the clock in which no other series was logged either."""

from __future__ import annotations

import numpy as np

from spikedoc.ingest.pauses import MOST_PAUSES, find_pauses
from spikedoc.model.run import Restart
from spikedoc.readers.base import RawSeries

STEPS = np.arange(100)


def series(tag: str, walls: np.ndarray) -> RawSeries:
    return RawSeries(tag, STEPS[: walls.size], np.ones(walls.size), walls)


def clock(*gaps_before: int, hours: float = 2.0) -> np.ndarray:
    """One record a second, with a gap before each of the given points."""
    return np.arange(100.0) + 3600 * hours * np.isin(STEPS, gaps_before).cumsum()


def test_a_gap_of_hours_is_a_pause() -> None:
    found = find_pauses([series("loss", clock(40))], "loss", [])
    assert found == [Restart(40, 39, "pause")]


def test_a_gap_in_which_something_else_was_logged_is_none() -> None:
    walls = clock(40)
    busy = np.append(walls[:40], walls[39] + np.linspace(60.0, 7000.0, 60))
    assert find_pauses([series("loss", walls), series("eval", busy)], "loss", []) == []


def test_short_gaps_and_known_restarts_are_none() -> None:
    assert find_pauses([series("loss", clock(40, hours=0.01))], "loss", []) == []
    known = [Restart(40, 39, "rewound")]
    assert find_pauses([series("loss", clock(40))], "loss", known) == []


def test_many_gaps_belong_to_the_work() -> None:
    many = range(5, 5 + 10 * (MOST_PAUSES + 1), 10)
    assert find_pauses([series("loss", clock(*many))], "loss", []) == []
    assert len(find_pauses([series("loss", clock(*many[:-1]))], "loss", [])) == MOST_PAUSES


def test_without_times_nothing_is_known() -> None:
    timeless = RawSeries("loss", STEPS, np.ones(100))
    assert find_pauses([timeless], "loss", []) == []
    assert find_pauses([series("lr", clock(40))], "loss", []) == []
    assert find_pauses([series("loss", clock(4)[:9])], "loss", []) == []
