"""A loss that stands still where something says it should not."""

from __future__ import annotations

import math

import numpy as np
import pytest
import synth

from spikedoc.detectors.plateau import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run

N = 600


def falling(start: float, end: float, sigma: float = 0.002) -> np.ndarray:
    """A loss that falls from `start` to `end` within the first tenth and then stands still."""
    values = end + (start - end) * np.exp(-np.arange(N) / 15.0)
    return values * np.exp(synth.noise("gauss", N, sigma, 7))


def with_lr(values: np.ndarray, lr: np.ndarray) -> Run:
    return synth.run(synth.series(values), synth.series(lr, Metric.LR))


class TestDoubleSoftmax:
    FLOOR = math.log(1 + 9 / math.e)  # ten classes

    def test_a_loss_that_ends_at_its_floor(self) -> None:
        (found,) = detect(synth.loss_run(falling(2.3, self.FLOOR + 0.002, sigma=0.0005)))
        assert found.shape is Shape.PLATEAU
        assert found.measures["floor"] == pytest.approx(1.4612, abs=1e-4)
        assert found.measures["classes"] == 10.0

    @pytest.mark.parametrize("end", [1.40, 1.50])
    def test_another_level_is_none(self, end: float) -> None:
        assert detect(synth.loss_run(falling(2.3, end))) == ()

    def test_a_loss_that_has_been_below_cannot_have_that_floor(self) -> None:
        values = falling(2.3, self.FLOOR, sigma=0.0005)
        values[200:300] = 1.3
        assert detect(synth.loss_run(values)) == ()

    def evaluated(self, val_loss: float, accuracy: float) -> Run:
        few = np.ones(5)
        return synth.run(
            synth.series(falling(2.3, 1.56)),
            synth.series(val_loss * few, Metric.VAL_LOSS, stride=100),
            synth.series(accuracy * few, Metric.VAL_METRIC, tag="val_acc", name="val_acc"),
        )  # fmt: skip

    def test_above_it_beside_answers_that_are_right(self) -> None:
        (found,) = detect(self.evaluated(1.6, 0.9))
        assert found.measures["floor"] == pytest.approx(1.4612, abs=1e-4)

    @pytest.mark.parametrize(
        ("val_loss", "accuracy"),
        [(1.6, 0.45), (1.6, 0.55), (0.4, 0.9)],  # a hard task twice; training alone is harder
    )
    def test_above_it_for_other_reasons(self, val_loss: float, accuracy: float) -> None:
        assert detect(self.evaluated(val_loss, accuracy)) == ()

    def test_the_known_number_of_classes_decides(self) -> None:
        assert detect(synth.loss_run(falling(2.3, self.FLOOR), num_classes=50)) == ()


class TestNearGuessing:
    def test_a_known_number_of_classes(self) -> None:
        (found,) = detect(synth.loss_run(falling(2.5, 1.9), num_classes=10))
        assert found.measures["chance"] == pytest.approx(math.log(10))

    def test_an_unknown_one_says_nothing(self) -> None:
        assert detect(synth.loss_run(falling(2.3, 1.9))) == ()

    def test_a_loss_that_learned_half_is_none(self) -> None:
        assert detect(synth.loss_run(falling(2.3, 1.1), num_classes=10)) == ()

    def test_a_poor_accuracy_stands_for_the_classes(self) -> None:
        def beside(*accuracy: float) -> Run:
            metric = synth.series(
                np.array(accuracy), Metric.VAL_METRIC, tag="val_acc", stride=100, first=100
            )
            return synth.run(synth.series(falling(2.3, 1.9)), metric)

        assert detect(beside(0.11, 0.15, 0.2, 0.21))
        assert detect(beside(0.11, 0.3, 0.5, 0.6)) == ()
        assert detect(beside(0.11, 0.2)) == ()


class TestVanishedLearningRate:
    def test_nothing_is_learned_after_it_is_gone(self) -> None:
        lr = np.where(np.arange(N) < 100, 1e-3, 1e-6)
        (found,) = detect(with_lr(falling(2.0, 1.2), lr))
        assert found.measures["lr_step"] == 101.0

    def test_late_decay_is_a_schedule(self) -> None:
        lr = np.where(np.arange(N) < 400, 1e-3, 1e-6)
        assert detect(with_lr(falling(2.0, 1.2), lr)) == ()

    def test_a_converged_run_needs_no_learning_rate(self) -> None:
        lr = np.where(np.arange(N) < 100, 1e-3, 1e-6)
        assert detect(with_lr(falling(2.0, 0.1), lr)) == ()
