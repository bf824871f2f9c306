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

    def test_a_sum_of_terms_has_no_floor(self) -> None:
        whole = synth.loss_run(falling(2.3, self.FLOOR + 0.002, sigma=0.0005))
        assert detect(synth.summed(whole, 0.6, 0.4)) == ()
        assert len(detect(synth.summed(whole, 0.95, 0.05))) == 1  # it is that of its one large term

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

    def test_a_sum_of_terms_is_no_guess(self) -> None:
        run = synth.loss_run(falling(2.5, 1.9), num_classes=10)
        assert detect(synth.summed(run, 0.6, 0.4)) == ()

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
        assert detect(beside(0.05, 0.06, 0.05, 0.06))
        assert detect(beside(0.11, 0.2)) == ()


def test_a_language_model_is_right_in_one_token_of_five() -> None:
    """It learns: from a tenth to a fifth, where guessing among 40 is right in a fortieth."""

    def beside(*accuracy: float) -> Run:
        metric = synth.series(
            np.array(accuracy), Metric.VAL_METRIC, tag="val_acc", stride=100, first=100
        )
        return synth.run(synth.series(falling(3.7, 2.9)), metric)

    assert detect(beside(0.10, 0.15, 0.18, 0.18, 0.19)) == ()
    assert detect(beside(0.17, 0.18, 0.18, 0.19, 0.18))  # it does not grow
    assert detect(beside(0.02, 0.04, 0.05, 0.06, 0.06))  # it hardly knows more than a guess


class TestVanishedLearningRate:
    def test_nothing_is_learned_after_it_is_gone(self) -> None:
        lr = np.where(np.arange(N) < 100, 1e-3, 1e-6)
        (found,) = detect(with_lr(falling(2.0, 1.2), lr))
        assert found.measures["lr_step"] == 101.0

    @pytest.mark.parametrize(
        ("at", "rest", "told"), [(200, 0.0, 1), (200, 1e-9, 0), (290, 0.0, 1), (310, 0.0, 0)]
    )
    def test_a_rate_of_zero_for_half_of_the_run_is_no_tail(self, at, rest, told) -> None:
        t = np.arange(N)
        lr = np.maximum(1e-3 * (1 - t / at), 0.0) + np.where(t < at, 0.0, rest)
        # The level it has at once: the loss does not tell when it stops.
        assert len(detect(with_lr(falling(2.0, 1.2), lr))) == told

    def test_late_decay_is_a_schedule(self) -> None:
        lr = np.where(np.arange(N) < 400, 1e-3, 1e-6)
        assert detect(with_lr(falling(2.0, 1.2), lr)) == ()

    def test_a_converged_run_needs_no_learning_rate(self) -> None:
        lr = np.where(np.arange(N) < 100, 1e-3, 1e-6)
        assert detect(with_lr(falling(2.0, 0.1), lr)) == ()

    @pytest.mark.parametrize(
        ("at", "end", "told"),
        [(60, 0.3, 1), (60, 0.12, 0), (140, 0.3, 0), (140, 0.6, 1)],
    )
    def test_gone_early_it_has_to_have_come_to_a_tenth(self, at, end, told) -> None:
        lr = np.where(np.arange(N) < at, 1e-3, 1e-6)
        assert len(detect(with_lr(falling(2.0, end), lr))) == told

    @pytest.mark.parametrize(("rest", "told"), [(0.01 + 1e-9, 1), (0.0101, 0)])
    def test_two_cuts_to_a_tenth_make_a_hundredth(self, rest: float, told: int) -> None:
        lr = np.where(np.arange(N) < 100, 1.0, rest)
        assert len(detect(with_lr(falling(2.0, 1.2), lr))) == told

    @pytest.mark.parametrize("rest", [0.0, 1e-9])
    @pytest.mark.parametrize("at", [300, 600, 1200])
    def test_switched_off_while_the_loss_fell(self, at: int, rest: float) -> None:
        """Whatever the level: from that step on the run is lost."""
        t = np.arange(2000)
        loss = 0.3 + 2 * np.exp(-np.minimum(t, at) / 500)
        loss = loss * np.exp(synth.noise("gauss", t.size, 0.02, 7))
        (found,) = detect(with_lr(loss, np.where(t < at, 1e-3, rest)))
        assert found.first_step == found.measures["lr_step"] == at + 1

    @pytest.mark.parametrize("peak", [1e-3, 3e-3])
    def test_a_rate_printed_with_too_few_decimals_is_not_switched_off(self, peak: float) -> None:
        t = np.arange(2000)
        loss = (0.3 + 2 * np.exp(-np.minimum(t, 700) / 500)) * np.exp(
            synth.noise("gauss", t.size, 0.02, 7)
        )
        rate = np.round(peak * 2.0 ** (-t / (700 / np.log2(2 * peak / 1e-3))), 3)
        gone = int(np.argmax(rate == 0.0))
        assert 690 < gone < 710
        assert detect(with_lr(np.round(loss, 4), rate)) == ()
        # All digits of the loss are there: then the rate has its own, too.
        one = np.where(t < gone, 1e-3, 0.0)
        assert detect(with_lr(loss, one))[0].first_step == gone + 1
        assert detect(with_lr(np.round(loss, 4), one)) == ()

    def test_switched_off_at_the_end_or_when_all_was_learned(self) -> None:
        t = np.arange(2000)
        loss = 0.3 + 2 * np.exp(-t / 100) * np.exp(synth.noise("gauss", t.size, 0.02, 7))
        assert detect(with_lr(loss, np.where(t < 1000, 1e-3, 0.0))) == ()
        slow = 0.3 + 2 * np.exp(-np.minimum(t, 1600) / 1500)
        assert detect(with_lr(slow, np.where(t < 1600, 1e-3, 0.0))) == ()
        assert detect(with_lr(slow, np.where(t < 1000, 1e-3, 0.0))) == ()  # it falls all the same

    def test_a_rate_that_is_printed_away_is_none(self) -> None:
        """A cosine of three decimals ends in zeros as well, beside a loss that falls."""
        t = np.arange(2000)
        loss = 0.3 + 2 * np.exp(-t / 700) * np.exp(synth.noise("gauss", t.size, 0.02, 7))
        for peak in (1e-3, 3e-3):
            cosine = np.round(peak * 0.5 * (1 + np.cos(np.pi * t / 2000)), 3)
            assert cosine[1400] == 0 or peak > 1e-3
            assert detect(with_lr(loss, cosine)) == ()


def random_case(seed: int) -> Case:
    """A loss that falls and stands still, with everything for one of the four signs, but for one
    thing that may be off: each number is on its threshold, or a little to either side of it."""
    rng = np.random.default_rng(seed)

    def near(usual: float, *others: float) -> float:
        return usual if rng.random() < 0.75 else float(rng.choice(others))

    n, sign = int(near(100, 99, 101, 240)), int(rng.integers(0, 5))
    classes = int(rng.choice([10, 100, 37]))
    floor, chance = math.log(1 + (classes - 1) / math.e), math.log(classes)
    known: int | None = classes if rng.random() < 0.3 else None
    val: list[float] = []
    metrics: list[tuple[str, list[float]]] = []
    start, end = chance, 0.8 * chance
    lr_until, lr_after = 0.0, 1.0
    if sign == 0:  # at its floor
        start = near(chance, 1.05 * chance, 1.06 * chance, 1.05 * floor, 1.06 * floor)
        end = floor * near(1.0, 0.994, 0.9951, 1.0049, 1.006)
    elif sign == 1:  # above it, and unsure
        end = floor * near(1.1, 1.2, 1.21, 1.003)
        val = [0.1, *(floor * rng.choice([1.0, 1.2], 3) * near(1.0, 0.97, 0.98, 0.9))]
        val = val[-int(near(4, 3, 2)) :]
        share = near(0.9, 0.49, 0.5, 0.7, 0.75, 0.8, 1.0, 1.01)
        metrics = [("f1", [0.6] * 3), ("val_acc", [0.2, share - 0.01, share, share + 0.01])]
        if share == 1.0:
            metrics[1] = ("val_acc", [1.0] * 3)
    elif sign == 2:  # near a guess
        known = classes
        start, end = chance * near(1.2, 0.94, 0.95), chance * near(0.9, 0.69, 0.7)
    elif sign == 3:  # a poor accuracy
        known = known if rng.random() < 0.3 else None
        start, end = near(1.3, 1.41, 1.42), 1.0
        metrics = [
            ("f1", [0.9] * 3),
            ("Acc", [near(0.1, 0.0, -0.1), 0.2, near(0.2, 0.25, 0.26), 0.2]),
        ]
        metrics[1] = (metrics[1][0], metrics[1][1][: int(near(4, 3, 2))])
    else:  # the learning rate is gone
        known, start = None, 0.8 * near(2.0, 4.0, 3.9, 6.0)
        end, lr_until = 0.8, near(0.2, 0.0, 0.13, 0.28, 0.298, 0.302, 0.32)
        lr_after = near(0.001, 0.0099, 0.01, 0.011, 0.0, 1e-5, 1.1e-5)
    t = np.arange(n)
    values = end + (start - end) * np.maximum(0.0, 1.0 - t / (0.15 * n))
    values[:6] = start
    late = math.exp(-near(0.0, 0.028, 0.032, 0.099, 0.11, -0.05) * 2)
    values *= np.where(t >= n // 2, late ** (t / n - 0.5), 1.0)
    values *= np.exp(near(0.0, 0.0005) * rng.standard_normal(n))
    if rng.random() < 0.15:
        values[n // 3 : n // 3 + 12] = end * float(rng.choice([0.75, 1 / 1.3, 0.993, 0.995]))
    values[-1] = near(float(values[-1]), float(values[-1]), float(values[-1]), 0.0, -1.0)
    lr = np.where(t < lr_until * n, 1.0, lr_after)
    lr[0] = near(1.0, np.nan)
    return Case(
        values.tolist(),
        view(t + 1, values).judged.tolist(),
        known,
        val,
        metrics,
        lr.tolist() if sign == 4 or rng.random() < 0.2 else [],
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
