"""A change of level amid a pattern: what whole cycles say."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.classifier.cycles import CHANGE, holds_over_cycles
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.signal.transform import Scale
from spikedoc.signal.view import View, view

N, PERIOD, AT = 5000, 250, 3000
STEPS = np.arange(N)
SINE = 0.3 * np.sin(2 * np.pi * STEPS / PERIOD)


def shift(at: int) -> Anomaly:
    return Anomaly(Kind.LEVEL_SHIFT, Severity.WARNING, 0.9, "loss", at, at, N - 1, Form.UP, {})


def holds(values: np.ndarray, at: int = AT, period: float = PERIOD) -> bool:
    return holds_over_cycles(view(STEPS, values), shift(at), period)


def test_a_rise_over_all_cycles() -> None:
    assert holds(synth.settled(N) + SINE + 0.4 * (STEPS >= AT))


@pytest.mark.parametrize("at", [3000, 3060, 3125, 3190])
def test_a_slope_of_the_pattern_is_none(at: int) -> None:
    assert not holds(synth.settled(N) + SINE, at)


def test_less_than_a_tenth_is_none() -> None:
    assert not holds(synth.settled(N) + SINE + 0.15 * (STEPS >= AT))
    assert holds(synth.settled(N) + SINE + 0.25 * (STEPS >= AT))


def test_what_comes_back_is_none() -> None:
    assert not holds(synth.settled(N) + SINE + 0.6 * ((STEPS >= AT) & (STEPS < AT + 900)))


def test_cycles_that_wander_by_themselves_are_none() -> None:
    wander = np.repeat(np.random.default_rng(3).normal(0.0, 0.3, N // PERIOD), PERIOD)
    assert not holds(synth.settled(N) + SINE + wander + 0.4 * (STEPS >= AT))


@pytest.mark.parametrize("at", [740, 4300])
def test_fewer_than_three_cycles_on_a_side_say_nothing(at: int) -> None:
    assert not holds(synth.settled(N) + 5.0 * np.heaviside(STEPS - at, 1.0), at)


def test_a_period_below_the_distance_of_points_says_nothing() -> None:
    assert not holds(synth.settled(N) + 0.4 * (STEPS >= AT), period=0.2)


def stepped(*levels: float, at: int, points: int = 10, ends: int = 0) -> bool:
    """Ask about cycles of so many points at these levels, and a change at the index `at`."""
    values = np.exp(np.r_[np.repeat(levels, points), np.full(ends, levels[-1])])
    return holds_over_cycles(view(np.arange(values.size), values), shift(at), float(points))


@pytest.mark.parametrize(("change", "told"), [(np.log(1.101), True), (np.log(1.099), False)])
def test_a_change_of_a_tenth(change: float, told: bool) -> None:
    assert stepped(*[0.0] * 6, *[change] * 6, at=60) is told


@pytest.mark.parametrize(("left", "told"), [(0.51, True), (0.49, False)])
def test_half_of_it_is_left_in_the_last_three_cycles(left: float, told: bool) -> None:
    # Their middle one decides, as that of the first three does.
    assert stepped(*[0.0] * 9, 1.0, 1.0, 0.0, *[1.0] * 9, left, left, 9.0, at=90) is told


def test_the_three_cycles_before_are_the_level() -> None:
    assert stepped(*[9.0] * 3, *[0.0] * 9, 9.0, 0.0, 0.0, *[1.0] * 20, at=150)
    assert not stepped(*[0.0] * 12, 2.0, 2.0, 0.0, *[1.0] * 20, at=150)


@pytest.mark.parametrize(
    ("before", "after", "extra", "told"),
    [(3, 3, 0, True), (2, 3, 9, False), (3, 2, 9, False), (4, 3, 0, True)],
)
def test_three_whole_cycles_on_either_side(before: int, after: int, extra: int, told: bool) -> None:
    values = np.exp(
        np.r_[np.zeros(10 * before + (extra if before < 3 else 0)), np.ones(10 * after)]
    )
    at = int(np.argmax(values > 1.5))
    values = np.r_[values, np.full(extra if after < 3 else 0, values[-1])]
    assert holds_over_cycles(view(np.arange(values.size), values), shift(at), 10.0) is told


@pytest.mark.parametrize(("unrest", "told"), [(0.1, True), (0.13, False)])
def test_six_scatters_of_one_cycle_against_the_next(unrest: float, told: bool) -> None:
    # Cycles that go 0, 2, 1, 2 times `unrest`: half of their moves lie 1 and less off the middle
    # one, which is a move of 1: 1.4826 x unrest, six of it against a change of 1.
    wander = unrest * np.tile([0.0, 2.0, 1.0, 2.0], 5)
    moves = np.r_[np.diff(wander[4:]), np.diff(wander)]
    usual = 1.4826 * np.median(np.abs(moves - np.median(moves)))
    assert bool(6 * usual <= 1.0) is told
    assert stepped(*wander, *(wander + 1.0), at=200) is told


@pytest.mark.parametrize("stride", [1, 10])
def test_a_period_is_counted_in_steps(stride: int) -> None:
    values = np.exp(np.r_[np.zeros(40), np.ones(40)])
    seen = view(stride * np.arange(80), values)
    assert holds_over_cycles(seen, shift(40 * stride), 10.0 * stride)
    assert not holds_over_cycles(seen, shift(40 * stride), 14.0 * stride)


def test_a_cycle_of_one_point_is_a_cycle() -> None:
    values = np.exp(np.r_[np.zeros(3), np.ones(3)])
    assert holds_over_cycles(view(np.arange(6), values), shift(3), 1.0)


def exactly(*levels: float, at: int) -> bool:
    """Ask about cycles of one point at exactly these judged levels."""
    judged = np.array(levels)
    seen = View(np.arange(judged.size), np.exp(judged), judged, Scale.LOG)
    return holds_over_cycles(seen, shift(at), 1.0)


def test_on_the_thresholds() -> None:
    below = float(np.nextafter(CHANGE, 0.0))
    assert exactly(*[0.0] * 3, *[CHANGE] * 3, at=3)
    assert not exactly(*[0.0] * 3, *[below] * 3, at=3)
    assert exactly(*[0.0] * 3, *[1.0] * 3, *[0.5] * 3, at=3)
    assert not exactly(*[0.0] * 3, *[1.0] * 3, *[0.4999] * 3, at=3)


def test_the_cycles_before_are_unrest_but_for_their_first_quarter() -> None:
    assert not exactly(*[0.0, 0.1] * 4, *[0.3] * 3, at=8)
    assert exactly(*[0.0] * 8, *[0.3] * 3, at=8)
    # Of sixteen cycles the moves behind the fourth count: six of them and eight that stand still.
    restless = [0.0, 0.0, 0.0, *[9.0, 0.0] * 4, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert exactly(*restless, *[0.3] * 4, at=16)
    # One more, and half of all move.
    assert not exactly(*restless[:-4], 9.0, *[0.0] * 3, *[0.3] * 4, at=16)
