"""A loss that is -ln of the share of right answers beside it, and those that are not."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.detectors.even_guess import MAX_POINTS, detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run

CLASSES = 3571
GUESS = float(np.log(CLASSES))


def logged(
    losses: list[float], shares: list[float], *, stride: int = 1000, tag: str = "test/accuracy"
) -> Run:
    every = stride * max(1, (len(losses) - 1) // max(1, len(shares) - 1))
    accuracy = synth.series(np.array(shares), Metric.VAL_METRIC, tag=tag, stride=every, first=0)
    return synth.run(synth.series(np.array(losses), stride=stride, first=0), accuracy)


def test_a_count_of_classes_that_is_in_no_list() -> None:
    (found,) = detect(logged([87.3, GUESS * 1.01, GUESS, GUESS * 0.99, GUESS], [0.00028, 0.00028]))
    assert (found.shape, found.first_step, found.last_step) == (Shape.STANDSTILL, 0, 4000)
    assert (found.measures["classes"], found.measures["first"]) == (CLASSES, 87.3)
    assert found.measures["chance"] == pytest.approx(GUESS)


def test_percentages() -> None:
    (found,) = detect(logged([1.4, 1.3863, 1.3863, 1.3863], [25.0, 25.0]))
    assert found.measures["classes"] == 4


@pytest.mark.parametrize(
    "run",
    [
        logged([8.3, 8.2, 8.2], [0.00028, 0.00028]),  # two after the first
        logged([8.2] * 5, [0.00028, 0.00028], stride=20),  # the beginning of any training
        logged([8.2] * 5, [0.00028]),  # counted once
        logged([8.2] * 5, [0.00028, 0.01]),  # it learns
        logged([8.2, 8.2, 7.0, 6.0, 5.0], [0.00028, 0.00028]),  # so does it
        logged([0.69] * 5, [0.5, 0.5]),  # a half may be learned
        logged([8.2] * 5, [0.00028, 0.00028], tag="test/f1"),
        logged([8.2] * 5, [0.0, 0.0]),
        logged([8.2] * MAX_POINTS, [0.00028, 0.00028]),  # enough points for the others
        synth.run(),
    ],
)
def test_what_is_no_even_guess(run: Run) -> None:
    assert detect(run) == ()
