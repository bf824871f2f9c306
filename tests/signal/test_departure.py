"""Where a climb began, against climbs whose beginning is known."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.signal.departure import departure

BEGIN = 1200


def climb(length: int, factor: float, sigma: float, seed: int) -> np.ndarray:
    """Return 1200 points of noise around one, then an exponential climb."""
    level = np.ones(BEGIN + length)
    level[BEGIN:] = factor ** (np.arange(length) / length)
    return level * np.exp(sigma * np.random.default_rng(seed).standard_normal(level.size))


@pytest.mark.parametrize("guess", [-140, 0, 100])
@pytest.mark.parametrize("length", [200, 400])
def test_the_bend_is_found_wherever_the_detector_put_it(length: int, guess: int) -> None:
    apart = []
    for seed in range(15):
        values = climb(length, 10.0, 0.1, seed)
        steps = np.arange(1, values.size + 1)
        apart.append(departure(steps, values, BEGIN + guess, values.size) - BEGIN)
    assert abs(float(np.median(apart))) <= 0.06 * length
    assert max(apart) <= 0.15 * length


def test_steps_are_those_of_the_log() -> None:
    values = climb(300, 20.0, 0.05, 0)
    steps = 50 + 4 * np.arange(values.size)
    found = departure(steps, values, float(steps[BEGIN - 50]), float(steps[-1]))
    assert found in steps
    assert abs(found - steps[BEGIN]) <= 4 * 30


@pytest.mark.parametrize(
    "values",
    [np.ones(500), np.exp(-np.arange(500) / 100), np.full(500, np.nan), np.zeros(500), np.ones(5)],
)
def test_without_a_bend_the_detector_is_believed(values: np.ndarray) -> None:
    steps = np.arange(values.size)
    assert departure(steps, values, values.size // 2, values.size - 1) == values.size // 2


def test_a_window_without_width_is_left_alone() -> None:
    assert departure(np.arange(100), np.ones(100), 50, 50) == 50
    assert departure(np.arange(0), np.ones(0), 5, 9) == 5
