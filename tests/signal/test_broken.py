"""When a series broke: at an event, and at all."""

from __future__ import annotations

import numpy as np

from spikedoc.signal.broken import broken_before, broken_since

STEPS = np.arange(0, 400, 2, dtype=np.int64)


def series(*bad: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return ones with NaN at the given indices."""
    values = np.ones(STEPS.size)
    values[list(bad)] = np.nan
    return values


def test_the_stretch_at_the_event_begins_where_it_begins() -> None:
    assert broken_since(STEPS, series(100, 101, 104, 106), 208) == 200


def test_a_single_overflow_before_it_does_not_count() -> None:
    assert broken_since(STEPS, series(90, 100, 101), 200) == 200


def test_the_next_stretch_is_taken_where_the_event_comes_first() -> None:
    assert broken_since(STEPS, series(105, 106), 200) == 210


def test_what_passed_long_before_is_none() -> None:
    assert broken_since(STEPS, series(10, 11), 200) is None
    assert broken_since(STEPS, series(), 200) is None


def test_the_first_break_before_a_step_counts_however_long_before() -> None:
    assert broken_before(STEPS, series(10, 150), 300) == 20
    assert broken_before(STEPS, series(150), 300) is None
    assert broken_before(STEPS, series(0, 1, 20), 300) is None
