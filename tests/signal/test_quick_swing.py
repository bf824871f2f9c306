"""Swings of a few points: their period, not a multiple of it."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.signal.quick_swing import quick_swing

T = np.arange(1500)


def noise(size: float = 0.1, seed: int = 0) -> np.ndarray:
    return size * np.random.default_rng(seed).normal(size=T.size)


@pytest.mark.parametrize("period", [2.7, 3.3, 2 * np.pi / 1.3, 6.0, 7.7])
@pytest.mark.parametrize("shape", [np.sin, lambda x: np.sign(np.sin(x + 0.1))])
def test_the_period_of_a_wave(period: float, shape) -> None:
    found = quick_swing(1.5 + 0.6 * shape(2 * np.pi * T / period) + noise())
    assert found is not None
    assert found.period_points == pytest.approx(period, rel=0.005)
    assert found.first == 0
    assert 0.40 < found.amplitude < 0.58  # 0.6 / sqrt(2), for a square 4 / pi times as much


def test_one_that_begins_later() -> None:
    swing = np.where(T < 375, 0.0, np.sin(1.3 * T))
    found = quick_swing(swing + noise())
    assert found is not None
    assert found.first == 375


@pytest.mark.parametrize("seed", range(20))
def test_noise_has_none(seed: int) -> None:
    assert quick_swing(noise(1.0, seed)) is None
    assert quick_swing(np.cumsum(noise(1.0, seed))) is None
    assert quick_swing(noise(1.0, seed) - 0.9 * np.roll(noise(1.0, seed), 1)) is None


@pytest.mark.parametrize("period", [2, 9, 20, 50])
def test_longer_patterns_and_a_mere_to_and_fro_are_none(period: int) -> None:
    profile = np.random.default_rng(period).normal(size=period)
    assert quick_swing(np.resize(profile, T.size) + noise()) is None
    comb = np.where(T % period == 0, 8.0, 0.0)
    assert quick_swing(comb + noise(1.0)) is None


def test_few_or_equal_points_have_none() -> None:
    assert quick_swing(np.sin(1.3 * T[:199])) is None
    assert quick_swing(np.ones(300)) is None
