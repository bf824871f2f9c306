"""Where a series became non-finite: at the event in question, or at all."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

# Points before the event from which on a non-finite stretch belongs to it.
STRETCH_POINTS: Final = 20
# A stretch is over when so many finite points in a row follow.
STRETCH_GAP: Final = 3


def broken_since(steps: IntArray, values: FloatArray, around: float) -> int | None:
    """Return the step at which the non-finite stretch at `around`, or the next, begins, or None.

    The one answer to "when did it break?": evidence, advice and the way back take it from here.
    Single overflows of a healthy loss scaler come and go before it and do not count.
    """
    bad = np.flatnonzero(~np.isfinite(values))
    at = int(np.searchsorted(steps, around, side="left"))
    bad = bad[bad >= at - STRETCH_POINTS]
    if bad.size == 0:
        return None
    groups = np.split(bad, np.flatnonzero(np.diff(bad) > STRETCH_GAP) + 1)
    reaching = [group for group in groups if group[-1] >= at]
    return int(steps[reaching[0][0]]) if reaching else None


def broken_before(steps: IntArray, values: FloatArray, step: float) -> int | None:
    """Return the first non-finite step before `step`; None without one, or when it began so."""
    end = int(np.searchsorted(steps, step, side="left"))
    bad = ~np.isfinite(values[:end])
    if not bool(bad.any()) or bool(bad[0]):
        return None
    return int(steps[int(np.argmax(bad))])
