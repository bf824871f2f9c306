"""Start, best and end levels, and an end that lies far above the best."""

from __future__ import annotations

import math

import naive
import numpy as np
import pytest

from spikedoc.signal.baseline import baseline
from spikedoc.signal.level import EndAboveBest, end_above_best, is_printed_away, levels


def noisy(course: np.ndarray, sigma: float = 0.05, seed: int = 0) -> np.ndarray:
    return course + np.random.default_rng(seed).normal(0.0, sigma, course.size)


def end(values: np.ndarray) -> EndAboveBest | None:
    return end_above_best(values, baseline(values).noise)


class TestLevels:
    def test_of_a_valley(self) -> None:
        found = levels(np.abs(np.linspace(-3.0, 2.0, 1001)) + 1.0)
        assert found.start == pytest.approx(4.0, abs=0.1)
        assert found.best == pytest.approx(1.0, abs=0.08)
        assert found.end == pytest.approx(2.75, abs=0.05)

    @pytest.mark.parametrize("n", [1, 2, 4, 5, 7])
    def test_of_a_few_points(self, n: int) -> None:
        found = levels(np.arange(n, dtype=np.float64))
        assert 0.0 <= found.best <= n - 1
        assert found.end <= n - 1

    def test_one_low_point_is_no_level(self) -> None:
        values = np.ones(500)
        values[250] = -100.0
        assert levels(values).best == 1.0


class TestEndAboveBest:
    def test_a_step_up_is_left_for_good_where_it_is(self) -> None:
        found = end(noisy(np.where(np.arange(1000) < 600, 0.0, 1.0)))
        assert found is not None
        assert found.index == pytest.approx(600, abs=3)
        assert found.rise == pytest.approx(1.0, abs=0.1)
        assert found.best == pytest.approx(0.0, abs=0.1)

    def test_a_slow_rise_is_left_at_half_its_height(self) -> None:
        course = np.concatenate([np.zeros(400), np.linspace(0.0, 2.0, 600)])
        found = end(noisy(course))
        assert found is not None
        assert found.index == pytest.approx(700, abs=40)

    def test_an_early_valley_counts(self) -> None:
        # Best level for a hundred steps only, chance level for the rest.
        course = np.concatenate([np.linspace(1.0, 0.0, 50), np.zeros(100), np.ones(850)])
        found = end(noisy(course))
        assert found is not None
        assert found.index == pytest.approx(150, abs=3)

    def test_what_was_up_before_the_best_is_not_the_departure(self) -> None:
        course = np.concatenate([np.full(700, 3.0), np.zeros(60), np.full(240, 3.0)])
        found = end(noisy(course))
        assert found is not None
        assert found.index == pytest.approx(760, abs=3)

    @pytest.mark.parametrize("rise", [0.0, 0.1, 0.15])
    def test_a_rise_below_a_fifth_is_none(self, rise: float) -> None:
        assert end(noisy(np.where(np.arange(2000) < 600, 0.0, rise), 0.01)) is None

    def test_a_rise_that_came_back_is_none(self) -> None:
        course = np.where((np.arange(1000) > 300) & (np.arange(1000) < 700), 1.0, 0.0)
        assert end(noisy(course)) is None

    def test_a_rise_within_the_noise_is_none(self) -> None:
        assert end(noisy(np.where(np.arange(1000) < 600, 0.0, 0.3), sigma=1.0)) is None

    @pytest.mark.parametrize("seed", range(10))
    def test_healthy_courses_are_none(self, seed: int) -> None:
        assert end(noisy(np.exp(-np.arange(1000) / 100.0), 0.1, seed)) is None

    @pytest.mark.parametrize("n", [0, 1, 2, 30, 63])
    def test_few_points_are_not_judged(self, n: int) -> None:
        assert end(np.arange(n, dtype=np.float64)) is None

    def test_a_line_without_noise_divides_by_nothing(self) -> None:
        assert end(np.full(500, 1.0)) is None
        found = end_above_best(np.linspace(0.0, 5.0, 500), np.zeros(500))
        assert found is not None
        assert found.score == np.inf


def plain_end_above_best(
    values: list[float], noise: list[float]
) -> tuple[int, float, float, float] | None:
    """Index, score, rise and best level, as the comments of the module define them."""
    n = len(values)
    count = min(40, n // 8)
    if count < 8:
        return None
    width = n // count
    blocks = naive.block_medians(values, width)
    last = max(1, len(blocks) - max(1, count // 10))  # the end itself is no best level
    best = min(range(last), key=blocks.__getitem__)
    rise = naive.median(values[-max(5, n // 10) :]) - blocks[best]
    bends = [b - (a + c) / 2 for a, b, c in zip(blocks, blocks[1:], blocks[2:], strict=False)]
    white = 1.2533 * naive.median(noise) / width**0.5
    error = 1.5 * max(white, naive.scatter(bends) / 1.5**0.5)
    score = rise / error if error else math.inf
    if rise < math.log(1.2) or score < 7.0:
        return None
    halfway = blocks[best] + rise / 2
    above = [m > halfway for m in naive.rolling_median(values, 5)]
    for i in range(best * width + width // 2, n - 5):
        if above[i] and sum(above[i:]) >= 0.9 * (n - i):
            return i, score, rise, blocks[best]
    return None


@pytest.mark.parametrize("n", [63, 64, 71, 150, 319, 320, 333, 500])
@pytest.mark.parametrize("seed", range(8))
def test_the_end_above_the_best_is_that_of_the_definition(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    t = np.arange(n) / n
    begin = rng.choice([0.2, 0.5, 0.8, 0.93])
    course = np.interp(t, [0, 0.1, begin, begin + 0.05], [1.0, 0.0, 0.0, rng.choice([0.3, 1.0])])
    if seed % 3 == 0:  # back for a while
        course[int(0.85 * n) : int(0.9 * n)] = 0.0
    values = noisy(course, 0.03, seed)
    noise = np.full(n, rng.choice([0.0, 0.03, 0.1]))
    found = end_above_best(values, noise)
    expected = plain_end_above_best(values.tolist(), noise.tolist())
    if expected is None:
        assert found is None
    else:
        assert found is not None
        assert found.index == expected[0]
        assert (found.score, found.rise, found.best) == pytest.approx(expected[1:])


@pytest.mark.parametrize(
    "n", [1, 2, 3, 4, 5, 6, 49, 50, 150, 199, 200, 204, 1000, 2500, 2550, 3000]
)
def test_levels_are_medians_of_the_start_the_end_and_the_lowest_block(n: int) -> None:
    values = np.random.default_rng(n).normal(size=n).tolist()
    found = levels(np.array(values))
    assert found.start == naive.median(values[: min(50, max(3, n // 50))])
    assert found.end == naive.median(values[-max(5, n // 10) :])
    assert found.best == min(naive.block_medians(values, min(max(5, n // 40), n)))


class TestExactlyOnTheThreshold:
    def test_of_a_fifth(self) -> None:
        """ln 1.2 at the end of a log without noise is enough; a hair less is not."""
        for rise, there in ((np.log(1.2), True), (np.nextafter(np.log(1.2), 0.0), False)):
            values = np.where(np.arange(400) < 200, 0.0, rise)
            assert (end_above_best(values, np.zeros(400)) is not None) is there

    def test_of_seven_standard_errors(self) -> None:
        """Of a block of ten points the error is 1.2533 / sqrt 10 times 1.5 of the noise."""
        values = np.where(np.arange(400) < 200, 0.0, 1.0)
        error = 1.5 * 1.2533 / np.sqrt(10.0)
        for score, there in ((7.001, True), (6.999, False)):
            noise = np.full(400, 1.0 / score / error)
            assert (end_above_best(values, noise) is not None) is there

    def test_of_nine_tenths_that_stay(self) -> None:
        """Up at 200 of 300 points: ten of the hundred after it may be down again, eleven not."""
        for down, index in ((10, 200), (11, 201 + 11 + 50)):
            values = np.where(np.arange(300) < 200, 0.0, 1.0)
            values[250 : 250 + down] = 0.0
            found = end_above_best(values, np.zeros(300))
            assert found is not None
            assert found.index == pytest.approx(index, abs=2)
            assert (found.index == 200) is (down == 10)


@pytest.mark.parametrize(
    ("values", "hidden"),
    [
        ([0.0001] * 9, True),
        ([0.0001, 0.0002, 0.0001], True),
        ([0.0012] * 9, True),
        ([0.00123] * 9, False),
        ([0.0012, 0.0012, 0.00125], False),
        ([0.0099] * 9, True),
        ([0.01] * 9, False),  # decimals enough
        ([2.3] * 9, False),
        ([1e-12] * 9, True),
        ([9e-13] * 9, False),  # printed with an exponent
        ([5e-324] * 9, False),
        ([0.0] * 9, False),
        ([-0.0001] * 9, False),
        ([], False),
    ],
)
def test_what_two_digits_hide(values: list[float], hidden: bool) -> None:
    assert is_printed_away(np.array(values)) is hidden
