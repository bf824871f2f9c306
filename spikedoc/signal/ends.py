"""How a curve ends, beside how it began."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

# Medians of the first and the last quarter: of four values, those at the ends.
PARTS: Final = 4


def ends(values: FloatArray) -> tuple[float, float] | None:
    """Return the medians of the first and the last quarter of finite values; None below four."""
    if values.size < PARTS:
        return None
    part = values.size // PARTS
    return float(np.median(values[:part])), float(np.median(values[-part:]))
