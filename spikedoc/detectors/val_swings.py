"""Validation that is thrown to and fro, far above a training loss that falls all the while."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.quality import PERCENT, as_shares, is_accuracy
from spikedoc.model.run import FloatArray, Run
from spikedoc.signal.trend import kendall_tau

NAME: Final = "val_swings"
# Differences of neighbours tell the scatter from eight evaluations on to a quarter of it.
MIN_EVALUATIONS: Final = 8
# In more than these other detectors see single evaluations, steps and trends.
MAX_EVALUATIONS: Final = 60
# Scatter of the logarithm from one evaluation to the next: .19 and .32 were measured where the rate
# was too high, .12 at most on healthy runs.
SCATTER: Final = 0.4
# Training is calm and learns: nearly every epoch is better than the one before, by a third in all.
TRAIN_TAU: Final = -0.7
TRAIN_FALL: Final = float(np.log(1.5))
# Its loss lies at two fifths of that of validation, in the middle: a rate that throws the weights
# about would show on both sides.
APART: Final = 2.5
# Where an accuracy is logged, so many more or fewer answers are right from one time to the next.
ACCURACY_SCATTER: Final = 0.08
DIFFERENCE: Final = float(np.sqrt(2.0))


def detect(run: Run) -> tuple[Detection, ...]:
    """Return GAP for a validation loss that swings by itself.

    `scatter` is how far it goes from one evaluation to the next, in percent; `best` and `train` are
    its lowest value and the training loss at the end.
    """
    train, val = run.get(Metric.LOSS), run.get(Metric.VAL_LOSS)
    if train is None or val is None:
        return ()
    steps, first, second = np.intersect1d(train.steps, val.steps, return_indices=True)
    losses, values = train.values[first], val.values[second]
    if not MIN_EVALUATIONS <= values.size <= MAX_EVALUATIONS:
        return ()
    if not (np.isfinite(losses).all() and np.isfinite(values).all()):
        return ()
    if min(float(losses.min()), float(values.min())) <= 0:
        return ()
    fall = float(np.log(losses[0] / losses[-1]))
    calm = kendall_tau(np.log(losses)) <= TRAIN_TAU and fall >= TRAIN_FALL
    scatter = _scatter(np.log(values))
    apart = float(np.median(values / losses)) >= APART
    if not calm or not apart or scatter < SCATTER or _answers_are_steady(run):
        return ()
    measures = {
        "best": float(values.min()),
        "train": float(losses[-1]),
        "swings": PERCENT * scatter,
    }
    begin, end = int(steps[0]), int(steps[-1])
    return (Detection(NAME, Shape.GAP, val.name, begin, begin, end, measures),)


def _answers_are_steady(run: Run) -> bool:
    """Return whether an accuracy on held-out data keeps its level all the same."""
    for series in filter(is_accuracy, run.all(Metric.VAL_METRIC)):
        values = series.finite()[1]
        if values.size >= MIN_EVALUATIONS:
            shares = as_shares(values)
            return _scatter(shares) < ACCURACY_SCATTER
    return False


def _scatter(values: FloatArray) -> float:
    """Return the standard deviation about a slow course, by the differences of neighbours."""
    return float(np.std(np.diff(values))) / DIFFERENCE


DETECTOR: Final = detect
