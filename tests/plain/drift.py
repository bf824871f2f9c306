"""The detector of slow rises as plain loops over its definition."""

from __future__ import annotations

import math
from itertools import pairwise

import naive
from told import Told

from spikedoc.model.anomaly import Shape


def drift(values: list[float], judged: list[float]) -> list[Told]:
    """The rise of a finite loss at the steps 1, 2, 3 …; a plain climb below 200 points."""
    n = len(values)
    if n < 8:
        return []
    found = climb(judged) if n < 200 else slow_rise(values, judged)
    return [found] if found else []


def climb(judged: list[float]) -> Told | None:
    """Twice the best and the first level at the end, mostly rising since the best."""
    n, best = len(judged), judged.index(min(judged))
    end = naive.median(judged[-3:])
    rise = end - judged[best]
    if rise < math.log(2.0) or best > 0.6 * n or n - best < 4:
        return None
    if judged[0] + math.log(2.0) > end or naive.kendall_tau(judged[best:]) < 0.6:
        return None
    measures = {"rise": rise, "z": math.inf, "tau": 1.0, "index": float(best)}
    return Told(Shape.RAMP, (best + 2, n, n), measures)


def block_noise(level: list[float]) -> float:
    """The scatter of a block from changes to the next, and to the fourth without their course."""
    near = naive.scatter([b - a for a, b in pairwise(level)]) / 2**0.5
    wide = [b - a for a, b in zip(level, level[4:], strict=False)]
    usual = naive.rolling_median(wide, 15)
    far = naive.scatter([a - b for a, b in zip(wide, usual, strict=True)]) / 2**0.5 / 1.5
    return max(near, far)


def slow_rise(values: list[float], judged: list[float]) -> Told | None:
    """From sixty blocks: the largest rise from the lowest one before, of 5 % and eight scatters."""
    n = len(values)
    width = n // 60
    level = naive.block_medians(judged, width)
    rises = [v - min(level[: i + 1]) for i, v in enumerate(level)]
    top = rises.index(max(rises))
    bottom = level.index(min(level[: top + 1]))
    rise, noise = level[top] - level[bottom], block_noise(level)
    if rise < math.log(1.05) or rise < 8.0 * noise:
        return None
    course = level[bottom : top + 1]
    begin = max(i for i, v in enumerate(course) if v <= course[0] + 0.1 * rise)
    reached = min(i for i, v in enumerate(course) if v >= course[-1] - 0.1 * rise and i > begin)
    part = course[begin : reached + 1]
    if len(part) < 0.08 * len(level) or len(part) <= 2:
        return None
    tau = naive.kendall_tau(part)
    if tau <= 0.6 or max(b - a for a, b in pairwise(part)) > 0.6 * rise:
        return None
    if level[-1] - level[bottom] <= 0.5 * rise:
        return None
    at = (bottom + begin) * width
    measures = {
        "rise": rise,
        "z": rise / noise if noise else math.inf,
        "tau": tau,
        "index": float(at),
        "before": naive.median(values[at : at + width]),
        "after": naive.median(values[-width:]),
    }
    quarter = max(1, (len(part) - 1) // 4)
    steepest = max(b - a for a, b in zip(part, part[quarter:], strict=False))
    if steepest / ((part[-1] - part[0]) * quarter / (len(part) - 1)) <= 2.0:
        measures["left"] = float(at + width + 1)
        measures["reached"] = float((bottom + reached) * width + 1)
    return Told(Shape.RAMP, (at + 1, top * width + 1, n), measures)
