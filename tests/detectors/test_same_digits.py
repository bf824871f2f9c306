"""Steps that print the same five digits, and records that repeat for another reason."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.detectors.same_digits import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run


def constant(level: float, points: int = 12, *before: float, lr: float | None = None) -> Run:
    values = np.array([*before, *[level] * points])
    rate = () if lr is None else (synth.series(np.full(values.size, lr), Metric.LR),)
    return synth.run(synth.series(values), *rate)


def test_the_loss_of_guessing_among_a_vocabulary() -> None:
    (found,) = detect(constant(10.8259))
    assert (found.shape, found.first_step, found.last_step) == (Shape.STANDSTILL, 1, 12)
    assert found.measures["classes"] == 50304
    assert found.measures["chance"] == pytest.approx(np.log(50304))


def test_it_begins_where_the_last_other_value_was() -> None:
    (found,) = detect(constant(3.1416, 10, 4.0, 3.5))
    assert found.first_step == 3
    assert (found.measures["first"], found.measures["best"]) == (4.0, 3.1416)
    assert "classes" not in found.measures


@pytest.mark.parametrize(
    "run",
    [
        constant(10.8259, 9),  # nine records
        constant(10.83),  # four digits
        constant(0.69315),  # two policies that are still equal
        constant(2.296875),  # on the grid of bfloat16
        constant(10.8259, lr=1e-7),  # nothing has moved yet
        constant(10.8259, 60),  # enough points for the others
        synth.run(),
    ],
)
def test_what_repeats_for_another_reason(run: Run) -> None:
    assert detect(run) == ()


def test_a_small_guess_after_it_was_elsewhere() -> None:
    (found,) = detect(constant(0.6931, 12, 0.7, 8.5, 3.25))
    assert (found.shape, found.first_step, found.last_step) == (Shape.PLATEAU, 4, 15)
    assert (found.measures["classes"], found.measures["still"]) == (2, 1)
    assert (found.measures["first"], found.measures["last"]) == (8.5, 0.6931)


@pytest.mark.parametrize(
    "run",
    [
        constant(0.6931, 12, 0.7, 0.9),  # never far away
        constant(0.6932, 12, 0.7, 8.5),  # beside ln 2
        constant(0.693, 12, 0.7, 8.5),  # three digits
        constant(0.6931, 9, 0.7, 8.5),  # nine records
    ],
)
def test_what_may_be_a_small_loss_by_itself(run: Run) -> None:
    assert detect(run) == ()


def test_a_rate_worth_the_name_is_no_excuse() -> None:
    assert detect(constant(10.8259, lr=1e-4))


def test_eight_digits_are_enough_at_any_level() -> None:
    (found,) = detect(constant(0.29602579))
    assert (found.shape, found.measures["last"]) == (Shape.STANDSTILL, 0.29602579)
    assert detect(constant(0.2960258)) == ()  # seven
    assert detect(constant(0.69314718)) == ()  # equal by its making


def test_the_last_bits_of_a_double_are_no_digits() -> None:
    values = np.tile([0.013182825077950067, 0.013182825077950069], 10)
    (found,) = detect(synth.run(synth.series(values)))
    assert (found.first_step, found.last_step) == (1, 20)
