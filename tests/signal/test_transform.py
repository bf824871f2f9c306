"""The judging scale: logs where values allow it, asinh around the median else."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from spikedoc.signal.transform import Scale, transform

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
