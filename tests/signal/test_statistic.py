"""Single numbers of a series, against sums done by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from spikedoc.signal.statistic import is_statistic, statistic

VALUES = np.array([4.0, 3.0, math.nan, 2.0, 1.0])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("final", 1.0), ("first", 4.0), ("min", 1.0), ("max", 4.0), ("mean", 2.5)),
        *(("median", 2.5), ("p50", 2.5), ("p75", 3.25), ("count", 5.0), ("nonfinite", 1.0)),
    ],
)
def test_numbers(name: str, value: float) -> None:
    assert is_statistic(name)
    assert statistic(VALUES, name) == pytest.approx(value)


def test_the_end_is_the_last_twentieth_and_fifty_points_at_most() -> None:
    assert statistic(np.arange(1.0, 101.0), "final") == 98.0
    assert statistic(np.arange(10_000.0), "final") == 9_974.5
    assert math.isnan(statistic(np.array([1.0, math.inf]), "final") or 0.0)


def test_nothing_there() -> None:
    empty, lost = np.array([]), np.array([math.nan])
    for name in ("final", "first", "min", "p99"):
        assert statistic(empty, name) is None
    assert statistic(lost, "max") is None
    assert statistic(empty, "count") == 0.0
    for name in ("p", "p100", "sum", "", "p-1"):
        assert not is_statistic(name)


@pytest.mark.parametrize(
    ("n", "points"), [(1, 1), (39, 1), (40, 2), (999, 49), (1020, 50), (5000, 50)]
)
def test_the_end_of_a_log_is_a_twentieth_of_it(n: int, points: int) -> None:
    """A value in the middle of the last `points` whole numbers."""
    assert statistic(np.arange(float(n)), "final") == n - 1 - (points - 1) / 2


@pytest.mark.parametrize(("bad", "known"), [(1, True), (2, False), (3, False), (4, False)])
def test_more_than_half_of_the_end_must_be_finite(bad: int, known: bool) -> None:
    values = np.ones(80)
    values[80 - bad :] = math.nan
    found = statistic(values, "final")
    assert found is not None
    assert (found == 1.0) is known
