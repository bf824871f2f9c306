"""Bursts of a smooth curve, and what only looks like them."""

from __future__ import annotations

import math

import naive
import numpy as np
import pytest
import synth

from spikedoc.signal.burst import Burst, find_bursts
from spikedoc.signal.roughness import lag_one

SHAPE = 9.0 * np.exp(-np.arange(40) / 6.0)


def smooth(n: int = 2000) -> np.ndarray:
    t = np.arange(n)
    slow = np.cumsum(np.random.default_rng(0).normal(size=n)) * 0.0005
    return (0.05 + 2.0 * np.exp(-t / 250.0)) * np.exp(slow)


def with_bursts(at: list[int], sign: float = 1.0) -> np.ndarray:
    values = smooth()
    for start in at:
        part = values[start : start + SHAPE.size]
        part *= (1.0 + SHAPE[: part.size]) ** sign
    return np.log(values)


def test_each_burst_is_found_from_first_to_last_point() -> None:
    at = [400, 700, 950, 1300, 1700]
    found = find_bursts(with_bursts(at))
    assert [b.first for b in found] == at
    assert [b.peak for b in found] == at
    for b in found:
        assert b.rise == pytest.approx(np.log(10.0), abs=0.15)
        assert 10 <= b.last - b.first <= 35


def test_two_are_not_a_pattern() -> None:
    assert find_bursts(with_bursts([700, 1300])) == []


def test_the_first_tenth_is_not_judged() -> None:
    assert [b.first for b in find_bursts(with_bursts([100, 400, 700, 950]))] == [400, 700, 950]


def test_dips_are_no_bursts() -> None:
    assert find_bursts(with_bursts([400, 700, 950, 1300, 1700], sign=-1.0)) == []


def test_a_swing_is_no_burst() -> None:
    assert find_bursts(np.log(smooth()) + 0.9 * np.sin(np.arange(2000) / 15.0)) == []


def test_a_burst_at_the_very_end_is_cut_off_there() -> None:
    found = find_bursts(with_bursts([400, 700, 950, 1990]))
    assert found[-1].first == 1990
    assert found[-1].last == 1999


@pytest.mark.parametrize("kind", [*synth.NOISES, *synth.HEAVY])
@pytest.mark.parametrize("shape", ["language", "converged"])
def test_minibatch_noise_has_no_bursts(kind: str, shape: str) -> None:
    for seed in range(5):
        assert find_bursts(np.log(synth.curve(shape, 1200, kind, 0.3, seed))) == []


@pytest.mark.parametrize("n", [0, 1, 2, 199, 400])
def test_a_constant_and_short_series_have_none(n: int) -> None:
    assert find_bursts(np.zeros(n)) == []


def test_a_steep_smooth_descent_has_none() -> None:
    assert find_bursts(-np.linspace(0.0, 30.0, 1000)) == []


def plain_bursts(values: list[float]) -> list[Burst]:
    """Runs above five sigma and a factor of two over the lower quartile that end below two sigma
    and a fifth, of a smooth series that goes up further than down; three at least."""
    n = len(values)
    if n < 200:
        return []
    window = min(max(n // 20, 41), 201) // 2 * 2 + 1
    quartile = naive.rolling_quantile(values, window, 0.25)
    above = [v - q for v, q in zip(values, quartile, strict=True)]
    skip = n // 10
    kept = np.array(above[skip:])
    if naive.median([lag_one(part) for part in np.array_split(kept, 4)]) < 0.5:
        return []
    below = [-a for a in above[skip:] if a < 0]
    sigma = (2.1 * naive.median(below) if below else 0.0) + 1e-9
    low = max(float(np.quantile(-kept, 0.98)), 1e-9)
    if float(np.quantile(kept, 0.98)) < 1.5 * low:
        return []
    start, end = max(5.0 * sigma, math.log(2.0)), max(2.0 * sigma, 0.2)
    bursts, i = [], skip
    while i < n:
        if above[i] > start:
            last = i
            while last + 1 < n and above[last + 1] >= end:
                last += 1
            peak = max(range(i, last + 1), key=above.__getitem__)
            before = values[max(0, i - 10) : i]
            if before and values[peak] - naive.median(before) >= math.log(2.0):
                bursts.append(Burst(i, peak, last, above[peak]))
            i = last
        i += 1
    return bursts if len(bursts) >= 3 else []


@pytest.mark.parametrize("n", [199, 200, 400, 860])
@pytest.mark.parametrize("seed", range(12))
def test_bursts_are_those_of_the_definition(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = 0.02 * np.cumsum(rng.normal(size=n)) + np.linspace(2.0, 0.0, n) ** 2
    values += float(rng.choice([0.0, 0.01, 0.1])) * rng.normal(size=n)
    for at in rng.integers(0, n, int(rng.choice([2, 4, 6]))):
        length = min(int(rng.choice([3, 12, 25])), n - at)
        height = float(rng.choice([0.6, 0.72, 1.5, 3.0]))
        values[at : at + length] += height * np.exp(
            -np.arange(length) / rng.choice([4.0, 9.0, 50.0])
        )
        if seed % 4 == 0:
            values[max(0, at - length) : at] -= height
    found = find_bursts(values)
    expected = plain_bursts(values.tolist())
    assert [(b.first, b.peak, b.last) for b in found] == [
        (b.first, b.peak, b.last) for b in expected
    ]
    assert [b.rise for b in found] == pytest.approx([b.rise for b in expected])
