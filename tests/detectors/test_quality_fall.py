"""A reward or quality that was won and lost."""

from __future__ import annotations

from itertools import pairwise

import naive
import numpy as np
import pytest
import synth
from told import Told, assert_told

from spikedoc.detectors.quality_fall import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.signal.leaving import leaving

POINTS = 400
TIME = np.linspace(0.0, 1.0, POINTS)
NOISE = 0.3 * np.random.default_rng(7).standard_normal(POINTS)
RISE = 2.0 * np.minimum(TIME / 0.3, 1.0)


def run(values: np.ndarray, metric: Metric = Metric.REWARD, tag: str = "reward") -> Run:
    return synth.run(synth.series(values, metric, tag=tag, name=tag))


def test_a_reward_that_falls_back_for_good_is_told_from_where_it_falls() -> None:
    (found,) = detect(run(np.where(TIME < 0.6, RISE, 0.1) + NOISE))
    assert (found.shape, found.signal) == (Shape.DROP, "reward")
    assert 220 <= found.first_step <= 260
    assert found.measures["best"] == pytest.approx(2.0, abs=0.2)
    assert found.measures["after"] == pytest.approx(0.1, abs=0.2)


@pytest.mark.parametrize(
    "values",
    [
        RISE,
        np.where((TIME > 0.5) & (TIME < 0.7), 0.0, RISE),  # comes back
        np.where(TIME < 0.6, RISE, 1.5),  # a quarter lost
        np.where(TIME < 0.9, RISE, 0.0),  # too late to say that it stays
        np.full(POINTS, 1.0),
        2.0 - RISE,  # had never won anything
    ],
)
def test_what_recovers_stays_or_was_never_won_is_not(values: np.ndarray) -> None:
    assert detect(run(values + NOISE)) == ()


@pytest.mark.parametrize("seed", range(6))
def test_a_gradual_fall_is_told_from_its_beginning(seed: int) -> None:
    noise = 0.1 * np.random.default_rng(seed).standard_normal(POINTS)
    fall = np.clip((TIME - 0.5) / 0.25, 0.0, 1.0)  # half of it is lost at step 250
    (found,) = detect(run(RISE - 1.9 * fall + noise))
    assert 195 <= found.first_step <= 215


@pytest.mark.parametrize("size", [60, 70, 79, 250, 411])
@pytest.mark.parametrize("at", [0.5, 0.55, 0.6, 0.64])
def test_a_sudden_fall_is_told_at_its_step(size: int, at: float) -> None:
    """However the records divide by twenty: the first parts are one longer."""
    t, rng = np.arange(size), np.random.default_rng(size)
    broken = int(at * size)
    values = 0.6 * (1.0 - np.exp(-t / (0.2 * size)))
    values = np.where(t < broken, values + rng.normal(0.0, 0.003, size), 0.1)
    (found,) = detect(run(values))
    assert found.first_step == broken + 1  # steps begin at 1


def test_an_error_is_lost_when_it_rises() -> None:
    error = 3.0 - np.where(TIME < 0.6, RISE, 0.1) + NOISE
    (found,) = detect(run(error, Metric.VAL_METRIC, "val_mae"))
    assert found.measures["best"] == pytest.approx(1.0, abs=0.2)
    assert detect(run(error, Metric.VAL_METRIC, "val_something")) == ()


def test_few_values_tell_nothing() -> None:
    assert detect(run(np.array([0.0, 1.0, 0.0] * 10))) == ()


EVALUATED = np.random.default_rng(3).normal(0.0, 0.01, 40)


def evaluated(after: float, since: int = 24, until: int = 40) -> np.ndarray:
    """Return 40 evaluations of an accuracy that comes to .9 and stands at `after` for a while."""
    at = np.arange(40)
    learned = 0.9 - 0.6 * np.exp(-at / 4.0)
    return np.where((at >= since) & (at < until), after, learned) + EVALUATED


@pytest.mark.parametrize("after", [0.6, 0.4, 0.1])
@pytest.mark.parametrize("since", [16, 24, 34])
def test_few_evaluations_tell_a_quality_that_was_lost(after: float, since: int) -> None:
    (found,) = detect(run(evaluated(after, since), Metric.VAL_METRIC, "val_acc"))
    assert (found.shape, found.signal, found.first_step) == (Shape.DROP, "val_acc", since + 1)
    assert found.measures["best"] == pytest.approx(0.9, abs=0.03)
    assert found.measures["after"] == pytest.approx(after, abs=0.02)


@pytest.mark.parametrize(
    ("values", "tag"),
    [
        (evaluated(0.9), "val_acc"),
        (evaluated(0.75), "val_acc"),  # a sixth: overfitted, not broken
        (evaluated(0.4, 24, 35), "val_acc"),  # comes back
        (evaluated(0.4, 37), "val_acc"),  # too late to say that it stays
        (evaluated(0.4)[20:27], "val_acc"),  # seven evaluations
        (evaluated(0.4), "val_thing"),  # which way is better is not known
        (1.0 - evaluated(0.4), "val_acc"),  # won
        (evaluated(0.4) - 1.0, "val_r2"),  # below 0 a share of the level is none
        (0.5 + 12.0 * EVALUATED, "val_acc"),  # noise
    ],
)
def test_few_evaluations_that_tell_no_loss(values: np.ndarray, tag: str) -> None:
    assert detect(run(values, Metric.VAL_METRIC, tag)) == ()


def test_an_error_of_few_evaluations_is_lost_when_it_rises() -> None:
    (found,) = detect(run(1.0 - evaluated(0.4), Metric.VAL_METRIC, "val_wer"))
    assert (found.first_step, found.measures["after"] > 0.55) == (25, True)


def plain_fall(values: list[float], sign: int) -> list[Told]:
    """Of twenty means, the best of three in a row before the last five is far above the first, and
    each of the last five has lost half of that."""
    n = len(values)
    if n < 60:
        return []
    whole, longer = divmod(n, 20)
    borders = [k * whole + min(k, longer) for k in range(21)]
    parts = [[sign * v for v in values[a:b]] for a, b in pairwise(borders)]
    means = [naive.mean(part) for part in parts]
    errors = [
        (naive.mean([(v - m) ** 2 for v in part]) / len(part)) ** 0.5
        for part, m in zip(parts, means, strict=True)
    ]
    bends = [a - 2 * b + c for a, b, c in zip(means, means[1:], means[2:], strict=False)]
    noise = max(naive.scatter(bends) / 6**0.5, naive.median(errors))
    top = max(naive.median(means[i : i + 3]) for i in range(13))
    late = means[-5:]
    won, lost = top - means[0], top - naive.median(late)
    if won < 4.0 * noise or lost < max(4.0 * noise, 0.5 * won) or max(late) > top - 0.5 * won:
        return []
    above = [i for i, m in enumerate(means) if m > top - 0.5 * won]
    if not above:
        return []
    since, sure = borders[above[-1]], borders[above[-1] + 2]
    highest = max(range(13), key=lambda i: naive.median(means[i : i + 3]))
    begin = borders[highest]
    left = begin + leaving(np.array([-sign * v for v in values[begin:]]), sure - begin)
    line = top - 0.5 * won
    if left == sure:  # a step
        left = 1 + max(i for i in range(since, sure) if sign * values[i] > line)
    first = left + 1
    measures = {"best": sign * top, "after": sign * naive.median(late), "first": sign * means[0]}
    return [Told(Shape.DROP, (first, n, n), measures)]


def plain_evaluated(values: list[float], sign: int) -> list[Told]:
    """Of single evaluations, the last five and an eighth of all lie below half-way from the best of
    the medians of three before them, which has lost a third of its gain and .3 of itself."""
    n = len(values)
    size = max(5, n // 8)
    if n < 8 or min(values) < 0:
        return []
    course = [sign * v for v in values]
    early = course[: n - size]
    mirrored = [early[1], *early, early[-2]]
    levels = [naive.median(mirrored[i : i + 3]) for i in range(len(early))]
    best = levels.index(max(levels))
    top, late = levels[best], naive.median(course[-size:])
    noise = (
        naive.scatter(
            [a - 2 * b + c for a, b, c in zip(course, course[1:], course[2:], strict=False)]
        )
        / 6**0.5
    )
    if min(abs(top), abs(late)) > 0.7 * max(abs(top), abs(late)):
        return []
    line = (top + late) / 2
    if top - late < max((top - course[0]) / 3, 6.0 * noise) or max(course[-size:]) > line:
        return []
    half = 1 + max(i for i, v in enumerate(course) if v > line)
    left = best + leaving(-np.array(course[best:]), half - best)
    measures = {"best": sign * top, "after": sign * late, "first": sign * course[0]}
    return [Told(Shape.DROP, (1 + min(left, half), n, n), measures)]


@pytest.mark.parametrize("block", range(10))
def test_quality_is_lost_where_the_definition_says(block: int) -> None:
    for seed in range(40 * block, 40 * block + 40):
        rng = np.random.default_rng(seed)
        n = int(rng.choice([59, 60, 77, 200]))
        t = np.arange(n) / n
        left = float(rng.choice([0.0, 0.45, 0.49, 0.51, 0.6]))
        fall = float(rng.choice([0.4, 0.6, 0.72, 0.76]))
        course = np.interp(t, [0.0, 0.06, 0.3, fall, fall + 0.04], [0.0, 0.0, 1.0, 1.0, left])
        if seed % 5 == 0:
            course[int(0.8 * n) : int(0.85 * n)] = 0.8
        values = course + float(rng.choice([0.001, 0.1, 0.4, 0.9])) * rng.normal(size=n)
        for metric, tag, sign in (
            (Metric.REWARD, "reward", 1),
            (Metric.VAL_METRIC, "val_acc", 1),
            (Metric.VAL_METRIC, "val_wer", -1),
        ):
            found = detect(run(sign * values, metric, tag))
            told = plain_fall((sign * values).tolist(), sign)
            if metric is Metric.REWARD:
                assert_told(found, told)
            else:
                assert_told(found, told or plain_evaluated((sign * values).tolist(), sign))


@pytest.mark.parametrize(("level", "count"), [(0.0, 8), (0.0, 30), (0.0, 400), (-1.0, 30)])
def test_a_quality_that_never_was_is_not_lost(level: float, count: int) -> None:
    assert detect(run(np.full(count, level), Metric.VAL_METRIC, "val_acc")) == ()
    assert detect(run(np.full(count, level))) == ()
