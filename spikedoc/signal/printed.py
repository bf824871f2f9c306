"""What the way a number was written down tells: its digits, and the grid of its format."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

# bfloat16 is the upper half of the word of a float32 (8 significant bits).
BF16_DROPPED: Final = np.uint32(0xFFFF)


def significant_digits(value: float) -> int:
    """Return how many significant digits the shortest way to write the value down has."""
    return len(repr(value).partition("e")[0].replace(".", "").strip("-0"))


def is_bf16(values: NDArray[np.float64]) -> bool:
    """Return whether all values lie on the grid of bfloat16: neighbours repeat for its sake."""
    with np.errstate(over="ignore"):  # beyond single precision: not on the grid
        single = values.astype(np.float32)
    exact = bool(np.all(single.astype(np.float64) == values))
    return exact and not bool(np.any(single.view(np.uint32) & BF16_DROPPED))
