"""NaN and infinities: first, last finite before, how many, and exact zeros that may hide them."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.quality import is_accuracy, is_error_rate
from spikedoc.model.run import Run, Series
from spikedoc.signal.printed import decimals

NAME: Final = "nonfinite"
LOOKED_AT: Final = (
    Metric.LOSS,
    Metric.VAL_LOSS,
    Metric.GRAD_NORM,
    Metric.UPDATE_NORM,
    Metric.WEIGHT_NORM,
    Metric.LOSS_COMPONENT,
    Metric.VAL_LOSS_COMPONENT,
    Metric.VAL_METRIC,
    Metric.TRAIN_METRIC,
)
VALIDATION: Final = (Metric.VAL_LOSS, Metric.VAL_LOSS_COMPONENT, Metric.VAL_METRIC)
# A table that has NaN where nothing was evaluated: a row for each training row, this many at least,
# of which at most this share was evaluated, the first never.
LEAST_ROWS: Final = 20
MOST_EVALUATED: Final = 0.5
# A level is the median of up to this many finite points before.
LEVEL_POINTS: Final = 50
# Points that lie between the zeros: all of them, or a few per cent of strays.
USUAL_LOW: Final = 0.02
# Words put in count as errors too: a share of wrong ones goes up to 2, a percentage beyond it.
MOST_WRONG: Final = 2.0
# A log of few decimals prints 0 for what lies so few of their units above it.
NEAR_UNITS: Final = 10
# The level right before a stretch of zeros, and that at the start of the log.
LAST_POINTS: Final = 3


def detect(run: Run) -> tuple[Detection, ...]:
    """Return a NONFINITE detection per series with NaN or inf, and EXACT_ZERO for the loss."""
    found = []
    for series in run.series:
        if series.metric not in LOOKED_AT or not len(series) or series.rank is not None:
            continue
        if not _is_blank_between_evaluations(run, series):
            detection = _nonfinite(series)
            if detection is not None:
                found.append(detection)
    loss = run.get(Metric.LOSS)
    if loss is not None and (zero := _zeros(run, loss)) is not None:
        found.append(zero)
    return tuple(found)


def _is_blank_between_evaluations(run: Run, series: Series) -> bool:
    """Whether NaN stands only where no evaluation was: finite values follow, the loss is sound."""
    loss = run.get(Metric.LOSS)
    if series.metric not in VALIDATION or loss is None or len(series) < LEAST_ROWS:
        return False
    blank = np.isnan(series.values)
    evaluated = 1.0 - float(blank.mean())
    same_rows = np.array_equal(series.steps, loss.steps) and bool(loss.is_finite.all())
    only_blank = bool(blank[0]) and not np.isinf(series.values).any()
    return same_rows and only_blank and 0.0 < evaluated <= MOST_EVALUATED


def _nonfinite(series: Series) -> Detection | None:
    bad = ~series.is_finite
    index = np.flatnonzero(bad)
    if index.size == 0:
        return None
    first, last = int(index[0]), int(index[-1])
    measures = {
        "count": float(index.size),
        "points": float(len(series)),
        "share": float(bad[first:].mean()),
        "nan": float(np.isnan(series.values).sum()),
        "first_index": float(first),
        "finite_after": float(np.sum(~bad[first:])),
        "at_end": float(_run_length_at_end(bad)),
    }
    if first > 0:
        measures["last_finite_step"] = float(series.steps[first - 1])
    steps = series.steps
    return Detection(
        NAME,
        Shape.NONFINITE,
        series.name,
        int(steps[first]),
        int(steps[first]),
        int(steps[last]),
        measures,
    )


def _run_length_at_end(bad: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> int:
    finite = np.flatnonzero(~bad)
    return int(bad.size - 1 - finite[-1]) if finite.size else int(bad.size)


def _zeros(run: Run, loss: Series) -> Detection | None:
    """Return the stretch of exact zeros: HF's NaN filter writes 0.0 where the loss was NaN."""
    zero = np.flatnonzero(loss.values == 0.0)
    if zero.size == 0:
        return None
    first, last = int(zero[0]), int(zero[-1])
    before = loss.values[max(0, first - LEVEL_POINTS) : first]
    before = before[np.isfinite(before)]
    measures = {
        "count": float(zero.size),
        "first_index": float(first),
        "share": float(np.mean(loss.values[first:] == 0.0)),
        "nan_beside": float(_nonfinite_beside(run, loss.steps[zero])),
        "points": float(len(loss)),
        "grad_zero": float(_gradient_is_zero(run)),
        "gap": _gap(loss.values[first : last + 1]),
        "stretches": 1.0 + float(np.count_nonzero(np.diff(zero) > 1)),
    }
    accuracy = _accuracy_at(run, loss.steps[zero])
    if accuracy is not None:
        measures["accuracy"] = accuracy
        measures["accuracy_before"] = _accuracy_at(run, loss.steps[:first][-1:]) or 0.0
    if before.size:
        measures["before"] = float(np.median(before))
        measures["right_before"] = float(np.median(before[-LAST_POINTS:]))
        measures["start"] = float(np.median(loss.finite()[1][:LAST_POINTS]))
        measures["least"] = float(np.min(np.abs(before)))
    steps = loss.steps
    return Detection(
        NAME,
        Shape.EXACT_ZERO,
        loss.name,
        int(steps[first]),
        int(steps[first]),
        int(steps[last]),
        measures,
    )


def _gap(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    """Return how near to zero the other values come, as a share of their median; 0.0 without any.

    A loss that is learned away, a hinge or a policy loss comes close before it is zero.
    """
    others = np.abs(values[np.isfinite(values) & (values != 0.0)])
    if not others.size:
        return 0.0
    middle = float(np.median(others))
    return 0.0 if _is_rounded(others) else float(np.quantile(others, USUAL_LOW)) / middle


def _is_rounded(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> bool:
    """Return whether positive values lie a few units of their last decimal above zero."""
    unit = 10.0 ** -(decimals(values) or 0)
    varies = float(np.ptp(values)) > 0 or float(values[0]) <= unit
    return unit < 1 and varies and float(np.median(values)) <= NEAR_UNITS * unit


def _gradient_is_zero(run: Run) -> bool:
    """Return whether a gradient norm was logged and is exactly 0 throughout."""
    gradient = run.get(Metric.GRAD_NORM)
    return gradient is not None and len(gradient) > 0 and not bool(np.any(gradient.values != 0.0))


def _accuracy_at(run: Run, steps: np.ndarray[tuple[int], np.dtype[np.int64]]) -> float | None:
    """Return the best of the accuracies logged at `steps` (median of each), in 0..1; or None.

    A rate of wrong words leaves the rest right.
    """
    found = []
    for series in (*run.all(Metric.TRAIN_METRIC), *run.all(Metric.VAL_METRIC)):
        beside = series.values[np.isin(series.steps, steps) & series.is_finite]
        if is_accuracy(series) and beside.size and 0.0 <= float(beside.min()) <= 1.0:
            found.append(float(np.median(beside)))
        elif (
            is_error_rate(series) and beside.size and float(series.finite()[1].max()) <= MOST_WRONG
        ):
            found.append(max(0.0, 1.0 - float(np.median(beside))))
    return max((value for value in found if value <= 1.0), default=None)


def _nonfinite_beside(run: Run, steps: np.ndarray[tuple[int], np.dtype[np.int64]]) -> int:
    """Return how many of `steps` have a non-finite gradient norm logged."""
    gradient = run.get(Metric.GRAD_NORM)
    if gradient is None:
        return 0
    bad = gradient.steps[~gradient.is_finite]
    return int(np.isin(steps, bad).sum())


DETECTOR: Final = detect
