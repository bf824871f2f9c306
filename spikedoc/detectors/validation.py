"""Validation that gets worse while training gets better."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, IntArray, Run, Series
from spikedoc.signal.baseline import rolling_median
from spikedoc.signal.transform import HUGE, ratio
from spikedoc.signal.trend import kendall_tau, trend

NAME: Final = "validation"
MIN_EVALUATIONS: Final = 8
SMOOTH: Final = 3
# Later validation at least 10 % above its best and three scatters, for the last third at least,
# with a training loss that still falls (tau below -.5 up to here).
RISE: Final = float(np.log(1.10))
SIGMAS: Final = 3.0
TRAIN_TAU: Final = -0.5
VAL_TAU: Final = 0.3
MIN_AFTER: Final = 3
# Below zero: a quarter of all that was won is lost again.
LOST: Final = 0.25
# A step: the median of three evaluations after it lies 30 % and five scatters above that of three
# before, most of it comes from one evaluation to the next, and most of it is still there later.
# Five evaluations and more, each worse than the one before, a tenth in all, while training is
# better at each: by chance once in 120.
ALWAYS_EVALUATIONS: Final = 5
STEP_SIDE: Final = 3
STEP_RISE: Final = float(np.log(1.3))
STEP_SIGMAS: Final = 5.0
STEP_SHARE: Final = 0.6
# Additive noise grows in the logarithm as the loss falls: scatter is that of the evaluations
# around too, so many on each side that a tenth of it is known. Where thousands of places are tried
# some three are high by luck: the level of a fiftieth of the log on either side has to differ too.
SCATTER_SIDE: Final = 100
LEVEL_SHARE: Final = 0.02
SCORE_MAX: Final = 1e6
# No better than 1 % for half of the evaluations, while the training loss fell by a sixth and more.
STILL_GAIN: Final = 0.01
STILL_SHARE: Final = 0.5
TRAIN_FALL: Final = float(np.log(1.2))
END_PARTS: Final = 10
PRINTED_ZERO: Final = 0.5
# Median absolute difference of neighbours in Gaussian noise of sigma 1: sqrt(2) times 0.6745.
MEDIAN_DIFFERENCE: Final = 0.954


def detect(run: Run) -> tuple[Detection, ...]:
    """Return what the validation loss did on its own.

    SCISSORS when it rises from its best while the training loss falls; RISE when it steps up from
    one evaluation to the next and stays there: overfitting takes its time, a broken state does not;
    LEFT_BEHIND when it got no better for most of the run while the training loss went on falling.
    """
    train, val = run.get(Metric.LOSS), run.get(Metric.VAL_LOSS)
    if train is None or val is None or len(train) == 0:  # without, validation is what is judged
        return ()
    steps, values = val.finite()
    if ALWAYS_EVALUATIONS <= values.size < MIN_EVALUATIONS and float(values.min()) > 0:
        worse = _always_worse(train, val.name, steps, np.log(values))
        return () if worse is None else (worse,)
    if values.size < MIN_EVALUATIONS or float(values.min()) == 0:
        return ()
    if float(values.min()) < 0:
        below = _below_zero(train, val.name, steps, np.clip(values, -HUGE, HUGE))
        return () if below is None else (below,)
    logs = np.log(values)
    found = (
        _step(val.name, steps, logs)
        or _scissors(train, val.name, steps, logs)
        or _standstill(train, val.name, steps, logs)
    )
    return () if found is None else (found,)


def _always_worse(train: Series, name: str, steps: IntArray, logs: FloatArray) -> Detection | None:
    """Return the rise of a validation that is worse at every evaluation from the first one on."""
    beside = train.values[np.isin(train.steps, steps)]
    falls = beside.size == steps.size and bool(np.all(np.diff(beside) < 0))
    rise = float(logs[-1] - logs[0])
    if not falls or rise < RISE or not bool(np.all(np.diff(logs) > 0)):
        return None
    measures = {
        "best": ratio(float(logs[0])),
        "last": ratio(float(logs[-1])),
        "best_step": float(steps[0]),
        "rise_percent": 100.0 * (ratio(rise) - 1.0),
    }
    first, last = int(steps[0]), int(steps[-1])
    return Detection(NAME, Shape.SCISSORS, name, first, last, last, measures)


def _standstill(train: Series, name: str, steps: IntArray, logs: FloatArray) -> Detection | None:
    """Return the stretch in which validation gained nothing while training gained much."""
    since = int(np.argmax(logs <= float(logs.min()) + STILL_GAIN))
    if since > (1.0 - STILL_SHARE) * logs.size or logs.size - since < MIN_EVALUATIONS:
        return None
    train_steps, values = train.finite()
    after = values[(train_steps >= steps[since]) & (train_steps <= steps[-1])]
    if (
        after.size < MIN_EVALUATIONS
        or float(after.min()) <= 0
        or not _train_falls(train, steps[since:])
    ):
        return None
    part = max(MIN_AFTER, after.size // END_PARTS)
    fall = float(np.log(np.median(after[:part]) / np.median(after[-part:])))
    if fall < TRAIN_FALL:
        return None
    end = float(np.median(logs[-MIN_AFTER:]))
    measures = {
        "best": ratio(float(logs.min())),
        "last": ratio(end),
        "best_step": float(steps[since]),
        "train_fall_percent": 100.0 * (1.0 - ratio(-fall)),
    }
    first, last = int(steps[since]), int(steps[-1])
    return Detection(NAME, Shape.LEFT_BEHIND, name, first, last, last, measures)


def _scissors(train: Series, name: str, steps: IntArray, logs: FloatArray) -> Detection | None:
    """Return the rise of validation from its best level beside a training loss that falls."""
    smooth = rolling_median(logs, SMOOTH)
    best = int(np.argmin(smooth))
    after = smooth[best:]
    if after.size < MIN_AFTER + 1:
        return None
    # Of those after the best one: earlier ones stood higher because the model had learned less.
    last_ones = min(max(MIN_AFTER, smooth.size // 5), after.size - 1)
    end = float(np.median(smooth[-last_ones:]))
    rise = end - float(smooth[best])
    lowest = int(np.argmin(logs))  # what a reader finds in the log, and where its checkpoint is
    # Of single evaluations: smoothed ones move together, and the lowest of them is a lucky one.
    if rise < max(RISE, SIGMAS * _noise(logs)) or kendall_tau(_thin(after)) < VAL_TAU:
        return None
    if not _train_falls(train, steps[best:]):
        return None
    measures = {
        "best": ratio(float(logs[lowest])),
        "last": ratio(end),
        "best_step": float(steps[lowest]),
        "rise_percent": 100.0 * (ratio(end - float(logs[lowest])) - 1.0),
    }
    first, last = int(steps[lowest]), int(steps[-1])
    return Detection(NAME, Shape.SCISSORS, name, first, last, last, measures)


def _below_zero(train: Series, name: str, steps: IntArray, values: FloatArray) -> Detection | None:
    """Return the rise of a validation loss that goes below zero, such as that of a log density.

    There a constant is without meaning, and no ratio says anything: the rise is held against all
    that either loss had come down by.
    """
    smooth = rolling_median(values, SMOOTH)
    best = int(np.argmin(smooth))
    after = smooth[best:]
    train_steps, known = train.finite()
    beside = np.clip(known[train_steps <= steps[-1]], -HUGE, HUGE)
    if after.size < MIN_AFTER + 1 or beside.size < MIN_EVALUATIONS:
        return None
    last_ones = min(max(MIN_AFTER, smooth.size // 5), after.size - 1)
    end = float(np.median(smooth[-last_ones:]))
    rise, lowest = end - float(smooth[best]), int(np.argmin(values))
    part = max(MIN_AFTER, beside.size // END_PARTS)
    won = max(
        float(np.median(beside[:part]) - np.median(beside[-part:])),
        float(smooth[0] - smooth[best]),
    )
    falls = beside[train_steps[: beside.size] >= steps[best]]
    if rise < max(LOST * won, SIGMAS * _noise(values)) or kendall_tau(_thin(after)) < VAL_TAU:
        return None
    if falls.size < MIN_EVALUATIONS or trend(falls).tau >= TRAIN_TAU:
        return None
    measures = {
        "best": float(values[lowest]),
        "last": end,
        "best_step": float(steps[lowest]),
        "lost_percent": 100.0 * rise / won if won > 0 else SCORE_MAX,
    }
    first, last = int(steps[lowest]), int(steps[-1])
    return Detection(NAME, Shape.SCISSORS, name, first, last, last, measures)


def _noise(logs: FloatArray) -> float:
    """Return the scatter of single evaluations, from the size of their differences.

    Not from the differences' scatter: values that alternate differ by the same amount each time.
    """
    return float(np.median(np.abs(np.diff(logs)))) / MEDIAN_DIFFERENCE


def _step(name: str, steps: IntArray, logs: FloatArray) -> Detection | None:
    """Return the step of the level between two evaluations, when it holds most of the rise."""
    k = np.arange(STEP_SIDE, logs.size - STEP_SIDE + 1)
    if k.size == 0:
        return None
    before = np.array([np.median(logs[i - STEP_SIDE : i]) for i in k])
    after = np.array([np.median(logs[i : i + STEP_SIDE]) for i in k])
    best = int(np.argmax(after - before))
    # Medians of three are as high one evaluation off: the step is where single ones part most.
    near = np.arange(max(0, best - 1), min(k.size, best + 2))
    best = int(near[np.argmax(logs[k[near]] - logs[k[near] - 1])])
    index, rise = int(k[best]), float(after[best] - before[best])
    late = float(np.median(logs[index:]) - before[best])
    around = logs[max(0, index - SCATTER_SIDE) : index + SCATTER_SIDE]
    noise = max(_noise(logs), _noise(around))
    sudden = float(logs[index] - logs[index - 1]) >= STEP_SHARE * rise
    lasts = late >= STEP_SHARE * rise
    wide = _level_change(logs, index) >= STEP_SHARE * rise
    if rise < max(STEP_RISE, STEP_SIGMAS * noise) or not (sudden and lasts and wide):
        return None
    measures = {
        "before": ratio(float(before[best])),
        "after": ratio(float(after[best])),
        "factor": ratio(rise),
        "z": rise / noise if noise > 0 else SCORE_MAX,
        "rise": rise,
        "late": late,
    }
    at, last = int(steps[index]), int(steps[-1])
    return Detection(NAME, Shape.RISE, name, at, at, last, measures)


def _level_change(logs: FloatArray, index: int) -> float:
    """Return by how much the level is higher from `index` on, of some evaluations on each side."""
    side = max(STEP_SIDE, int(LEVEL_SHARE * logs.size))
    before, after = logs[max(0, index - side) : index], logs[index : index + side]
    return float(np.median(after) - np.median(before))


def _thin(
    values: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return at most 200 of the values, evenly taken: the pairwise statistic is quadratic."""
    return values[:: max(1, values.size // 200)]


def _train_falls(train: Series, evaluated: IntArray) -> bool:
    """Return whether the training loss fell from the first to the last of these evaluations."""
    steps, values = train.finite()
    tail = values[(steps >= evaluated[0]) & (steps <= evaluated[-1])]
    positive = tail[tail > 0]
    if tail.size < MIN_EVALUATIONS or positive.size == 0 or float(tail.min()) < 0:
        return False
    # A loss printed with four decimals ends in zeros: lower than all others, and no more is known.
    return trend(np.log(np.maximum(tail, PRINTED_ZERO * float(positive.min())))).tau < TRAIN_TAU


DETECTOR: Final = detect
