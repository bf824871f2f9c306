"""How high a score must be before it is more than the log's own upper tail explains."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

# Peaks over the 90 % quantile are fitted with a generalised Pareto distribution.
TAIL_SHARE: Final = 0.1
# Shape shrunk towards 0.1 with the weight of 100 pseudo-exceedances, kept in [0, 0.5]: below some
# 3,000 points an own estimate is noise (measured: thresholds of 7 to 61 on healthy runs).
SHAPE_PRIOR: Final = 0.1
SHAPE_PRIOR_WEIGHT: Final = 100
SHAPE_MAX: Final = 0.5
SHAPE_ZERO: Final = 1e-3
MIN_EXCEEDANCES: Final = 15
# Chance that a healthy log of any length has one point above the threshold.
FALSE_ALARM_RATE: Final = 0.01
# Plotting-position constant of the probability-weighted moments (Hosking and Wallis 1987).
PLOTTING_OFFSET: Final = 0.35
# Used where there are too few points to fit.
FALLBACK: Final = 7.0


def tail_level(scores: FloatArray, alpha: float = FALSE_ALARM_RATE) -> float:
    """Return the score that any of `scores.size` points exceeds with probability `alpha`."""
    if scores.size == 0:
        return FALLBACK
    start = float(np.quantile(scores, 1.0 - TAIL_SHARE))
    excess = np.sort(scores[scores > start] - start)
    count = excess.size
    if count < MIN_EXCEEDANCES:
        return FALLBACK
    mean = float(excess.mean())
    position = (np.arange(1, count + 1) - PLOTTING_OFFSET) / count
    weighted = float(np.sum(excess * (1.0 - position)) / count)
    shape = 2.0 - mean / (mean - 2.0 * weighted) if mean > 2.0 * weighted else SHAPE_MAX
    total = count + SHAPE_PRIOR_WEIGHT
    shape = float(
        np.clip((count * shape + SHAPE_PRIOR_WEIGHT * SHAPE_PRIOR) / total, 0.0, SHAPE_MAX)
    )
    width = mean * (1.0 - shape)
    ratio = TAIL_SHARE * scores.size / alpha
    if shape < SHAPE_ZERO:
        return start + width * float(np.log(ratio))
    return float(start + width * (ratio**shape - 1.0) / shape)
