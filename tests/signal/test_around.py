from __future__ import annotations

import math

import numpy as np
import pytest

from spikedoc.signal.around import (
    correlation,
    detrended,
    finite,
    first_from,
    jump,
    lag_one,
    last_before,
    level_before,
    part_medians,
    peak_between,
    ranks,
    trend,
)

STEPS = np.arange(10, 2010, 2)
ONES = np.ones(STEPS.size)


def test_finite_copies_only_what_it_must() -> None:
    steps, values = finite(STEPS, ONES)
    assert values is ONES
    assert steps is STEPS
    broken = ONES.copy()
    broken[3] = np.nan
    assert finite(STEPS, broken)[1].size == STEPS.size - 1
    assert finite(STEPS, 1e300 * ONES)[1].max() == 1e150


def test_last_before_skips_holes_and_excludes_the_step() -> None:
    values = np.arange(STEPS.size, dtype=float)
    values[90:99] = np.nan
    found = last_before(STEPS, values, STEPS[100], 3)
    assert found.tolist() == [88.0, 89.0, 99.0]
    assert last_before(STEPS, values, 5, 3).size == 0


def test_first_from_includes_the_step() -> None:
    values = np.arange(STEPS.size, dtype=float)
    values[100] = np.inf
    assert first_from(STEPS, values, STEPS[100], 2).tolist() == [101.0, 102.0]
    assert first_from(STEPS, values, 10**6, 2).size == 0


@pytest.mark.parametrize(("index", "count"), [(15, 15), (100, 20), (500, 50), (999, 99)])
def test_level_before_is_shorter_early_in_a_run(index: int, count: int) -> None:
    assert level_before(STEPS, ONES, STEPS[index]).size == count


def test_peak_looks_one_point_further() -> None:
    values = ONES.copy()
    values[51] = 7.0
    assert peak_between(STEPS, values, STEPS[50], STEPS[50]) == (int(STEPS[51]), 7.0)
    assert peak_between(STEPS, values, STEPS[48], STEPS[49]) == (int(STEPS[48]), 1.0)
    values[50:52] = np.nan
    assert peak_between(STEPS, values, STEPS[50], STEPS[50]) is None


def test_jump() -> None:
    values = 2 * ONES
    values[500] = 30.0
    found = jump(STEPS, values, STEPS[500], STEPS[500])
    assert found is not None
    assert (found.before, found.peak, found.factor, found.step) == (2.0, 30.0, 15.0, STEPS[500])
    values[500] = np.inf
    infinite = jump(STEPS, values, STEPS[500], STEPS[500])
    assert infinite is not None
    assert infinite.factor == math.inf
    negative = jump(STEPS, -values, STEPS[400], STEPS[400])
    assert negative is not None
    assert math.isnan(negative.factor)
    assert jump(STEPS, values, STEPS[2], STEPS[2]) is None


def test_part_medians_and_detrended() -> None:
    line = np.arange(100.0)
    assert part_medians(line, 4).tolist() == [12.0, 37.0, 62.0, 87.0]
    assert part_medians(np.zeros(0), 4).size == 0
    assert np.abs(detrended(line, 10)[10:-10]).max() < 1e-9
    assert detrended(np.array([1.0, 3.0]), 10).tolist() == [-1.0, 1.0]


def test_correlations() -> None:
    wave = np.sin(np.arange(500) / 10)
    assert correlation(wave, 3 * wave + 1) == pytest.approx(1.0)
    assert correlation(wave, -wave) == pytest.approx(-1.0)
    assert correlation(wave, np.ones(500)) == 0.0
    assert correlation(1e300 * wave, 1e-300 * wave) == pytest.approx(1.0)
    assert lag_one((-1.0) ** np.arange(100)) == pytest.approx(-1.0, abs=0.02)
    assert lag_one(np.zeros(2)) == 0.0


def test_trend_and_ranks() -> None:
    assert trend(np.arange(500.0)) == 1.0
    assert trend(-np.arange(10.0)) == -1.0
    assert trend(np.ones(10)) == 0.0
    assert ranks(np.array([3.0, 1.0, 2.0])).tolist() == [2.0, 0.0, 1.0]
