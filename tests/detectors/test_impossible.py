"""Values a loss cannot take: beyond any sum of squares, or below zero beside an accuracy."""

from __future__ import annotations

import math

import naive
import numpy as np
import pytest
import synth
from told import Told, assert_told

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


@pytest.mark.parametrize(("lowest", "told"), [(-19.9, 0), (-20.0, 1)])
@pytest.mark.parametrize("tag", ["val_iou_score", "Dice coefficient", "mIoU"])
def test_a_segmentation_far_below_zero(tag: str, lowest: float, told: int) -> None:
    overlap = synth.series(np.full(3, 1.4), Metric.VAL_METRIC, tag=tag, name=f"val_metric:{tag}")
    loss = synth.series(np.array([9.0, lowest, lowest]), Metric.LOSS)
    assert len(detect(synth.run(loss, overlap))) == told


def plain_impossible(values: list[float], *, classifies: bool, density: bool) -> list[Told]:
    """Beyond the limit, or as a classifier below -2, for most of what is finite from there on."""
    limit = 1e6 if classifies else 1e20
    tried = [(limit, lambda v: abs(v) >= limit)]
    if classifies and not density:
        tried.append((0.0, lambda v: v <= -2.0))
    n = len(values)
    for told, is_bad in tried:
        bad = [i for i, v in enumerate(values) if math.isfinite(v) and is_bad(v)]
        if not bad:
            continue
        known = [i for i in range(bad[0], n) if math.isfinite(values[i])]
        if 2 * len(bad) <= len(known):
            continue
        value = values[bad[-1]]
        measures = {"first": values[bad[0]], "last": value, "limit": told}
        measures["negative"] = float(told == 0.0 and value < 0)
        before = [v for v in values[: bad[0]] if math.isfinite(v)]
        if before:
            measures["before"] = naive.median(before)
        return [Told(Shape.IMPOSSIBLE, (bad[0] + 1, bad[0] + 1, n), measures)]
    return []


@pytest.mark.parametrize("block", range(10))
def test_the_impossible_is_that_of_the_definition(block: int) -> None:
    kinds = [1.0, -1.9, -2.0, -2.1, 9e5, 1e6, -1e6, 9e19, 1e20, -1e20, np.nan, np.inf, -np.inf]
    for seed in range(80 * block, 80 * block + 80):
        rng = np.random.default_rng(seed)
        few = rng.choice(kinds, 3)
        values = rng.choice(few, int(rng.integers(1, 9)))
        for classifies in (False, True):
            for tag, density in (("loss", False), ("nll_loss", True)):
                found = detect(run(*values.tolist(), tag=tag, classifies=classifies))
                expected = plain_impossible(values.tolist(), classifies=classifies, density=density)
                assert_told(found, expected)


def falling_for_ever(times: float) -> list[float]:
    return [2.0] * 10 + list(np.linspace(2.0, -2.0 * times, 20)) + [-2.0 * times] * 60


def test_a_loss_without_a_bottom() -> None:
    (found,) = detect(run(*falling_for_ever(1e6)))
    assert (found.measures["limit"], found.measures["negative"]) == (-1e3, 0.0)
    assert found.measures["last"] == -2e6


@pytest.mark.parametrize(
    ("values", "tag"),
    [
        (falling_for_ever(20.0), "loss"),  # a density told more and more sharply
        (falling_for_ever(1e6), "nll_loss"),
        (falling_for_ever(1e6), "critic_loss"),  # a critic has no bottom
        (falling_for_ever(1e6)[:25], "loss"),  # too few
        ([-2.0] * 10 + falling_for_ever(1e6)[10:], "loss"),  # never was above zero
        (falling_for_ever(1e6) + [2.0] * 20, "loss"),  # came back
    ],
)
def test_losses_that_may_fall_far(values: list[float], tag: str) -> None:
    assert detect(run(*values, tag=tag)) == ()


class TestWorseThanAGuess:
    """Steps far too long: the loss leaps in the first few, and hardly an answer is right since."""

    SFT = (252.0, 1011.0, 1255.0, 1679.0, 1372.0, 1085.0, 698.0, 503.0, 312.0, 144.0)

    def detected(self, values: tuple[float, ...], right: tuple[float, ...], evaluated=()) -> list:
        loss = synth.series(np.array(values), Metric.LOSS, tag="loss")
        share = synth.series(np.array(right), Metric.TRAIN_METRIC, tag="mean_token_accuracy")
        held = synth.series(np.array(evaluated), Metric.VAL_METRIC, tag="eval_accuracy")
        return list(detect(synth.run(loss, share, *([held] if evaluated else []))))

    def test_it_is_lost_from_the_first_record(self) -> None:
        (found,) = self.detected(self.SFT, (0.02, 0.04) * 5, (0.01, 0.02))
        assert (found.first_step, found.last_step) == (1, 10)
        assert found.measures["limit"] == pytest.approx(13.8155, abs=1e-4)

    def test_a_sum_over_the_batch_may_stand_as_high(self) -> None:
        """It never rose: a training at its beginning, summed over a batch of a hundred."""
        assert not self.detected(tuple(np.linspace(690.0, 400.0, 10)), (0.02, 0.04) * 5)
        assert not self.detected((252.0, 1007.0, 1011.0, 1255.0, 700.0, 144.0) * 2, (0.09,) * 6)

    @pytest.mark.parametrize(
        ("right", "evaluated"),
        [
            ((0.02,) * 9 + (0.08,), ()),  # it learns
            ((0.11,) * 10, ()),  # more than hardly any
            ((0.02,) * 10, (0.02, 0.3)),  # held-out answers are right
            ((0.02,) * 7, ()),  # too few to say
            ((), ()),
        ],
    )
    def test_not_beside_right_answers(self, right, evaluated) -> None:
        assert not self.detected(self.SFT, right, evaluated)

    def test_twice_at_four_times_the_start_is_chance(self) -> None:
        values = (252.0, 1011.0, 1255.0, *(300.0,) * 8)
        assert not self.detected(values, (0.02, 0.04) * 5)

    def test_a_loss_below_the_level_of_a_guess_among_a_million(self) -> None:
        assert not self.detected((2.0, *(13.8,) * 10), (0.02, 0.04) * 5)
        assert self.detected((2.0, *(13.9,) * 10), (0.02, 0.04) * 5)
