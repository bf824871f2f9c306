"""Where a series that rises gradually first left its former course."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.signal.baseline import block_medians, scatter
from spikedoc.signal.trend import kendall_tau

FloatArray = NDArray[np.float64]

# The former course is where the level, in medians of a fortieth of what lies before, is at its
# lowest but for three standard errors: one lucky block is not the course.
BLOCKS: Final = 40
ERRORS: Final = 3.0
MEDIAN_ERROR: Final = 1.2533  # of the standard error of a mean
# Fewer points than this are no course.
COURSE_POINTS: Final = 5
# Page's test (Biometrika 41, 1954): the sum of what lies above the course by more than the
# allowance is last zero where the rise began. Chance holds such a sum up for some 1 / allowance²
# points; a slope is told when it has risen by the allowance. A quarter of a scatter: 16 points.
ALLOWANCE: Final = 0.25
CHANCE_POINTS: Final = 16
# One wild point does not hold the sum up for long.
CLIP: Final = 3.0
# Up for sure: the median of this many points before the known place lies three standard errors
# and half of a scatter above the course. Else the rise begins there, as a step does.
NEAR: Final = 10
UP_SCATTERS: Final = 0.5
# On a slope nearly every part lies above those before it; two steps with a level between do not.
SLOPE_TAU: Final = 0.6


def leaving(values: FloatArray, known: int) -> int:
    """Return the index from which the finite `values` stay above their course up to `known`.

    `known` is a place at which they are up; it is returned itself where they step up there, where
    the way up is no slope, and where too little lies before.
    """
    size = max(1, known // BLOCKS)
    level = block_medians(values[:known], size)
    if level.size <= COURSE_POINTS:
        return known
    noise = scatter(np.diff(values[:known])) / np.sqrt(2.0)
    error = max(MEDIAN_ERROR * noise / np.sqrt(size), scatter(np.diff(level)) / np.sqrt(2.0))
    low = np.flatnonzero(level <= float(level.min()) + ERRORS * error)
    begin, end = int(low[0]) * size, (int(low[-1]) + 1) * size
    course = values[begin:end]
    spread = max(float(noise), scatter(course))
    if course.size < COURSE_POINTS or spread <= 0:
        return known
    middle = float(np.median(course))
    near = min(NEAR, size)
    up = float(np.median(values[known - near : known])) - middle
    if up < spread * max(UP_SCATTERS, ERRORS * MEDIAN_ERROR / float(np.sqrt(near))):
        return known
    apart = np.clip((values[begin:known] - middle) / spread, -CLIP, CLIP) - ALLOWANCE
    total = np.cumsum(apart)
    # A sum that starts anew at zero is zero where the plain one is at its lowest so far.
    zero = np.flatnonzero(total <= np.minimum(np.minimum.accumulate(total), 0.0))
    first = begin + (int(zero[-1]) + 1 if zero.size else 0)
    return first if _is_slope(values[first:known]) else known


def _is_slope(way: FloatArray) -> bool:
    parts = block_medians(way, max(1, way.size // BLOCKS))
    return parts.size > 1 and kendall_tau(parts) >= SLOPE_TAU
