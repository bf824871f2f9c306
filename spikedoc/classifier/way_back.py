"""Where an excursion of the loss is back at the level it left, which is the level told."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from spikedoc.classifier.context import Context
from spikedoc.model.label import Kind
from spikedoc.signal.baseline import scatter
from spikedoc.signal.contrast import MEDIAN_FACTOR
from spikedoc.signal.recovery import BACK_ERRORS, BACK_JUMP_SHARE, BACK_RELATIVE, LATE_SHARE
from spikedoc.signal.view import View

# The level before an event, in the report and here: the median of so many points.
BEFORE_POINTS: Final = 50
# A level on the way back: the median of at least so many points.
BACK_POINTS: Final = 5


def back_at(
    seen: View, start: int, end: int, *, since: int | None = None, until: int | None = None
) -> int | None:
    """Return the index, `end` or later, from which the loss is back at its level before `start`.

    The recovery clock stops at the level of a whole window, which on a steep descent is an older
    and higher one than the report tells. Back is a point within the noise of the level told, and
    with it the median of five; None where the log does not come so far. The level is that from the
    index `since` on (the 50 points before), and it must be back before the index `until` (the end).
    """
    before = seen.judged[max(0, start - BEFORE_POINTS if since is None else since) : start]
    ahead = seen.judged[end:until]
    if before.size == 0 or ahead.size == 0:
        return end
    level = float(np.median(before))
    # Of neighbouring points: a descent is no noise.
    noise = scatter(np.diff(before)) / float(np.sqrt(2.0)) if before.size > 1 else 0.0
    height = float(seen.judged[start : end + 1].max()) - level
    least = min(BACK_JUMP_SHARE * height, BACK_RELATIVE)
    error = MEDIAN_FACTOR * noise * float(np.sqrt(1 / BACK_POINTS + 1 / before.size))
    width = min(BACK_POINTS, ahead.size)
    following = np.median(sliding_window_view(ahead, width), axis=1)
    back = following <= level + max(BACK_ERRORS * error, least)
    back &= ahead[: back.size] <= level + max(BACK_ERRORS * noise, least)
    found = np.flatnonzero(back)
    return end + int(found[0]) if found.size else None


def sunk_to(seen: View, level: float, end: int) -> int | None:
    """Return the index, `end` or later, from which the loss is down at `level` (as logged) again.

    A point within 5 % of it, and with it the median of five; None where the log comes to none.
    """
    ahead = seen.values[end:]
    if ahead.size == 0:
        return None
    most = level + float(np.expm1(BACK_RELATIVE)) * abs(level)
    following = np.median(sliding_window_view(ahead, min(BACK_POINTS, ahead.size)), axis=1)
    found = np.flatnonzero((following <= most) & (ahead[: following.size] <= most))
    return end + int(found[0]) if found.size else None


def way_back(
    context: Context, kind: Kind, start: int, end: int, back: int | None
) -> dict[str, float]:
    """Return how many steps the way back was; where it is not over, what is known instead.

    `back` is what `back_at` returned for the excursion from index `start` to `end`. A log that ends
    on the way has `log_end`, and one that never comes so low again its level at the end, the
    median of the last fifth since, as `not_yet`.
    """
    seen = context.seen
    if seen is None:
        return {}
    needed = 1 if kind is Kind.ISOLATED_SPIKE else BACK_POINTS
    if len(seen) - end < needed or (end == start and end == len(seen) - 1):
        return {"log_end": float(seen.steps[-1])}
    late = max(BACK_POINTS, (len(seen) - start) // LATE_SHARE)
    level = context.level(max(start, len(seen) - late), len(seen))
    if back is None and level is not None:
        return {"not_yet": level}
    return {"recovered_after_steps": float(seen.steps[end] - seen.steps[start])}
