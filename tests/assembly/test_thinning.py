"""Thinning keeps what a reader looks for, and no more than a picture needs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spikedoc.assembly.thinning import extremes, kept_points, nonfinite_stretches

LONG = 50_000
NONE = np.zeros(0, dtype=np.int64)


class TestExtremes:
    @pytest.mark.parametrize("n", [0, 1, 2, 200])
    def test_short_series_are_kept_whole(self, n: int) -> None:
        assert extremes(np.zeros(n), 100).tolist() == list(range(n))

    @pytest.mark.parametrize("n", [201, 5_000, LONG, 123_457])
    def test_long_ones_have_two_points_a_stretch(self, n: int) -> None:
        values = np.random.default_rng(0).normal(size=n)
        kept = extremes(values, 100)
        assert 100 <= kept.size <= 200
        assert (np.diff(kept) > 0).all()
        width = -(-n // 100)
        for first in range(0, n, width):
            part = values[first : first + width]
            assert {first + part.argmin(), first + part.argmax()} <= set(kept.tolist())

    def test_what_is_not_finite_is_never_kept(self) -> None:
        values = np.random.default_rng(1).normal(size=LONG)
        values[::3] = np.nan
        values[1::7] = np.inf
        assert np.isfinite(values[extremes(values, 50)]).all()
        assert extremes(np.full(LONG, np.nan), 50).size == 0


class TestKeptPoints:
    def test_marked_points_and_both_ends_stay(self) -> None:
        values = np.random.default_rng(2).normal(size=LONG)
        marked = np.array([7, 12_345, 40_001])
        kept = set(kept_points(values, marked, [], 20, 5).tolist())
        assert {0, LONG - 1, *marked.tolist()} <= kept
        assert len(kept) <= 2 * 20 + 5

    def test_a_marked_point_that_is_not_finite_is_left_to_the_stretches(self) -> None:
        values = np.zeros(LONG)
        values[5] = np.nan
        assert 5 not in kept_points(values, np.array([5]), [], 10, 5)

    def test_a_short_window_is_kept_whole(self) -> None:
        values = np.random.default_rng(3).normal(size=LONG)
        kept = set(kept_points(values, NONE, [(20_000, 20_040)], 20, 20).tolist())
        assert set(range(20_000, 20_040)) <= kept

    def test_nothing_finite_leaves_nothing(self) -> None:
        assert kept_points(np.full(9, np.nan), NONE, [(0, 9)], 4, 4).size == 0


class TestStretches:
    def test_neighbours_are_one(self) -> None:
        values = np.array([1, np.nan, np.inf, 1, 1, np.nan])
        steps = np.array([0, 10, 20, 30, 40, 50])
        found = nonfinite_stretches(steps, values, 10)
        told = [(s.first_step, s.last_step, s.count, s.points) for s in found]
        assert told == [(10, 20, 2, 2), (50, 50, 1, 1)]

    def test_there_are_none_without(self) -> None:
        assert nonfinite_stretches(np.arange(9), np.ones(9), 10) == ()

    @given(st.lists(st.booleans(), min_size=1, max_size=400), st.integers(1, 20))
    @settings(max_examples=60, deadline=None)
    def test_none_is_lost_and_there_are_never_too_many(self, lost: list[bool], most: int) -> None:
        bad = np.array(lost)
        values = np.where(bad, np.nan, 1.0)
        found = nonfinite_stretches(np.arange(bad.size), values, most)
        assert len(found) <= most
        assert sum(s.count for s in found) == bad.sum()
        covered = np.zeros(bad.size, dtype=bool)
        for s in found:
            covered[s.first_step : s.last_step + 1] = True
            assert s.points == s.last_step - s.first_step + 1
        assert not (bad & ~covered).any()
        runs = int(np.count_nonzero(np.diff(np.concatenate([[False], bad]).astype(int)) > 0))
        if runs <= most:
            assert (covered == bad).all()
