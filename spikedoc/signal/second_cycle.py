"""Whether a learning rate that rises again, at once or slowly, takes the same course as before."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# The rate is back at the top it had, to a twentieth: a restart goes no higher and no lower.
SAME: Final = 0.05
# Points that show the shape of a descent, and the largest share of it in one of them: the steepest
# of ten points of a cosine makes 16 %, a drop at a milestone half and more.
FEWEST: Final = 5
STEEPEST: Final = 0.35
# The cycle before is over: down to a tenth of its top, or levelled off as a cosine does. Its last
# twentieth makes 0.6 % of a cosine's descent and 5 % of a straight line's.
RUN_OUT: Final = 0.1
LAST_SHARE: Final = 0.05
LEVELLED: Final = 0.02
# The descent after the jump has to be seen: by a fifth of the top at least.
SEEN: Final = 0.2
# Where the log ends on the way up it has to be seen half of the way.
RISEN: Final = 0.5
# The next low lies a period on, to a tenth of it: it may fall between logged points.
NEAR: Final = 0.1
# Cycles stay as long, or become two or three times as long (arXiv:1608.03983).
LONGER: Final = (1, 2, 3)


def is_second_cycle(steps: IntArray, values: FloatArray, index: int) -> bool:
    """Return whether the jump up at `index` begins a cycle like the one that just ended.

    The descent before it is complete and smooth, and what follows lies on the same curve, stretched
    once, twice or threefold in time, or until the end of the log. A rate that was cut on its way
    down began anew for another reason. Values are finite, steps strictly increasing.
    """
    top = float(values[:index].max())
    begin = int(np.argmax(values[:index]))
    after = values[index:]
    back = abs(float(after.max()) - top) <= SAME * top
    if top <= 0 or min(index - begin, after.size) < FEWEST or not back:
        return False
    first, rest = values[begin:index] / top, np.maximum(after, -top) / top
    again = int(np.argmax(rest))
    second = rest[again:]
    if again > FEWEST or second.size < FEWEST or 1.0 - float(second[-1]) < SEEN:
        return False
    if not (_is_smooth(first) and _is_smooth(second) and _is_complete(first)):
        return False
    zero = float(steps[begin])
    length = float(steps[index]) - zero
    if length <= 0:  # beyond 2**53 neighbouring steps are one number
        return False
    time = (steps[begin:index].astype(np.float64) - zero) / length
    start = float(steps[index + again])
    passed = (steps[index + again :].astype(np.float64) - start) / length
    stretches = [float(n) for n in LONGER]
    if _is_complete(second) and passed[-1] > 0:
        stretches.append(float(passed[-1]) / float(time[-1]))
    return any(_follows(time, first, passed / n, second) for n in stretches)


def is_swing_again(steps: IntArray, values: FloatArray, turn: int) -> bool:
    """Return whether a rate that rises from its low at `turn` goes up and down as it did before.

    So a cyclic rate does (arXiv:1506.01186): smoothly from low to high to low, then the same course
    again and again in the same time, each on its own scale, as the next may be less high (half of
    it in `triangular2`, any share in `exp_range`). A schedule beyond its end mirrors its descent
    instead.
    """
    top = int(np.argmax(values[: turn + 1]))
    begin = top - int(np.argmin(values[: top + 1][::-1]))
    period = float(steps[turn]) - float(steps[begin])
    if min(top - begin, turn - top, values.size - turn) < FEWEST or period <= 0:
        return False
    ends = [begin, *_turns(steps, values, turn, period)]
    swings = [values[i : j + 1] for i, j in pairwise(ends)]
    spans = [float(np.ptp(swing)) for swing in swings]
    if min(spans) <= 0 or float(values[turn:].max()) > (1.0 + SAME) * float(values[top]):
        return False
    course = (swings[0] - swings[0].min()) / spans[0]
    if float(np.abs(np.diff(course)).max()) > STEEPEST:
        return False
    time = [steps[i : j + 1].astype(np.float64) - float(steps[i]) for i, j in pairwise(ends)]
    for k in range(1, len(swings)):
        again = swings[k] - swings[k].min()
        passed = time[k] / (float(time[k][-1]) if k < len(swings) - 1 else period)
        expected = np.interp(passed, time[0] / period, course)
        scales = _scales(again, spans[: k + 1])
        if not any(np.abs(expected - again / scale).max() <= SAME for scale in scales):
            return False
    return True


def _turns(steps: IntArray, values: FloatArray, turn: int, period: float) -> list[int]:
    """Return the lows that follow each other a period apart from `turn` on, and the last index."""
    found = [turn]
    while True:
        at = float(steps[found[-1]])
        first, last = np.searchsorted(steps, [at + (1 - NEAR) * period, at + (1 + NEAR) * period])
        low = int(first) + int(np.argmin(values[first:last])) if first < last else values.size
        if low >= values.size - 1:  # still on its way, or a gap in the log
            return [*found, values.size - 1]
        found.append(low)


def _scales(again: FloatArray, spans: list[float]) -> list[float]:
    """Return the heights that a swing may have: its own, where the log shows it come down.

    Where the log ends before, it is as high as the one before, or lower by as much as that was.
    """
    if float(again.max() - again[int(np.argmax(again)) :].min()) >= SEEN * spans[-1]:
        return spans[-1:]
    before = spans[:-1]
    scales = before[-1:] + ([before[-1] ** 2 / before[-2]] if len(before) > 1 else [])
    return scales if len(before) > 1 or spans[-1] >= RISEN * before[-1] else []


def _is_smooth(course: FloatArray) -> bool:
    """Return whether a course goes down in many small steps and never up."""
    moves = -np.diff(course)
    fall = float(course[0] - course[-1])
    return bool(moves.min() >= -SAME * SAME and moves.max() <= STEEPEST * fall)


def _is_complete(course: FloatArray) -> bool:
    """Return whether a descent has come to its end."""
    fall = float(course[0] - course[-1])
    last = max(1, int(np.ceil(LAST_SHARE * course.size)))
    levelled = float(course[-1 - last] - course[-1]) <= LEVELLED * fall
    return bool(course[-1] <= RUN_OUT) or levelled


def _follows(time: FloatArray, course: FloatArray, passed: FloatArray, second: FloatArray) -> bool:
    """Return whether the second course lies on the first one at the same times of a cycle."""
    if float(passed[-1]) > 1.0 + SAME:
        return False
    expected = np.interp(passed, time, course)
    return bool(np.abs(expected - second).max() <= SAME)
