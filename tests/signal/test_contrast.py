"""Changes of level: against the plain definition, and on steps of known place and size."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from spikedoc.signal.baseline import baseline
from spikedoc.signal.contrast import best_split, contrast, level_changes

VALUES = st.integers(0, 60).flatmap(lambda n: arrays(np.float64, n, elements=st.floats(-1e6, 1e6)))


@settings(max_examples=150, deadline=None)
@given(VALUES, st.integers(1, 25))
def test_contrast_is_the_difference_of_two_medians(values: np.ndarray, span: int) -> None:
    np.testing.assert_allclose(
        contrast(values, span), naive.contrast(values.tolist(), span), rtol=1e-12, atol=1e-9
    )


def test_contrast_of_a_step_is_its_height() -> None:
    values = np.where(np.arange(100) < 50, 1.0, 4.0)
    assert contrast(values, 11)[50] == 3.0
    assert contrast(values, 10)[50] == 3.0
    assert contrast(values, 10)[20] == 0.0


def noisy_step(height: float, at: int = 700, n: int = 1500, sigma: float = 0.05) -> np.ndarray:
    values = np.random.default_rng(0).normal(0.0, sigma, n)
    values[at:] += height
    return values


def changes(values: np.ndarray, sign: int = 1) -> list[tuple[int, float]]:
    found = level_changes(values, baseline(values).noise, sign, 6.0, 0.1)
    return [(c.index, c.change) for c in found]


class TestLevelChanges:
    def test_a_step_is_found_at_its_place_at_every_span(self) -> None:
        found = changes(noisy_step(0.5))
        assert len(found) >= 3
        for index, change in found:
            assert abs(index - 700) <= 10
            assert change == pytest.approx(0.5, abs=0.06)

    def test_a_fall_is_a_change_downwards_only(self) -> None:
        values = noisy_step(-0.5)
        assert changes(values) == []
        assert all(change == pytest.approx(-0.5, abs=0.06) for _, change in changes(values, -1))
        assert len(changes(values, -1)) >= 3

    @pytest.mark.parametrize("height", [0.0, 0.02, 0.08])
    def test_less_than_the_least_change_is_none(self, height: float) -> None:
        assert changes(noisy_step(height, sigma=0.01)) == []

    def test_a_steady_slope_is_no_step(self) -> None:
        slope = 0.002 * np.arange(1500) + np.random.default_rng(1).normal(0, 0.02, 1500)
        assert changes(slope) == []
        assert changes(-slope, -1) == []

    def test_slow_wander_is_priced_in(self) -> None:
        rng = np.random.default_rng(2)
        wander = np.cumsum(rng.normal(0, 0.02, 3000)) + rng.normal(0, 0.02, 3000)
        assert len(changes(wander)) <= 1

    @pytest.mark.parametrize("n", [20_000, 100_000])
    def test_long_series_are_thinned_first(self, n: int) -> None:
        values = noisy_step(0.5, at=n // 2, n=n)
        found = level_changes(values, baseline(values).noise, 1, 6.0, 0.1)
        assert len(found) >= 4
        for c in found:
            assert abs(c.index - n // 2) <= c.span / 2
            assert c.change == pytest.approx(0.5, abs=0.06)

    @pytest.mark.parametrize("n", [0, 1, 2, 30, 79])
    def test_short_series_have_no_span(self, n: int) -> None:
        assert changes(np.arange(n, dtype=np.float64)) == []

    def test_a_constant_has_no_change(self) -> None:
        assert changes(np.full(900, 3.3)) == []


class TestBestSplit:
    @pytest.mark.parametrize("start", [685, 700, 715])
    def test_the_onset_is_found_from_nearby(self, start: int) -> None:
        assert best_split(noisy_step(0.5), start, 20) == 700

    def test_a_fall_is_sought_with_the_sign_turned(self) -> None:
        assert best_split(noisy_step(-0.5), 690, 20, sign=-1) == 700

    def test_too_little_around_leaves_the_index(self) -> None:
        assert best_split(np.arange(4.0), 2, 20) == 2
