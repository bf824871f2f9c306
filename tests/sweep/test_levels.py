from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sweep_factory import series

from spikedoc.model.metric import Metric
from spikedoc.sweep.levels import LEAST_UNSEEDED, STUDENT, Level, level_at, noise_of


def test_the_level_is_the_median_of_the_last_fifth() -> None:
    loss = series(Metric.LOSS, np.concatenate([np.full(80, 5.0), np.full(20, 2.0)]))
    found = level_at(loss, 99)
    assert found is not None
    assert found.value == 2.0


def test_a_level_is_taken_up_to_the_step() -> None:
    loss = series(Metric.LOSS, np.arange(100.0))
    found = level_at(loss, 50)
    assert found is not None
    assert found.value == 45.0
    assert level_at(loss, 3) is None


def test_values_that_are_not_finite_are_passed_over() -> None:
    values = np.full(50, 2.0)
    values[::3] = np.nan
    found = level_at(series(Metric.LOSS, values), 49)
    assert found == Level(2.0, 0.0)


def test_the_error_covers_what_chance_does() -> None:
    """Medians of fresh windows scatter as the errors say, within a fifth."""
    rng = np.random.default_rng(0)
    found = [level_at(series(Metric.LOSS, 2 + 0.1 * rng.standard_normal(500)), 499)
             for _ in range(400)]  # fmt: skip
    levels = [one for one in found if one is not None]
    said = np.mean([one.error for one in levels])
    assert np.std([one.value for one in levels]) == pytest.approx(said, rel=0.2)


def test_a_straight_trend_is_no_noise() -> None:
    found = level_at(series(Metric.LOSS, np.linspace(3, 1, 200)), 199)
    assert found is not None
    assert found.error == pytest.approx(0, abs=1e-9)


def test_seeds_give_the_noise() -> None:
    noise = noise_of([[Level(1.0, 0.0), Level(1.1, 0.0)], [Level(2.0, 0.0), Level(2.2, 0.0)]])
    assert noise.log
    assert noise.freedom == 2
    spread = math.log(1.1) / math.sqrt(2)
    assert noise.seeds == pytest.approx(spread)
    pair = [Level(1.0, 0.0), Level(1.1, 0.0)]
    assert noise.room(pair, pair) == pytest.approx(STUDENT[1] * spread)


def test_without_seeds_small_differences_do_not_count() -> None:
    noise = noise_of([[Level(1.0, 0.0)], [Level(1.04, 0.0)], [Level(1.06, 0.0)]])
    assert noise.seeds is None
    assert noise.room([Level(1.0, 0.0)], [Level(1.0, 0.0)]) == LEAST_UNSEEDED
    assert not noise.is_worse([Level(1.04, 0.0)], [Level(1.0, 0.0)])
    assert noise.is_worse([Level(1.06, 0.0)], [Level(1.0, 0.0)])
    assert not noise.is_worse([Level(1.06, 0.05)], [Level(1.0, 0.05)])


def test_losses_below_zero_are_not_compared_by_logarithms() -> None:
    noise = noise_of([[Level(-1.0, 0.01)], [Level(2.0, 0.01)]])
    assert not noise.log
    assert noise.is_worse([Level(2.0, 0.01)], [Level(-1.0, 0.01)])


def test_chance_is_rarely_taken_for_a_difference() -> None:
    """Two values of three seeds each, all alike: at the 1 % level, one-sided, 0.5 % are called."""
    rng = np.random.default_rng(2)
    called = 0
    for _ in range(2000):
        a, b = ([Level(float(v), 0.0) for v in np.exp(0.1 * rng.standard_normal(3))]
                for _ in range(2))  # fmt: skip
        called += noise_of([a, b]).is_worse(a, b)
    assert called <= 22


@settings(max_examples=50)
@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=5), st.floats(0.1, 10))
def test_the_mean_goes_with_the_unit(levels: list[float], factor: float) -> None:
    noise = noise_of([[Level(one, 0.0) for one in levels]])
    scaled = noise.mean([one * factor for one in levels])
    assert scaled == pytest.approx(factor * noise.mean(levels))
    assert min(levels) * 0.999 <= noise.mean(levels) <= max(levels) * 1.001
