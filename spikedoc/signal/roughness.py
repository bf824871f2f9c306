"""How rough a curve is: noise, its symmetry and memory, and whether swings grow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.signal.baseline import rolling_median, scatter
from spikedoc.signal.memo import remembered

FloatArray = NDArray[np.float64]

# Detrending window: a twentieth of the series within these bounds.
WINDOW_SHARE: Final = 20
WINDOW_MIN: Final = 21
WINDOW_MAX: Final = 201
# The first quarter is left out: there the curve still falls steeply.
DROP_SHARE: Final = 4
# Residuals beyond six standard deviations count as six: spikes are not noise.
WINSOR: Final = 6.0
TINY: Final = 1e-300
TIES_DROPPED: Final = 100
SWING_PARTS: Final = 20
SWING_RANGE: Final = (0.02, 0.98)
# Growth compares the last three twentieths with the middle of the run.
LAST_PARTS: Final = 3
MIDDLE: Final = slice(5, 12)


@remembered
def residuals(values: FloatArray) -> FloatArray:
    """Return values minus their running median."""
    window = int(np.clip(values.size // WINDOW_SHARE, WINDOW_MIN, WINDOW_MAX)) | 1
    found = values - rolling_median(values, window)
    found.setflags(write=False)
    return found


@dataclass(frozen=True, slots=True)
class Roughness:
    """Noise of the last three quarters: size, and correlation of neighbours."""

    noise: float
    lag1: float


def roughness(values: FloatArray) -> Roughness:
    """Return the roughness of a finite series of at least a handful of points."""
    rest = residuals(values)[values.size // DROP_SHARE :]
    spread = scatter(rest) or _spread_of_ties(rest)
    # In units of the spread (of the largest one where half the points do not move at all): the
    # squares of what was logged may not fit a double.
    unit = spread if spread > 0 else max(float(np.abs(rest).max(initial=0.0)), TINY)
    cut = (np.clip(rest, -WINSOR * spread, WINSOR * spread) if spread > 0 else rest) / unit
    noise = unit * float(np.sqrt(np.mean(cut**2))) if cut.size else 0.0
    return Roughness(noise, lag_one(cut))


def _spread_of_ties(rest: FloatArray) -> float:
    """Return the standard deviation where half the points do not move, the largest hundredth apart.

    0.0 where fewer than that move at all.
    """
    size = np.sort(np.abs(rest))[: rest.size - rest.size // TIES_DROPPED]
    largest = float(size[-1]) if size.size else 0.0
    return largest * float(np.sqrt(np.mean((size / largest) ** 2))) if largest > TINY else 0.0


def lag_one(values: FloatArray) -> float:
    """Return the correlation of neighbouring values; 0.0 where it is not defined.

    As np.corrcoef has it, in a quarter of its memory.
    """
    if values.size < 3 or float(np.std(values[1:])) <= 0 or float(np.std(values[:-1])) <= 0:
        return 0.0
    later, earlier = values[1:] - values[1:].mean(), values[:-1] - values[:-1].mean()
    squares = float(later @ later), float(earlier @ earlier)
    found = float(later @ earlier) / (np.sqrt(squares[0]) * np.sqrt(squares[1]))
    return float(np.clip(found, -1.0, 1.0))


@remembered
def swings(values: FloatArray) -> FloatArray:
    """Return the 2..98 % spread of the residuals in twenty equal parts."""
    rest = residuals(values)
    # As np.array_split cuts: the first parts are one longer. Parts of one length are rows.
    length, longer = divmod(rest.size, SWING_PARTS)
    border = longer * (length + 1)
    spread = np.concatenate(
        [
            _spreads(rest[:border].reshape(longer, length + 1)),
            _spreads(rest[border:].reshape(SWING_PARTS - longer, length)),
        ]
    )
    spread.setflags(write=False)
    return spread


def _spreads(rows: FloatArray) -> FloatArray:
    if not rows.size:
        return np.zeros(len(rows))
    low, high = np.quantile(rows, SWING_RANGE, axis=1)
    return np.asarray(high - low)


def swing_growth(values: FloatArray) -> float:
    """Return the spread of the last parts over that of the middle of the run."""
    spread = swings(values)
    middle = float(np.median(spread[MIDDLE]))
    return float(np.median(spread[-LAST_PARTS:])) / max(middle, TINY)
