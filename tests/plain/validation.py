"""The detector of validation losses as plain loops over its definition."""

from __future__ import annotations

import math
from itertools import pairwise

import naive
from plain.levels import trend
from told import Told

from spikedoc.model.anomaly import Shape


def validation(train: list[float], steps: list[int], values: list[float]) -> list[Told]:
    """The first of three for a finite validation loss; `train` at the steps 1, 2, 3 …"""
    if min(values, default=0.0) <= 0:
        return []
    logs = [math.log(v) for v in values]
    if 5 <= len(values) < 8:
        worse = always_worse(train, steps, logs)
        return [worse] if worse else []
    if len(values) < 8:
        return []
    found = step(steps, logs) or scissors(train, steps, logs) or standstill(train, steps, logs)
    return [found] if found else []


def always_worse(train: list[float], steps: list[int], logs: list[float]) -> Told | None:
    """Worse at each evaluation, by a tenth in all, while training is better at each."""
    beside = [train[s - 1] for s in steps if s <= len(train)]
    falls = len(beside) == len(steps) and all(b < a for a, b in pairwise(beside))
    if not falls or logs[-1] - logs[0] < math.log(1.1) or any(b <= a for a, b in pairwise(logs)):
        return None
    first, last = math.exp(logs[0]), math.exp(logs[-1])
    measures = {
        "best": first,
        "last": last,
        "best_step": float(steps[0]),
        "rise_percent": 100.0 * (last / first - 1.0),
    }
    return Told(Shape.SCISSORS, (steps[0], steps[-1], steps[-1]), measures)


def noise(logs: list[float]) -> float:
    return naive.median([abs(b - a) for a, b in pairwise(logs)]) / 0.954


def train_falls(train: list[float], since: int, until: int) -> bool:
    tail = [v for i, v in enumerate(train, 1) if since <= i <= until and math.isfinite(v)]
    if len(tail) < 8 or min(tail) <= 0:
        return False
    return trend([math.log(v) for v in tail])[0] < -0.5


def step(steps: list[int], logs: list[float]) -> Told | None:
    """Three evaluations 30 % and five scatters, of all and of 100 on each side, above the three
    before, most of it at once, also of a fiftieth of the log on each side, and still there."""
    n = len(logs)
    rises = {
        i: naive.median(logs[i : i + 3]) - naive.median(logs[i - 3 : i]) for i in range(3, n - 2)
    }
    best = max(rises, key=rises.__getitem__)
    near = [i for i in (best - 1, best, best + 1) if i in rises]
    at = max(near, key=lambda i: logs[i] - logs[i - 1])
    before, rise = naive.median(logs[at - 3 : at]), rises[at]
    late = naive.median(logs[at:]) - before
    scatter = max(noise(logs), noise(logs[max(0, at - 100) : at + 100]))
    if rise < max(math.log(1.3), 5.0 * scatter):
        return None
    side = max(3, int(0.02 * n))
    level = naive.median(logs[at : at + side]) - naive.median(logs[max(0, at - side) : at])
    if level < 0.6 * rise:
        return None
    if logs[at] - logs[at - 1] < 0.6 * rise or late < 0.6 * rise:
        return None
    measures = {
        "before": math.exp(before),
        "after": math.exp(before + rise),
        "factor": math.exp(rise),
        "z": rise / scatter if scatter else 1e6,
        "rise": rise,
        "late": late,
    }
    return Told(Shape.RISE, (steps[at], steps[at], steps[-1]), measures)


def scissors(train: list[float], steps: list[int], logs: list[float]) -> Told | None:
    """A tenth and three scatters above the best after it, mostly rising, while training falls."""
    n = len(logs)
    smooth = naive.rolling_median(logs, 3)
    best = smooth.index(min(smooth))
    after = smooth[best:]
    if len(after) < 4:
        return None
    end = naive.median(smooth[-min(max(3, n // 5), len(after) - 1) :])
    thin = after[:: max(1, len(after) // 200)]
    if end - smooth[best] < max(math.log(1.1), 3.0 * noise(logs)) or naive.kendall_tau(thin) < 0.3:
        return None
    if not train_falls(train, steps[best], steps[-1]):
        return None
    lowest = logs.index(min(logs))
    measures = {
        "best": math.exp(logs[lowest]),
        "last": math.exp(end),
        "best_step": float(steps[lowest]),
        "rise_percent": 100.0 * (math.exp(end - logs[lowest]) - 1.0),
    }
    return Told(Shape.SCISSORS, (steps[lowest], steps[-1], steps[-1]), measures)


def standstill(train: list[float], steps: list[int], logs: list[float]) -> Told | None:
    """No better than 1 % for half of the evaluations, while training fell by a sixth."""
    n, lowest = len(logs), min(logs)
    since = next(i for i, v in enumerate(logs) if v <= lowest + 0.01)
    if since > 0.5 * n or n - since < 8 or not train_falls(train, steps[since], steps[-1]):
        return None
    spans = enumerate(train, 1)
    after = [v for i, v in spans if steps[since] <= i <= steps[-1] and math.isfinite(v)]
    part = max(3, len(after) // 10)
    fall = math.log(naive.median(after[:part]) / naive.median(after[-part:]))
    if fall < math.log(1.2):
        return None
    measures = {
        "best": math.exp(lowest),
        "last": math.exp(naive.median(logs[-3:])),
        "best_step": float(steps[since]),
        "train_fall_percent": 100.0 * (1.0 - math.exp(-fall)),
    }
    return Told(Shape.LEFT_BEHIND, (steps[since], steps[-1], steps[-1]), measures)
