"""An accuracy that never moves, beside a loss that knows no more than its share."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.detectors.one_answer import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run

# Entropy of 97.12 % right answers: 0.131 nats.
LOSSES = np.linspace(0.15, 0.16, 12)


def run(accuracy: np.ndarray, losses: np.ndarray = LOSSES, tag: str = "val_accuracy") -> Run:
    return synth.run(
        synth.series(accuracy, Metric.VAL_METRIC, tag=tag, name=f"val_metric:{tag}"),
        synth.series(losses, Metric.VAL_LOSS),
    )


@pytest.mark.parametrize("scale", [1.0, 100.0])
def test_the_majority_class_all_along(scale: float) -> None:
    (found,) = detect(run(np.full(12, 0.9712 * scale)))
    assert (found.shape, found.signal, found.first_step) == (Shape.PLATEAU, "val_loss", 1)
    assert found.measures["accuracy"] == pytest.approx(0.9712)
    assert found.measures["entropy"] == pytest.approx(0.1306, abs=1e-3)


@pytest.mark.parametrize(
    ("accuracy", "losses", "tag"),
    [
        (np.full(12, 0.97), LOSSES, "val_accuracy"),  # two digits hide what samples do
        (np.full(12, 0.9712), np.linspace(0.12, 0.08, 12), "val_accuracy"),  # tells samples apart
        (np.r_[0.96, np.full(11, 0.9712)], LOSSES, "val_accuracy"),  # moved once
        (np.full(5, 0.9712), LOSSES, "val_accuracy"),
        (np.full(12, 0.9712), LOSSES[:5], "val_accuracy"),
        (np.full(12, 1.0), LOSSES, "val_accuracy"),  # nothing left to learn
        (np.full(12, 0.0), LOSSES, "val_accuracy"),
        (np.full(12, 0.9712), LOSSES, "best_val_accuracy"),
        (np.full(12, 0.9712), LOSSES, "val_f1"),
    ],
)
def test_others(accuracy: np.ndarray, losses: np.ndarray, tag: str) -> None:
    assert detect(run(accuracy, losses, tag)) == ()


def beside(train: np.ndarray, metric: Metric, tag: str) -> Run:
    own = run(np.full(12, 0.9712))
    return synth.run(*own.series, synth.series(train, metric, tag=tag, name=tag))


@pytest.mark.parametrize(
    ("train", "metric", "tag", "count"),
    [
        (np.full(12, 0.119), Metric.LOSS, "loss", 1),  # .9 of the entropy is .1176
        (np.full(12, 0.116), Metric.LOSS, "loss", 0),  # samples are told apart
        (np.full(12, np.nan), Metric.LOSS, "loss", 1),
        (np.linspace(0.5, 0.985, 12), Metric.TRAIN_METRIC, "train_accuracy", 1),
        (np.r_[np.linspace(0.5, 0.98, 7), np.full(5, 0.9857)], Metric.TRAIN_METRIC, "acc", 0),
        (np.r_[np.linspace(0.5, 0.98, 7), np.full(5, 0.9857)], Metric.TRAIN_METRIC, "f1", 1),
        (100 * np.r_[0.5, np.full(11, 0.9857)], Metric.TRAIN_METRIC, "acc", 0),
    ],
)
def test_training_that_tells_samples_apart(
    train: np.ndarray, metric: Metric, tag: str, count: int
) -> None:
    assert len(detect(beside(train, metric, tag))) == count


def test_digits_of_another_accuracy_say_how_the_log_is_printed() -> None:
    round_share = run(np.full(12, 0.97))
    finer = synth.series(np.full(12, 0.9695), Metric.TRAIN_METRIC, tag="accuracy", name="t")
    assert detect(round_share) == ()
    assert len(detect(synth.run(*round_share.series, finer))) == 1


def test_without_a_validation_loss_nothing_is_said() -> None:
    accuracy = synth.series(np.full(12, 0.97), Metric.VAL_METRIC, tag="val_acc", name="a")
    assert detect(synth.run(accuracy)) == ()


@pytest.mark.parametrize(
    ("share", "level", "classes"),
    [
        (0.1, 2.31, 10),
        (0.1012, 2.2402, 10),  # within 3 % of ln 10
        (0.5, 0.693, 2),
        (0.3333, 1.1, 3),
        (0.1, 2.22, None),  # better than an even guess, worse than a share of .1 needs
        (0.1, 3.4, None),  # of more classes, one of which has a tenth
        (0.62, 0.67, None),  # no share of equal classes
        (0.9712, 0.13, None),
    ],
)
def test_an_even_guess_among_equal_classes_is_no_majority(
    share: float, level: float, classes: int | None
) -> None:
    digits = synth.series(np.full(12, 0.1234), Metric.TRAIN_METRIC, tag="accuracy", name="t")
    own = run(np.full(12, share), np.full(12, level))
    (found,) = detect(synth.run(*own.series, digits))
    assert found.measures.get("classes") == classes
    assert ("entropy" in found.measures) is (classes is None)
    assert found.shape is (Shape.PLATEAU if classes is None else Shape.STANDSTILL)


def test_one_loss_off_the_guess_and_it_is_none() -> None:
    off = np.r_[np.full(11, 2.303), 2.45]
    digits = synth.series(np.full(12, 0.1234), Metric.TRAIN_METRIC, tag="accuracy", name="t")
    (found,) = detect(synth.run(*run(np.full(12, 0.1), off).series, digits))
    assert found.shape is Shape.PLATEAU


def test_the_same_answer_costs_what_the_largest_class_leaves_at_least() -> None:
    # right in a tenth: 2.303 nats, for .325 are those of right or wrong alone
    digits = synth.series(np.full(12, 0.1234), Metric.TRAIN_METRIC, tag="accuracy", name="t")
    near = synth.run(*run(np.full(12, 0.1), np.full(12, 2.1)).series, digits)
    below = synth.run(*run(np.full(12, 0.1), np.full(12, 2.0)).series, digits)
    (found,) = detect(near)
    assert found.measures["entropy"] == pytest.approx(2.3026, abs=1e-4)
    assert detect(below) == ()
