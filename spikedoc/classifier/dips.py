"""A level that only comes back to where it was before a short dip has not risen."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Form, Kind
from spikedoc.signal.baseline import rolling_median
from spikedoc.signal.level import levels
from spikedoc.signal.view import View

LASTING: Final = (Kind.LEVEL_SHIFT, Kind.DIVERGENCE)
# A dip is short: a twentieth of the log; what stays down longer has been learned, and can be lost.
DIP_SHARE: Final = 0.05
SMOOTH_POINTS: Final = 3
# Next to the rise, so many points tell how low the dip is: lower by a third, which noise is not.
LOW_POINTS: Final = 3
DEEP: Final = float(np.log(1.5))
# The level before it is that of a stretch five times as long, and of twenty points, which stands
# still to a quarter of the depth: on its way down a loss passes every level.
FORMER_LENGTHS: Final = 5
FORMER_FEWEST: Final = 20
STILL_SHARE: Final = 0.25
# The last four fifths of what follows: the way back may overshoot.
SETTLED_SHARE: Final = 5
# The levels before and after are one to a tenth: the smallest rise that is ever told.
SAME: Final = float(np.log(1.1))
# Before the dip the loss had come down by a fifth: where it had not, all is unlearned again.
LEARNED: Final = float(np.log(1.2))


def without_dips(seen: View, found: list[Anomaly]) -> list[Anomaly]:
    """Return the excursions of the loss but for rises that only end a short dip below its level.

    Some batches that cost next to nothing (labels all alike, samples seen before) leave a low
    stretch in the log, and the way out of it is no loss of what was learned.
    """
    return [
        a
        for a in found
        if a.kind not in LASTING or a.form is Form.DOWN or not _ends_dip(seen, a.start_step)
    ]


def _ends_dip(seen: View, step: int) -> bool:
    """Return whether the level was as high before the low stretch that ends at `step`."""
    y, at = seen.judged, int(np.searchsorted(seen.steps, step))
    after = y[at + (len(seen) - at) // SETTLED_SHARE :]
    low = y[max(0, at - LOW_POINTS) : at]
    if after.size < LOW_POINTS or low.size == 0:
        return False
    level, depth = float(np.median(after)), float(np.median(low))
    up = np.flatnonzero(rolling_median(y[:at], SMOOTH_POINTS) >= (level + depth) / 2)
    if level - depth < DEEP or up.size == 0:
        return False
    first = int(up[-1]) + 1
    former = y[max(0, first - max(FORMER_FEWEST, FORMER_LENGTHS * (at - first))) : first]
    if at - first > DIP_SHARE * len(seen) or former.size < FORMER_FEWEST:
        return False
    before, third = float(np.median(former)), former.size // 3
    moved = float(np.median(former[:third]) - np.median(former[-third:]))
    stands = abs(moved) <= STILL_SHARE * (level - depth)
    return stands and level <= before + SAME and before <= levels(y).start - LEARNED
