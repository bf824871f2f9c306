"""Whether a positive series has died away, against its own beginning."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

# A fifth of the log is a level: the first one is what the last one is held against.
LEVEL_SHARE: Final = 5
# At a thousandth of it, or at nothing at all: rounding of half precision, and a step that no
# optimizer but one that divides by it can feel.
VANISHED: Final = 1e-3
VANISHED_ABSOLUTE: Final = 1e-7


def early_level(values: FloatArray) -> float:
    """Return the median of the first fifth; `values` are finite, five or more."""
    return float(np.median(values[: values.size // LEVEL_SHARE]))


def is_vanished(level: float, early: float) -> bool:
    """Return whether `level` is next to nothing, in itself or against the level at the start."""
    return level < VANISHED_ABSOLUTE or (early > 0 and level <= VANISHED * early)
