"""Where a gradual rise began."""

from __future__ import annotations

import numpy as np
import pytest
from levels import pieces, zigzag

from spikedoc.signal.leaving import CHANCE_POINTS, leaving

POINTS = 1000
AT = 400
TIME = np.arange(POINTS)


def slope(total: float, length: int, power: float = 1.0) -> np.ndarray:
    return total * np.clip((TIME - AT) / length, 0.0, 1.0) ** power


def noise(seed: int, size: float = 0.05) -> np.ndarray:
    return size * np.random.default_rng(seed).standard_normal(POINTS)


@pytest.mark.parametrize("seed", range(10))
def test_a_slope_begins_where_it_leaves_the_level(seed: int) -> None:
    # Risen by the allowance, a quarter of a scatter of .05, four points after the bend.
    found = leaving(slope(1.0, 300) + noise(seed), 600)
    assert AT - 2 * CHANCE_POINTS <= found <= AT + 25


@pytest.mark.parametrize("seed", range(10))
def test_a_slope_that_begins_slowly_is_told_when_it_shows(seed: int) -> None:
    found = leaving(slope(2.0, 600, power=2.0) + noise(seed), 900)
    # Two scatters above the level at 134 points after the bend.
    assert AT - 2 * CHANCE_POINTS <= found <= AT + 134


@pytest.mark.parametrize("seed", range(10))
def test_what_falls_before_is_a_course_as_a_level_is(seed: int) -> None:
    falls = 2.0 * np.exp(-TIME / 60.0)
    found = leaving(falls + slope(1.0, 300) + noise(seed), 650)
    assert AT - 2 * CHANCE_POINTS <= found <= AT + 40


@pytest.mark.parametrize("seed", range(10))
def test_a_step_is_where_it_was_told(seed: int) -> None:
    steps = pieces((AT, 0.0), (POINTS - AT, 1.0)) + noise(seed)
    assert leaving(steps, AT) == AT


def test_two_steps_with_a_level_between_are_no_slope() -> None:
    steps = pieces((300, 0.0), (300, 1.0), (400, 2.0)) + zigzag(POINTS, 0.0, 0.05)
    assert leaving(steps, 620) == 620


def test_one_wild_point_is_not_the_beginning() -> None:
    values = slope(1.0, 300) + noise(1)
    values[200] = 50.0
    assert leaving(values, 600) > AT - 2 * CHANCE_POINTS


def test_nothing_is_told_from_a_handful_or_a_line_without_scatter() -> None:
    assert leaving(np.array([1.0, 1.1, 1.0, 1.1, 1.0, 5.0]), 5) == 5
    assert leaving(np.ones(POINTS), 600) == 600
    assert leaving(np.ones(0), 0) == 0
