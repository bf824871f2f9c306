"""The scale on which a series is judged: logarithmic where values allow it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

# Largest finite value kept before the transform: beyond it, squares and sums overflow.
HUGE: Final = 1e150
# MAD of a Gaussian to its standard deviation.
MAD_TO_SIGMA: Final = 1.4826
# Half of the smallest positive double is zero, whose log does not exist.
SMALLEST: Final = 5e-324
# The exponential of more than this is no double.
LOG_MAX: Final = 700.0


class Scale(StrEnum):
    """How `transform` mapped the values."""

    LOG = "log"
    ASINH = "asinh"


@dataclass(frozen=True, slots=True, eq=False)
class Transformed:
    """Values on the judging scale. On LOG a difference is the log of a ratio."""

    values: FloatArray
    scale: Scale


def transform(values: FloatArray) -> Transformed:
    """Return finite `values` on a log scale, or asinh around the median where there are negatives.

    Zeros are floored at half the smallest positive value. The log makes one threshold work at a
    loss of 2.2 and of 0.02.
    """
    clipped = np.clip(values, -HUGE, HUGE)
    lowest = float(clipped.min()) if clipped.size else 1.0
    if lowest > 0.0:
        return Transformed(np.log(clipped, out=clipped), Scale.LOG)
    if lowest == 0.0:
        positive = clipped[clipped > 0]
        floor = max(0.5 * float(positive.min()), SMALLEST) if positive.size else 1.0
        return Transformed(np.log(np.maximum(clipped, floor)), Scale.LOG)
    centre = float(np.median(clipped))
    apart = clipped - centre
    spread = MAD_TO_SIGMA * float(np.median(np.abs(apart)))
    if spread <= 0.0:
        spread = max(float(np.std(clipped)), abs(centre), 1.0)
    spread = max(spread, float(np.max(np.abs(apart))) / HUGE)
    return Transformed(np.arcsinh(apart / spread), Scale.ASINH)


def ratio(rise: float) -> float:
    """Return the factor that a difference of logs stands for, held within the range of doubles."""
    return float(np.exp(min(rise, LOG_MAX)))
