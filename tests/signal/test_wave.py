"""A slow swing with a steady period."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.signal.wave import find_wave


def swing(period: float, n: int = 2000, size: float = 0.15) -> np.ndarray:
    course = np.log(synth.curve("fine-tune", n, sigma=0.03, seed=1))
    return course + size * np.sin(2 * np.pi * np.arange(n) / period)


@pytest.mark.parametrize("period", [120.0, 200.0, 300.0])
def test_period_and_amplitude_are_those_of_the_sine(period: float) -> None:
    found = find_wave(swing(period))
    assert found is not None
    assert found.period_points == pytest.approx(period, rel=0.08)
    assert found.amplitude == pytest.approx(0.15 / np.sqrt(2.0), rel=0.2)
    assert found.cycles == pytest.approx(1600 / period, rel=0.1)
    assert 0.5 <= found.strength <= 1.1


def test_a_wave_within_the_noise_is_none() -> None:
    assert find_wave(swing(200.0, size=0.003)) is None


def test_three_cycles_are_too_few() -> None:
    assert find_wave(swing(600.0)) is None


@pytest.mark.parametrize("kind", [*synth.NOISES, *synth.HEAVY])
@pytest.mark.parametrize("shape", synth.SHAPES)
def test_healthy_curves_have_none(kind: str, shape: str) -> None:
    for seed in range(3):
        assert find_wave(np.log(synth.curve(shape, 1000, kind, 0.1, seed))) is None


@pytest.mark.parametrize("n", [0, 1, 2, 199, 200, 1000])
def test_a_constant_and_short_series_have_none(n: int) -> None:
    assert find_wave(np.full(n, 1.0)) is None
