"""Gradient norms that explode."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, Run, Series
from spikedoc.signal.baseline import block_medians, expanding_median, rolling_median
from spikedoc.signal.view import View, view

NAME: Final = "gradient"
MIN_POINTS: Final = 30
# Explosion: a hundredfold of the median so far, and the level – not one point – ten times up.
EXPLOSION: Final = 100.0
EXPLOSION_LEVEL: Final = 10.0
LEVEL_POINTS: Final = 5
HISTORY_MIN: Final = 20
BLOCKS: Final = 100
BLOCK_MIN: Final = 10


def detect(run: Run) -> tuple[Detection, ...]:
    """Return the explosion of the gradient norm, if there is one."""
    series = run.get(Metric.GRAD_NORM)
    if series is None:
        return ()
    seen = view(series.steps, series.values)
    if len(seen) < MIN_POINTS or float(seen.values.min()) < 0:
        return ()
    found = _explosion(series, seen)
    return () if found is None else (found,)


def _explosion(series: Series, seen: View) -> Detection | None:
    so_far = _median_so_far(seen.values)
    level = rolling_median(seen.values, LEVEL_POINTS)
    with np.errstate(over="ignore"):
        point = (seen.values > EXPLOSION * so_far) & (so_far > 0)
        raised = (level > EXPLOSION_LEVEL * so_far) & (so_far > 0)
    point[:HISTORY_MIN] = False
    near = np.convolve(raised, np.ones(2 * LEVEL_POINTS + 1), mode="same") > 0
    index = np.flatnonzero(point & near)
    if index.size == 0:
        return None
    first = int(index[0])
    start = first
    while start > HISTORY_MIN and raised[start - 1]:
        start -= 1
    peak = first + int(np.argmax(seen.values[first:]))
    after = np.flatnonzero(raised[first:])
    last = first + int(after[-1]) if after.size else first
    before = float(so_far[start])
    measures = {
        "before": before,
        "peak": float(seen.values[peak]),
        "factor": float(seen.values[peak]) / before,
        "back": float(last < len(seen) - LEVEL_POINTS),
    }
    where = [int(seen.steps[i]) for i in (start, peak, max(last, peak))]
    return Detection(NAME, Shape.RAMP, series.name, where[0], where[1], where[2], measures)


def _median_so_far(values: FloatArray) -> FloatArray:
    """Return the median of the block medians of everything before each point's block: O(n).

    The points of the first block are judged by that block itself.
    """
    width = max(BLOCK_MIN, values.size // BLOCKS)
    medians = block_medians(values, width)
    so_far = expanding_median(medians)
    return np.repeat(np.concatenate((so_far[:1], so_far)), width)[: values.size]


DETECTOR: Final = detect
