"""Steps per epoch from an epoch column that is a staircase."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, IntArray, Run

# Bounds for one epoch closer than this share of it are as good as one number.
CLOSE_BOUNDS: Final = 0.01


def steps_per_epoch(run: Run) -> int | None:
    """Return the steps in one epoch, None when the epoch series does not pin them down.

    Each border of the staircase lies between the last record of one epoch and the first of the
    next; all borders together leave little room. Records at the very end of each epoch, as
    evaluations are, leave none.
    """
    epoch = run.get(Metric.EPOCH)
    if epoch is None or len(epoch) < 2:
        return None
    steps, values = epoch.finite()
    if not np.array_equal(values, np.round(values)):
        return None
    places = np.flatnonzero(np.diff(values) > 0)
    if not places.size:
        return None
    done = values[places + 1] - min(1.0, float(values[0]))  # epochs completed at each border
    if values[0] > 1 or np.any(done <= 0):
        return None
    last, first = steps[places], steps[places + 1]
    from_zero = _counts_from_zero(run)
    low, high = float(np.max(last / done)), float(np.min((first + 1) / done))
    evaluated = _evaluation_interval(run, from_zero)
    if evaluated is not None and low <= evaluated <= high:
        return evaluated
    exact = _at_epoch_ends(last, done, from_zero)
    return exact if exact is not None else _between(last, first, done)


def _evaluation_interval(run: Run, from_zero: bool) -> int | None:
    """Steps from one evaluation to the next when they are equally far apart from the start on."""
    ends = run.eval_steps + from_zero
    if not ends.size or np.any(ends != ends[0] * np.arange(1, ends.size + 1)):
        return None
    return int(ends[0])


def _counts_from_zero(run: Run) -> bool:
    """Whether the first step is 0, so that n steps end at n - 1."""
    densest = max(run.series, key=len)
    stride = max(1, round(densest.stride))
    return int(densest.steps[0]) % stride != 0 or int(densest.steps[0]) == 0


def _at_epoch_ends(last: IntArray, done: FloatArray, from_zero: bool) -> int | None:
    """The length when the last records of all epochs lie exactly at their ends."""
    length = (last + from_zero) / done
    whole = bool(np.all(length == length[0])) and length[0] == round(length[0])
    return int(length[0]) if whole and length[0] > 0 else None


def _between(last: IntArray, first: IntArray, done: FloatArray) -> int | None:
    """The whole number that the borders leave, or the middle of a narrow room."""
    low, high = float(np.max(last / done)), float(np.min(first / done))
    if low > high:
        return None
    if math.floor(high) == math.ceil(low):
        return math.floor(high)
    middle = (low + high) / 2
    return round(middle) if high - low <= CLOSE_BOUNDS * middle else None
