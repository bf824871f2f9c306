from __future__ import annotations

import numpy as np
import pytest

from spikedoc.signal.ramp import find_ramp, window_before

STEPS = np.arange(1, 801)


def noisy(seed: int, sigma: float = 0.3) -> np.ndarray:
    return np.exp(np.random.default_rng(seed).normal(0, sigma, STEPS.size))


def test_the_published_spike_is_a_ramp() -> None:
    # Gradient norms in front of the loss spike of a 176B run.
    values = noisy(1, 0.05) * 0.24
    values[-6:] = [0.24, 0.95, 2.39, 15.9, 145.0, 960.0]
    found = find_ramp(STEPS, values)
    assert found is not None
    assert found.factor == pytest.approx(960 / 0.24)
    assert (found.first_step, found.last_step, found.points) == (795, 800, 6)


def test_steady_growth() -> None:
    values = noisy(2, 0.1)
    values[-10:] = 1.25 ** np.arange(10)
    found = find_ramp(STEPS, values)
    assert found is not None
    assert found.factor == pytest.approx(1.25**9, rel=0.4)


def test_a_slow_ramp_over_two_hundred_points() -> None:
    values = noisy(3)
    values[-200:] *= np.exp(np.linspace(0, np.log(3), 200))
    found = find_ramp(STEPS, values)
    assert found is not None
    assert found.points == 200
    assert 2 < found.factor < 4


def test_a_run_that_always_rises_has_no_special_ramp() -> None:
    rising = np.exp(np.linspace(0, 8, STEPS.size)) * noisy(4, 0.02)
    found = find_ramp(STEPS, rising)
    assert found is None or found.points < 60


def test_noise_and_single_jumps_are_none() -> None:
    found = [find_ramp(STEPS, noisy(seed)) for seed in range(40)]
    assert sum(ramp is not None for ramp in found) <= 1
    jump = noisy(5, 0.1)
    jump[-1] = 50.0
    assert find_ramp(STEPS, jump) is None


def test_a_jump_after_slow_growth_is_a_jump() -> None:
    values = np.linspace(0.5, 1.1, STEPS.size)
    values[-1] = 40.0
    assert find_ramp(STEPS, values) is None


def test_growth_long_ago_is_none() -> None:
    values = noisy(6, 0.05)
    values[-60:-54] = 2.0 ** np.arange(6)
    assert find_ramp(STEPS, values) is None


def test_window_holds_positive_finite_points_up_to_the_step() -> None:
    values = np.ones(STEPS.size)
    values[[10, 20, 30]] = [np.nan, 0.0, -1.0]
    steps, kept = window_before(STEPS, values, 40)
    assert steps[-1] == 40
    assert kept.size == 37
    assert find_ramp(STEPS[:5], np.ones(5)) is None
