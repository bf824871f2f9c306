"""Validation that never worked, against validation that gets worse."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.detectors.val_gap import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series


def series(values: list[float], metric: Metric, tag: str = "") -> Series:
    tag = tag or metric.value
    return synth.series(np.array(values), metric, tag=tag, name=f"{metric.value}:{tag}")


def losses(train: list[float], val: list[float]) -> Run:
    return synth.run(
        synth.series(np.array(train), Metric.LOSS), synth.series(np.array(val), Metric.VAL_LOSS)
    )


def accuracies(train: list[float], val: list[float], tag: str = "accuracy") -> Run:
    return synth.run(
        series(train, Metric.TRAIN_METRIC, tag), series(val, Metric.VAL_METRIC, f"val_{tag}")
    )


def test_hundreds_of_times_apart_at_the_first_evaluation() -> None:
    (found,) = detect(losses([0.463, 0.857, 0.789], [302.5, 497.0, 1050.9]))
    assert found.shape is Shape.GAP
    assert (found.signal, found.measures["best"]) == ("val_loss", 302.5)


@pytest.mark.parametrize(
    ("train", "val"),
    [
        ([2.3, 0.5, 0.002], [2.4, 0.9, 0.9]),  # the gap opens: overfitting, if anything
        ([2.3, 0.5, 0.1], [300.0, 2.0, 1.0]),  # one bad evaluation at the start
        ([0.4, 0.3], [300.0, 400.0]),
        ([0.0, 0.0, 0.0], [1.0, 1.0, 1.0]),
        ([np.nan, 0.3, 0.3], [300.0, 400.0, 500.0]),
    ],
)
def test_losses_that_start_together(train: list[float], val: list[float]) -> None:
    assert detect(losses(train, val)) == ()


def test_accuracy_that_never_rose_beside_a_perfect_one() -> None:
    (found,) = detect(accuracies([0.56, 1.0, 1.0, 1.0, 1.0], [0.6, 0.4, 0.4, 0.4, 0.4]))
    assert found.measures == {"best": 0.6, "train": 1.0}


def test_percentages() -> None:
    (found,) = detect(accuracies([56.0, 100.0, 100.0, 99.0], [50.0, 50.0, 50.0, 50.0]))
    assert found.measures == {"best": 0.5, "train": 0.99}


@pytest.mark.parametrize(
    ("train", "val", "tag"),
    [
        ([0.5, 0.9, 0.95, 0.99], [0.5, 0.6, 0.55, 0.5], "accuracy"),  # learned, then lost
        ([0.5, 0.6, 0.7, 0.8], [0.5, 0.5, 0.5, 0.4], "accuracy"),  # training is not there yet
        ([0.9, 0.95, 0.97, 0.99], [0.9, 0.89, 0.88, 0.88], "accuracy"),  # an ordinary gap
        ([0.5, 1.0, 1.0], [0.6, 0.4, 0.4], "accuracy"),  # three evaluations
        ([0.5, 1.0, 1.0, 1.0], [0.6, 0.4, 0.4, 0.4], "mae"),  # lower is better
    ],
)
def test_what_generalises_or_is_too_early_to_say(
    train: list[float], val: list[float], tag: str
) -> None:
    assert detect(accuracies(train, val, tag)) == ()


def halving(val: list[float], first: float = np.log(10.0)) -> Run:
    """A training that falls from `first` to a tenth, with an evaluation every 50 steps."""
    train = first * np.geomspace(1.0, 0.1, 500)
    steps = np.arange(50, 50 * len(val) + 1, 50)
    return synth.run(
        synth.series(train, Metric.LOSS), Series(Metric.VAL_LOSS, "val_loss", "val_loss", steps,
                                                 np.array(val))
    )  # fmt: skip


def test_validation_that_stays_at_a_guess_while_training_comes_down() -> None:
    (found,) = detect(halving([2.31, 2.3, 2.32, 2.29, 2.3, 2.2, 2.0, 1.5]))
    assert found.signal == "val_loss"
    # The best until training had come to two fifths at two evaluations.
    assert found.measures["best"] == pytest.approx(2.2)
    assert found.measures["train"] < 0.4 * np.log(10.0)


@pytest.mark.parametrize(
    "run",
    [
        halving([2.0, 1.6, 1.3, 1.0, 0.8, 0.7, 0.7, 0.7]),  # follows
        halving([2.0, 1.6, 1.3, 1.2, 1.4, 2.5, 3.5, 4.0]),  # followed, then memorised
        halving([4.0, 3.6, 3.2, 2.9, 2.7, 2.6, 2.5, 2.5]),  # another scale, but it follows
        halving([5.5, 5.0, 4.6, 4.4, 4.3, 4.2, 4.2, 4.2], first=np.log(100.0)),  # a batch of 100
        halving([1.7, 1.7, 1.7, 1.7, 1.7, 1.7, 1.7, 1.7], first=1.6),  # a trained model
    ],
)
def test_validation_that_follows_or_did_not_begin_at_a_guess(run: Run) -> None:
    assert detect(run) == ()
