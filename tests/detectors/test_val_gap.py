"""Validation that never worked, against validation that gets worse."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import synth
from plain.val_gap import Case, equal, far_off, not_followed, stuck, val_gap
from told import assert_told

from spikedoc.detectors.val_gap import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series, Source


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


def test_the_same_thing_counted_otherwise() -> None:
    (found,) = detect(losses([2.3, 1.5, 1.0, 0.9], [18.0, 12.0, 8.0, 7.5]))
    assert found.measures["scale"] == pytest.approx(18.0 / 2.3)
    assert found.measures["first"] == 18.0
    (far,) = detect(losses([2.3, 1.5, 1.0, 0.9], [18.0, 17.0, 17.5, 18.0]))
    assert far.measures.keys() == {"best", "train"}


def test_neither_comes_down() -> None:
    (found,) = detect(losses([2.3, 2.4, 2.2, 2.3], [18.0, 17.0, 17.5, 18.0]))
    assert found.measures["steady"] == pytest.approx(
        np.median([18 / 2.3, 17.5 / 2.2, 18 / 2.3, 17 / 2.4])
    )
    (learned,) = detect(losses([2.3, 2.4, 2.2, 1.8], [18.0, 17.0, 17.5, 18.0]))
    assert "steady" not in learned.measures


@pytest.mark.parametrize(
    ("train", "val"),
    [
        ([2.3, 2.0, 1.0, 0.9], [6.0, 5.0, 4.0, 4.0]),  # less than three times the beginning
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


@pytest.mark.parametrize(
    ("train", "val"),
    [
        ([0.5, 0.9, 0.98], [0.19, 0.16, 0.16]),  # far apart at three evaluations
        ([0.64, 0.8, 0.87, 0.9], [0.0, 0.0, 0.07, 0.0]),  # fewer than a guess
    ],
)
def test_three_evaluations_or_hardly_an_answer_right(train: list[float], val: list[float]) -> None:
    (found,) = detect(accuracies(train, val))
    assert found.shape is Shape.GAP
    assert found.measures == {"best": max(val), "train": train[-1]}


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
        ([0.2, 0.5, 0.7], [0.0, 0.0, 0.0], "accuracy"),  # hardly right, as training was
        ([0.5, 0.8, 0.9], [0.0, 0.05, 0.2], "accuracy"),  # on its way up
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
    (found,) = detect(halving([2.31, 2.3, 2.32, 2.29, 2.3, 2.2, 2.0, 1.9]))
    assert found.signal == "val_loss"
    assert found.measures["best"] == pytest.approx(1.9)  # of all evaluations
    assert found.measures["train"] < 0.2 * np.log(10.0)  # beside the last of them


@pytest.mark.parametrize("first", [0.01, 1.0, 60.0])
def test_validation_that_stands_still_where_training_began(first: float) -> None:
    shares = np.array([0.98, 0.979, 0.977, 0.976, 0.974, 0.973, 0.971, 0.97])
    (found,) = detect(halving((shares * first).tolist(), first=first))
    assert found.measures["best"] == pytest.approx(0.97 * first)
    assert found.measures["train"] < 0.2 * first


def test_a_log_that_begins_later_does_not_know_where_training_began() -> None:
    run = halving([0.98] * 8, first=1.0)
    late = replace(run.series[0], steps=run.series[0].steps + 11)
    assert detect(replace(run, series=(late, run.series[1]))) == ()


@pytest.mark.parametrize(
    "run",
    [
        halving([2.0, 1.6, 1.3, 1.0, 0.8, 0.7, 0.7, 0.7]),  # follows
        halving([2.0, 1.6, 1.3, 1.2, 1.4, 2.5, 3.5, 4.0]),  # followed, then memorised
        halving([4.0, 3.6, 3.2, 2.9, 2.7, 2.6, 2.5, 2.5]),  # another scale, but it follows
        halving([5.5, 5.0, 4.6, 4.4, 4.3, 4.2, 4.2, 4.2], first=np.log(100.0)),  # a batch of 100
        halving([2.31, 2.3, 2.32, 2.29, 2.3, 2.2, 1.5, 0.3]),  # late, but it generalises
        halving([1.7, 1.68, 1.66, 1.65, 1.67, 1.7, 1.72, 1.74], first=1.6),  # a trained model
        halving([1.3, 1.3, 1.3, 1.3, 1.3, 1.3, 1.31, 1.3], first=1.0),  # elsewhere
        halving([0.98, 0.97, 0.96, 0.95, 0.94, 0.93, 0.92, 0.91], first=1.0),  # it does move
    ],
)
def test_validation_that_follows_or_did_not_begin_at_a_guess(run: Run) -> None:
    assert detect(run) == ()


def evaluated(val: list[float], train: list[float], **more: Any) -> Run:
    """Training losses at steps 1, 2 …, and evaluations at every second of them."""
    stops = 2 * np.arange(1, len(val) + 1)
    known = Series(Metric.VAL_LOSS, "val_loss", "val_loss", stops, np.array(val))
    return synth.run(synth.series(np.array(train), Metric.LOSS), known, **more)


FALLING = [2.0, 1.9, 1.8, 1.7, 1.6, 1.5, 1.4, 1.3, 1.2]


def test_one_number_at_every_evaluation() -> None:
    (found,) = detect(evaluated([0.90144] * 4, FALLING))
    # Between the evaluations at steps 2 and 8 lie seven losses, of which a quarter is one.
    assert found.measures == {"best": 0.90144, "train": 1.3, "equal": 4.0}
    assert (found.signal, found.first_step, found.last_step) == ("val_loss", 2, 8)


@pytest.mark.parametrize(
    "run",
    [
        evaluated([0.90144] * 3, FALLING),
        evaluated([0.9014] * 4, FALLING),  # four digits at four
        evaluated([0.90144, 0.90144, 0.90144, 0.90145], FALLING),
        evaluated([0.90234375] * 4, FALLING),  # on the grid of bfloat16
        evaluated([0.90144] * 4, [2.0] * 9),  # nothing was trained
        evaluated([0.90144] * 4, [2.0, 2.0, 2.0, 1.9, 1.9, 1.85, 1.85, 1.81, 1.81]),  # hardly
        losses(FALLING, [0.90144] * 9),  # filled down
    ],
)
def test_evaluations_that_may_well_be_equal(run: Run) -> None:
    assert detect(run) == ()


@pytest.mark.parametrize(
    ("level", "count", "end", "told"),
    [
        (0.6931, 10, 0.5, 1),
        (0.6931, 9, 0.5, 0),
        (0.6931, 10, 0.51, 0),  # training has not halved
        (0.693, 30, 0.5, 1),
        (0.693, 29, 0.5, 0),
        (0.69, 60, 0.1, 0),  # two digits say nothing
    ],
)
def test_fewer_digits_take_more_evaluations(
    level: float, count: int, end: float, told: int
) -> None:
    train = [1.0] * count + [end] * (count + 1)
    assert len(detect(evaluated([level] * count, train))) == told


def test_epochs_each_with_the_same_evaluation() -> None:
    run = losses(FALLING, [0.90144] * 9)
    source = Source("log.csv", "csv", 100, (), counts_epochs=True)
    (found,) = detect(replace(run, sources=(source,)))
    assert found.measures["equal"] == 9.0
    late = replace(run.series[1], steps=run.series[1].steps[2:], values=run.series[1].values[2:])
    filled = replace(run, series=(run.series[0], late), sources=(source,))
    assert detect(filled) == ()  # from the third epoch on in every row: filled from one


@pytest.mark.parametrize(("reader", "told"), [("tensorboard", 1), ("trainer_state", 1), ("csv", 0)])
def test_an_evaluation_at_every_step_of_the_log(reader: str, told: int) -> None:
    run = losses(FALLING, [0.90144] * 9)
    assert len(detect(replace(run, sources=(Source("log", reader, 100),)))) == told


def random_gap(rng: np.random.Generator) -> Case:
    """Losses and accuracies near each of the thresholds, at steps that are not always the same."""
    classes = [None, 10, 37][int(rng.integers(0, 3))]
    guess = float(np.log(classes or 10))
    start = guess * float(rng.choice([0.94, 0.951, 1.0, 1.19, 1.21]))
    n, m = int(rng.choice([6, 20, 60, 700])), int(rng.choice([2, 3, 4, 6]))
    down = start * float(rng.choice([0.39, 0.41, 0.1]))
    train = np.interp(np.arange(n), [0, n * rng.choice([0.1, 0.6])], [start, down])
    train[1:] *= np.exp(0.02 * rng.normal(size=n - 1))
    kind = rng.integers(0, 5)
    if kind == 4:  # one number
        val = np.full(m, round(start, int(rng.choice([2, 3, 4, 5]))))
    elif kind == 0:  # far off
        val = start * float(rng.choice([2.9, 3.1, 100.0])) * rng.choice([1.0, 1.24, 1.26], m)
    else:
        val = start * np.cumprod(rng.choice([1.0, 0.97, 0.86, 0.76, 0.74], m))
    if rng.random() < 0.1:
        train[int(rng.integers(0, n))] = float(rng.choice([np.nan, 0.0, -1.0]))
    steps = 1 + np.arange(n)
    stops = np.linspace(int(rng.choice([0, 1, 2])), n, m).astype(int)
    stops = np.unique(stops)
    share = float(rng.choice([0.89, 0.9, 1.0]))
    apart = share - float(rng.choice([0.29, 0.3, 0.31, 0.6]))
    first, times = apart + float(rng.choice([-0.01, 0.0, 0.05])), int(rng.choice([3, 4, 5]))
    unit = float(rng.choice([1.0, 100.0]))
    accuracy = [(i + 1, unit * v) for i, v in enumerate([first, *[apart] * (times - 1)])]
    has_accuracy = kind == 1
    return Case(
        list(zip(steps.tolist(), train.tolist(), strict=True)),
        list(zip(stops.tolist(), val[: stops.size].tolist(), strict=True)),
        [(1, unit * 0.5), (2, unit * share)] if has_accuracy else [],
        accuracy if has_accuracy else [],
        classes,
    )


def as_run(case: Case) -> Run:
    named = (
        (Metric.LOSS, "loss", case.train),
        (Metric.VAL_LOSS, "val_loss", case.val),
        (Metric.TRAIN_METRIC, "acc", case.train_accuracy),
        (Metric.VAL_METRIC, "val_acc", case.val_accuracy),
    )
    parts = [
        Series(metric, tag, tag, np.array([s for s, _ in points], dtype=np.int64),
               np.array([v for _, v in points]))
        for metric, tag, points in named if points
    ]  # fmt: skip
    return synth.run(*parts, config={"num_classes": case.classes} if case.classes else {})


@pytest.mark.parametrize("block", range(20))
def test_gaps_are_those_of_the_definition(block: int) -> None:
    for seed in range(40 * block, 40 * block + 40):
        case = random_gap(np.random.default_rng(seed))
        assert_told(detect(as_run(case)), val_gap(case))


def test_the_cases_meet_each_kind_and_silence() -> None:
    cases = [random_gap(np.random.default_rng(seed)) for seed in range(300)]
    for kind in (equal, far_off, stuck, not_followed):
        assert 2 < sum(bool(kind(case)) for case in cases) < 150


@pytest.mark.parametrize(("classes", "level"), [(10, 2.3), (2, 0.69), (100, 4.7)])
def test_validation_that_only_ever_guesses(classes: int, level: float) -> None:
    epochs = np.arange(60)
    train = synth.series(0.6 * level / (1.0 + epochs / 6.0))  # a mean over the first epoch
    loss = synth.series(np.full(60, level) + epochs * 7 % 5 / 1000, Metric.VAL_LOSS)
    share = synth.series(np.full(60, 1.0 / classes), Metric.VAL_METRIC, tag="val_acc")
    (found,) = detect(synth.run(train, loss, share))
    assert (found.shape, found.signal) == (Shape.GAP, "val_loss")
    assert found.measures["best"] == pytest.approx(level)
    assert found.measures["train"] == pytest.approx(float(np.median(train.values[-5:])))


@pytest.mark.parametrize(
    ("end", "level", "accuracy"),
    [
        (1.0, 2.3, 0.1),  # training has not told the classes apart either
        (0.2, 2.3, 0.3),  # more answers are right than by guessing
        (0.2, 1.9, 0.1),  # the loss knows more than a guess
        (0.2, 3.2, 0.1),  # sure of wrong answers: it memorises
    ],
)
def test_what_is_no_guess(end: float, level: float, accuracy: float) -> None:
    epochs = np.arange(60)
    train = synth.series(end + np.exp(-epochs / 5.0))
    loss = synth.series(np.full(60, level) + epochs * 7 % 5 / 1000, Metric.VAL_LOSS)
    share = synth.series(np.full(60, accuracy), Metric.VAL_METRIC, tag="val_acc")
    assert not detect(synth.run(train, loss, share))


@pytest.mark.parametrize("share", [5e-324, 1e-310, 9e-7])
def test_a_share_below_that_of_a_guess_among_a_million(share: float) -> None:
    epochs = np.arange(60)
    train = synth.series(1.4 / (1.0 + epochs / 6.0))
    loss = synth.series(np.full(60, 2.3), Metric.VAL_LOSS)
    shares = synth.series(np.full(60, share), Metric.VAL_METRIC, tag="val_acc")
    assert not [d for d in detect(synth.run(train, loss, shares)) if "train" in d.measures]
