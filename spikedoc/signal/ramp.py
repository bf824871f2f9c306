"""Growth of a positive series that leads up to an event."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.signal.around import part_medians
from spikedoc.signal.departure import departure
from spikedoc.signal.transform import ratio
from spikedoc.signal.trend import kendall_tau

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Fewest points before the event without which a ramp cannot be seen.
FEWEST: Final = 20
# Long ramp: twenty medians of the last 200 points rise by x2 with tau .5, more than 95 % of the
# earlier windows of the same length did (measured: x3 ramps found .83 to 1.0, none without one).
LONG_POINTS: Final = 200
LONG_FEWEST: Final = 60
LONG_PARTS: Final = 20
LONG_RISE: Final = math.log(2.0)
LONG_TREND: Final = 0.5
LONG_QUANTILE: Final = 0.95
LONG_EARLIER: Final = 50
# The same over other stretches, for a climb that is over within forty points or lasts for eight
# hundred: twenty medians cannot rise in order where it fills a fifth of the window, and a window
# that lies within it is usual there. They must rise by x4 instead (noise of 30 % about a level,
# and a norm that doubles with the schedule, stay below), and three windows like them come before:
# the climb is no course of the whole run.
OTHER_POINTS: Final = (40, 80, 400, 800)
OTHER_RISE: Final = math.log(4.0)
OTHER_WINDOWS: Final = 4
# Short ramp: three points in a row, each above 1.8 times the one before (a 176B run's spike was
# preceded by .24, .95, 2.39, 15.9; healthy noise never does it).
SHORT_POINTS: Final = 3
SHORT_GROWTH: Final = math.log(1.8)
# Steady ramp: six rises in a row that multiply to three or more. Full-batch Adam bursts build up
# like this over 10 to 20 steps; batch noise has such an order once in 720 places.
STEADY_POINTS: Final = 6
STEADY_RISE: Final = math.log(3.0)
# ... of which no single step may carry more than this share: that would be a jump.
STEADY_STEP: Final = 0.6
# The ramp must end this close to the event, in points.
NEAR_POINTS: Final = 10


@dataclass(frozen=True, slots=True)
class Ramp:
    """A growth by `factor` between two steps, over `points` points."""

    factor: float
    first_step: int
    last_step: int
    points: int


def window_before(steps: IntArray, values: FloatArray, last: float) -> tuple[IntArray, FloatArray]:
    """Return the positive finite points up to step `last`, at most those a ramp is judged on."""
    stop = int(np.searchsorted(steps, last, side="right"))
    start = max(0, stop - LONG_POINTS * LONG_EARLIER)
    steps, values = steps[start:stop], values[start:stop]
    keep = np.isfinite(values) & (values > 0)
    return steps[keep], values[keep]


def climb(steps: IntArray, values: FloatArray, until: float) -> Ramp | None:
    """Return the growth of a series that ends by step `until`, from where it left its level.

    The one answer to "since when?": findings, evidence and the way back all take it from here.
    """
    window_steps, window = window_before(steps, values, until)
    ramp = find_ramp(window_steps, window)
    if ramp is None:
        return None
    left = departure(steps, values, ramp.first_step, until)
    first = min(left, ramp.last_step)
    inside = (window_steps >= first) & (window_steps <= ramp.last_step)
    return replace(ramp, first_step=first, points=max(1, int(np.count_nonzero(inside))))


def find_ramp(steps: IntArray, values: FloatArray) -> Ramp | None:
    """Return the growth that ends with these positive points, the clearest kind first."""
    if values.size < FEWEST:
        return None
    logs = np.log(values)
    return (
        _in_a_row(steps, logs, SHORT_POINTS, SHORT_GROWTH)
        or _in_a_row(steps, logs, STEADY_POINTS, 0.0, STEADY_RISE, STEADY_STEP)
        or _long(steps, logs)
    )


def _in_a_row(
    steps: IntArray,
    logs: FloatArray,
    fewest: int,
    each: float,
    whole: float = 0.0,
    largest: float = 1.0,
) -> Ramp | None:
    """Return the latest run of at least `fewest` rises above `each` that add up to `whole`.

    No rise may be more than the share `largest` of them all.
    """
    offset = max(0, logs.size - (NEAR_POINTS + LONG_PARTS))
    recent = logs[offset:]
    rises = np.diff(recent)
    length, found = 0, None
    for index, growing in enumerate((rises > each).tolist(), start=1):
        length = length + 1 if growing else 0
        if length < fewest or index < recent.size - NEAR_POINTS:
            continue
        rise = float(recent[index] - recent[index - length])
        if rise >= whole and float(rises[index - length : index].max()) <= largest * rise:
            first, last = int(steps[offset + index - length]), int(steps[offset + index])
            found = Ramp(ratio(rise), first, last, length + 1)
    return found


def _rise(logs: FloatArray, largest: float | None = None) -> float:
    """Return the rise of twenty medians, 0 when they are in no order.

    Also 0 when one jump holds more than the share `largest` of it: a part that holds the jump has
    its median half way up, so it is looked for over two parts.
    """
    medians = part_medians(logs, LONG_PARTS)
    if kendall_tau(medians) < LONG_TREND:
        return 0.0
    rise = float(medians[-1] - medians[0])
    jump = float((medians[2:] - medians[:-2]).max())
    return 0.0 if largest is not None and jump > largest * rise else rise


def steady_rise(values: FloatArray) -> float:
    """Return the logarithm by which positive values rise little by little, 0 when they do not.

    They do not where fewer than sixty are there, where their medians are in no order, or where one
    jump makes up most of the way.
    """
    if values.size < LONG_FEWEST or float(values.min()) <= 0:
        return 0.0
    return max(0.0, _rise(np.log(values), STEADY_STEP))


def _long(steps: IntArray, logs: FloatArray) -> Ramp | None:
    # The last point is the event, not its ramp.
    logs, steps = logs[:-1], steps[:-1]
    length = min(LONG_POINTS, logs.size // 2)
    found = [_over(steps, logs, length, LONG_RISE)] if length >= LONG_FEWEST else []
    found.extend(
        _over(steps, logs, other, OTHER_RISE, STEADY_STEP)
        for other in OTHER_POINTS
        if OTHER_WINDOWS * other <= logs.size
    )
    # The one that holds most of the climb: a shorter one within it would tell a part only.
    return max((r for r in found if r is not None), key=lambda r: r.factor, default=None)


def _over(
    steps: IntArray, logs: FloatArray, length: int, least: float, largest: float | None = None
) -> Ramp | None:
    """Return the growth over the last `length` points, `least` and more than was usual before."""
    rise = _rise(logs[-length:], largest)
    if rise < least:
        return None
    ends = range(logs.size - length, length - 1, -length)
    earlier = [_rise(logs[end - length : end]) for end in ends]
    usual = float(np.quantile(earlier, LONG_QUANTILE)) if earlier else 0.0
    return Ramp(ratio(rise), int(steps[-length]), int(steps[-1]), length) if rise > usual else None
