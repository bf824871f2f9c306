"""Start, best and end levels, and an end that lies far above the best."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.signal.baseline import baseline
from spikedoc.signal.level import EndAboveBest, end_above_best, levels


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
