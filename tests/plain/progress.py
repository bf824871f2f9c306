"""The detector of losses that do not fall as plain loops over its definition."""

from __future__ import annotations

import math

import naive
import numpy as np
from plain.levels import levels, trend
from told import Told

from spikedoc.model.anomaly import Shape
from spikedoc.signal.roughness import roughness


def progress(values: list[float], judged: list[float], classes: int | None = None) -> list[Told]:
    """FLAT or SLOW for a finite loss at the steps 1, 2, 3 …"""
    n = len(values)
    if n < 30:
        return []
    level = levels(values)
    if level.start <= 0 or level.best <= 0:
        return []
    thrown, start = is_thrown(values), level.start
    if thrown and abs(math.log(naive.median(values[n // 10 :]) / values[0])) <= 0.15:
        start = values[0]
    best = level.best
    chance = guess(values, classes) if math.log(start / best) >= 0.10 else None
    if chance is not None:
        thrown, start, best = True, chance, min(best, chance)
    fall = math.log(start / best)
    if fall >= 0.10:
        return even_fall(values)
    noise = roughness(np.array(judged)).noise
    measures = {
        "first": start,
        "best": level.best,
        "last": level.end,
        "fall": fall,
        "tau": trend(judged[n // 10 :])[0],
        "relative_noise": noise,
        "fall_score": fall_score(judged, noise),
        "points": float(n),
        "thrown": float(thrown),
    }
    return [Told(Shape.FLAT, (1, 1, n), measures)]


def fall_score(judged: list[float], noise: float) -> float:
    third = len(judged) // 3
    drop = naive.median(judged[:third]) - naive.median(judged[-third:])
    error = 1.2533 * noise * (2.0 / third) ** 0.5
    return drop / error if error else math.inf if drop > 0 else 0.0


def is_thrown(values: list[float]) -> bool:
    """A peak among the first twentieth, a quarter above the first point, half as much again as
    the rest and six times its noise, while the rest is flat and calm."""
    n = len(values)
    rest = values[n // 10 :]
    if len(rest) < 30 or min(rest) <= 0 or values[0] <= 0:
        return False
    level, noise = levels(rest), roughness(np.log(rest)).noise
    peak = max(values[: max(3, n // 20)])
    high = math.log(peak / naive.median(rest)) if peak > 0 else -math.inf
    flat = math.log(level.start / level.best) < 0.10
    stands_out = high >= max(math.log(1.5), 6.0 * noise)
    return peak >= 1.25 * values[0] and stands_out and flat and noise <= 0.15


def guess(values: list[float], classes: int | None) -> float | None:
    """The guess among known classes, or 10, 100, 1000, that all but the first tenth stand at."""
    n = len(values)
    rest = values[n // 10 :]
    if len(rest) < 30 or min(rest) <= 0:
        return None
    middle, noise = naive.median(rest), roughness(np.log(rest)).noise
    chance = min((math.log(c) for c in [classes] * bool(classes) or [10, 100, 1000]),
                 key=lambda one: abs(one - middle))  # fmt: skip
    high = math.log(max(values[: max(1, n // 20)]) / middle)
    level = levels(rest)
    flat = math.log(level.start / level.best) < 0.10
    near = -0.003 <= math.log(middle / chance) <= 0.015
    return chance if near and high >= math.log(1.5) and flat and noise <= 0.025 else None


def even_fall(values: list[float]) -> list[Told]:
    """Thirty blocks along a line, the last third as fast as the first, by a fifth to a half."""
    n = len(values)
    if n < 200 or min(values) <= 0:
        return []
    level = naive.block_medians(values, n // 30)
    third = len(level) // 3
    early, late = naive.theil_sen(level[:third]), naive.theil_sen(level[-third:])
    if naive.kendall_tau(level) > -0.9 or early >= 0 or late > 0.95 * early:
        return []
    fall = math.log(level[0] / level[-1])
    # What a straight line leaves of the variance is one minus the squared correlation with it.
    rest = 1.0 - naive.correlation(level, [float(i) for i in range(len(level))]) ** 2
    if rest > 0.02 or not math.log(1.25) <= fall <= math.log(2.0):
        return []
    measures = {
        "first": level[0],
        "best": min(level),
        "last": level[-1],
        "fall": fall,
        "pace": late / early,
    }
    return [Told(Shape.SLOW, (1, 1, n), measures)]
