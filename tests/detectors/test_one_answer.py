"""An accuracy that never moves, beside a loss that knows no more than its share."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.detectors.one_answer import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run

# Entropy of 97 % right answers: 0.135 nats.
LOSSES = np.linspace(0.15, 0.16, 12)


def run(accuracy: np.ndarray, losses: np.ndarray = LOSSES, tag: str = "val_accuracy") -> Run:
    return synth.run(
        synth.series(accuracy, Metric.VAL_METRIC, tag=tag, name=f"val_metric:{tag}"),
        synth.series(losses, Metric.VAL_LOSS),
    )


@pytest.mark.parametrize("scale", [1.0, 100.0])
def test_the_majority_class_all_along(scale: float) -> None:
    (found,) = detect(run(np.full(12, 0.97 * scale)))
    assert (found.shape, found.signal, found.first_step) == (Shape.PLATEAU, "val_loss", 1)
    assert found.measures["accuracy"] == pytest.approx(0.97)
    assert found.measures["entropy"] == pytest.approx(0.1347, abs=1e-3)


@pytest.mark.parametrize(
    ("accuracy", "losses", "tag"),
    [
        (np.full(12, 0.97), np.linspace(0.12, 0.08, 12), "val_accuracy"),  # tells samples apart
        (np.r_[0.96, np.full(11, 0.97)], LOSSES, "val_accuracy"),  # moved once
        (np.full(5, 0.97), LOSSES, "val_accuracy"),
        (np.full(12, 0.97), LOSSES[:5], "val_accuracy"),
        (np.full(12, 1.0), LOSSES, "val_accuracy"),  # nothing left to learn
        (np.full(12, 0.0), LOSSES, "val_accuracy"),
        (np.full(12, 0.97), LOSSES, "best_val_accuracy"),
        (np.full(12, 0.97), LOSSES, "val_f1"),
    ],
)
def test_others(accuracy: np.ndarray, losses: np.ndarray, tag: str) -> None:
    assert detect(run(accuracy, losses, tag)) == ()


def test_without_a_validation_loss_nothing_is_said() -> None:
    accuracy = synth.series(np.full(12, 0.97), Metric.VAL_METRIC, tag="val_acc", name="a")
    assert detect(synth.run(accuracy)) == ()
