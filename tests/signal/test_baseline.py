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
    expanding_median,
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


def plain_window_means(values: list[float], window: int) -> list[float]:
    return [naive.mean(part) for part in naive.centred_windows(values, window)]


def plain_noise(values: list[float]) -> list[float]:
    """The local noise as the comments of the module define it, for series of any length."""
    n = len(values)
    window = min(max(n // 40, 21), 101) // 2 * 2 + 1
    wide = 4 * window + 1 if n > 8 * window else max(window, n // 2) // 2 * 2 + 1
    level = naive.rolling_median(values, window)
    residual = [abs(v - m) for v, m in zip(values, level, strict=True)]
    overall = 1.4826 * naive.median(residual)
    local = [1.4826 * m for m in naive.rolling_median(residual, wide)]
    # On its median, and equal to a neighbour: it does not move.
    still = [
        residual[i] == 0.0 and any(values[i] == values[k] for k in (i - 1, i + 1) if 0 <= k < n)
        for i in range(n)
    ]
    if sum(still) >= 0.2 * n:
        share = plain_window_means([float(s) for s in still], wide)
        rms = [m**0.5 for m in plain_window_means([r * r for r in residual], wide)]
        for _ in range(4):
            cut = [min(r, 5.0 * m) ** 2 for r, m in zip(residual, rms, strict=True)]
            rms = [m**0.5 for m in plain_window_means(cut, wide)]
        local = [
            max(one, m) if one == 0.0 or s >= 0.2 - 1e-12 else one
            for one, m, s in zip(local, rms, share, strict=True)
        ]
    return [max(one, 0.25 * overall, 1e-6) for one in local]


@pytest.mark.parametrize("n", [1, 2, 20, 41, 42, 43, 168, 169, 220, 300, 880, 881])
@pytest.mark.parametrize("kind", ["noise", "quiet start", "ties", "few ties", "zeros at the end"])
def test_the_baseline_is_that_of_the_definition(n: int, kind: str) -> None:
    rng = np.random.default_rng(n)
    values = rng.normal(size=n)
    if kind == "quiet start":
        values[: n // 3] *= 0.05
    elif kind == "ties":
        values = np.where(rng.random(n) < 0.3, np.round(values, 1), 0.0)
    elif kind == "few ties":
        values[rng.random(n) < 0.35] = 0.0
    elif kind == "zeros at the end":
        values[n - n // 4 :] = 0.0
    found = baseline(values)
    window = min(max(n // 40, 21), 101) // 2 * 2 + 1
    assert found.window == window
    assert_same(found.centred, naive.rolling_median(values.tolist(), window))
    assert_same(found.hampel, naive.rolling_median(values.tolist(), 11))
    assert_same(found.trailing, naive.trailing_median(values.tolist(), window))
    np.testing.assert_allclose(found.noise, plain_noise(values.tolist()), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(
    ("n", "window"), [(0, 21), (880, 23), (4039, 101), (4040, 101), (9000, 101)]
)
def test_the_window_is_a_fortieth_from_21_to_101_points(n: int, window: int) -> None:
    assert baseline(np.zeros(n)).window == window


@pytest.mark.parametrize("step", [1, -1])
def test_a_fifth_of_the_points_standing_still_changes_the_noise(step: int) -> None:
    """Of 100 points 20 that stand still in pairs are enough, 19 are not: there the median of the
    distances is the noise, here their root mean square."""
    values = np.where(np.arange(100) % 2 == 0, 1.0, -1.0) * np.linspace(1.0, 3.0, 100)
    values[40:60] = 0.0
    few = values.copy()
    few[40] = 0.5
    for series in (values[::step], few[::step]):
        found = baseline(series).noise
        np.testing.assert_allclose(found, plain_noise(series.tolist()), rtol=1e-7)


@pytest.mark.parametrize(("n", "window", "exact"), [(131_071, 65, True), (131_072, 63, True),
                                                    (131_072, 65, False)])  # fmt: skip
def test_the_grid_begins_at_131_072_points_and_65_of_a_window(
    n: int, window: int, exact: bool
) -> None:
    values = np.random.default_rng(0).normal(size=n)
    found = rolling_median(values, window)
    at = np.arange(1000, 1200)
    half = window // 2
    expected = [float(np.median(values[i - half : i + half + 1])) for i in at]
    assert (found[at].tolist() == expected) is exact
    # On the grid each sixteenth point is exact, and a line leads from one to the next.
    grid = at[at % 16 == 0]
    assert found[grid].tolist() == [expected[i - 1000] for i in grid]
    if not exact:
        between = found[grid[0] : grid[1] + 1]
        np.testing.assert_allclose(between, np.linspace(between[0], between[-1], 17))


@MANY
@given(SHORT)
def test_the_expanding_median_is_that_of_all_so_far(values: np.ndarray) -> None:
    expected = [naive.median(values[: i + 1].tolist()) for i in range(values.size)]
    assert_same(expanding_median(values), expected)
