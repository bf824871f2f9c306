"""A cross-entropy that is the share of wrong answers times the most that Keras lets one cost."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.quality import is_accuracy
from spikedoc.model.run import FloatArray, Run, Series

NAME: Final = "certain_answers"
# Keras takes no probability nearer to 0 or 1 than 1e-7: a certain and wrong answer costs
# -ln(1e-7) = 16.118 then, and 15.2 to 15.9 where that distance is first rounded to a float32 or
# counted twice (-ln of 2.4e-7, 2.2e-7, 2e-7, 1.2e-7). A certain and right one costs nothing.
# https://keras.io/api/losses/probabilistic_losses/ ; keras.config.epsilon() is 1e-7.
LEAST_COST: Final = 15.2
MOST_COST: Final = 16.2
# The accuracy is printed with four digits: so much may the quotient differ from record to record.
SPREAD: Final = 0.01
LEAST_RECORDS: Final = 3
# With fewer wrong answers the rounding of their share is all that is left.
LEAST_WRONG: Final = 0.02
PAIRS: Final = (
    (Metric.VAL_LOSS, Metric.VAL_METRIC),
    (Metric.LOSS, Metric.TRAIN_METRIC),
)


def detect(run: Run) -> tuple[Detection, ...]:
    """Return STANDSTILL for a loss of one cost for each wrong answer, the highest there is.

    Outputs are exactly 0 or 1 for every sample: no gradient comes back through such a sigmoid or
    softmax. `cost` is the loss over the share of wrong answers; `first`, `best` and `last` are
    values of the loss. Validation is looked at first, as its numbers are of one state of the model.
    """
    for kind, quality in PAIRS:
        loss = run.get(kind)
        if loss is None:
            continue
        for metric in run.all(quality):
            found = _certain(loss, metric)
            if found is not None:
                return (found,)
    return ()


def _certain(loss: Series, metric: Series) -> Detection | None:
    if not is_accuracy(metric):
        return None
    steps, first, second = np.intersect1d(loss.steps, metric.steps, return_indices=True)
    losses, shares = loss.values[first], metric.values[second]
    keep = np.isfinite(losses) & np.isfinite(shares) & (shares >= 0) & (shares <= 1)
    keep &= 1.0 - shares >= LEAST_WRONG
    if int(keep.sum()) < LEAST_RECORDS or not bool(keep[-LEAST_RECORDS:].all()):
        return None
    since = _last_run(losses, shares, keep)
    if losses.size - since < LEAST_RECORDS:
        return None
    tail = losses[since:]
    cost = float(np.median(tail / (1.0 - shares[since:])))
    measures = {
        "first": float(tail[0]),
        "best": float(tail.min()),
        "last": float(tail[-1]),
        "cost": cost,
    }
    begin, end = int(steps[since]), int(steps[-1])
    return Detection(NAME, Shape.STANDSTILL, loss.name, begin, begin, end, measures)


def _last_run(losses: FloatArray, shares: FloatArray, keep: np.ndarray) -> int:
    """Return the index from which on, to the end, each wrong answer has the same highest cost."""
    wrong = np.where(keep, 1.0 - shares, 1.0)
    costs = np.where(keep, losses / wrong, 0.0)
    usual = float(costs[-1])
    same = (costs >= LEAST_COST) & (costs <= MOST_COST) & (np.abs(costs - usual) <= SPREAD * usual)
    other = np.flatnonzero(~same)
    return int(other[-1]) + 1 if other.size else 0


DETECTOR: Final = detect
