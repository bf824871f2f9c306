"""Validation that is wrong from its first value on, while the training side learns."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, IntArray, Run, Series

NAME: Final = "val_gap"
# Overfitting takes time: at the first evaluation the two losses are of one size. A hundred times
# apart then, and at every evaluation since, is no generalisation gap.
FAR: Final = 100.0
FAR_EVALUATIONS: Final = 3
# Never better than at first, with training accuracy nearly perfect: nothing of what was learned
# shows in evaluation mode.
LEARNED: Final = 0.9
STUCK_EVALUATIONS: Final = 4
STUCK_GAP: Final = 0.3
# A metric above 1 is a percentage.
PERCENT: Final = 100.0


def detect(run: Run) -> tuple[Detection, ...]:
    """Return GAP for a validation loss far off, or a validation accuracy stuck, from the start."""
    found = _far_off(run) or _stuck(run)
    return () if found is None else (found,)


def _far_off(run: Run) -> Detection | None:
    train, val = run.get(Metric.LOSS), run.get(Metric.VAL_LOSS)
    if train is None or val is None or len(train) == 0:
        return None
    steps, values = val.finite()
    if values.size < FAR_EVALUATIONS:
        return None
    beside = _beside(train, steps)
    if not np.isfinite(beside).all() or float(beside.min()) <= 0:
        return None
    # The first training loss is the largest one that the training side ever shows.
    if float(values.min()) < FAR * float(max(beside[0], train.values[0])):
        return None
    return _gap(val, steps, {"best": float(values.min()), "train": float(beside[-1])})


def _beside(train: Series, steps: IntArray) -> FloatArray:
    """Return the training loss last logged at or before each evaluation; NaN before the first."""
    at = np.searchsorted(train.steps, steps, side="right") - 1
    return np.where(at >= 0, train.values[np.maximum(at, 0)], np.nan)


def _stuck(run: Run) -> Detection | None:
    """Return the first validation accuracy that never rose while its training twin became whole."""
    for val in run.all(Metric.VAL_METRIC):
        train = _twin(run, val)
        if train is None:
            continue
        steps, values = _shares(val)
        _, learned = _shares(train)
        if values.size < STUCK_EVALUATIONS or learned.size == 0:
            continue
        never = float(values.max()) <= float(values[0]) and float(values.min()) >= 0
        apart = float(learned[-1]) - float(values[-1])
        if never and float(learned[-1]) >= LEARNED and apart >= STUCK_GAP:
            return _gap(val, steps, {"best": float(values.max()), "train": float(learned[-1])})
    return None


def _twin(run: Run, val: Series) -> Series | None:
    """Return the training accuracy that `val` is the validation of, by name."""
    if "acc" not in val.tag.lower():
        return None
    for train in run.all(Metric.TRAIN_METRIC):
        if "acc" in train.tag.lower():
            return train
    return None


def _shares(series: Series) -> tuple[IntArray, FloatArray]:
    steps, values = series.finite()
    percent = values.size > 0 and float(values.max()) > 1.0
    return steps, values / PERCENT if percent else values


def _gap(val: Series, steps: IntArray, measures: dict[str, float]) -> Detection:
    first, last = int(steps[0]), int(steps[-1])
    return Detection(NAME, Shape.GAP, val.name, first, first, last, measures)


DETECTOR: Final = detect
