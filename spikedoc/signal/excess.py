"""How far a schedule goes above the value it had before a jump."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

# Values this close are the same one, written with fewer digits.
SAME: Final = 0.05


@dataclass(frozen=True, slots=True)
class Excess:
    """Indices of the highest point above the old value and of the return to it."""

    peak: int
    end: int  # the last point when it never came back
    reverted: bool


def excess(values: FloatArray, index: int) -> Excess:
    """Return what follows a jump up from `values[index - 1]` to `values[index]`."""
    before = float(values[index - 1])
    back = np.flatnonzero(values[index:] <= before * (1 + SAME))
    end = index + int(back[0]) if back.size else values.size - 1
    return Excess(index + int(np.argmax(values[index : end + 1])), end, back.size > 0)
