"""A slow swing with a steady period."""

from __future__ import annotations

import naive
import numpy as np
import pytest
import synth

from spikedoc.signal.wave import Wave, find_wave


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


def plain_wave(values: list[float]) -> Wave | None:
    """Of the last four fifths 120 blocks and more, without a cubic and far-off ones: the lag, from
    six blocks on and five times in all, that comes back, and is turned round at half of it."""
    n = len(values)
    if n < 200:
        return None
    kept = values[n // 5 :]
    width = max(1, len(kept) // 120)
    level = naive.block_medians(kept, width)
    count, spread = len(level), naive.scatter(level)
    middle = naive.median(level)
    if spread <= 0:
        return None
    cut = [min(max(v - middle, -5.0 * spread), 5.0 * spread) for v in level]
    cubic = np.polynomial.Polynomial.fit(np.arange(count), cut, 3)
    swing = [v - float(cubic(i)) for i, v in enumerate(cut)]
    acf = naive.autocorrelation(swing)
    strengths = {}
    for lag in range(6, count // 5 + 1):
        trough = -min(acf[lag // 2 + k] for k in (-1, 0, 1))
        second = max(acf[2 * lag + k] for k in (-1, 0, 1))
        strength = min(acf[lag], trough)
        if acf[lag - 1] <= acf[lag] >= acf[lag + 1] and strength >= 0.5 and second >= 0.4:
            strengths[lag] = strength
    if not strengths:
        return None
    lag = max(strengths, key=strengths.__getitem__)
    size = float(np.std(swing))
    return Wave(float(lag * width), strengths[lag], size, count / lag)


@pytest.mark.parametrize("block", range(8))
def test_waves_are_those_of_the_definition(block: int) -> None:
    for seed in range(15 * block, 15 * block + 15):
        rng = np.random.default_rng(seed)
        n = int(rng.choice([199, 200, 299, 301, 450]))
        period = float(rng.choice([5.0, 6.0, 7.5, 20.0, 31.0, 33.0])) * max(1, (n - n // 5) // 120)
        values = np.sin(2 * np.pi * np.arange(n) / period) + np.linspace(1.0, 0.0, n) ** 2
        values += float(rng.choice([0.1, 0.4, 0.7, 1.0])) * rng.normal(size=n)
        if seed % 3 == 0:
            values[rng.integers(n // 5, n, 4)] += float(rng.choice([40.0, -40.0]))
        found, expected = find_wave(values), plain_wave(values.tolist())
        assert (found is None) is (expected is None)
        if found is not None and expected is not None:
            told = (found.period_points, found.strength, found.amplitude, found.cycles)
            assert told == pytest.approx(
                (expected.period_points, expected.strength, expected.amplitude, expected.cycles)
            )
