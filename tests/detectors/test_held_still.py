"""Evaluations that repeat themselves to the last digit, and tables that only carry them forward."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.detectors.held_still import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run

NOISY = 1.2 + 0.02 * np.sin(np.arange(30) ** 2.0)


def run(*evaluations: float, train: np.ndarray = NOISY) -> Run:
    val = synth.series(np.array(evaluations), Metric.VAL_LOSS)
    return synth.run(synth.series(train[: val.steps.size]), val)


def test_weights_that_stopped_moving() -> None:
    (found,) = detect(run(1.24915, 1.21352, 1.21352, 1.21352, 1.21352, 1.21352))
    assert (found.shape, found.first_step, found.last_step) == (Shape.STANDSTILL, 2, 6)
    assert found.measures == {"first": 1.24915, "best": 1.21352, "last": 1.21352}
    assert found.signal == Metric.VAL_LOSS.value


@pytest.mark.parametrize(
    "values",
    [
        (1.24915, *[1.21352] * 4),  # four agree
        (1.3, 1.29, 1.28, 1.27, 1.26, 1.25, *[1.21352] * 5),  # the last ones of a schedule
        (1.25, *[1.214] * 9),  # four digits
        (1.25, *[1.2109375] * 9),  # a bf16 number
        (1.41, 1.41, 1.31, 1.31, *[1.21352] * 6),  # carried forward
        (1.25, *[0.0] * 9),
        (),
    ],
)
def test_what_repeats_for_another_reason(values: tuple[float, ...]) -> None:
    assert detect(run(*values)) == ()


def test_where_training_stands_as_still_it_is_another_finding() -> None:
    values = [1.24915, *[1.21352] * 9]
    assert len(detect(run(*values))) == 1
    assert detect(run(*values, train=np.ones(30))) == ()


@pytest.mark.parametrize(("end", "told"), [(0.9, 0), (0.91, 1), (1.1, 1)])
def test_where_training_falls_its_weights_move(end: float, told: int) -> None:
    train = np.concatenate([np.ones(3), np.full(4, 0.95), end + np.array([0.0, -0.001, 0.001])])
    train[:3] += [0.0, 0.001, -0.001]
    values = [*[1.24915] * 1, *[1.21352] * 9]
    assert len(detect(run(*values, train=train))) == told


def test_without_either_loss_there_is_nothing_to_compare() -> None:
    assert detect(synth.run(synth.series(np.full(9, 1.21352), Metric.VAL_LOSS))) == ()
    assert detect(synth.run(synth.series(NOISY))) == ()
