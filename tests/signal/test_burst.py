"""Bursts of a smooth curve, and what only looks like them."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.signal.burst import find_bursts

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
