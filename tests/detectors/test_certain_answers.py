"""Losses that are the share of wrong answers times the clip of Keras, and other ones."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.detectors.certain_answers import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run


def trained(losses: list[float], shares: list[float], tag: str = "acc") -> Run:
    accuracy = synth.series(np.array(shares), Metric.TRAIN_METRIC, tag=tag)
    return synth.run(synth.series(np.array(losses)), accuracy)


@pytest.mark.parametrize("epsilon", [1e-7, 1.1920929e-07, 2e-7, 2.192e-7, 2.384e-7])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.8])
def test_each_wrong_answer_costs_the_most(epsilon: float, share: float) -> None:
    cost = -float(np.log(epsilon))
    loss = round(cost * (1 - share), 4)
    (found,) = detect(trained([loss] * 3, [share] * 3))
    assert (found.shape, found.first_step, found.last_step) == (Shape.STANDSTILL, 1, 3)
    assert found.measures["cost"] == pytest.approx(cost, rel=1e-3)


def test_it_begins_where_the_answers_became_certain_and_validation_comes_first() -> None:
    losses, shares = [0.7, 3.0, 8.0590, 8.0590, 7.2531], [0.5, 0.5, 0.5, 0.5, 0.55]
    run = trained(losses, shares)
    (found,) = detect(run)
    assert (found.signal, found.first_step, found.measures["first"]) == ("loss", 3, 8.059)
    val = synth.series(np.array([9.67] * 4), Metric.VAL_LOSS, tag="val_loss")
    quality = synth.series(np.array([0.4] * 4), Metric.VAL_METRIC, tag="val_acc", name="val:acc")
    (first,) = detect(synth.run(*run.series, val, quality))
    assert first.signal == "val_loss"


@pytest.mark.parametrize(
    "run",
    [
        trained([8.059] * 2, [0.5] * 2),  # two records
        trained([0.6931] * 5, [0.5] * 5),  # unsure
        trained([8.059, 8.059, 8.059, 5.0], [0.5] * 4),  # not any more
        trained([7.97, 4.0, 2.0], [0.5, 0.5, 0.5]),  # another cost each time
        trained([0.0] * 4, [1.0] * 4),  # no answer is wrong
        trained([8.059] * 4, [0.5] * 4, "f1"),
        trained([8.059] * 4, [50.0] * 4),  # percentages are not what Keras prints
        synth.run(),
    ],
)
def test_what_is_no_certain_answer(run: Run) -> None:
    assert detect(run) == ()
