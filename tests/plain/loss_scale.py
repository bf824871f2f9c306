"""The detector of the loss scale as plain loops over its definition."""

from __future__ import annotations

import math
from itertools import pairwise

from told import Told

from spikedoc.model.anomaly import Shape


def loss_scale(
    steps: list[int], values: list[float], lines: list[str], loss: list[float] | None
) -> list[Told]:
    """The first of: a chain, a floor, a short chain at the end; of finite values."""
    overflows = sum("overflow" in line.lower() for line in lines)
    learns = bool(loss) and all(map(math.isfinite, loss or []))
    gave_up = any(
        words in line.lower()
        for line in lines
        for words in ("minimum loss scale reached", "loss scale already at minimum")
    )
    if found := chain(steps, values):
        return [found]
    if not values or min(values) < 0:
        return []
    if found := floor(steps, values, overflows, learns=learns):
        return [found]
    found = short_chain(steps, values, overflows, gave_up=gave_up)
    return [found] if found else []


def without_rise(values: list[float]) -> list[list[int]]:
    """The indices of each stretch in which nothing rises."""
    stretches = [[0]]
    for i in range(1, len(values)):
        if values[i] > values[i - 1]:
            stretches.append([])
        stretches[-1].append(i)
    return stretches


def chain(all_steps: list[int], all_values: list[float]) -> Told | None:
    """The deepest stretch without a rise: from its deepest group of falls, at most ten points
    apart, when that is of five halvings; from its first fall else."""
    steps = [s for s, v in zip(all_steps, all_values, strict=True) if v > 0]
    values = [v for v in all_values if v > 0]
    n = len(values)
    if n < 5 or max(values) == min(values):
        return None
    level = [math.log2(v) for v in values]
    best = max(without_rise(values), key=lambda one: level[one[0]] - level[one[-1]])
    falls = [i for i in best[1:] if values[i] < values[i - 1]]
    if not falls:
        return None
    groups = [[falls[0]]]
    for a, b in pairwise(falls):
        if b - a > 10:
            groups.append([])
        groups[-1].append(b)
    deepest = max(groups, key=lambda one: level[one[0] - 1] - level[one[-1]])
    is_deep = level[deepest[0] - 1] - level[deepest[-1]] >= 5
    start, end = (deepest if is_deep else falls)[0] - 1, falls[-1]
    halvings, at_floor = level[start] - level[end], values[end] <= 1.0
    searching = start < max(30, 0.05 * n)
    if halvings < 5 or (searching and not at_floor):
        return None
    measures = {
        "before": values[start],
        "after": values[end],
        "halvings": halvings,
        "points": float(end - start),
        "chain": float(end - start <= 50),
        "floor": float(at_floor),
    }
    return Told(Shape.HALVINGS, (steps[start + 1], steps[end], steps[end]), measures)


def floor(steps: list[int], values: list[float], overflows: int, *, learns: bool) -> Told | None:
    """The end at .01 and less; at 1 and less where two overflows were told."""
    limit = 1.0 if overflows >= 2 else 0.01
    if values[-1] > limit or (max(values) == 0.0 and learns):
        return None
    start = len(values)
    while start > 0 and values[start - 1] <= limit:
        start -= 1
    measures = {"after": values[-1], "chain": 0.0, "floor": 1.0}
    measures["points"] = float(len(values) - start)
    if start:
        measures["before"] = values[start - 1]
    return Told(Shape.HALVINGS, (steps[start], steps[-1], steps[-1]), measures)


def short_chain(
    steps: list[int], values: list[float], overflows: int, *, gave_up: bool
) -> Told | None:
    """Three halvings since the last rise down to 4 and less beside three overflows, or the message
    that nothing is left."""
    start, n = without_rise(values)[-1][0], len(values)
    halvings = math.log2(values[start] / values[-1]) if values[-1] > 0 else 0.0
    hopeless = 0 < values[-1] <= 4.0 and halvings >= 3
    if not gave_up and not (hopeless and overflows > 2):
        return None
    measures = {"before": values[start], "after": values[-1], "halvings": halvings}
    measures |= {"points": float(n - 1 - start), "chain": 1.0, "floor": 1.0}
    first = steps[min(start + 1, n - 1)]
    return Told(Shape.HALVINGS, (first, steps[-1], steps[-1]), measures)
