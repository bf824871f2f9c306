"""A value that is high and low in turn, point by point: a jump between two walls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.signal.transform import HUGE

FloatArray = NDArray[np.float64]

# Second differences of white noise keep a sign in turn with probability .73 from point to point:
# two dozen in a row, in a log of a hundred, are one chance in seventy …
FEWEST: Final = 24
# … a longer log holds more places to begin at: it is a property of the log in a quarter of it …
LEAST_SHARE: Final = 0.25
# … and of steady size: mean over root of the mean square. Half a normal distribution has .8,
# sizes spread evenly over a range from .4 to 1 have .97.
STEADY: Final = 0.9
PERIOD: Final = 2.0
# It begins and ends where it has half of its usual size.
THERE: Final = 0.5
MIN_POINTS: Final = 40


@dataclass(frozen=True, slots=True)
class Alternation:
    """A swing of two points as a wave: indices of its ends, standard deviation, steadiness."""

    first: int
    last: int
    cycles: float
    strength: float
    amplitude: float
    period_points: float = PERIOD


def alternation(values: FloatArray) -> Alternation | None:
    """Return the longest stretch of a finite series that goes up and down in turn, or None."""
    if values.size < MIN_POINTS:
        return None
    # Halves before the sum: twice the largest number is none.
    beside = 0.5 * values[:-2] + 0.5 * values[2:]
    turned = (values[1:-1] - beside) * (1.0 - 2.0 * (np.arange(values.size - 2) % 2))
    signs = np.sign(turned)
    borders = np.concatenate(([0], np.flatnonzero(np.diff(signs) != 0) + 1, [signs.size]))
    longest = int(np.argmax(np.diff(borders)))
    begin, end = int(borders[longest]), int(borders[longest + 1])
    if end - begin < max(FEWEST, LEAST_SHARE * values.size) or signs[begin] == 0:
        return None
    sizes = np.abs(turned[begin:end])
    # A point or two before and after may fit by chance.
    large = begin + np.flatnonzero(sizes >= THERE * np.median(sizes))
    begin, end = int(large[0]), int(large[-1]) + 1
    sizes = np.abs(turned[begin:end])
    largest = float(sizes.max())
    mean = float(np.mean(sizes / largest))
    strength = mean / float(np.sqrt(np.mean((sizes / largest) ** 2)))
    if strength < STEADY:
        return None
    # A point lies as far from the mean of the two beside it as the two levels are apart.
    amplitude = min(0.5 * largest * mean, HUGE)
    return Alternation(begin + 1, end, (end - begin) / PERIOD, strength, amplitude)
