"""Start, best and end level of a series, and whether it ends far above its best."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.signal.baseline import block_medians, median, rolling_median, scatter
from spikedoc.signal.contrast import MEDIAN_FACTOR
from spikedoc.signal.memo import remembered

FloatArray = NDArray[np.float64]

# Start level: the first fiftieth, at most fifty points (a long run has learned most of what it will
# in its first hundredth); end level: the last tenth, best: the lowest block of a fortieth.
START_SHARE: Final = 50
START_MAX: Final = 50
END_SHARE: Final = 10
BLOCK_SHARE: Final = 40
LEVEL_MIN_POINTS: Final = 3
END_MIN_POINTS: Final = 5
BLOCK_MIN_POINTS: Final = 5
# End against best: a rise of 20 % at seven standard errors, the error of the best block widened by
# half because the lowest of forty is picked (measured: no alarm on 28 healthy runs).
END_RISE: Final = float(np.log(1.2))
END_SCORE: Final = 7.0
PICKED_BEST: Final = 1.5
BLOCKS_MIN_SHARE: Final = 8
SMOOTH_POINTS: Final = 5
# "Left for good": at least this share of the points afterwards stays above the halfway level.
STAYS_SHARE: Final = 0.9
MIN_BEND_BLOCKS: Final = 8
# Near zero a fixed number of decimals leaves one or two digits: 0.0001 again and again may be a
# loss that falls by half. Below the second level nobody prints decimals.
FEW_DIGITS_BELOW: Final = 1e-2
FEW_DIGITS_ABOVE: Final = 1e-12
DIGIT_TOLERANCE: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Levels:
    """Levels in the units of the input; the best is the median of the lowest block."""

    start: float
    best: float
    end: float


@remembered
def levels(values: FloatArray) -> Levels:
    """Return start, best and end level of a finite, non-empty series."""
    n = values.size
    start = median(values[: min(START_MAX, max(LEVEL_MIN_POINTS, n // START_SHARE))])
    end = median(values[-max(END_MIN_POINTS, n // END_SHARE) :])
    width = min(max(BLOCK_MIN_POINTS, n // BLOCK_SHARE), n)
    medians = block_medians(values, width)
    return Levels(start, float(medians.min()), end)


@dataclass(frozen=True, slots=True)
class EndAboveBest:
    """The series left its best level for good at `index` and ends `rise` above it."""

    index: int
    score: float
    rise: float
    best: float


def end_above_best(values: FloatArray, noise: FloatArray) -> EndAboveBest | None:
    """Return how far the end lies above the best block, or None when it does not stand out."""
    n = values.size
    count = min(BLOCK_SHARE, n // BLOCKS_MIN_SHARE)
    if count < MIN_BEND_BLOCKS:
        return None
    width = n // count
    medians = block_medians(values, width)
    end_points = max(END_MIN_POINTS, n // END_SHARE)
    end = median(values[-end_points:])
    best = int(np.argmin(medians[: max(1, medians.size - max(1, count // END_SHARE))]))
    bend = medians[1:-1] - 0.5 * (medians[:-2] + medians[2:])
    error = max(
        MEDIAN_FACTOR * median(noise) / float(np.sqrt(width)),
        scatter(bend) / float(np.sqrt(1.5)),
    )
    rise = end - float(medians[best])
    score = rise / (error * PICKED_BEST) if error > 0 else np.inf
    if rise < END_RISE or score < END_SCORE:
        return None
    index = _left_for_good(values, float(medians[best]) + 0.5 * rise, best * width + width // 2)
    if index is None:
        return None
    return EndAboveBest(index, float(score), rise, float(medians[best]))


def _left_for_good(values: FloatArray, halfway: float, after: int) -> int | None:
    """Return the first index after `after` that is above and from which 90 % stay above."""
    above = rolling_median(values, SMOOTH_POINTS) > halfway
    share = np.cumsum(above[::-1])[::-1] / np.arange(values.size, 0, -1)
    # The share alone would be reached before the rise, by a tenth of what follows it.
    index = np.flatnonzero(above & (share >= STAYS_SHARE))
    index = index[(index >= after) & (index < values.size - END_MIN_POINTS)]
    return int(index[0]) if index.size else None


def is_printed_away(values: FloatArray) -> bool:
    """Return whether values near zero were printed with two digits at most.

    What such a level does is not in the log: that it stands still is what rounding makes of it.
    """
    level = float(np.median(values)) if values.size else 0.0
    if not FEW_DIGITS_ABOVE <= level < FEW_DIGITS_BELOW:
        return False
    digits = values * 10.0 ** (1 - math.floor(math.log10(level)))
    return bool(np.all(np.abs(digits - np.round(digits)) <= DIGIT_TOLERANCE))
