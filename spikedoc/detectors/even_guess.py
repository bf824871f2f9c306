"""A loss that stands at the guess whose share of right answers an accuracy shows beside it."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.constants import CHANCE_TOLERANCE
from spikedoc.model.loss_terms import is_sum_of_terms
from spikedoc.model.metric import Metric
from spikedoc.model.quality import as_shares, is_accuracy
from spikedoc.model.run import IntArray, Run, Series

NAME: Final = "even_guess"
# Longer logs have enough points to measure that they do not fall.
MAX_POINTS: Final = 60
# At the first record anything may be logged; three more at the guess, over as many epochs or over
# a thousand steps, are no beginning any more: a classifier leaves ln C within tens of updates.
LEAST_POINTS: Final = 3
LEAST_STEPS: Final = 1_000
# One in C right, to a tenth of it, at each evaluation.
EVEN: Final = 0.1
# An accuracy read twice at least, once of it in the second half of the log.
LEAST_READINGS: Final = 2
FEWEST_CLASSES: Final = 3  # a half is right where two answers are taken at random, or learned
MOST_CLASSES: Final = 1_000_000


def detect(run: Run) -> tuple[Detection, ...]:
    """Return STANDSTILL for a loss of -ln(a) beside an accuracy that is a, one in C, all along.

    Neither number is known beforehand: that they fit together says what the model does. `classes`
    is C, `chance` is ln C, `first`, `best` and `last` are values of the loss.
    """
    loss = run.main_loss
    if loss is None or is_sum_of_terms(run):
        return ()
    steps, values = loss.finite()
    if not LEAST_POINTS < values.size < MAX_POINTS or not _lasts(run, steps):
        return ()
    for series in (*run.all(Metric.VAL_METRIC), *run.all(Metric.TRAIN_METRIC)):
        classes = _classes(series, steps)
        if classes is None:
            continue
        chance = math.log(classes)
        if bool(np.all(np.abs(values[1:] - chance) <= CHANCE_TOLERANCE * chance)):
            first, last = int(steps[0]), int(steps[-1])
            measures = {
                "first": float(values[0]),
                "best": float(values.min()),
                "last": float(values[-1]),
                "classes": float(classes),
                "chance": chance,
            }
            return (Detection(NAME, Shape.STANDSTILL, loss.name, first, first, last, measures),)
    return ()


def _lasts(run: Run, steps: IntArray) -> bool:
    """Return whether the log is longer than the time in which a classifier begins to learn."""
    return run.counts_epochs or int(steps[-1]) - int(steps[0]) >= LEAST_STEPS


def _classes(series: Series, steps: IntArray) -> int | None:
    """Return C where one in C answers is right whenever they are counted."""
    at, values = series.finite()
    if not is_accuracy(series) or values.size < LEAST_READINGS:
        return None
    if 2 * int(at[-1]) < int(steps[0]) + int(steps[-1]):
        return None
    shares = as_shares(values)
    low, high = float(shares.min()), float(shares.max())
    if low <= 0 or 1.0 / low > MOST_CLASSES:
        return None
    classes = round(1.0 / float(np.median(shares)))
    even = classes >= FEWEST_CLASSES and classes * low >= 1.0 - EVEN and classes * high <= 1 + EVEN
    return classes if even else None


DETECTOR: Final = detect
