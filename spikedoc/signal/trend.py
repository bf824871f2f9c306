"""Direction and size of slow changes, from block medians."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.signal.baseline import block_medians, median

FloatArray = NDArray[np.float64]

# Pairwise statistics are taken on at most this many blocks.
BLOCKS: Final = 40


def kendall_tau(values: FloatArray) -> float:
    """Return Kendall's tau of `values` against their order, -1..1; 0.0 for fewer than 3 values."""
    n = values.size
    if n < 3:
        return 0.0
    i, j = np.triu_indices(n, 1)
    # Compared, not subtracted: the distance of two doubles may be beyond all doubles.
    rising = np.count_nonzero(values[i] < values[j])
    falling = np.count_nonzero(values[i] > values[j])
    return float((rising - falling) / (n * (n - 1) / 2))


def theil_sen(values: FloatArray) -> float:
    """Return the median slope per position; 0.0 for fewer than 2 values."""
    n = values.size
    if n < 2:
        return 0.0
    i, j = np.triu_indices(n, 1)
    return median((values[j] - values[i]) / (j - i))


@dataclass(frozen=True, slots=True)
class Trend:
    """Trend of a stretch: tau of its block medians, and the change from end to end."""

    tau: float
    change: float
    blocks: int


def trend(values: FloatArray, blocks: int = BLOCKS) -> Trend:
    """Return the trend of `values` on at most `blocks` block medians."""
    width = max(1, values.size // blocks)
    medians = block_medians(values, width)
    slope = theil_sen(medians)
    return Trend(kendall_tau(medians), slope * max(0, medians.size - 1), medians.size)
