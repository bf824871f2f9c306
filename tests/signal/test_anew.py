"""Schedules that begin anew."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.signal.anew import climb, fall_anew

WARM = np.linspace(0.1, 1.0, 10)


@pytest.mark.parametrize(
    ("before", "at"), [([0.8], 1), ([1.0, 0.5], 2), ([0.12], None), ([0.19], None), ([0.21], 1)]
)
def test_a_warm_up_begins_with_its_fall(before: list[float], at: int | None) -> None:
    values = np.array([*before, *WARM])
    index = len(before) + 1
    assert fall_anew(values, index, int(np.argmax(values[index:])) + index) == at


def test_a_fall_long_before_or_none_is_no_beginning() -> None:
    assert fall_anew(np.array([1.0, *[0.1] * 6, 0.5, 1.0]), 7, 8) is None
    assert fall_anew(np.array([0.1, 0.5, 1.0]), 1, 2) is None


def test_a_climb_goes_from_its_last_fall_to_the_next() -> None:
    values = np.array([1.0, 0.2, 0.4, 0.6, 0.5])
    falls = np.flatnonzero(np.diff(values) < 0)
    assert climb(falls, values.size, 2) == (1, 3)
    assert climb(falls[:0], values.size, 2) == (0, 4)
