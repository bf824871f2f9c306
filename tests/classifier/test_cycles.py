"""A change of level amid a pattern: what whole cycles say."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.classifier.cycles import holds_over_cycles
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.signal.view import view

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
