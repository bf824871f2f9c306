"""Running medians, quantiles and noise against their plain-loop definitions."""

from __future__ import annotations

import math

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from spikedoc.signal import baseline as module
from spikedoc.signal.baseline import (
    baseline,
    block_medians,
    median,
    rolling_median,
    rolling_quantile,
    scatter,
    trailing_median,
)

FINITE = st.floats(-1e6, 1e6, allow_nan=False, width=64)
SHORT = st.integers(0, 50).flatmap(lambda n: arrays(np.float64, n, elements=FINITE))
WINDOWS = st.integers(1, 70)
MANY = settings(max_examples=120, deadline=None)


def assert_same(found: np.ndarray, expected: list[float]) -> None:
    assert found.shape == (len(expected),)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@MANY
@given(SHORT, WINDOWS)
def test_rolling_median_is_the_median_of_the_mirrored_window(values: np.ndarray, w: int) -> None:
    assert_same(rolling_median(values, w), naive.rolling_median(values.tolist(), w))


@MANY
@given(SHORT, WINDOWS, st.sampled_from([0.0, 0.02, 0.25, 0.5, 0.75, 0.98, 1.0]))
def test_rolling_quantile_is_an_order_statistic(values: np.ndarray, w: int, q: float) -> None:
    assert_same(rolling_quantile(values, w, q), naive.rolling_quantile(values.tolist(), w, q))


@MANY
@given(SHORT, WINDOWS)
def test_trailing_median_looks_only_at_what_came_before(values: np.ndarray, w: int) -> None:
    found = trailing_median(values, rolling_median(values, w), naive.odd_width(values.size, w))
    assert_same(found, naive.trailing_median(values.tolist(), w))


@MANY
@given(SHORT, st.integers(1, 60))
def test_block_medians_leave_out_an_incomplete_block(values: np.ndarray, width: int) -> None:
    assert_same(block_medians(values, width), naive.block_medians(values.tolist(), width))


@MANY
@given(SHORT)
def test_scatter_is_the_scaled_median_distance(values: np.ndarray) -> None:
    assert scatter(values) == pytest.approx(naive.scatter(values.tolist()), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("n", [0, 1, 2])
@pytest.mark.parametrize("window", [1, 2, 3, 21, 1000])
def test_the_shortest_series_keep_their_length(n: int, window: int) -> None:
    values = np.arange(n, dtype=np.float64)
    for found in (rolling_median(values, window), rolling_quantile(values, window, 0.25)):
        assert found.tolist() == values.tolist()
        assert not np.shares_memory(found, values)
    assert baseline(values).trailing.size == n


def test_a_window_longer_than_the_series_is_cut_to_it() -> None:
    values = np.array([5.0, 1.0, 4.0, 2.0, 3.0])
    assert rolling_median(values, 99).tolist() == rolling_median(values, 5).tolist()
    # Mirrored at the ends: the first window is 4 1 5 1 4.
    assert rolling_median(values, 99)[0] == 4.0


def test_long_series_are_filtered_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(0).normal(size=500)
    whole = rolling_quantile(values, 21, 0.25)
    monkeypatch.setattr(module, "WINDOW_CHUNK_ELEMENTS", 21 * 7)
    assert rolling_quantile(values, 21, 0.25).tolist() == whole.tolist()


@pytest.mark.parametrize("window", [67, 101, 405, 2001])
@pytest.mark.parametrize("n", [7000, 7013])
def test_the_longest_series_are_filtered_on_a_grid(
    monkeypatch: pytest.MonkeyPatch, n: int, window: int
) -> None:
    values = np.random.default_rng(window).normal(size=n) + np.sin(np.arange(n) / 500.0)
    exact = rolling_median(values, window), rolling_quantile(values, window, 0.25)
    monkeypatch.setattr(module, "GRID_FROM", n)
    near = rolling_median(values, window), rolling_quantile(values, window, 0.25)
    grid = window // module.GRID_SHARE
    for one, other in zip(exact, near, strict=True):
        assert one[::grid].tolist() == other[::grid].tolist()
        assert np.std((one - other)[: -grid or None]) < 0.07  # of noise with a deviation of 1


def test_narrow_windows_of_the_longest_series_are_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(0).normal(size=500)
    exact = rolling_median(values, 11)
    monkeypatch.setattr(module, "GRID_FROM", 100)
    assert rolling_median(values, 11).tolist() == exact.tolist()


@MANY
@given(SHORT)
def test_median_is_that_of_numpy(values: np.ndarray) -> None:
    found = median(values)
    assert math.isnan(found) if values.size == 0 else found == np.median(values)


def test_median_of_something_that_is_not_a_number_is_none_either() -> None:
    assert math.isnan(median(np.array([1.0, np.nan, 2.0])))
    assert np.isnan(block_medians(np.array([1.0, np.nan, 2.0, 4.0]), 2)).tolist() == [True, False]


def test_an_even_window_is_made_odd() -> None:
    values = np.random.default_rng(0).normal(size=40)
    assert rolling_median(values, 6).tolist() == rolling_median(values, 7).tolist()


class TestBaseline:
    def test_noise_is_the_standard_deviation_of_gaussian_noise(self) -> None:
        values = np.random.default_rng(1).normal(0.0, 0.3, 4000)
        base = baseline(values)
        assert np.median(base.noise) == pytest.approx(0.3, rel=0.1)
        assert base.noise.min() > 0.2
        assert base.noise.max() < 0.4

    def test_a_spike_moves_neither_the_level_nor_the_noise(self) -> None:
        values = np.random.default_rng(2).normal(0.0, 0.1, 1000)
        spiky = values.copy()
        spiky[500] += 50.0
        clean, hit = baseline(values), baseline(spiky)
        assert np.abs(hit.hampel - clean.hampel).max() < 0.1
        assert np.abs(hit.noise - clean.noise).max() < 0.02

    def test_a_quiet_stretch_is_trusted_only_down_to_a_share_of_the_whole(self) -> None:
        rng = np.random.default_rng(3)
        values = np.concatenate([np.zeros(400), rng.normal(0.0, 1.0, 1600)])
        quiet = baseline(values).noise[100]
        assert 0.1 < quiet < 0.5

    @pytest.mark.parametrize("n", [0, 1, 2, 3, 30])
    def test_a_constant_has_a_baseline_and_hardly_noise(self, n: int) -> None:
        base = baseline(np.full(n, 0.7))
        assert base.noise.tolist() == pytest.approx([1e-6] * n)
        assert base.centred.tolist() == [0.7] * n
        assert np.isnan(base.trailing[:1]).all()
        assert base.trailing[1:].tolist() == [0.7] * max(0, n - 1)
        assert base.window % 2 == 1


class TestTies:
    def test_where_most_points_are_alike_the_others_are_the_noise(self) -> None:
        rng = np.random.default_rng(0)
        values = np.where(rng.random(1000) < 0.2, rng.random(1000), 0.0)
        noise = baseline(values).noise
        assert noise.min() > 0.12
        assert noise.max() < 0.45

    def test_one_spike_on_a_line_still_stands_out(self) -> None:
        values = np.ones(1000)
        values[600] = 3.0
        assert (values[600] - 1.0) / baseline(values).noise[600] > 10.0
