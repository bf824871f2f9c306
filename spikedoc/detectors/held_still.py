"""Held-out evaluations that repeat themselves to the last digit: the weights do not move."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, Run
from spikedoc.signal.ends import ends
from spikedoc.signal.printed import is_bf16, significant_digits

NAME: Final = "held_still"
# One forward pass of the same weights over the same samples gives the same number; of weights that
# moved by a thousandth it gives another third digit. Five evaluations that agree in five digits are
# no coincidence, and half of all are more than the last ones of a schedule that ends at zero.
LEAST_SAME: Final = 5
LEAST_SHARE: Final = 0.5
LEAST_DIGITS: Final = 5
# A table that carries the last evaluation forward repeats it as well, between others: of what it
# held before, no value stands twice in a row.
MOST_BEFORE: Final = 0
# A training loss that ends a tenth lower is that of weights that move, as in `val_gap`.
TRAINED: Final = 0.9


def detect(run: Run) -> tuple[Detection, ...]:
    """Return STANDSTILL on the validation loss from the first to the last equal evaluation.

    `first`, `best` and `last` are its first, its lowest and its last value. Nothing is returned
    where the training loss, logged beside it, stands as still (another finding, or a log that
    repeats itself), nor where it falls: these weights move, and something else is evaluated.
    """
    series, train = run.get(Metric.VAL_LOSS), run.get(Metric.LOSS)
    if series is None or train is None:
        return ()
    steps, values = series.finite()
    same = _same_at_end(values)
    if same < max(LEAST_SAME, LEAST_SHARE * values.size) or values[-1] <= 0:
        return ()
    if significant_digits(float(values[-1])) < LEAST_DIGITS or is_bf16(values[-1:]):
        return ()
    if _repeats(values[: values.size - same]) > MOST_BEFORE:
        return ()
    first, last = int(steps[values.size - same]), int(steps[-1])
    beside = train.values[(train.steps >= first) & (train.steps <= last) & train.is_finite]
    course = ends(beside)
    if np.unique(beside).size < LEAST_SAME or course is None or course[1] <= TRAINED * course[0]:
        return ()
    measures = {"first": float(values[0]), "best": float(values.min()), "last": float(values[-1])}
    return (Detection(NAME, Shape.STANDSTILL, series.name, first, first, last, measures),)


def _same_at_end(values: FloatArray) -> int:
    """Return how many values at the end are equal."""
    other = np.flatnonzero(values != values[-1]) if values.size else np.empty(0, dtype=np.int64)
    return int(values.size - (other[-1] + 1 if other.size else 0))


def _repeats(values: FloatArray) -> int:
    return int(np.count_nonzero(values[1:] == values[:-1]))


DETECTOR: Final = detect
