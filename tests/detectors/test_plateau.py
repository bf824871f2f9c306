"""A loss that stands still where something says it should not."""

from __future__ import annotations

import math

import numpy as np
import pytest
import synth
from plain.plateau import Case, plateau
from told import assert_told

from spikedoc.detectors.plateau import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.signal.view import view

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


FACTORS = (0.69, 0.7, 0.994, 0.9951, 1.0, 1.0049, 1.006, 1.1, 1.199, 1.2, 1.21)


def random_case(seed: int) -> Case:
    """A loss that falls to a level near a threshold, and things logged beside it near theirs."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([99, 100, 101, 220]))
    classes = int(rng.choice([10, 100, 37]))
    floor, chance = math.log(1 + (classes - 1) / math.e), math.log(classes)
    base = chance if rng.random() < 0.3 else floor
    end = base * float(rng.choice(FACTORS))
    start = chance * float(rng.choice([0.94, 0.95, 1.0, 1.05, 1.06, 1.4]))
    if rng.random() < 0.2:
        start = end * float(rng.choice([1.05, 1.06, 1.4, 1.43, 3.9, 4.0]))
    t = np.arange(n)
    values = end + max(start - end, 0.0) * np.maximum(0.0, 1.0 - t / (0.15 * n))
    values[:6] = start
    late = np.exp(-float(rng.choice([0.0, 0.0, 0.029, 0.031, 0.099, 0.11])) * 2 * (t / n - 0.5))
    values *= np.where(t >= n // 2, late, 1.0)
    values *= np.exp(float(rng.choice([0.0, 0.0, 0.001])) * rng.standard_normal(n))
    if rng.random() < 0.15:
        values[n // 3 : n // 3 + 12] = end * float(rng.choice([0.75, 1 / 1.3, 0.993, 0.995]))
    lr = np.where(
        t < n * rng.choice([0.1, 0.29, 0.298, 0.31]), 1.0, rng.choice([0.0099, 0.01, 0.011])
    )
    lr[t < 3] = rng.choice([np.nan, 1.0])
    share = float(rng.choice([0.24, 0.25, 0.26, 0.49, 0.5, 0.6, 0.7, 0.9, 1.0]))
    metrics = [("val_acc", [0.1, share, share, share])]
    if rng.random() < 0.3:
        metrics = [("f1", [0.2, *[share] * 3]), ("Accuracy", [share] * int(rng.choice([2, 3])))]
    return Case(
        values.tolist(),
        view(t + 1, values).judged.tolist(),
        classes if rng.random() < 0.5 else None,
        (floor * rng.choice([0.97, 0.98, 1.0, 1.2], int(rng.choice([2, 3, 5])))).tolist(),
        metrics if rng.random() < 0.7 else [],
        lr.tolist() if rng.random() < 0.6 else [],
    )


def as_run(case: Case) -> Run:
    parts = [synth.series(np.array(case.values))]
    if case.val:
        parts.append(synth.series(np.array(case.val), Metric.VAL_LOSS))
    parts += [
        synth.series(np.array(values), Metric.VAL_METRIC, tag=tag, name=tag)
        for tag, values in case.metrics
    ]
    if case.lr:
        parts.append(synth.series(np.array(case.lr), Metric.LR))
    return synth.run(*parts, config={"num_classes": case.classes} if case.classes else {})


@pytest.mark.parametrize("block", range(15))
def test_plateaus_are_those_of_the_definition(block: int) -> None:
    for seed in range(20 * block, 20 * block + 20):
        case = random_case(seed)
        assert_told(detect(as_run(case)), plateau(case))


def test_the_cases_meet_every_sign() -> None:
    """What the test before compares is all there: each of the four signs, and silence."""
    told = [plateau(random_case(seed)) for seed in range(100)]
    for sign in ("floor", "chance", "accuracy", "lr_step"):
        assert sum(sign in one.measures for found in told for one in found) > 0
    assert 20 < sum(not found for found in told) < 80
