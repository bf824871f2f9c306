"""Size, symmetry and memory of the noise, and swings that grow."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from naive import correlation

from spikedoc.signal.roughness import lag_one, residuals, roughness, swing_growth, swings


def gauss(n: int = 4000, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=n)


class TestRoughness:
    @pytest.mark.parametrize("sigma", [0.01, 0.5, 20.0])
    def test_noise_is_the_standard_deviation(self, sigma: float) -> None:
        found = roughness(sigma * gauss() + np.linspace(3.0, 1.0, 4000) * sigma)
        assert found.noise == pytest.approx(sigma, rel=0.05)
        assert abs(found.lag1) < 0.1

    def test_spikes_are_not_noise(self) -> None:
        values = gauss()
        values[1500::500] += 1e6
        assert roughness(values).noise == pytest.approx(1.0, rel=0.1)

    def test_noise_with_memory_has_a_lag_one_correlation(self) -> None:
        values = np.convolve(gauss(4010), np.ones(5) / 5.0, mode="valid")
        assert roughness(values).lag1 == pytest.approx(0.8, abs=0.12)

    @pytest.mark.parametrize("n", [1, 2, 5, 500])
    def test_a_constant_is_smooth(self, n: int) -> None:
        found = roughness(np.full(n, 2.5))
        assert (found.noise, found.lag1) == (0.0, 0.0)


@settings(deadline=None)
@given(
    st.integers(3, 40).flatmap(
        lambda n: arrays(np.float64, n, elements=st.integers(-99, 99).map(float), unique=True)
    )
)
def test_lag_one_is_the_correlation_of_neighbours(values: np.ndarray) -> None:
    if values.size > 3:
        expected = correlation(values[1:].tolist(), values[:-1].tolist())
        assert lag_one(values) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 2.0], [1.0, 1.0, 1.0], [1.0, 1.0, 5.0]])
def test_lag_one_without_variance_is_zero(values: list[float]) -> None:
    assert lag_one(np.array(values)) == 0.0


def test_residuals_have_no_level() -> None:
    apart = residuals(gauss() + np.linspace(50.0, 0.0, 4000))
    assert abs(float(np.median(apart))) < 0.05


class TestSwings:
    def test_of_steady_noise_is_the_same_everywhere(self) -> None:
        spread = swings(gauss())
        # 2 % to 98 % of a Gaussian: 4.1 sigma.
        assert np.median(spread) == pytest.approx(4.1, rel=0.08)
        assert swing_growth(gauss()) == pytest.approx(1.0, abs=0.25)

    def test_growth_is_the_factor_from_the_middle_to_the_end(self) -> None:
        size = np.where(np.arange(4000) < 3000, 1.0, 6.0)
        assert swing_growth(size * gauss()) == pytest.approx(6.0, rel=0.2)
        assert swing_growth((7.0 - size) * gauss()) < 0.5

    @pytest.mark.parametrize("n", [0, 1, 2, 19])
    def test_parts_without_points_do_not_swing(self, n: int) -> None:
        spread = swings(np.zeros(n))
        assert spread.tolist() == [0.0] * 20
        assert swing_growth(np.zeros(n)) == 0.0
