"""Records whose step is out of line."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.ingest.strays import find_strays, order_of, without_strays
from spikedoc.readers.base import RawSeries


def raw(steps: list[int], order: list[int] | None = None) -> RawSeries:
    return RawSeries(
        "loss",
        np.array(steps, dtype=np.int64),
        np.arange(len(steps), dtype=np.float64),
        order=None if order is None else np.array(order, dtype=np.int64),
    )


def test_one_damaged_digit_is_a_stray() -> None:
    steps = [*range(0, 100, 10), 900, *range(110, 200, 10)]
    clock = raw(steps)
    strays = find_strays(clock)
    assert strays == [(9, 11, 900)]
    kept = without_strays(clock, strays)
    assert 900 not in kept.steps
    assert kept.steps.size == len(steps) - 1
    assert kept.values.tolist() == [v for v in range(len(steps)) if v != 10]


def test_other_series_lose_the_same_record_only() -> None:
    strays = [(9, 11, 900)]
    other = raw([80, 90, 900, 110], order=[8, 9, 10, 11])
    assert without_strays(other, strays).steps.tolist() == [80, 90, 110]
    untouched = raw([80, 900, 910], order=[8, 20, 21])
    assert without_strays(untouched, strays) is untouched


@pytest.mark.parametrize(
    "steps",
    [
        [0, 10, 900, 20, 30],  # too short to know the stride
        [*range(0, 100, 10), *range(900, 1000, 10)],  # goes on there
        [*range(0, 100, 10), *range(50, 200, 10)],  # went back: a restart
        [*range(0, 100, 10), 120, *range(100, 200, 10)],  # not far ahead
        [7] * 20,
    ],
)
def test_what_is_no_stray(steps: list[int]) -> None:
    assert find_strays(raw(steps)) == []


def test_the_order_is_that_of_the_file_unless_said() -> None:
    assert order_of(raw([5, 6, 7])).tolist() == [0, 1, 2]
    assert order_of(raw([5, 6], order=[3, 9])).tolist() == [3, 9]
