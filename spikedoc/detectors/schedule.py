"""Steps and returns in the learning rate that a schedule does not explain."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, IntArray, Run, Series
from spikedoc.signal.anew import climb, fall_anew
from spikedoc.signal.excess import excess
from spikedoc.signal.printed import is_staircase
from spikedoc.signal.restart_cycle import is_cycle
from spikedoc.signal.second_cycle import is_swing_again
from spikedoc.signal.transform import HUGE

NAME: Final = "schedule"
MIN_POINTS: Final = 10
# Detection proposal, section 12: a change of more than 30 % between neighbouring points …
JUMP: Final = 1.3
# … after the warm-up (the first 5 % of the run).
WARMUP_SHARE: Final = 0.05
# Values within 5 % are the same setting.
SAME: Final = 0.05
# Up again to half of the peak after having been below a tenth of it.
DOWN_TO: Final = 0.1
UP_TO: Final = 0.5
# Two rises to a comparable height make a cycle, not a fault.
CYCLE_RISES: Final = 2
TINY: Final = 1e-30
# A jump within so many logged points of a restart belongs to it.
RESTART_POINTS: Final = 5
# A warm-up takes at least five steps, and the schedule before it ran out: so many points before,
# its rate was below a tenth of its peak.
GRADUAL: Final = 5.0
RUN_OUT_POINTS: Final = 3
# It is over in a third of the time that the rate took to fall.
SECOND_STAGE_SHARE: Final = 1.0 / 3.0
# Next to nothing has no factor.
FROM_ZERO: Final = 1e-6
# Rises closer than this share of the run belong to one event.
JOIN_SHARE: Final = 0.02


def detect(run: Run) -> tuple[Detection, ...]:
    """Return upward jumps and unexpected returns of the learning rate."""
    series = run.get(Metric.LR)
    if series is None:
        return ()
    steps, values = series.finite()
    if values.size < MIN_POINTS or float(values.max()) <= 0:
        return ()
    values = np.clip(values, -HUGE, HUGE)
    if is_staircase(values):
        return ()
    jumps = _jumps(values)
    falls, highest = np.flatnonzero(np.diff(values) < 0), np.maximum.accumulate(values)
    jumps = jumps[[not _warms_up(run, steps, values, int(i), falls, highest) for i in jumps]]
    if jumps.size:
        told = _distinct(jumps, steps)
        shared = {
            "cyclic": float(_are_restarts(steps, values, jumps)),
            "count": float(len(told)),
        }
        return tuple(_jump(run, series, (steps, values), i, highest, shared) for i in told)
    comeback = _comeback(values)
    if comeback is None:
        return ()
    low, high = comeback
    if not _near_restart(run, int(steps[low]), series.stride) and is_swing_again(
        steps, values, low
    ):
        return ()
    measures = {
        "before": float(values[low]),
        "after": float(values[high]),
        "comeback": 1.0,
        "warm_up": float(_is_second_stage(values, low)),
    }
    if values[low] > FROM_ZERO * values[high]:
        measures["factor"] = float(values[high] / values[low])
    where = [int(steps[low]), int(steps[high]), int(steps[-1])]
    return (Detection(NAME, Shape.JUMP, series.name, where[0], where[1], where[2], measures),)


def _jumps(values: FloatArray) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Return the indices of points more than 30 % above the one before, warm-up left out."""
    before, after = values[:-1], values[1:]
    up = (after > JUMP * before) & (after > TINY)
    index = np.flatnonzero(up) + 1
    first = max(2, int(WARMUP_SHARE * values.size))
    # A warm-up may be longer: while the lr has never fallen, it is still rising from the start.
    # A fall is against the highest so far: between neighbours a slow one is below any threshold.
    falls = np.flatnonzero(values < np.maximum.accumulate(values) * (1 - SAME))
    first_fall = int(falls[0]) if falls.size else values.size
    flat_before = np.array([_was_flat(values, int(i)) for i in index], dtype=bool)
    keep = (index >= first) & ((index > first_fall) | flat_before)
    return np.asarray(index[keep])


def _warms_up(
    run: Run,
    steps: IntArray,
    values: FloatArray,
    index: int,
    falls: np.ndarray[tuple[int], np.dtype[np.intp]],
    highest: FloatArray,
) -> bool:
    """Return whether a rise is one of many like it on the way up from the end of a schedule.

    Near zero any step of a warm-up is a large factor. What begins at a restart of the run, out of
    a rate that was cut at once, or leads higher than before is judged as it is.
    """
    bottom, top = climb(falls, values.size, index)
    so_far = float(highest[bottom])
    step, whole = values[index] - values[index - 1], values[top] - values[bottom]
    if top == values.size - 1:  # the log ends on the way up: an earlier one may show where to
        whole = max(whole, _earlier_climb(values, falls, bottom, step))
    ran_out = float(values[max(0, bottom - RUN_OUT_POINTS)]) <= DOWN_TO * so_far
    no_higher = float(values[top]) <= so_far * (1 + SAME)
    at_restart = any(
        abs(int(steps[i]) - r.step) <= RESTART_POINTS * max(1.0, float(steps[i] - steps[i - 1]))
        for r in run.restarts
        for i in (max(1, bottom), index)
    )
    return bool(whole >= GRADUAL * step and ran_out and no_higher and not at_restart)


def _earlier_climb(
    values: FloatArray,
    falls: np.ndarray[tuple[int], np.dtype[np.intp]],
    before: int,
    step: float,
) -> float:
    """Return the height of the highest climb before an index that has as large a step, or 0."""
    heights, bottom = [0.0], 0
    for fall in falls[falls < before]:
        climb = values[bottom : int(fall) + 1]
        if climb.size > 1 and float(np.diff(climb).max()) >= step * (1 - SAME):
            heights.append(float(climb[-1] - climb[0]))
        bottom = int(fall) + 1
    return max(heights)


def _is_second_stage(values: FloatArray, low: int) -> bool:
    """Return whether a rate that had run out warms up again: soon up, no higher than before, and
    no mirror image of its fall, as a cosine beyond its end is."""
    first_peak = int(np.argmax(values[: low + 1]))
    top = low + int(np.argmax(values[low:]))
    near_top = low + int(np.argmax(values[low:] >= (1 - SAME) * values[top]))
    soon = (near_top - low) <= SECOND_STAGE_SHARE * (low - first_peak)
    rest = values[top:]
    decays = rest.size > 1 and float(rest[-1]) <= (1 - SAME) * float(rest[0])
    holds = values.size - near_top > near_top - low
    no_higher = float(values[top]) <= float(values[first_peak]) * (1 + SAME)
    return bool(soon and no_higher and (decays or holds))


def _was_flat(values: FloatArray, index: int) -> bool:
    """Return whether the lr stood still on the points just before `index`."""
    recent = values[max(0, index - 5) : index]
    return recent.size >= 3 and float(np.ptp(recent)) <= SAME * float(recent.max())


def _distinct(jumps: np.ndarray[tuple[int], np.dtype[np.intp]], steps: IntArray) -> list[int]:
    """Return the first jump of each group, at most fifty."""
    # As floats: a span of more than 2**63 steps would come out negative.
    reach = max(1.0, JOIN_SHARE * (float(steps[-1]) - float(steps[0])))
    out: list[int] = []
    last = -np.inf
    for i in jumps:
        if float(steps[i]) - last > reach:
            out.append(int(i))
        last = float(steps[i])
    return out


def _are_restarts(
    steps: IntArray, values: FloatArray, jumps: np.ndarray[tuple[int], np.dtype[np.intp]]
) -> bool:
    # Each by itself, also where they are too many to be told one by one.
    groups = jumps[np.diff(jumps, prepend=-np.inf) > RESTART_POINTS]
    return is_cycle(steps, values, groups)


def _jump(
    run: Run,
    series: Series,
    rates: tuple[IntArray, FloatArray],
    index: int,
    highest: FloatArray,
    shared: dict[str, float],
) -> Detection:
    """Return one jump; `shared` holds what is the same of all of them."""
    steps, values = rates
    before, after = float(values[index - 1]), float(values[index])
    above = excess(values, index)
    peak, end = above.peak, above.end
    at_restart = _fall_at_restart(run, steps, values, index)
    fall = fall_anew(values, index, peak) if at_restart is None else at_restart
    first = index if fall is None else fall
    level = {"before": before, "after": float(values[peak])}
    if fall is not None:
        level = {"before": float(values[fall - 1]), "after": float(values[fall])}
        level["rises_to" if at_restart is None else "climbs_to"] = float(values[peak])
        after = float(values[fall]) if at_restart is None else after
    elif values[peak] > (1 + SAME) * after:
        level["climb_step"] = float(steps[peak])
    measures = level | {
        "reverted": float(above.reverted),
        "at_start_value": float(_close(after, float(values[0]))),
        "at_peak_value": float(_close(after, float(highest[index - 1]))),
        "above_all_before": float(values[peak] > highest[index - 1] * (1 + SAME)),
        "at_restart": float(_near_restart(run, int(steps[index]), series.stride)),
        **shared,
    }
    if 0 < level["before"] > FROM_ZERO * level["after"]:
        measures["factor"] = level["after"] / level["before"]
    where = [int(steps[first]), int(steps[peak]), int(steps[end])]
    return Detection(NAME, Shape.JUMP, series.name, where[0], where[1], where[2], measures)


def _fall_at_restart(
    run: Run,
    steps: IntArray,
    values: FloatArray,
    index: int,
) -> int | None:
    """Return the first point of a restart just before `index` if the lr fell there, or None.

    What follows is then the warm-up of a schedule that began anew, and the fall is its first sign.
    """
    for restart in run.restarts:
        at = int(np.searchsorted(steps, restart.step))
        if 0 < at < index <= at + RESTART_POINTS and values[at - 1] > JUMP * values[at]:
            return at
    return None


def _close(a: float, b: float) -> bool:
    return abs(a - b) <= SAME * max(abs(a), abs(b))


def _near_restart(run: Run, step: int, stride: float) -> bool:
    reach = RESTART_POINTS * stride
    return any(abs(step - r.step) <= reach for r in run.restarts)


def _comeback(values: FloatArray) -> tuple[int, int] | None:
    """Return (lowest, highest after) when the lr fell below a tenth of its peak and rose again
    to half of it, once: a schedule that runs past its end. Cycles are left alone."""
    peak = float(values.max())
    first_peak = int(np.argmax(values >= (1 - SAME) * peak))
    low_points = np.flatnonzero(values[first_peak:] <= DOWN_TO * peak) + first_peak
    if low_points.size == 0:
        return None
    after = values[int(low_points[0]) :]
    if float(after.max()) < UP_TO * peak:
        return None
    high = np.concatenate(([False], values >= UP_TO * peak))
    visits = int(np.sum(~high[:-1] & high[1:]))
    if visits > CYCLE_RISES:
        return None
    # The turning point: the lowest value before the lr is back up.
    back = int(low_points[0]) + int(np.argmax(after >= UP_TO * peak))
    turn = int(low_points[0]) + int(np.argmin(values[int(low_points[0]) : back + 1]))
    top = back + int(np.argmax(values[back:]))
    return turn, top


DETECTOR: Final = detect
