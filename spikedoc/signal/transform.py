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
# A log of so many points, at most a third of them different, all on one grid, was rounded – two or
# three levels are always on one –: there
# the scale is linear up to twelve steps of the grid, so that no single one looks like 10 %.
ROUNDED_POINTS: Final = 60
ROUNDED_SHARE: Final = 3
ROUNDED_FEWEST: Final = 4
GRID_STEPS: Final = 12.0
GRID_TOLERANCE: Final = 1e-3
# Zeros that come and go are losses of a hinge: a fiftieth of the points that come before the zeros
# at the end, in three stretches at least. Near zero the size of the losses beside them is the unit.
HINGE_SHARE: Final = 0.02
HINGE_STRETCHES: Final = 3
HINGE_NEAR: Final = 25
HINGE_QUANTILE: Final = 0.75
# … unless none of the others comes near zero: those are no losses of a hinge.
HINGE_GAP: Final = 0.25
# … nor where they go over more than a decade: such losses have no usual size.
HINGE_SPREAD: Final = 10.0
# Half of the smallest positive double is zero, whose log does not exist.
SMALLEST: Final = 5e-324
# Below this a quotient of two values may not fit a double.
SMALLEST_STEP: Final = 1e-150
# The exponential of more than this is no double.
LOG_MAX: Final = 700.0


class Scale(StrEnum):
    """How `transform` mapped the values."""

    LOG = "log"
    SOFT = "soft"  # a log that is linear near zero
    ASINH = "asinh"


@dataclass(frozen=True, slots=True, eq=False)
class Transformed:
    """Values on the judging scale. On LOG a difference is the log of a ratio."""

    values: FloatArray
    scale: Scale


def transform(values: FloatArray) -> Transformed:
    """Return finite `values` on a log scale, or asinh around the median where there are negatives.

    Zeros are floored at half the smallest positive value. The log makes one threshold work at a
    loss of 2.2 and of 0.02. Where a loss is that of a hinge, or is logged in steps that are large
    beside it, the scale is linear near zero: a step from 0.01 to 0.02 in the second decimal, or
    from 0 to anything, is no doubling.
    """
    clipped = np.clip(values, -HUGE, HUGE)
    lowest = float(clipped.min()) if clipped.size else 1.0
    unit = max(_grid_unit(clipped), _hinge_unit(clipped)) if lowest >= 0.0 else 0.0
    if unit > max(lowest, 0.0):
        return Transformed(np.arcsinh(clipped / unit), Scale.SOFT)
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


def _grid_unit(values: FloatArray) -> float:
    """Return twelve steps of the grid that rounded values lie on; 0.0 where they lie on none."""
    if values.size < ROUNDED_POINTS:
        return 0.0
    different = np.unique(values)
    if not ROUNDED_FEWEST <= different.size <= values.size // ROUNDED_SHARE:
        return 0.0
    step = float(np.diff(different).min())
    unit = GRID_STEPS * step
    if unit <= different[0] or step < SMALLEST_STEP:
        return 0.0
    steps = different / step
    on_grid = bool(np.all(np.abs(steps - np.round(steps)) <= GRID_TOLERANCE))
    return unit if on_grid else 0.0


def _hinge_unit(values: FloatArray) -> float:
    """Return the usual size of losses beside zeros that come and go; 0.0 without such zeros."""
    zero = values == 0.0
    others = np.flatnonzero(~zero)
    if others.size in (0, values.size):
        return 0.0
    zero = zero[: others[-1] + 1]
    stretches = int(np.count_nonzero(np.diff(zero.astype(np.int8)) == 1)) + int(zero[0])
    if stretches < HINGE_STRETCHES or float(zero.mean()) < HINGE_SHARE:
        return 0.0
    at = np.flatnonzero(zero)
    after = np.searchsorted(at, others)
    apart = np.minimum(
        np.abs(others - at[np.minimum(after, at.size - 1)]), np.abs(others - at[after - 1])
    )
    beside = values[others[apart <= HINGE_NEAR]]
    low, usual, high, top = np.quantile(beside, (0.02, 0.5, HINGE_QUANTILE, 0.95))
    no_unit = low >= HINGE_GAP * usual or top > HINGE_SPREAD * usual
    return 0.0 if no_unit or high < SMALLEST_STEP else float(high)


def ratio(rise: float) -> float:
    """Return the factor that a difference of logs stands for, held within the range of doubles."""
    return float(np.exp(min(rise, LOG_MAX)))
