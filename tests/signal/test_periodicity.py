"""Autocorrelation against its definition, and periods found without being told."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from spikedoc.signal.fold import Fold, fold
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
