"""Values high and low in turn are told with their ends; noise of every colour is not."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.signal.alternation import FEWEST, alternation


@pytest.mark.parametrize("size", [60, 80, 200, 1000])
@pytest.mark.parametrize("height", [0.05, 0.2])
def test_two_walls_are_found_from_where_they_begin(size: int, height: float) -> None:
    values = np.random.default_rng(1).normal(0.0, 0.01, size)
    values[9:] += height * (-1.0) ** np.arange(9, size)
    found = alternation(values)
    assert found is not None
    assert found.first in (8, 9, 10, 11)
    assert found.last in (size - 2, size - 1)
    assert found.amplitude == pytest.approx(height, rel=0.1)
    assert found.cycles == pytest.approx((size - 9) / 2, abs=2.0)
    assert found.period_points == 2.0


def test_it_may_stop_before_the_end() -> None:
    values = np.random.default_rng(2).normal(0.0, 0.002, 100)
    values[20:70] += 0.3 * (-1.0) ** np.arange(50)
    found = alternation(values)
    assert found is not None
    assert (found.first, found.last) == (pytest.approx(20, abs=2), pytest.approx(69, abs=2))


@pytest.mark.parametrize("size", [40, 80, 200, 5000])
@pytest.mark.parametrize("memory", [-0.4, 0.0, 0.7])
def test_noise_is_none(size: int, memory: float) -> None:
    for seed in range(100):
        noise = np.random.default_rng([size, seed]).normal(0.0, 0.1, size)
        for i in range(1, size):
            noise[i] += memory * noise[i - 1]
        assert alternation(noise) is None, seed


@pytest.mark.parametrize(
    "values",
    [
        np.zeros(80),
        np.linspace(3.0, 1.0, 80),
        np.tile([0.0, 1.0, 2.0, 1.0], 20),
        np.tile([0.0, 1.0], FEWEST // 2),
    ],
    ids=["flat", "falling", "a period of four", "too few"],
)
def test_others_are_none(values: np.ndarray) -> None:
    assert alternation(values) is None


def test_the_largest_numbers_are_compared_too() -> None:
    found = alternation(np.tile([-1e300, 1e300], 40))
    assert found is not None
    assert np.isfinite(found.amplitude)
