"""The detector of plateaus as plain loops over its definition."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import naive
from plain.levels import Levels, levels, trend
from told import Told

from spikedoc.model.anomaly import Shape


@dataclass
class Case:
    """A finite loss at the steps 1, 2, 3 …, and what was logged beside it."""

    values: list[float]
    judged: list[float]
    classes: int | None = None
    val: list[float] = field(default_factory=list)
    metrics: list[tuple[str, list[float]]] = field(default_factory=list)
    lr: list[float] = field(default_factory=list)  # at the steps of the loss


def plateau(case: Case) -> list[Told]:
    values, n = case.values, len(case.values)
    if n < 100 or min(values) <= 0:
        return []
    level = levels(values)
    tau, change = trend(case.judged[n // 2 :])
    if level.end > 1.3 * level.best:
        return []
    still = tau > -0.4 or change > -0.03
    signs = at_floor(case, level)
    if not signs and change > -0.10:
        signs = near_chance(case, level) or poor_accuracy(case, level)
    if not signs and still:
        signs = lr_gone(case, level)
    if not signs:
        return []
    reached = next(i for i, v in enumerate(values) if v <= level.end) + 1
    first = int(signs.pop("off_step", reached))
    measures = {"first": level.start, "best": level.best, "last": level.end, **signs}
    measures["still"] = float(still or "floor" in signs)
    return [Told(Shape.PLATEAU, (first, first, n), measures)]


def at_floor(case: Case, level: Levels) -> dict[str, float]:
    """Within half a per cent of ln(1 + (C - 1) / e), or a fifth above where answers are right;
    never below, and begun above it, at a guess among C at most."""
    lowest = min(naive.block_medians(case.values, max(5, len(case.values) // 40)))
    for classes in (case.classes,) if case.classes else (10, 100, 1000):
        floor = math.log(1 + (classes - 1) / math.e)
        near = abs(level.end - floor) <= 0.005 * floor
        unsure = floor <= level.end <= 1.2 * floor and is_unsure(case, classes, floor)
        began = 1.05 * floor < level.start <= 1.05 * math.log(classes)
        if (near or unsure) and lowest >= 0.995 * floor and began:
            return {"floor": floor, "classes": float(classes)}
    return {}


def is_unsure(case: Case, classes: int, floor: float) -> bool:
    """The last three validation losses are as high, and right answers need less than .85 of it."""
    losses = [v for v in case.val if math.isfinite(v)][-3:]
    if len(losses) < 3 or min(losses) < 0.98 * floor:
        return False
    for tag, values in case.metrics:
        shares = [v for v in values if math.isfinite(v)][-3:]
        if "acc" in tag.lower() and len(shares) == 3 and 0.5 <= naive.median(shares) <= 1.0:
            share = naive.median(shares)
            wrong = 1.0 - share
            needed = -share * math.log(share)
            if wrong:
                needed -= wrong * math.log(wrong / (classes - 1))
            return needed <= 0.85 * min(losses)
    return False


def near_chance(case: Case, level: Levels) -> dict[str, float]:
    if case.classes is None:
        return {}
    chance = math.log(case.classes)
    if level.start < 0.95 * chance or level.end < 0.7 * chance:
        return {}
    return {"chance": chance, "classes": float(case.classes)}


def poor_accuracy(case: Case, level: Levels) -> dict[str, float]:
    if math.log(level.start) - math.log(level.end) > 0.35:
        return {}
    for tag, values in case.metrics:
        known = [v for v in values if math.isfinite(v)]
        if "acc" in tag.lower() and len(known) >= 3 and min(known) >= 0 and max(known) <= 0.25:
            return {"accuracy": known[-1]}
    return {}


def lr_gone(case: Case, level: Levels) -> dict[str, float]:
    """A rate at a hundredth of its peak from the first three tenths on, and nothing learned since
    in fifty points at least: not a quarter of the start reached, or a tenth by three twentieths.

    Or one switched off at once while the loss fell, in the first two thirds, whatever the level.
    """
    if len(case.lr) < 100:
        return {}
    known = [(i + 1, v) for i, v in enumerate(case.lr) if math.isfinite(v)]
    peak = max((v for _, v in known), default=0.0)
    high = [k for k, (_, v) in enumerate(known) if v > 0.010001 * peak]
    if peak <= 0 or high[-1] + 1 >= len(known):
        return {}
    gone = known[high[-1] + 1][0]
    before, after = case.judged[: gone - 1], case.judged[gone - 1 :]
    tau, change = trend(after)
    off = known[high[-1]][1] >= 0.1 * peak
    off = off and all(v <= 1e-5 * peak for _, v in known[high[-1] + 1 :])
    off = off and len(before) >= 50
    if off:
        falling, fall = trend(before[len(before) // 2 :])
        off = falling <= -0.4 and fall <= -0.03 and tau > -0.4
    is_early = gone - known[0][0] <= 0.15 * (known[-1][0] - known[0][0])
    if not off and level.end <= (0.1 if is_early else 0.25) * level.start:
        return {}
    share = 2 / 3 if off else 0.3
    late = gone - known[0][0] > share * (known[-1][0] - known[0][0])
    if late or len(after) < 50 or (tau <= -0.4 and change <= -0.03):
        return {}
    told = {"lr_step": float(gone), "lr_peak": peak, "lr_after": known[-1][1]}
    return told | ({"off_step": float(gone)} if off else {})
