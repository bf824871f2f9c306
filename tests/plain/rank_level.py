"""The detector of ranks that leave the others for good as plain loops over its definition."""

from __future__ import annotations

import math

import naive
from told import Told

from spikedoc.model.anomaly import Shape


def rank_level(rows: list[list[float]]) -> list[Told]:
    """What is told of ranks 0, 1, 2 … that all logged the steps 1, 2, 3 …, in step order."""
    if len(rows) < 3:
        return []
    found = nonfinite(rows) + lasting(rows)
    return sorted(found, key=lambda one: one.steps[0])


def nonfinite(rows: list[list[float]]) -> list[Told]:
    """The longest stretch of three values and more of one rank alone, the first of those."""
    found = []
    for rank, row in enumerate(rows):
        others = [other for k, other in enumerate(rows) if k != rank]
        alone = [
            not math.isfinite(v) and all(math.isfinite(other[i]) for other in others)
            for i, v in enumerate(row)
        ]
        longest, begin, length = 0, 0, 0
        for i, it_is in enumerate([*alone, False]):
            if it_is:
                length += 1
                continue
            if length > longest:
                longest, begin = length, i - length
            length = 0
        if longest >= 3:
            measures = {"rank": float(rank), "nonfinite_points": float(longest), "factor": 1.0}
            found.append(Told(Shape.OUTLIER, (begin + 1, begin + 1, begin + longest), measures))
    return found


def lasting(rows: list[list[float]]) -> list[Told]:
    steps = [
        i + 1
        for i in range(len(rows[0]))
        if all(math.isfinite(row[i]) and row[i] > 0 for row in rows)
    ]
    if len(steps) < 60:
        return []
    logs = [[math.log(row[i - 1]) for i in steps] for row in rows]
    apart = [
        [v - naive.median([o[i] for k, o in enumerate(logs) if k != r]) for i, v in enumerate(row)]
        for r, row in enumerate(logs)
    ]
    found = []
    for rank, row in enumerate(apart):
        place = split(row)
        shift = moved(row, place)
        others = [abs(moved(o, place)) for k, o in enumerate(apart) if k != rank]
        if not stands_out(row, place, shift) or max(others) > abs(shift) / 3:
            continue
        factor = math.exp(shift)
        measures = {
            "rank": float(rank),
            "lasting_factor": factor,
            "factor": max(factor, 1 / factor),
        }
        if not any(row[:place]):
            measures["equal_points"] = float(place)
        first = steps[place]
        found.append(Told(Shape.OUTLIER, (first, first, steps[-1]), measures))
    return found


def moved(row: list[float], place: int) -> float:
    return naive.median(row[place:]) - naive.median(row[:place])


def split(row: list[float]) -> int:
    """The place, twenty points from both ends, at which two levels leave the least error."""
    n = len(row)
    best, where = -1.0, 0
    for k in range(20, n - 19):
        weight = (k * (n - k)) ** 0.5
        score = abs(naive.mean(row[:k]) - naive.mean(row[k:])) * weight
        if score > best * (1 + 1e-12):
            best, where = score, k
    return where


def stands_out(row: list[float], place: int, shift: float) -> bool:
    """By a fifth, or away from what was equal; nine of ten blocks on their side of the middle, and
    eight standard errors."""
    before, after = row[:place], row[place:]
    if any(before) and abs(shift) < math.log(1.2):
        return False
    if not any(before) and sum(v != 0.0 for v in after) < 0.9 * len(after):
        return False
    width = max(1, len(row) // 40)
    sides = [naive.block_medians(side, width) for side in (before, after)]
    middle = naive.median(before) + shift / 2
    sign = (shift > 0) - (shift < 0)
    low = sum(sign * (v - middle) < 0 for v in sides[0])
    high = sum(sign * (v - middle) > 0 for v in sides[1])
    if low < 0.9 * len(sides[0]) or high < 0.9 * len(sides[1]):
        return False
    error = sum(naive.scatter(side) ** 2 / len(side) for side in sides) ** 0.5
    return shift != 0.0 and abs(shift) >= 8.0 * error
