"""Size, symmetry and memory of the noise, and swings that grow."""

from __future__ import annotations

from itertools import pairwise

import naive
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


def plain_residuals(values: list[float]) -> list[float]:
    window = min(max(len(values) // 20, 21), 201) // 2 * 2 + 1
    level = naive.rolling_median(values, window)
    return [v - m for v, m in zip(values, level, strict=True)]


def plain_noise(values: list[float]) -> float:
    """The root mean square beyond the first quarter, six robust deviations at most; where half of
    the points do not move, the deviation is that of all but the largest hundredth."""
    rest = plain_residuals(values)[len(values) // 4 :]
    spread = naive.scatter(rest)
    if spread == 0.0 and rest:
        sizes = sorted(map(abs, rest))[: len(rest) - len(rest) // 100]
        spread = naive.mean([s * s for s in sizes]) ** 0.5
    cut = [min(max(v, -6.0 * spread), 6.0 * spread) for v in rest] if spread else rest
    return naive.mean([c * c for c in cut]) ** 0.5 if cut else 0.0


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 60, 419, 420, 450])
@pytest.mark.parametrize("kind", ["noise", "spikes", "ties", "one spike"])
def test_roughness_is_that_of_the_definition(n: int, kind: str) -> None:
    rng = np.random.default_rng(n)
    values = rng.normal(size=n) + np.linspace(3.0, 0.0, n)
    if kind == "spikes":
        values[rng.random(n) < 0.05] += 50.0
    elif kind == "ties":
        values = np.where(rng.random(n) < 0.3, rng.normal(size=n), 0.0)
    elif kind == "one spike":
        values = np.zeros(n)
        values[n // 2 : n // 2 + 1 + n // 200] = 3.0
    assert residuals(values).tolist() == pytest.approx(plain_residuals(values.tolist()))
    found = roughness(values)
    assert found.noise == pytest.approx(plain_noise(values.tolist()))


@pytest.mark.parametrize("n", [4019, 4020, 4040, 5000])
def test_the_window_is_of_201_points_at_most(n: int) -> None:
    values = gauss(n, 3)
    at = n // 2
    expected = values[at] - float(np.median(values[at - 100 : at + 101]))
    assert residuals(values)[at] == pytest.approx(expected)


@pytest.mark.parametrize("n", [20, 21, 39, 59, 100, 419])
def test_swings_are_those_of_twenty_parts(n: int) -> None:
    """The first parts are one point longer where the length is no multiple of twenty."""
    values = np.random.default_rng(n).normal(size=n)
    rest = plain_residuals(values.tolist())
    whole, longer = divmod(n, 20)
    borders = [k * whole + min(k, longer) for k in range(21)]
    parts = [rest[a:b] for a, b in pairwise(borders)]
    expected = [float(np.quantile(part, 0.98) - np.quantile(part, 0.02)) for part in parts]
    assert swings(values).tolist() == pytest.approx(expected)
    growth = naive.median(expected[17:]) / max(naive.median(expected[5:12]), 1e-300)
    assert swing_growth(values) == pytest.approx(growth)


def test_three_values_have_a_correlation_with_their_neighbours() -> None:
    assert lag_one(np.array([1.0, 2.0, 3.0])) == pytest.approx(1.0)
    assert lag_one(np.array([1.0, 2.0, 1.0])) == pytest.approx(-1.0)
