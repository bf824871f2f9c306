"""What happens after a rise: how long until the level is back, and how much is left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.signal.baseline import median, rolling_median
from spikedoc.signal.contrast import MEDIAN_FACTOR

FloatArray = NDArray[np.float64]

# Back means within three standard errors of the level before …
BACK_ERRORS: Final = 3.0
# … and never closer than a tenth of the jump or 5 %, whichever is less.
BACK_JUMP_SHARE: Final = 0.1
BACK_RELATIVE: Final = float(np.log(1.05))
# … and stays there when it is nearer to that level than to the peak for twice as long as it
# was away.
HALFWAY: Final = 0.5
# Level after is the median of at least this many points.
LEVEL_MIN_POINTS: Final = 5
# The late level is the last fifth of what follows.
LATE_SHARE: Final = 5


@dataclass(frozen=True, slots=True)
class Recovery:
    """`points` until the level was back, counted from the peak of the level; None when never.

    `jump` and `late` are heights above the level before, on the judging scale.
    """

    points: int | None
    before: float
    jump: float
    late: float


def recovery(values: FloatArray, start: int, span: int, window: int, noise: float) -> Recovery:
    """Return how the series came back after an onset at index `start`.

    `span` is the scale (points) at which the rise was seen, `window` that of the baseline, `noise`
    the local standard deviation. The clock starts at the peak of the level, not at a lone point.
    """
    first = max(0, start - max(window, 2 * span))
    history = values[first:start]
    before = median(history) if history.size else float(values[0])
    after = values[start:] - before
    width = max(LEVEL_MIN_POINTS, span // 2)
    level = _following_median(after, width)
    peak = int(np.argmax(level[: 4 * span + 1])) if level.size else 0
    jump = float(level[peak]) if level.size else 0.0
    tolerance = max(
        BACK_ERRORS * MEDIAN_FACTOR * noise / float(np.sqrt(width)),
        min(BACK_JUMP_SHARE * jump, BACK_RELATIVE),
    )
    back = _back_for_a_while(after, level, width, peak, tolerance, jump)
    late_points = max(LEVEL_MIN_POINTS, after.size // LATE_SHARE)
    late = median(after[-late_points:]) if after.size else 0.0
    return Recovery(back, before, jump, late)


def _back_for_a_while(
    after: FloatArray, level: FloatArray, width: int, peak: int, tolerance: float, jump: float
) -> int | None:
    """Return the points until the level is back and stays so for twice as long as it was away.

    A dip between two humps is no recovery: over that time its median is not halfway back. `level`
    is the median of the `width` points that follow, so the way back itself is part of that time.
    """
    candidates = peak + np.flatnonzero(level[peak:] <= tolerance)
    while candidates.size:
        index = int(candidates[0])
        stay = after[index : index + 2 * max(width, index)]
        if median(stay) <= max(tolerance, HALFWAY * jump):
            return index
        # The next dip: the one at hand ends where the level leaves the tolerance.
        above = index + np.flatnonzero(level[index:] > tolerance)
        candidates = candidates[candidates > above[0]] if above.size else candidates[:0]
    return None


def _following_median(values: FloatArray, width: int) -> FloatArray:
    """Return the median of the `width` points from each point on; fewer at the end."""
    n = values.size
    if n <= width:
        return np.array([median(values[i:]) for i in range(n)])
    odd = width | 1
    centred = rolling_median(values, odd)
    half = odd // 2
    out = np.empty(n)
    out[: n - half] = centred[half:]
    for i in range(n - half, n):
        out[i] = median(values[i:])
    return out
