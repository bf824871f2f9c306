"""A schedule that begins anew: where it fell, and how far it climbs from there."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

# A fall to less than 1 / 1.3 at once, no more than so many points before the climb …
JUMP: Final = 1.3
POINTS: Final = 5
# … of a tenth of what it climbs again.
SHARE: Final = 0.1


def climb(falls: NDArray[np.intp], size: int, index: int) -> tuple[int, int]:
    """Return first and last index of the unbroken rise that `index` is part of."""
    before, after = np.searchsorted(falls, [index - 1, index])
    bottom = int(falls[before - 1]) + 1 if before > 0 else 0
    top = int(falls[after]) if after < falls.size else size - 1
    return bottom, top


def fall_anew(values: FloatArray, index: int, peak: int) -> int | None:
    """Return where the lr fell at once, just before it climbs on at `index`, or None.

    A warm-up that is taken once more begins with the fall, whether or not a restart was logged.
    Near zero the last step of a descent is a large factor, but no part of the climb that follows.
    """
    falls = np.flatnonzero(np.diff(values[:index]) < 0)
    bottom = int(falls[-1]) + 1 if falls.size else 0
    if bottom < max(1, index - POINTS) or values[bottom - 1] <= JUMP * values[bottom]:
        return None
    fall, rise = values[bottom - 1] - values[bottom], values[peak] - values[bottom]
    return bottom if fall > SHARE * rise else None
