"""Autocorrelation against its definition, and periods found without being told."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from spikedoc.signal.fold import Fold, detrend, fold
from spikedoc.signal.periodicity import autocorrelation, candidate_periods

VALUES = st.integers(0, 60).flatmap(
    lambda n: arrays(np.float64, n, elements=st.integers(-1000, 1000).map(float))
)


@settings(max_examples=150, deadline=None)
@given(VALUES)
def test_autocorrelation_is_the_mean_product_at_a_lag(values: np.ndarray) -> None:
    np.testing.assert_allclose(
        autocorrelation(values), naive.autocorrelation(values.tolist()), atol=1e-12, rtol=1e-12
    )


def test_autocorrelation_of_a_wave_is_a_wave() -> None:
    values = np.sin(2 * np.pi * np.arange(1000) / 50)
    acf = autocorrelation(values)
    assert acf[0] == pytest.approx(1.0)
    assert acf[25] == pytest.approx(-1.0, abs=0.02)
    assert acf[50] == pytest.approx(1.0, abs=0.02)


def comb(period: int, n: int = 1600, height: float = 8.0, seed: int = 0) -> np.ndarray:
    values = np.random.default_rng(seed).normal(size=n)
    values[::period] += height
    return values


def best_fold(values: np.ndarray, steps: np.ndarray, periods: list[float]) -> Fold | None:
    folds = [f for p in periods if (f := fold(values, steps, p)) is not None]
    return max(folds, key=lambda f: f.eta2, default=None)


class TestCandidatePeriods:
    @pytest.mark.parametrize("period", [20, 33, 80])
    def test_the_true_period_or_a_multiple_comes_first(self, period: int) -> None:
        found = candidate_periods(comb(period), 1.0)
        ratio = found[0] / period
        assert ratio == pytest.approx(round(ratio), abs=0.02)
        assert any(p == pytest.approx(period, rel=0.01) for p in found)

    def test_periods_are_in_steps(self) -> None:
        found = candidate_periods(comb(20), 5.0)
        assert any(p == pytest.approx(100.0, rel=0.01) for p in found)

    def test_a_period_that_is_no_whole_number_of_points_is_sharpened(self) -> None:
        steps = np.arange(2000)
        values = np.random.default_rng(1).normal(size=2000)
        values[(steps % 30.4) < 3] += 6.0
        best = best_fold(values, steps, candidate_periods(values, 1.0))
        assert best is not None
        ratio = best.period / 30.4
        assert ratio == pytest.approx(round(ratio), abs=0.01)

    @pytest.mark.parametrize("n", [0, 1, 2, 199])
    def test_short_series_have_none(self, n: int) -> None:
        assert candidate_periods(np.zeros(n), 1.0) == []

    @pytest.mark.parametrize("n", [200, 1000])
    def test_a_constant_has_none(self, n: int) -> None:
        assert candidate_periods(np.full(n, 2.0), 1.0) == []


class TestBestFold:
    def test_the_period_that_explains_most_wins(self) -> None:
        values, steps = comb(40), np.arange(1600)
        best = best_fold(values, steps, [37.0, 40.0, 53.0])
        assert best is not None
        assert best.period == 40.0

    def test_there_is_none_without_periods_that_fit(self) -> None:
        assert best_fold(np.zeros(100), np.arange(100), []) is None
        assert best_fold(np.zeros(100), np.arange(100), [90.0]) is None


def plain_refined(acf: list[float], lag: int) -> float:
    """The lag sharpened by the highest place near each of its multiples up to eight, as far as the
    autocorrelation reaches."""
    period = float(lag)
    for multiple in range(2, 9):
        reach = max(1, round(0.1 * period))
        near = range(round(period * multiple) - reach, round(period * multiple) + reach + 1)
        if near[-1] + 1 >= len(acf):
            return period
        period = max(near, key=acf.__getitem__) / multiple
    return period


def plain_periods(values: np.ndarray, stride: float) -> list[float]:
    """The six highest peaks of the autocorrelation of the last three quarters, four standard errors
    above nothing, from lag 8 to an eighth of them."""
    n = values.size
    if n < 200:
        return []
    tail = values[int(0.25 * n) :]
    residual = detrend(tail, max(32, tail.size // 6) // 2 * 2 + 1)
    acf = naive.autocorrelation(residual.tolist())
    peaks = [
        lag
        for lag in range(8, min(len(acf) - 1, tail.size // 8))
        if acf[lag - 1] <= acf[lag] > acf[lag + 1] and acf[lag] > 4.0 / tail.size**0.5
    ]
    best = sorted(peaks, key=lambda lag: -acf[lag])[:6]
    return [stride * plain_refined(acf, lag) for lag in best]


@pytest.mark.parametrize("n", [199, 200, 250, 420])
@pytest.mark.parametrize("seed", range(8))
def test_candidates_are_those_of_the_definition(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    period = float(rng.choice([7.5, 9.0, 11.3, 17.0, 18.0]))
    values = rng.normal(size=n) * float(rng.choice([0.1, 0.5, 1.0]))
    values += np.sin(2 * np.pi * np.arange(n) / period) + np.linspace(3.0, 0.0, n)
    assert candidate_periods(values, 3.0) == pytest.approx(plain_periods(values, 3.0))


def test_of_the_longest_series_65_536_points_are_looked_at() -> None:
    values = np.random.default_rng(0).normal(size=100_000)
    values[::50] += 6.0
    other = values.copy()
    other[25_000 + 65_536 :] = 9.0
    assert candidate_periods(values, 1.0) == candidate_periods(other, 1.0)
    other[25_000 + 65_000 :] = 9.0
    assert candidate_periods(values, 1.0) != candidate_periods(other, 1.0)
