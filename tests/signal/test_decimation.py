"""What a long series keeps when it is thinned."""

from __future__ import annotations

import math
from math import inf

import naive
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


def plain_deviations(block: list[float]) -> list[float]:
    """Robust standard deviations from the median of a block; of the mean distance in ties."""
    known = [v for v in block if math.isfinite(v)]
    away = [abs(v - naive.median(known)) for v in known]
    spread = 1.4826 * naive.median(away) if away else 0.0
    if spread == 0.0 and away:
        spread = 1.2533 * naive.mean(away)
    if spread == 0.0:
        return [0.0] * len(block)
    return [abs(v - naive.median(known)) / spread for v in block]


def plain_prominence(values: list[float]) -> list[float]:
    """Deviations within blocks of 128, and what comes before all of them: lowest and highest, the
    borders of what is not finite, all else that is not finite."""
    n = len(values)
    out = [d for at in range(0, n, 128) for d in plain_deviations(values[at : at + 128])]
    for i in range(n):
        if not math.isfinite(values[i]):
            out[i] = 1e300
    for i in range(n - 1):
        if math.isfinite(values[i]) is not math.isfinite(values[i + 1]):
            out[i] = out[i + 1] = 1e301
    known = [i for i in range(n) if math.isfinite(values[i])]
    for choose in (min, max):
        if known:
            out[choose(known, key=values.__getitem__)] = inf
    return out


@pytest.mark.parametrize("n", [1, 5, 127, 128, 129, 300])
@pytest.mark.parametrize("seed", range(6))
def test_prominence_is_that_of_the_definition(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = np.round(rng.normal(size=n), 1)
    if seed % 2:
        values[rng.random(n) < 0.6] = 0.3
    values[rng.random(n) < 0.05] = rng.choice([np.nan, np.inf, -np.inf])
    if seed == 5:
        values[: min(n, 140)] = np.nan
    expected = plain_prominence(values.tolist())
    assert prominence(values).tolist() == pytest.approx(expected)


@given(
    st.lists(st.sampled_from([0.0, 5.9, 6.0, 6.1, 7.0, inf]), min_size=2, max_size=80),
    st.integers(4, 60),
)
def test_chosen_are_an_even_grid_and_what_stands_out_most(score: list[float], most: int) -> None:
    """What lies more than six deviations out, up to half of the room, highest first; the grid of
    the smallest stride that fits beside it, from the first to the last point."""
    n = len(score)
    out = sorted((i for i in range(n) if score[i] > 6.0), key=lambda i: -score[i])[: most // 2]
    room = max(1, most - len(out) - 1)
    stride = next(k for k in range(1, n + 1) if k * room >= n - 1)
    expected = sorted({*out, *range(0, n - 1, stride), n - 1})
    assert chosen(np.array(score), most).tolist() == expected


def test_the_points_that_stay_always_are_those_within_the_series() -> None:
    values = np.zeros(400)
    found = kept([values], 20, always=[-1, 0, 77, 399, 400]).tolist()
    assert 77 in found
    assert kept([values], 20, always=[-1, 400]).tolist() == kept([values], 20).tolist()
    assert kept([values], 399).size <= 399
    assert kept([values], 400).size == 400
