"""What a long series keeps when it is thinned."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spikedoc.signal.decimation import BLOCK, STANDS_OUT, chosen, kept, prominence

N = 20_000
NOISE = np.random.default_rng(7).normal(2.0, 0.1, N)


def test_a_short_series_stays_whole() -> None:
    assert kept([NOISE[:500]], 500).tolist() == list(range(500))


def test_ends_extremes_and_what_stands_out_stay() -> None:
    values = NOISE.copy()
    values[[3_001, 7_777]] = 9.0, -5.0
    values[15_001] = 4.0
    indices = kept([values], 1_000)
    assert {0, 3_001, 7_777, 15_001, N - 1} <= set(indices.tolist())
    assert indices.size <= 1_000
    assert np.all(np.diff(indices) > 0)


def test_what_is_not_finite_stays() -> None:
    values = NOISE.copy()
    values[[101, 5_003, 5_004]] = np.nan, np.inf, -np.inf
    assert {101, 5_003, 5_004} <= set(kept([values], 1_000).tolist())
    values[9_000:] = np.nan  # more than there is room for: its borders, and some of it
    indices = kept([values], 1_000)
    assert {8_999, 9_000, N - 1} <= set(indices.tolist())
    assert indices.size <= 1_000


def test_noise_keeps_its_spread() -> None:
    """An even grid of it, with next to no tails on top."""
    indices = kept([NOISE], 1_000)
    assert 900 < indices.size <= 1_000
    assert np.all(np.diff(indices)[:-1] <= 21)
    assert np.std(NOISE[indices]) == pytest.approx(0.1, rel=0.1)


def test_curves_keep_the_same_points() -> None:
    one, other = NOISE.copy(), NOISE[::-1].copy()
    one[777], other[9_999] = 50.0, np.nan
    assert {777, 9_999, 4_321} <= set(kept([one, other], 1_000, always=[4_321]).tolist())


def test_a_step_in_a_constant_stays() -> None:
    values = np.full(N, 65_536.0)
    values[10_010:10_013] = 32_768.0
    assert {10_010, 10_011, 10_012} <= set(kept([values], 1_000).tolist())


def test_the_farthest_come_first_when_there_is_no_room_for_all() -> None:
    score = np.zeros(10_000)
    score[1:4_000:2] = np.arange(2_000) + STANDS_OUT + 1.0
    indices = chosen(score, 1_000)
    assert indices.size <= 1_000
    assert 3_999 in indices
    assert 1 not in indices


@example([0.0] * 7 + [inf, 0.0, 0.0, inf, 1.0, 0.0], 12)  # six borders and a highest in six places
@given(
    st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=1, max_size=4 * BLOCK),
    st.integers(4, 60),
)
def test_any_numbers_are_thinned_to_the_bound(numbers: list[float], most: int) -> None:
    values = np.array(numbers)
    indices = kept([values], most)
    assert indices.size <= most
    assert indices[0] == 0
    assert indices[-1] == values.size - 1
    finite = np.isfinite(values)
    if finite.any():
        left = values[indices][np.isfinite(values[indices])]
        assert (left.min(), left.max()) == (values[finite].min(), values[finite].max())
    assert not np.isnan(prominence(values)).any()
