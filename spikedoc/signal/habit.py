"""The usual range of a positive series in the last stretch before something happened."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.signal.around import finite
from spikedoc.signal.baseline import rolling_median, scatter
from spikedoc.signal.transform import HUGE

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# A trailing healthy window; the first hundreds of steps give far too high a percentile.
STRETCH_POINTS: Final = 500
QUANTILE: Final = 0.99
# Width in points of the running level that the percentile is taken around.
LEVEL_POINTS: Final = 51
# Where points are missing or not finite, the window reaches back this many times as far at most.
LOOK_BACK: Final = 4
# Values this many standard deviations (robust, on the log) above the usual are no habit: a window
# of noise holds none, and a single one among a hundred would be the percentile.
OUTLIER: Final = 6.0
# A scatter below a thousandth is the rounding of the log.
LEAST_SCATTER: Final = 1e-3
# Above lies nothing that a gradient norm can be.
LARGEST_LOG: Final = math.log(HUGE)
NOTHING: Final = (np.zeros(0, dtype=np.int64), np.zeros(0))


def stretch_before(
    steps: IntArray, values: FloatArray, end: int, fewest: int
) -> tuple[IntArray, FloatArray]:
    """Return the last 500 positive values before index `end`, without outliers.

    Empty when fewer than `fewest` are left.
    """
    start = max(0, end - LOOK_BACK * STRETCH_POINTS)
    steps, values = finite(steps[start:end], values[start:end])
    steps, values = steps[-STRETCH_POINTS:], values[-STRETCH_POINTS:]
    keep = values > 0
    steps, values = steps[keep], values[keep]
    fewest = max(1, fewest)
    if values.size >= fewest:
        logs = np.log(values)
        usual = logs <= np.median(logs) + OUTLIER * max(scatter(logs), LEAST_SCATTER)
        steps, values = steps[usual], values[usual]
    return (steps, values) if values.size >= fewest else NOTHING


def high_end(values: FloatArray) -> float:
    """Return the 99th percentile around the running level, at the level of the last points.

    Gradient norms fall for long after the start: the plain percentile of the stretch would be that
    of its beginning. `values` are positive and not empty.
    """
    logs = np.log(values)
    apart = logs - rolling_median(logs, LEVEL_POINTS)
    level = float(np.median(logs[-LEVEL_POINTS // 2 :]))
    return math.exp(min(level + float(np.quantile(apart, QUANTILE)), LARGEST_LOG))
