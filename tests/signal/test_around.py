from __future__ import annotations

import math

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spikedoc.signal.around import (
    aligned,
    correlation,
    detrended,
    finite,
    finite_only,
    first_from,
    jump,
    lag_one,
    last_before,
    level_before,
    part_medians,
    parts,
    peak_between,
    ranks,
    trend,
)

STEPS = np.arange(10, 2010, 2)
ONES = np.ones(STEPS.size)


def test_finite_copies_only_what_it_must() -> None:
    steps, values = finite(STEPS, ONES)
    assert values is ONES
    assert steps is STEPS
    broken = ONES.copy()
    broken[3] = np.nan
    assert finite(STEPS, broken)[1].size == STEPS.size - 1
    assert finite(STEPS, 1e300 * ONES)[1].max() == 1e150


def test_last_before_skips_holes_and_excludes_the_step() -> None:
    values = np.arange(STEPS.size, dtype=float)
    values[90:99] = np.nan
    found = last_before(STEPS, values, STEPS[100], 3)
    assert found.tolist() == [88.0, 89.0, 99.0]
    assert last_before(STEPS, values, 5, 3).size == 0


def test_first_from_includes_the_step() -> None:
    values = np.arange(STEPS.size, dtype=float)
    values[100] = np.inf
    assert first_from(STEPS, values, STEPS[100], 2).tolist() == [101.0, 102.0]
    assert first_from(STEPS, values, 10**6, 2).size == 0


@pytest.mark.parametrize(("index", "count"), [(15, 15), (100, 20), (500, 50), (999, 99)])
def test_level_before_is_shorter_early_in_a_run(index: int, count: int) -> None:
    assert level_before(STEPS, ONES, STEPS[index]).size == count


def test_peak_looks_one_point_further() -> None:
    values = ONES.copy()
    values[51] = 7.0
    assert peak_between(STEPS, values, STEPS[50], STEPS[50]) == (int(STEPS[51]), 7.0)
    assert peak_between(STEPS, values, STEPS[48], STEPS[49]) == (int(STEPS[48]), 1.0)
    values[50:52] = np.nan
    assert peak_between(STEPS, values, STEPS[50], STEPS[50]) is None


def test_jump() -> None:
    values = 2 * ONES
    values[500] = 30.0
    found = jump(STEPS, values, STEPS[500], STEPS[500])
    assert found is not None
    assert (found.before, found.peak, found.factor, found.step) == (2.0, 30.0, 15.0, STEPS[500])
    values[500] = np.inf
    infinite = jump(STEPS, values, STEPS[500], STEPS[500])
    assert infinite is not None
    assert infinite.factor == math.inf
    negative = jump(STEPS, -values, STEPS[400], STEPS[400])
    assert negative is not None
    assert math.isnan(negative.factor)
    assert jump(STEPS, values, STEPS[2], STEPS[2]) is None


def test_part_medians_and_detrended() -> None:
    line = np.arange(100.0)
    assert part_medians(line, 4).tolist() == [12.0, 37.0, 62.0, 87.0]
    assert part_medians(np.zeros(0), 4).size == 0
    assert np.abs(detrended(line, 10)[10:-10]).max() < 1e-9
    assert detrended(np.array([1.0, 3.0]), 10).tolist() == [-1.0, 1.0]


def test_correlations() -> None:
    wave = np.sin(np.arange(500) / 10)
    assert correlation(wave, 3 * wave + 1) == pytest.approx(1.0)
    assert correlation(wave, -wave) == pytest.approx(-1.0)
    assert correlation(wave, np.ones(500)) == 0.0
    assert correlation(1e300 * wave, 1e-300 * wave) == pytest.approx(1.0)
    assert lag_one((-1.0) ** np.arange(100)) == pytest.approx(-1.0, abs=0.02)
    assert lag_one(np.zeros(2)) == 0.0


def test_trend_and_ranks() -> None:
    assert trend(np.arange(500.0)) == 1.0
    assert trend(-np.arange(10.0)) == -1.0
    assert trend(np.ones(10)) == 0.0
    assert ranks(np.array([3.0, 1.0, 2.0])).tolist() == [2.0, 0.0, 1.0]


VALUE = st.floats(-5, 5).map(round) | st.sampled_from([np.nan, np.inf, -np.inf, 0.0])
LOGS = st.lists(VALUE, max_size=40).map(lambda values: np.array(values, dtype=np.float64))


def every_other(values: np.ndarray) -> np.ndarray:
    """Steps 0, 2, 4 …, so that odd ones lie between two points."""
    return 2 * np.arange(values.size)


@given(LOGS, st.integers(-3, 83), st.integers(1, 12))
def test_what_was_logged_before_and_from_a_step_on(
    values: np.ndarray, step: int, count: int
) -> None:
    steps = every_other(values)
    pairs = list(zip(steps.tolist(), values.tolist(), strict=True))
    before = [v for s, v in pairs if s < step and math.isfinite(v)]
    after = [v for s, v in pairs if s >= step and math.isfinite(v)]
    assert last_before(steps, values, step, count).tolist() == before[-count:]
    assert first_from(steps, values, step, count).tolist() == after[:count]


@given(LOGS, st.integers(-3, 83), st.integers(0, 20))
def test_the_peak_is_the_first_highest_up_to_one_point_after_the_end(
    values: np.ndarray, first: int, length: int
) -> None:
    steps = every_other(values)
    inside = [i for i in range(values.size) if first <= steps[i] <= first + length]
    after = [i for i in range(values.size) if steps[i] > first + length][:1]
    seen = [i for i in inside + after if steps[i] >= first and not math.isnan(values[i])]
    best = max(seen, key=lambda i: values[i], default=None)
    expected = None if best is None else (int(steps[best]), float(values[best]))
    assert peak_between(steps, values, first, first + length) == expected


@pytest.mark.parametrize(("index", "count"), [(200, 20), (201, 20), (210, 21), (219, 21)])
def test_the_level_before_is_a_tenth_of_what_there_is_from_200_points_on(
    index: int, count: int
) -> None:
    assert level_before(STEPS, ONES, STEPS[index]).size == count


def test_the_level_before_is_of_a_hundred_points_at_most() -> None:
    steps = np.arange(3000)
    assert level_before(steps, np.ones(3000), 1010).size == 100
    assert level_before(steps, np.ones(3000), 2999).size == 100
    assert last_before(steps, np.ones(3000), 2999).size == 100
    assert first_from(steps, np.ones(3000), 5).size == 100


def test_holes_wider_than_what_is_asked_for_are_looked_across() -> None:
    """Twelve holes, then one value each time: the window has to be doubled again and again."""
    values = np.full(200, np.nan)
    values[::13] = np.arange(16)
    steps = np.arange(200)
    assert last_before(steps, values, 200, 5).tolist() == [11.0, 12.0, 13.0, 14.0, 15.0]
    assert first_from(steps, values, 1, 5).tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]


@pytest.mark.parametrize(("before", "there"), [(4, False), (5, True)])
def test_a_jump_needs_five_points_before_it(before: int, there: bool) -> None:
    values = np.ones(20)
    values[before] = 9.0
    assert (jump(np.arange(20), values, before, before) is not None) is there


def test_huge_values_are_limited_and_nothing_else() -> None:
    """Beyond 1e150 squares overflow; the limit itself stays."""
    values = np.array([1e150, -1e150, 2e150, -2e150, np.inf, 1.0])
    expected = [1e150, -1e150, 1e150, -1e150, 1.0]
    assert finite(np.arange(6), values)[1].tolist() == expected
    assert finite_only(values).tolist() == expected
    low = np.array([-2e150, 1.0])
    assert finite(np.arange(2), low)[1].tolist() == [-1e150, 1.0]


@given(LOGS, LOGS)
def test_aligned_are_the_values_at_common_steps(one: np.ndarray, two: np.ndarray) -> None:
    first, second = every_other(one), 3 * np.arange(two.size)
    known = dict(zip(second.tolist(), two.tolist(), strict=True))
    pairs = [
        (v, known[s])
        for s, v in zip(first.tolist(), one.tolist(), strict=True)
        if s in known and math.isfinite(v) and math.isfinite(known[s])
    ]
    left, right = aligned((first, one), (second, two))
    assert list(zip(left.tolist(), right.tolist(), strict=True)) == pairs
    same = aligned((first, one), (first, -one))
    assert same[0].tolist() == [v for v in one.tolist() if math.isfinite(v)]
    assert same[1].tolist() == [-v for v in one.tolist() if math.isfinite(v)]


NUMBERS = st.lists(st.floats(-100, 100), max_size=50).map(lambda v: np.array(v, dtype=np.float64))


@given(NUMBERS, st.integers(-1, 12))
def test_parts_are_equal_but_for_one_point_and_none_is_empty(
    values: np.ndarray, count: int
) -> None:
    cut = parts(values, count)
    assert [v for part in cut for v in part.tolist()] == values.tolist()
    assert len(cut) == min(max(1, count), values.size)
    sizes = [part.size for part in cut]
    assert not sizes or max(sizes) - min(sizes) <= 1
    expected = [naive.median(part.tolist()) for part in cut]
    assert part_medians(values, count).tolist() == pytest.approx(expected)


@given(NUMBERS, st.integers(-1, 12))
def test_detrended_is_what_is_left_of_a_line_through_the_blocks(
    values: np.ndarray, width: int
) -> None:
    width_used = max(1, width)
    levels = naive.block_medians(values.tolist(), width_used)
    line = []
    for i in range(values.size):
        if len(levels) < 2:
            line.append(naive.median(values.tolist()))
            continue
        # Block k has its middle at k * width + (width - 1) / 2; flat outside the middles.
        place = min(max((i - (width_used - 1) / 2) / width_used, 0.0), len(levels) - 1.0)
        k = min(int(place), len(levels) - 2)
        line.append(levels[k] + (levels[k + 1] - levels[k]) * (place - k))
    found = detrended(values, width)
    np.testing.assert_allclose(found, values - np.array(line), atol=1e-9)


@given(NUMBERS)
def test_correlation_is_pearsons(values: np.ndarray) -> None:
    other = np.cos(np.arange(values.size)) + np.round(values)
    if values.size < 2 or np.std(values) < 1e-6 or np.std(other) < 1e-6:
        return
    expected = naive.correlation(values.tolist(), other.tolist())
    assert correlation(values, other) == pytest.approx(expected, abs=1e-9)


def test_the_fewest_values_with_a_correlation() -> None:
    """Two of two arrays lie on a line; five neighbours are too few to be called alike."""
    assert correlation(np.array([1.0, 2.0]), np.array([3.0, 7.0])) == pytest.approx(1.0)
    assert correlation(np.array([1.0]), np.array([3.0])) == 0.0
    assert lag_one(np.array([1.0, 2.0, 3.0, 4.0, 5.0])) == 0.0
    assert lag_one(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])) == pytest.approx(1.0)


@given(NUMBERS)
def test_ranks_count_what_is_smaller_or_came_before(values: np.ndarray) -> None:
    v = np.round(values / 20).tolist()
    expected = [
        sum(o < one or (o == one and j < i) for j, o in enumerate(v)) for i, one in enumerate(v)
    ]
    assert ranks(np.array(v, dtype=np.float64)).tolist() == expected


@pytest.mark.parametrize("n", [60, 61, 119, 120, 600])
def test_the_trend_of_many_values_is_taken_on_sixty_evenly_spaced_ones(n: int) -> None:
    values = np.random.default_rng(n).normal(size=n) + np.arange(n) / n
    taken = values if n <= 60 else values[[int(i * (n - 1) / 59) for i in range(60)]]
    assert trend(values) == pytest.approx(naive.kendall_tau(taken.tolist()), abs=1e-12)


def test_minus_infinity_is_a_value_and_nan_is_none() -> None:
    steps, values = np.array([0, 2]), np.array([np.nan, -np.inf])
    assert peak_between(steps, values, 0, 2) == (2, -np.inf)
