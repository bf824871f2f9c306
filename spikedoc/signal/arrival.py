"""Where a series that rose is up: the noise of the height it reached makes it rise no further."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.signal.baseline import rolling_median

# Medians of five points are its level. Within a fifth of the highest such level it is there; a
# single point three times as high is one of its own (noise of 30 % reaches 2.5 times).
LEVEL_POINTS: Final = 5
THERE: Final = 0.8
OF_ITS_OWN: Final = 3.0


def arrival(values: NDArray[np.float64]) -> int:
    """Return the index at which positive `values` that rise are up: at their level, or at a peak.

    Where they still climb as they end it is the highest one. ValueError for no values.
    """
    highest = int(np.argmax(values))
    level = float(rolling_median(values, LEVEL_POINTS).max())
    if values.size <= LEVEL_POINTS or float(values[highest]) > OF_ITS_OWN * level:
        return highest
    there = int(np.flatnonzero(values >= THERE * level)[0])
    return highest if values.size - there <= 2 * LEVEL_POINTS else there
