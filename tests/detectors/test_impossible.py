"""Values a loss cannot take: beyond any sum of squares, or below zero beside an accuracy."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.detectors.impossible import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run

ACCURACY = synth.series(np.full(3, 0.5), Metric.TRAIN_METRIC, tag="acc", name="train_metric:acc")


def run(*values: float, tag: str = "loss", classifies: bool = False) -> Run:
    loss = synth.series(np.array(values), Metric.LOSS, tag=tag)
    return synth.run(loss, *([ACCURACY] if classifies else []))


def test_a_loss_of_1e26_that_falls_is_lost_all_the_same() -> None:
    (found,) = detect(run(5.05e26, 4.94e26, 4.81e26))
    assert found.shape is Shape.IMPOSSIBLE
    assert found.measures["last"] == 4.81e26
    assert found.measures["limit"] == 1e20
    assert found.first_step == 1


def test_it_begins_where_the_values_leave_the_possible() -> None:
    (found,) = detect(run(3.0, 4.0, 5.0, 1e21, 2e21))
    assert (found.first_step, found.measures["before"]) == (4, 4.0)


@pytest.mark.parametrize(
    "values",
    [
        (9e19, 8e19, 7e19),  # the squared error of unscaled targets
        (1e21, 5.0, 4.0, 3.0),  # came back: an excursion
        (1.0, np.inf, np.nan),  # not finite: another finding
        (np.nan, np.nan),
        (),
    ],
)
def test_possible_or_another_finding(values: tuple[float, ...]) -> None:
    assert detect(run(*values)) == ()


def test_a_cross_entropy_has_a_closer_limit() -> None:
    assert detect(run(2e6, 3e6)) == ()
    (found,) = detect(run(2e6, 3e6, classifies=True))
    assert found.measures["limit"] == 1e6


def test_a_classifier_below_zero() -> None:
    (found,) = detect(run(-117944.75, classifies=True))
    assert found.measures["negative"] == 1.0
    assert found.measures["last"] == -117944.75


@pytest.mark.parametrize(
    ("tag", "value", "classifies"),
    [
        ("loss", -5.0, False),  # a density, a reward: nothing says that it is a classifier
        ("loss", -1.0, True),  # a cosine similarity
        ("nll_loss", -5.0, True),
    ],
)
def test_losses_that_may_be_negative(tag: str, value: float, classifies: bool) -> None:
    assert detect(run(value, value, value, tag=tag, classifies=classifies)) == ()
