"""Pauses of a run: the clock went on and nothing was logged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from spikedoc.model.run import FloatArray, Restart
from spikedoc.readers.base import RawSeries
from spikedoc.signal.baseline import median

# With fewer points the usual distance of two records is not known.
LEAST_POINTS: Final = 10
# A pause: this many times the usual distance of two records, and at least a minute.
PAUSE_FACTOR: Final = 10.0
LEAST_PAUSE_SECONDS: Final = 60.0
# More gaps than this are part of the work (checkpoints, evaluations), not pauses.
MOST_PAUSES: Final = 5
# Records closer than this share of the usual distance were logged by one call.
SAME_CALL_SHARE: Final = 0.1


def find_pauses(
    series: Sequence[RawSeries], clock_tag: str, restarts: Sequence[Restart]
) -> list[Restart]:
    """Return the long gaps of time in which nothing was logged; none where gaps are many.

    The series that sets the clock is the one called `clock_tag`; `restarts` are no pauses again.
    """
    clock = next((one for one in series if one.tag == clock_tag), None)
    if clock is None or clock.wall_times is None or clock.steps.size < LEAST_POINTS:
        return []
    gaps = np.diff(clock.wall_times)
    usual = median(gaps)
    long = np.flatnonzero(gaps > max(PAUSE_FACTOR * usual, LEAST_PAUSE_SECONDS))
    if long.size > MOST_PAUSES:
        return []
    known = {restart.step for restart in restarts}
    others = [one.wall_times for one in series if one.wall_times is not None and one is not clock]
    found = []
    for index in long:
        a, b = clock.wall_times[index], clock.wall_times[index + 1]
        step = int(clock.steps[index + 1])
        if step not in known and not _busy(others, a, b, usual):
            found.append(Restart(step, int(clock.steps[index]), "pause"))
    return found


def _busy(others: Sequence[FloatArray], start: float, end: float, usual: float) -> bool:
    """Whether something else was logged inside the gap: the job was at work, evaluating."""
    margin = SAME_CALL_SHARE * usual
    return any(bool(np.any((w > start + margin) & (w < end - margin))) for w in others)
