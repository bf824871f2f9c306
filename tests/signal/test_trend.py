"""Kendall's tau and the Theil-Sen slope against all pairs, and the trend of block medians."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from spikedoc.signal.trend import kendall_tau, theil_sen, trend

VALUES = st.integers(0, 40).flatmap(
    lambda n: arrays(np.float64, n, elements=st.floats(-1e6, 1e6) | st.sampled_from([0.0, 1.0]))
)
MANY = settings(max_examples=150, deadline=None)


@MANY
@given(VALUES)
def test_kendall_tau_counts_all_pairs(values: np.ndarray) -> None:
    assert kendall_tau(values) == pytest.approx(naive.kendall_tau(values.tolist()), abs=1e-12)


@MANY
@given(VALUES)
def test_theil_sen_is_the_median_of_all_slopes(values: np.ndarray) -> None:
    expected = naive.theil_sen(values.tolist())
    assert theil_sen(values) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@MANY
@given(VALUES)
def test_turning_the_order_round_turns_the_sign(values: np.ndarray) -> None:
    assert kendall_tau(values[::-1]) == pytest.approx(-kendall_tau(values), abs=1e-12)


def test_a_straight_line_has_tau_one_and_its_own_slope() -> None:
    line = 3.0 - 0.25 * np.arange(50)
    assert kendall_tau(line) == -1.0
    assert theil_sen(line) == pytest.approx(-0.25)


def test_one_wild_point_hardly_moves_the_slope() -> None:
    line = 0.5 * np.arange(41)
    line[20] = 1e9
    assert theil_sen(line) == pytest.approx(0.5, rel=0.05)


@pytest.mark.parametrize("n", [79, 400, 4000])
def test_the_change_is_that_from_end_to_end(n: int) -> None:
    found = trend(np.linspace(2.0, 1.0, n))
    assert found.tau == pytest.approx(-1.0)
    assert found.change == pytest.approx(-1.0, abs=0.05)
    assert 20 <= found.blocks < 80


def test_a_constant_goes_nowhere() -> None:
    found = trend(np.full(500, 1.7))
    assert (found.tau, found.change) == (0.0, 0.0)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_too_few_points_have_no_tau(n: int) -> None:
    found = trend(np.arange(n, dtype=np.float64))
    assert found.tau == 0.0
    assert found.blocks == n


@pytest.mark.parametrize("n", [3, 39, 79, 80, 81, 119, 120])
def test_a_trend_is_that_of_at_most_eighty_block_medians(n: int) -> None:
    """Blocks of n // 40 points: forty of them or more, the rest left out."""
    values = np.random.default_rng(n).normal(size=n)
    blocks = naive.block_medians(values.tolist(), max(1, n // 40))
    found = trend(values)
    assert found.blocks == len(blocks)
    assert found.tau == pytest.approx(naive.kendall_tau(blocks))
    assert found.change == pytest.approx(naive.theil_sen(blocks) * (len(blocks) - 1))
    ten = naive.block_medians(values.tolist(), max(1, n // 10))
    assert trend(values, 10).tau == pytest.approx(naive.kendall_tau(ten))


def test_three_values_have_an_order_and_two_a_slope() -> None:
    assert kendall_tau(np.array([1.0, 2.0, 3.0])) == 1.0
    assert kendall_tau(np.array([1.0, 2.0])) == 0.0
    assert theil_sen(np.array([1.0, 2.5])) == 1.5
    assert theil_sen(np.array([1.0])) == 0.0


def test_the_order_of_the_largest_doubles_is_an_order() -> None:
    # Their distance is beyond all doubles: 1.7e308 - (-1.7e308) = inf.
    assert kendall_tau(np.array([-1.7e308, 0.0, 1.7e308])) == 1.0
    assert kendall_tau(np.array([1.7e308, -1.7e308, -1.7e308])) == pytest.approx(-2 / 3)
