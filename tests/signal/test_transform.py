"""The judging scale: logs where values allow it, asinh around the median else."""

from __future__ import annotations

import math
import warnings
from itertools import pairwise

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from spikedoc.signal.transform import Scale, ratio, transform

POSITIVE = st.integers(1, 40).flatmap(
    lambda n: arrays(np.float64, n, elements=st.floats(1e-6, 1e6))
)
ANY = st.integers(0, 40).flatmap(
    lambda n: arrays(np.float64, n, elements=st.floats(allow_nan=False, allow_infinity=False))
)


@settings(deadline=None)
@given(POSITIVE, st.floats(1e-3, 1e3))
def test_a_positive_factor_is_an_offset(values: np.ndarray, factor: float) -> None:
    one, other = transform(values), transform(factor * values)
    assert one.scale is other.scale is Scale.LOG
    np.testing.assert_allclose(other.values - one.values, np.log(factor), atol=1e-9)


@settings(deadline=None)
@given(ANY)
def test_anything_finite_stays_finite_and_in_order(values: np.ndarray) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        judged = transform(values).values
    assert np.isfinite(judged).all()
    order = np.argsort(values, kind="stable")
    assert (np.diff(judged[order]) >= 0).all()


def test_zeros_lie_ln_2_below_the_smallest_positive() -> None:
    judged = transform(np.array([0.0, 0.5, 2.0])).values
    assert judged[1] - judged[0] == pytest.approx(np.log(2.0))


def test_nothing_but_zeros_is_a_constant() -> None:
    assert np.ptp(transform(np.zeros(5)).values) == 0.0


class TestRounded:
    def curve(self, decimals: int, floor: float, n: int = 400) -> np.ndarray:
        rng = np.random.default_rng(3)
        course = floor + 0.5 * np.exp(-np.arange(n) / 30.0)
        return np.round(course * np.exp(0.2 * rng.standard_normal(n)), decimals)

    @pytest.mark.parametrize(("decimals", "floor"), [(2, 0.02), (2, 0.003), (3, 0.004), (1, 0.2)])
    def test_no_single_step_of_a_coarse_log_is_ten_per_cent(
        self, decimals: int, floor: float
    ) -> None:
        values = self.curve(decimals, floor)
        found = transform(values)
        assert found.scale is Scale.SOFT
        at = np.argsort(values, kind="stable")
        one_step = np.diff(values[at]) <= 1.01 * 10.0**-decimals
        assert np.diff(found.values[at])[one_step].max() < np.log(1.1)

    def test_far_above_its_steps_the_scale_is_that_of_the_log(self) -> None:
        values = self.curve(3, 0.004)
        values[300] = 40.0
        judged = transform(values).values
        peak, other = judged[300], judged[0]
        assert peak - other == pytest.approx(np.log(40.0 / values[0]), abs=0.01)

    def test_digits_enough_for_the_level_leave_the_log(self) -> None:
        assert transform(self.curve(2, 2.0)).scale is Scale.LOG
        assert transform(self.curve(6, 0.02)).scale is Scale.LOG

    def test_a_factor_changes_nothing_of_it(self) -> None:
        values = self.curve(2, 0.02)
        one, other = transform(values), transform(0.37 * values)
        assert one.scale is other.scale
        np.testing.assert_allclose(one.values, other.values, atol=1e-9)

    def test_a_short_log_says_nothing_of_its_digits(self) -> None:
        assert transform(self.curve(2, 0.02, n=40)).scale is Scale.LOG


class TestHinge:
    def test_zeros_that_come_and_go_are_losses(self) -> None:
        rng = np.random.default_rng(4)
        values = np.maximum(0.0, 0.05 + 0.05 * rng.standard_normal(500))
        found = transform(values)
        assert found.scale is Scale.SOFT
        # From nothing to the usual size is a step of about one, not of a hundred.
        assert np.ptp(found.values) < 2.0

    def test_zeros_at_the_end_are_a_loss_that_fell_to_zero(self) -> None:
        values = np.concatenate([np.exp(-np.arange(200) / 30.0), np.zeros(100)])
        assert transform(values).scale is Scale.LOG

    def test_zeros_among_losses_that_never_come_near_zero_are_none_of_a_hinge(self) -> None:
        rng = np.random.default_rng(5)
        values = 2.0 + 0.1 * rng.random(500)
        values[rng.random(500) < 0.1] = 0.0
        assert transform(values).scale is Scale.LOG


def test_negatives_are_judged_in_robust_standard_deviations() -> None:
    values = np.random.default_rng(0).normal(-3.0, 2.0, 5000)
    found = transform(values)
    assert found.scale is Scale.ASINH
    # Near the centre asinh(x) is x: a value one sigma up lies close to asinh(1).
    at = int(np.argmin(np.abs(values - (-3.0 + 2.0))))
    assert found.values[at] == pytest.approx(np.arcsinh(1.0), rel=0.1)


@pytest.mark.parametrize(
    "values",
    [
        [-2.0, -2.0, -2.0],
        [-1.0] * 9 + [5.0],
        [-1e300, 1e300],
        [-1.0, 0.0, 0.0, 1e-163, 2e-163, 1e150],  # a spread that no double can divide by
        [0.0, 5e-324, 1.0],  # half of the smallest positive is zero
    ],
)
def test_extremes_still_have_a_scale(values: list[float]) -> None:
    judged = transform(np.array(values)).values
    assert np.isfinite(judged).all()
    assert (np.diff(judged) >= 0).all()
    assert judged[-1] > judged[0] or len(set(values)) == 1


def test_an_empty_series_is_empty() -> None:
    found = transform(np.zeros(0))
    assert found.values.size == 0
    assert found.scale is Scale.LOG


def plain_grid_unit(values: list[float]) -> float:
    """Twelve steps of the grid of rounded values, which begins below; 0.0 without one."""
    levels = sorted(set(values))
    if len(values) < 60 or not 4 <= len(levels) <= len(values) // 3:
        return 0.0
    step = min(b - a for a, b in pairwise(levels))
    if 12 * step <= levels[0]:
        return 0.0
    on_grid = all(abs(v / step - round(v / step)) <= 1e-3 for v in levels)
    return 12 * step if on_grid else 0.0


def plain_hinge_unit(values: list[float]) -> float:
    """The upper quartile of the losses within 25 points of a zero that comes and goes."""
    while values and values[-1] == 0.0:
        values = values[:-1]
    zeros = [i for i, v in enumerate(values) if v == 0.0]
    begins = [i for i in zeros if i == 0 or values[i - 1] != 0.0]
    if len(begins) < 3 or len(zeros) < 0.02 * len(values):
        return 0.0
    near = {k for i in zeros for k in range(i - 25, i + 26)}
    beside = [v for i, v in enumerate(values) if v != 0.0 and i in near]
    low, usual, high, top = (float(np.quantile(beside, q)) for q in (0.02, 0.5, 0.75, 0.95))
    return 0.0 if low >= 0.25 * usual or top > 10.0 * usual else high


def plain_transform(values: list[float]) -> tuple[Scale, list[float]]:
    """The scale and the values on it, for values between -1e100 and 1e100."""
    lowest = min(values)
    if lowest < 0.0:
        centre = naive.median(values)
        spread = naive.scatter(values)
        if spread == 0.0:
            deviation = naive.mean([(v - naive.mean(values)) ** 2 for v in values]) ** 0.5
            spread = max(deviation, abs(centre), 1.0)
        return Scale.ASINH, [math.asinh((v - centre) / spread) for v in values]
    unit = max(plain_grid_unit(values), plain_hinge_unit(values))
    if unit > lowest:
        return Scale.SOFT, [math.asinh(v / unit) for v in values]
    positive = [v for v in values if v > 0.0]
    floor = lowest or (0.5 * min(positive) if positive else 1.0)
    return Scale.LOG, [math.log(max(v, floor)) for v in values]


def judged_like(values: np.ndarray) -> Scale:
    """The scale of values that are judged as the definition says."""
    found = transform(values)
    scale, expected = plain_transform(values.tolist())
    assert found.scale is scale
    np.testing.assert_allclose(found.values, expected, rtol=1e-9, atol=1e-9)
    return scale


@pytest.mark.parametrize("seed", range(40))
def test_rounded_values_are_judged_as_defined(seed: int) -> None:
    """Whole tenths from `low` on, of `levels` kinds, in logs about as long as it takes."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([59, 60, 61, 63, 120]))
    levels = int(rng.choice([3, 4, 5, 19, 20, 21, n // 3, n // 3 + 1]))
    low = int(rng.choice([0, 1, 11, 12, 13]))
    values = low + np.concatenate([np.arange(levels), rng.integers(0, levels, n - levels)])
    judged_like(np.roll(values, seed) / 10.0)
    judged_like(np.append(np.roll(values, seed) / 10.0, 5.1234))  # off the grid


@pytest.mark.parametrize("seed", range(40))
def test_losses_beside_zeros_are_judged_as_defined(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.choice([30, 100, 150, 300]))
    values = rng.random(n) * rng.choice([0.5, 1.0, 6.0]) + rng.choice([0.0, 0.1, 0.3])
    zeros = int(rng.choice([1, 2, 3, 4, 6]))
    values[rng.choice(n, zeros, replace=False)] = 0.0
    values[n - int(rng.choice([0, 0, 5])) :] = 0.0
    if seed % 4 == 0:
        values[rng.random(n) < 0.1] *= 30.0
    judged_like(values)


@pytest.mark.parametrize("seed", range(12))
def test_negatives_are_judged_as_defined(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = np.round(rng.normal(rng.choice([-3.0, 0.0, 2.0]), 2.0, 41))
    values[0] = -9.0
    values[1 : int(rng.choice([5, 38]))] = 1.0  # nearly a constant has no robust scatter
    assert judged_like(values) is Scale.ASINH


class TestThresholdsOfTheSoftScale:
    """Each just met and just missed; the scale tells which."""

    @staticmethod
    def rounded(n: int, levels: int, low: int = 1) -> Scale:
        return transform((low + np.arange(n) % levels) / 8.0).scale

    def test_sixty_points(self) -> None:
        assert self.rounded(60, 5) is Scale.SOFT
        assert self.rounded(59, 5) is Scale.LOG

    def test_four_levels_and_a_third_at_most(self) -> None:
        scales = [self.rounded(60, levels) for levels in (3, 4, 20, 21)]
        assert scales == [Scale.LOG, Scale.SOFT, Scale.SOFT, Scale.LOG]

    def test_twelve_steps(self) -> None:
        assert self.rounded(60, 5, low=11) is Scale.SOFT
        assert self.rounded(60, 5, low=12) is Scale.LOG

    @staticmethod
    def hinge(zeros: list[int], n: int = 100, low: float = 0.1) -> Scale:
        values = np.tile([low, 1.0], n // 2)
        values[zeros] = 0.0
        return transform(values).scale

    def test_three_stretches(self) -> None:
        assert self.hinge([0, 20, 40]) is Scale.SOFT
        assert self.hinge([10, 20, 40]) is Scale.SOFT
        assert self.hinge([10, 20, 21]) is Scale.LOG

    def test_a_fiftieth_of_the_points(self) -> None:
        assert self.hinge([0, 20, 40], n=150) is Scale.SOFT
        assert self.hinge([0, 20, 40], n=152) is Scale.LOG

    def test_a_quarter_of_the_usual_loss(self) -> None:
        """The lower half of the losses is `low`, so that the usual one is 1 or between."""
        below = np.where(np.arange(100) % 10 == 5, 0.24, 1.0)
        at = np.where(np.arange(100) % 10 == 5, 0.25, 1.0)
        for values, scale in ((below, Scale.SOFT), (at, Scale.LOG)):
            values[[2, 22, 42, 62, 82]] = 0.0
            assert transform(values).scale is scale

    def test_ten_times_the_usual_loss(self) -> None:
        for top, scale in ((10.0, Scale.SOFT), (10.1, Scale.LOG)):
            values = np.select([np.arange(50) % 10 == 5, np.arange(50) % 10 == 6], [0.1, top], 1.0)
            values[[2, 22, 42]] = 0.0
            assert transform(values).scale is scale

    def test_twenty_five_points_beside_a_zero(self) -> None:
        """Only what is within 25 points of a zero gives the unit: the upper quartile of 1.0."""
        values = np.full(150, 1.0)
        values[[0, 2, 4]] = 0.0
        values[1], values[3] = 0.0123, 0.0204
        values[30:] = 8.0
        assert transform(values).values[1] == pytest.approx(math.asinh(0.0123))
        values[29] = 8.0
        found = transform(values).values
        beside = [0.0123, 0.0204, *[1.0] * 24, 8.0]
        assert found[1] == pytest.approx(math.asinh(0.0123 / float(np.quantile(beside, 0.75))))


def test_ratio_is_the_exponential_up_to_700() -> None:
    assert ratio(math.log(3.0)) == pytest.approx(3.0)
    assert ratio(-1.0) == pytest.approx(math.exp(-1.0))
    assert ratio(700.0) == ratio(1e9) == math.exp(700.0)
    assert ratio(699.0) == math.exp(699.0)
