from __future__ import annotations

import numpy as np
import pytest
from levels import alike, pieces

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
NAME, KIND = "val_jumps_alone", Kind.OVERFITTING
AT = np.arange(50, 1001, 50)
NOISE = np.random.default_rng(6).normal(0, 0.01, AT.size)
JUMP = 0.4 + 0.9 * (AT > 500) + NOISE


def test_a_step_of_validation_alone(ask, falling) -> None:
    found = ask(NAME, KIND, 550, 550, 1000, loss=falling, val_loss=(AT, JUMP))
    assert (found.verdict, found.values["first"], found.values["last"]) == (YES, 500, 550)


def test_overfitting_creeps(ask, falling) -> None:
    creep = 0.4 + np.maximum(0, AT - 300) / 500 + NOISE
    assert ask(NAME, KIND, 300, 300, 1000, loss=falling, val_loss=(AT, creep)).verdict is NO


def test_a_training_loss_that_jumps_too(ask, falling) -> None:
    both = falling * np.where(np.arange(1000) < 520, 1.0, 4.0)
    assert ask(NAME, KIND, 550, 550, 1000, loss=both, val_loss=(AT, JUMP)).verdict is NO


def test_one_evaluation_that_stands_out_and_returns(ask, falling) -> None:
    single = 0.4 + 0.9 * (AT == 550) + NOISE
    assert ask(NAME, KIND, 550, 550, 1000, loss=falling, val_loss=(AT, single)).verdict is NO


def test_few_evaluations_or_a_spike_tell_nothing(ask, falling) -> None:
    few = (AT[:6], JUMP[:6])
    assert ask(NAME, KIND, 300, loss=falling, val_loss=few).verdict is UNKNOWN
    spike = ask(NAME, Kind.ISOLATED_SPIKE, 300, loss=falling, val_loss=(AT, JUMP))
    assert spike.verdict is UNKNOWN


def test_a_validation_loss_that_only_falls_has_no_jump(ask, falling) -> None:
    fall = (AT, np.linspace(2.0, 0.5, AT.size))
    assert ask(NAME, KIND, 550, 550, 1000, loss=falling, val_loss=fall).verdict is UNKNOWN


def leap(ask, *values: float, loss: np.ndarray | None = None):
    """Ask about evaluations at every hundredth step of a training loss that stays."""
    at = 100 * np.arange(1, len(values) + 1)
    loss = np.ones(int(at[-1]) + 20) if loss is None else loss
    parts = {"loss": loss, "val_loss": (at, values)}
    return alike(ask, ("loss", "val_loss"), NAME, KIND, 500, 500, 1000, **parts)


@pytest.mark.parametrize(
    ("values", "percent", "verdict"),
    [
        ((1.0,) * 4 + (1.33,) * 4, 100.0, YES),  # a third
        ((1.0,) * 4 + (1.32,) * 4, 100.0, NO),
        ((1.0,) * 7 + (2.0,), 100.0, YES),  # by the very last one
        ((1.0,) * 4 + (2.0, 1.5, 1.5, 1.5), 100.0, YES),  # half of it is kept
        ((1.0,) * 4 + (2.0, 1.49, 1.49, 1.49), 100.0, NO),
        ((1.0,) * 4 + (1.61, 1.61, 2.0, 2.0), 61.0, YES),  # three fifths of the rise
        ((1.0,) * 4 + (1.59, 1.59, 2.0, 2.0), 59.0, NO),
        # Moves of .1 up and down scatter by .148: six times that is .89.
        ((1.0, 1.1, 1.0, 1.1, 1.0, 1.9, 2.0, 1.9, 2.0, 1.9), 90.0, YES),
        ((1.0, 1.1, 1.0, 1.1, 1.0, 1.88, 1.98, 1.88, 1.98, 1.88), 89.8, NO),
    ],
)
def test_a_jump_from_one_evaluation_to_the_next(ask, values, percent, verdict) -> None:
    found = leap(ask, *values)
    assert (found.verdict, found.values["percent"]) == (verdict, percent)
    at = 100 * (1 + int(np.argmax(np.diff(values))))
    assert (found.values["first"], found.values["last"]) == (at, at + 100)
    assert (found.values["before"], found.values["after"]) == (1.0, max(np.diff(values)) + 1.0)


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        *(((1.0,) * 4 + (2.0,) * 4, YES), ((1.0,) * 4 + (2.0,) * 3, UNKNOWN)),
        *(((0.0,) + (1.0,) * 3 + (2.0,) * 4, UNKNOWN), ((1.0,) * 8, UNKNOWN)),
    ],
)
def test_eight_evaluations_above_zero(ask, values, verdict: Verdict) -> None:
    assert leap(ask, *values).verdict is verdict


@pytest.mark.parametrize(
    ("was", "became", "verdict"),
    [(1.0, 1.2, YES), (1.0, 1.21, NO), (1.0, 0.5, YES), (0.0, 0.0, NO), (-1.0, -2.0, NO)],
)
def test_training_that_stays_within_a_fifth(ask, was, became, verdict: Verdict) -> None:
    # Twenty points before the jump at 400 to 500, and twenty after it.
    loss = pieces((379, 9.0), (20, was), (100, 9.0), (20, became), (400, 9.0))
    found = leap(ask, *(1.0,) * 4, *(2.0,) * 4, loss=loss)
    assert found.verdict is verdict
    assert (found.values["was"], found.values["became"]) == (was, became)


def test_training_that_halves_beside_it_did_not_go_on_as_before(ask) -> None:
    loss = pieces((379, 9.0), (20, 1.0), (100, 9.0), (20, 0.49), (400, 9.0))
    assert leap(ask, *(1.0,) * 4, *(2.0,) * 4, loss=loss).verdict is UNKNOWN


def test_beside_a_step_of_training_nothing_jumps_alone(ask) -> None:
    parts = {"loss": np.ones(820), "val_loss": (100 * np.arange(1, 9), (1.0,) * 4 + (2.0,) * 4)}
    of_val = ask(NAME, Kind.LEVEL_SHIFT, 500, 500, 800, signal="val_loss", **parts)
    assert of_val.verdict is YES
    assert ask(NAME, Kind.LEVEL_SHIFT, 500, 500, 800, **parts).verdict is UNKNOWN


@pytest.mark.parametrize(("points", "verdict"), [(5, YES), (4, UNKNOWN)])
def test_five_training_points_on_either_side(ask, points: int, verdict: Verdict) -> None:
    late = (np.arange(400 - points, 600), np.ones(200 + points))
    assert leap(ask, *(1.0,) * 4, *(2.0,) * 4, loss=late).verdict is verdict
    early = (np.arange(1, 500 + points), np.ones(499 + points))
    assert leap(ask, *(1.0,) * 4, *(2.0,) * 4, loss=early).verdict is verdict
