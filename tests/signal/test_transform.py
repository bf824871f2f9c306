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
