import math

import naive
import numpy as np
import pytest

from spikedoc.signal.habit import STRETCH_POINTS, high_end, stretch_before

STEPS = np.arange(2000, dtype=np.int64)


def test_the_stretch_is_the_last_one_before_the_end() -> None:
    steps, values = stretch_before(STEPS, np.linspace(1.0, 1.1, 2000), 1500, 100)
    assert (steps[0], steps[-1]) == (1500 - STRETCH_POINTS, 1499)
    assert values.size == STRETCH_POINTS


def test_outliers_zeros_and_what_is_not_finite_are_no_habit() -> None:
    values = np.exp(0.1 * np.random.default_rng(0).standard_normal(2000))
    values[1400], values[1410], values[1420] = 1e3, 0.0, np.nan
    steps, kept = stretch_before(STEPS, values, 1500, 100)
    assert not {1400, 1410, 1420} & set(steps.tolist())
    assert float(kept.max()) < 2.0


def test_too_few_are_none() -> None:
    steps, values = stretch_before(STEPS, np.ones(2000), 50, 100)
    assert steps.size == values.size == 0
    assert stretch_before(STEPS, np.zeros(2000), 1500, 0)[1].size == 0


def test_the_high_end_is_that_of_the_last_level() -> None:
    noise = 0.1 * np.random.default_rng(1).standard_normal(500)
    falling = np.exp(np.linspace(2.0, 0.0, 500) + noise)
    # 2.33 deviations of the noise above the level at the end, not above that of the beginning.
    assert high_end(falling) == pytest.approx(math.exp(0.233), rel=0.12)
    assert high_end(np.full(100, 3.0)) == pytest.approx(3.0)


def test_the_window_reaches_back_four_times_as_far_where_points_are_missing() -> None:
    """Of 2,500 points every fifth is finite: 400 of the 2,000 before the end."""
    values = np.full(2500, np.nan)
    values[::5] = 1.0
    steps, kept = stretch_before(np.arange(2500), values, 2400, 100)
    assert (steps[0], steps[-1], kept.size) == (400, 2395, 400)


@pytest.mark.parametrize(("fewest", "size"), [(49, 50), (50, 50), (51, 0)])
def test_as_many_as_are_asked_for(fewest: int, size: int) -> None:
    assert stretch_before(STEPS, np.ones(2000), 50, fewest)[1].size == size
    assert stretch_before(STEPS, np.ones(1), 1, 0)[1].size == 1


@pytest.mark.parametrize(("deviations", "kept"), [(5.99, 100), (6.01, 99)])
def test_six_deviations_are_no_habit(deviations: float, kept: int) -> None:
    """Of a constant the deviation is a thousandth, else 1.4826 times the median distance."""
    still, moving = np.zeros(100), np.where(np.arange(100) % 2 == 0, 0.1, -0.1)
    still[50] = deviations * 1e-3
    moving[:3] = 0.0
    moving[50] = deviations * 0.14826
    for logs in (still, moving):
        assert stretch_before(STEPS, np.exp(logs), 100, 1)[1].size == kept
    fewest = 100 if kept == 99 else 101
    assert stretch_before(STEPS, np.exp(still), 100, fewest)[1].size == 0


@pytest.mark.parametrize("n", [1, 10, 51, 52, 120])
def test_the_high_end_is_the_percentile_around_the_running_level(n: int) -> None:
    values = np.exp(np.random.default_rng(n).normal(size=n) + np.linspace(2.0, 0.0, n))
    logs = np.log(values).tolist()
    apart = [v - m for v, m in zip(logs, naive.rolling_median(logs, 51), strict=True)]
    level = naive.median(logs[-26:])  # half of a window
    assert high_end(values) == pytest.approx(math.exp(level + float(np.quantile(apart, 0.99))))


def test_at_the_edge_of_doubles_it_is_a_number() -> None:
    largest = np.finfo(np.float64).max
    assert 0 < high_end(np.array([1e-300, 1e-300, 1e-300, largest, 1.0, 1e305, largest])) < np.inf
