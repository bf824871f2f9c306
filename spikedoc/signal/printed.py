"""What the way a number was written down tells: its digits, and the grid of its format."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

# bfloat16 is the upper half of the word of a float32 (8 significant bits).
BF16_DROPPED: Final = np.uint32(0xFFFF)
# Values with more decimals than these have all their digits. Rounded to fewer they are equal but
# for the last bits of a double.
MOST_DECIMALS: Final = 7
ROUNDING: Final = 1e-12


def significant_digits(value: float) -> int:
    """Return how many significant digits the shortest way to write the value down has."""
    return len(repr(value).partition("e")[0].replace(".", "").strip("-0"))


def is_bf16(values: NDArray[np.float64]) -> bool:
    """Return whether all values lie on the grid of bfloat16: neighbours repeat for its sake."""
    with np.errstate(over="ignore"):  # beyond single precision: not on the grid
        single = values.astype(np.float32)
    exact = bool(np.all(single.astype(np.float64) == values))
    return exact and not bool(np.any(single.view(np.uint32) & BF16_DROPPED))


def decimals(values: NDArray[np.float64]) -> int | None:
    """Return the decimals that finite values are printed with, None when they have all digits."""
    for count in range(MOST_DECIMALS + 1):
        with np.errstate(over="ignore", invalid="ignore"):  # the largest numbers have no decimals
            apart = np.abs(np.round(values, count) - values)
        if bool(np.all(apart <= ROUNDING * np.abs(values))):
            return count
    return None


def is_staircase(values: NDArray[np.float64]) -> bool:
    """Return whether finite values go up and down by single units of their last decimal only.

    A smooth course looks like that when it is printed with too few decimals. Three levels at least:
    two may be settings.
    """
    count = decimals(values)
    if count is None:
        return False
    units = np.round(values * 10.0**count)
    return bool(np.ptp(units) > 1 and np.all(np.abs(np.diff(units)) <= 1))
