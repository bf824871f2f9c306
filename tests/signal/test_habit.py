import math

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
