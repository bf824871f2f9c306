"""The detector of short logs as plain loops over its definition."""

from __future__ import annotations

import math
from itertools import pairwise

import naive
from told import Told

from spikedoc.model.anomaly import Shape


def short_course(
    values: list[float],
    *,
    epochs: bool,
    classes: int | None,
    usual: tuple[int, ...],
    val: list[float] | None = None,
) -> list[Told]:
    """The first of six of a finite loss at the steps 1, 2, 3 …; only a step from 60 points on."""
    n = len(values)
    if not 3 <= n < 80:
        return []
    if n >= 60:
        found = step_up(values)
    else:
        found = lone(values) or step_up(values) or blast(values) or turn(values)
        found = found or climb(values, val or [])
        if not found and epochs:
            found = standstill(values, classes, usual)
    return [found] if found else []


def lone(values: list[float]) -> Told | None:
    """The highest is twenty times further out than the others spread, and than they are high."""
    n = len(values)
    at = values.index(max(values))
    others = values[:at] + values[at + 1 :]
    if n < 6 or at in (0, n - 1):
        return None
    size = max(max(others) - min(others), abs(naive.median(others)))
    if values[at] - max(others) < 20.0 * size:
        return None
    before = naive.median(values[:at])
    measures = {"before": before, "peak": values[at]}
    if before > 0:
        measures["factor"] = values[at] / before
    return Told(Shape.LONE, (at + 1, at + 1, at + 2), measures)


def scatter(logs: list[float]) -> float:
    changes = [b - a for a, b in pairwise(logs)]
    if not changes:
        return 0.0
    centre = naive.mean(changes)
    return (naive.mean([(c - centre) ** 2 for c in changes]) / 2.0) ** 0.5


def split(logs: list[float], reach: int, side: int, sigmas: float) -> int | None:
    gaps = {}
    for at in range(side, len(logs) - side + 1):
        before, after = logs[max(0, at - reach) : at], logs[at:]
        noise = math.hypot(scatter(before), scatter(after))
        gap = min(after) - max(before)
        if gap >= math.log(1.3) and naive.mean(after) - naive.mean(before) >= sigmas * noise:
            gaps[at] = gap
    return max(gaps, key=gaps.__getitem__) if gaps else None


def step_up(values: list[float]) -> Told | None:
    """A third above all before and four scatters; or above the last eight or five."""
    n = len(values)
    if n < 6 or min(values) <= 0:
        return None
    logs = [math.log(v) for v in values]
    at = split(logs, n, 3, 4.0)
    at = split(logs, 8, 5, 5.0) if at is None else at
    at = split(logs, 5, 5, 6.0) if at is None else at
    if at is None:
        return None
    return stepped(values, at)


def stepped(values: list[float], at: int) -> Told:
    low, high = min(values[:at]), naive.median(values[at:])
    measures = {"best": low, "after": high, "factor": high / low}
    return Told(Shape.STEP_UP, (at + 1, at + 1, len(values)), measures)


def blast(values: list[float]) -> Told | None:
    """Of five points or more the last ones ten times all before, the very last a hundred."""
    n = len(values)
    if n < 5 or min(values) <= 0:
        return None
    for at in range(2, n - 1):
        highest = max(values[:at])
        if min(values[at:]) >= 10.0 * highest and values[-1] >= 100.0 * highest:
            return stepped(values, at)
    return None


def turn(values: list[float]) -> Told | None:
    """Down over four points and more to the lowest, and up over three and more, to three times as
    much and by four scatters; both with a tau of .9."""
    at = values.index(min(values))
    if at < 3 or len(values) - at < 4 or min(values) <= 0:
        return None
    down, up = values[: at + 1], values[at:]
    logs = [[math.log(v) for v in part] for part in (down, up)]
    rise = logs[1][-1] - logs[1][0]
    noise = math.hypot(scatter(logs[0]), scatter(logs[1]))
    steady = naive.kendall_tau(down) <= -0.9 and naive.kendall_tau(up) >= 0.9
    if not steady or rise < max(math.log(3.0), 4.0 * noise):
        return None
    return stepped(values, at + 1)


def climbs(values: list[float], tau: float, factor: float) -> bool:
    if len(values) < 8 or min(values) <= 0:
        return False
    rise = math.log(naive.median(values[-3:]) / naive.median(values[:3]))
    return rise >= math.log(factor) and naive.kendall_tau(values) >= tau


def climb(values: list[float], val: list[float]) -> Told | None:
    """Eight points and more that rise by a tenth, with a tau of .8; or by a quarter, with one of
    .5, as validation does."""
    n = len(values)
    if not climbs(values, 0.8, 1.1) and not all(climbs(v, 0.5, 1.25) for v in (values, val)):
        return None
    before, after = naive.median(values[:3]), naive.median(values[-3:])
    rise = math.log(after / before)
    measures = {"before": before, "after": after, "factor": after / before, "rise": rise}
    return Told(Shape.CLIMB, (1, n, n), measures)


def standstill(values: list[float], classes: int | None, usual: tuple[int, ...]) -> Told | None:
    """Five epochs that mostly repeat their digits at half of the first and more, or that all lie
    within 1 % of a guess, the first of six or more above it too."""
    n = len(values)
    measures = {"first": values[0], "best": min(values), "last": values[-1]}
    rest = values[1:]
    level, equal = naive.median(rest), [a == b for a, b in pairwise(rest)]
    same = max(rest) - min(rest) <= 5e-4 * level and 2 * sum(equal) > len(equal)
    if n >= 5 and level > 0 and level >= 0.5 * values[0] and same:
        return Told(Shape.STANDSTILL, (1, 1, n), measures)
    for count in (classes,) if classes else usual:
        chance = math.log(count)
        near = [abs(v / chance - 1.0) <= 0.01 for v in values]
        later = n >= 6 and all(near[1:]) and values[0] > chance
        if (n >= 5 and all(near)) or later:
            known = {"classes": float(count), "chance": chance}
            return Told(Shape.STANDSTILL, (1, 1, n), measures | known)
    return None
