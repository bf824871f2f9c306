"""Where a positive series that climbs left the level it had before."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.signal.baseline import block_medians

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Medians of so many blocks carry the fit: outliers drop out, and the bend is known to a hundredth
# of the window.
BLOCKS: Final = 100
# Two lines through fewer blocks bend anywhere.
BLOCKS_FEWEST: Final = 12
# Blocks that each of the two lines must have to itself.
SIDE: Final = 3
# Before the bend the series climbs at most this much as fast as after it: else the window lies
# within the climb, and is widened.
CALM_SLOPE: Final = 0.25
# ... and after it comes at least this share of the whole rise: else the bend is noise at the end.
RISE_SHARE: Final = 0.5


def departure(steps: IntArray, values: FloatArray, first: float, last: float) -> int:
    """Return the step at which the climb that ends at `last` began, `first` when there is no bend.

    `first` is where a detector put it: often the edge of its window. Two joined straight lines are
    fitted to the logarithm of a window that also holds what came before, widened until it holds a
    calm part; the climb begins at the bend with the least squared error, or one block before it.
    """
    hi = int(np.searchsorted(steps, last, side="right"))
    width = 2 * (last - first)
    while width > 0:
        lo = int(np.searchsorted(steps, last - width, side="left"))
        found = _departure(steps[lo:hi], values[lo:hi])
        if found is not None or lo == 0:
            return int(first) if found is None else found
        width *= 2
    return int(first)


def _departure(steps: IntArray, values: FloatArray) -> int | None:
    keep = np.isfinite(values) & (values > 0)
    steps, values = steps[keep], values[keep]
    size = max(1, values.size // BLOCKS)
    levels = block_medians(np.log(values), size)
    bend = _bend(levels) if levels.size >= BLOCKS_FEWEST else None
    if bend is None:
        return None
    return int(steps[max(0, bend - 1) * size] if size > 1 else steps[bend])


def _bend(levels: FloatArray) -> int | None:
    """Return the index at which a line that climbs takes over from one that hardly does."""
    places = np.arange(levels.size, dtype=np.float64)
    best, least, calm = None, np.inf, False
    for index in range(SIDE, levels.size - SIDE):
        hinge = np.maximum(0.0, places - index)
        design = np.column_stack((np.ones_like(places), places, hinge))
        fit, *_ = np.linalg.lstsq(design, levels, rcond=None)
        error = float(np.sum((design @ fit - levels) ** 2))
        if error < least:
            best, least = index, error
            slope = fit[1] + fit[2]
            before, after = max(0.0, fit[1]) * index, slope * (levels.size - 1 - index)
            steeper = slope > 0 and fit[1] <= CALM_SLOPE * slope
            calm = bool(steeper and after >= RISE_SHARE * (before + after))
    return best if calm else None
