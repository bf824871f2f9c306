"""A level that only comes back to where it was before a short dip has not risen."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Form, Kind
from spikedoc.signal.baseline import rolling_median
from spikedoc.signal.level import levels
from spikedoc.signal.view import View

LASTING: Final = (Kind.LEVEL_SHIFT, Kind.DIVERGENCE)
PASSING: Final = (Kind.SLOW_RECOVERY, Kind.ISOLATED_SPIKE)
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
# A fall is back where three quarters of its depth are, over as many points as it was down.
BACK_SHARE: Final = 0.75
# … where no single point stands out of the scatter before it by more than noise does.
LONE_SIGMAS: Final = 4.0
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
        if a.form is Form.DOWN
        or not (
            (a.kind in LASTING and _ends_dip(seen, a.start_step))
            or (a.kind in PASSING and _only_returns(seen, a))
        )
    ]


def as_dip(seen: View, fall: Anomaly) -> Anomaly:
    """Return a fall of the loss that is soon back as the dip it is, with its end.

    `reached` is the level in the dip (median) and `dip_end` the step at which the loss is back.
    """
    at = int(np.searchsorted(seen.steps, fall.start_step))
    end = _dip_end(seen, at)
    if end is None:
        return fall
    step = int(seen.steps[end])
    told = {k: v for k, v in fall.measures.items() if k not in ("after", "factor")}
    told |= {"reached": float(np.median(seen.values[at:end])), "dip_end": float(step)}
    return replace(fall, end_step=step, measures=told)


def _dip_end(seen: View, at: int) -> int | None:
    """Return where a dip that begins at index `at` is over; None for a fall that lasts."""
    y, most = seen.judged, int(DIP_SHARE * len(seen))
    former, low = y[max(0, at - FORMER_FEWEST) : at], y[at : at + LOW_POINTS]
    if former.size < FORMER_FEWEST or low.size < LOW_POINTS:
        return None
    before, depth = float(np.median(former)), float(np.median(low))
    if before - depth < SAME:
        return None
    line = before - (1.0 - BACK_SHARE) * (before - depth)
    ahead = rolling_median(y[at : at + 3 * most + LOW_POINTS], LOW_POINTS)
    up = np.flatnonzero(ahead[: most + 1] >= line)
    if up.size == 0:
        return None
    length = max(LOW_POINTS, int(up[0]))
    after = y[at + length : at + 2 * length]
    back = after.size >= LOW_POINTS and float(np.median(after)) >= line
    return at + int(up[0]) if back and float(np.median(after)) <= before + SAME else None


def _only_returns(seen: View, a: Anomaly) -> bool:
    """Return whether a rise leads from a short dip to the level before it, and nowhere above."""
    y, at = seen.judged, int(np.searchsorted(seen.steps, a.start_step))
    end = int(np.searchsorted(seen.steps, a.end_step))
    low = y[max(0, at - LOW_POINTS) : at]
    after = y[at : max(end + 1, at + LOW_POINTS)]
    if low.size < LOW_POINTS or after.size < LOW_POINTS:
        return False
    top, depth = float(rolling_median(after, LOW_POINTS).max()), float(np.median(low))
    up = np.flatnonzero(rolling_median(y[:at], SMOOTH_POINTS) >= (top + depth) / 2)
    if up.size == 0:
        return False
    first = int(up[-1]) + 1
    length = max(FORMER_FEWEST, at - first)
    former = y[max(0, first - length) : first]
    if at - first > DIP_SHARE * len(seen) or former.size < FORMER_FEWEST:
        return False
    third = former.size // 3
    moved = float(np.median(former[:third]) - np.median(former[-third:]))
    stands = abs(moved) <= STILL_SHARE * (top - depth)
    before = float(np.median(former))
    lone = float(after.max()) > before + SAME + LONE_SIGMAS * float(np.std(former))
    return stands and not lone and depth + SAME <= before and top <= before + SAME


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
