"""What a log of a few points can show beyond doubt: a lone point, a step, a climb, a standstill."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np

from spikedoc.detectors._answers import POOR_POINTS, all_poor, answers_well
from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.constants import COMMON_CLASSES, chance_loss
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, IntArray, Run
from spikedoc.signal.around import trend
from spikedoc.signal.level import is_printed_away

NAME: Final = "short_course"
# From this many finite points on the other detectors have enough to measure the noise.
MAX_POINTS: Final = 60
# A lone point: so many times further out than all others spread, among at least so many others.
LONE_SPREADS: Final = 20.0
LONE_OTHERS: Final = 5
# A step up: at least so many points on either side, a third above everything before, and the means
# so many pooled scatters apart. Simulated (flat or falling, log-normal noise of sigma .05 to 1,
# Gaussian or of Student t with 3 degrees, 6 to 59 points): 2 in 18,000.
STEP_SIDE: Final = 3
# From here on levels are compared over windows of ten points (`signal.contrast`), not before.
STEP_MOST: Final = 80
STEP_MARGIN: Final = float(np.log(1.3))
STEP_SIGMAS: Final = 4.0
# The same above the last eight points alone, on a curve that fell before: five of them at least,
# and five that stay up. Simulated as above: none in 36,000 beside those of the first kind.
NEAR_POINTS: Final = 8
NEAR_SIDE: Final = 5
NEAR_SIGMAS: Final = 5.0
# Above the last five alone, as the first epochs lie high: another sigma for one more look.
NEAREST_SIGMAS: Final = 6.0
# An explosion leaves no time for that: two points on either side, the later ones ten times all that
# came before and the last one a hundred times. Simulated as above, from 5 points on, sigma up to 1:
# none in 50,400.
BLAST_POINTS: Final = 5
BLAST_SIDE: Final = 2
BLAST_MARGIN: Final = float(np.log(10.0))
BLAST_END: Final = float(np.log(100.0))
# A turn: down to one point and up again from there, both ways steadily (Kendall's tau), over at
# least so many points each way, to three times the lowest and so many scatters above it. Simulated
# as above, from 8 points on: 22 in 151,200, at sigma 1 nearly all.
TURN_DOWN: Final = 4
TURN_UP: Final = 3
TURN_TREND: Final = 0.9
TURN_RISE: Final = float(np.log(3.0))
TURN_SIGMAS: Final = 4.0
# A climb: from eight points on (Kendall's tau of .75 comes about by chance once in 300 there, once
# in 30,000 with twelve), by a tenth in all, which no fall before takes back.
CLIMB_POINTS: Final = 8
CLIMB_TREND: Final = 0.8
CLIMB_RISE: Final = float(np.log(1.1))
# With a validation loss that climbs as well a less steady climb is believed: by a quarter each.
# Simulated (flat or falling, sigma .05 to 1 of either tail, half of it common to both series, 8 to
# 59 points): 4 in 60,000.
CLIMB_TREND_BOTH: Final = 0.5
CLIMB_RISE_BOTH: Final = float(np.log(1.25))
# A standstill of whole epochs: the same four digits again and again, at no small level …
SAME_DIGITS: Final = 5e-4
SAME_POINTS: Final = 5
SAME_LEVEL: Final = 0.5
# … or every epoch but the first, which holds the way down from the initialisation, within 1 % of
# ln C of a count that is usual for classifiers …
CHANCE_WIDTH: Final = 0.01
CHANCE_POINTS: Final = 5
CHANCE_FROM: Final = 10  # ln 2 = .69 is where many a loss happens to be
EXACT_WIDTH: Final = 1e-3
# … or of eight and more, which fall by less than a third of a nat and than a tenth of themselves
# (the loss of a regression is a small number), none with more than poor answers.
POOR_FALL: Final = 0.35
POOR_SHARE: Final = 0.1


def detect(run: Run) -> tuple[Detection, ...]:
    """Return LONE, STEP_UP, CLIMB or STANDSTILL, the first that holds, of a short loss."""
    series = run.main_loss
    if series is None:
        return ()
    steps, values = series.finite()
    if MAX_POINTS <= values.size < STEP_MOST:
        step = _step_up(series.name, steps, values)
        return () if step is None else (step,)
    if not STEP_SIDE <= values.size < MAX_POINTS:
        return ()
    found = (
        _lone(series.name, steps, values)
        or _step_up(series.name, steps, values)
        or _blast(series.name, steps, values)
        or _turn(series.name, steps, values)
        or _climb(run, series.name, steps, values)
        or (_standstill(run, series.name, steps, values) if _counts_epochs(run, steps) else None)
    )
    return () if found is None else (found,)


def _counts_epochs(run: Run, steps: IntArray) -> bool:
    """Return whether each point is a whole epoch: the reader says so, or each was evaluated.

    Twenty steps at the level of a guess are the beginning of any training, five epochs are not.
    """
    if run.counts_epochs or run.config.get("steps_per_epoch") == 1:
        return True
    val = run.get(Metric.VAL_LOSS) or next(iter(run.all(Metric.VAL_METRIC)), None)
    return val is not None and len(val) >= SAME_POINTS and bool(np.isin(steps, val.steps).all())


def _lone(name: str, steps: IntArray, values: FloatArray) -> Detection | None:
    """Return the one point that lies many times further out than all others spread."""
    if values.size <= LONE_OTHERS:
        return None
    at = int(np.argmax(values))
    others = np.delete(values, at)
    spread = float(np.ptp(others))
    out = float(values[at]) - float(others.max())
    inside = 0 < at < values.size - 1
    if not inside or out < LONE_SPREADS * max(spread, abs(float(np.median(others)))):
        return None
    before = float(np.median(values[:at]))
    measures = {"before": before, "peak": float(values[at])}
    if before > 0:
        measures["factor"] = float(values[at]) / before
    step = int(steps[at])
    return Detection(NAME, Shape.LONE, name, step, step, int(steps[at + 1]), measures)


def _split(logs: FloatArray, reach: int, side: int, sigmas: float) -> int | None:
    """Return where all that follows lies above the `reach` points before, by the widest gap."""
    best: tuple[float, int] | None = None
    for at in range(side, logs.size - side + 1):
        before, after = logs[max(0, at - reach) : at], logs[at:]
        gap = float(after.min() - before.max())
        scatter = float(np.hypot(_scatter(before), _scatter(after)))
        apart = float(after.mean() - before.mean())
        if gap >= STEP_MARGIN and apart >= sigmas * scatter and (best is None or gap > best[0]):
            best = (gap, at)
    return None if best is None else best[1]


def _step_up(name: str, steps: IntArray, values: FloatArray) -> Detection | None:
    """Return the split after which everything lies clearly above everything before it.

    On a curve that fell it is enough to lie above what came right before, if that is plain.
    """
    if values.size < 2 * STEP_SIDE or float(values.min()) <= 0:
        return None
    logs = np.log(values)
    at = _split(logs, logs.size, STEP_SIDE, STEP_SIGMAS)
    if at is None:
        at = _split(logs, NEAR_POINTS, NEAR_SIDE, NEAR_SIGMAS)
    if at is None:
        at = _split(logs, NEAR_SIDE, NEAR_SIDE, NEAREST_SIGMAS)
    if at is None:
        return None
    return _stepped(name, steps, values, at)


def _stepped(name: str, steps: IntArray, values: FloatArray, at: int) -> Detection:
    low, high = float(values[:at].min()), float(np.median(values[at:]))
    measures = {"best": low, "after": high, "factor": high / low}
    step = int(steps[at])
    return Detection(NAME, Shape.STEP_UP, name, step, step, int(steps[-1]), measures)


def _blast(name: str, steps: IntArray, values: FloatArray) -> Detection | None:
    """Return the split after which the loss is tens of times what it was, and a hundred at last."""
    if values.size < BLAST_POINTS or float(values.min()) <= 0:
        return None
    logs = np.log(values)
    for at in range(BLAST_SIDE, logs.size - BLAST_SIDE + 1):
        before = float(logs[:at].max())
        rises = float(logs[at:].min()) - before >= BLAST_MARGIN
        if rises and float(logs[-1]) - before >= BLAST_END:
            return _stepped(name, steps, values, at)
    return None


def _turn(name: str, steps: IntArray, values: FloatArray) -> Detection | None:
    """Return the lowest point of a course that went down to it and goes up again ever since."""
    at = int(np.argmin(values))
    if at + 1 < TURN_DOWN or values.size - 1 - at < TURN_UP or float(values[at]) <= 0:
        return None
    logs = np.log(values)
    down, up = logs[: at + 1], logs[at:]
    rise = float(up[-1] - up[0])
    scatter = float(np.hypot(_scatter(down), _scatter(up)))
    steady = trend(down) <= -TURN_TREND and trend(up) >= TURN_TREND
    if not steady or rise < max(TURN_RISE, TURN_SIGMAS * scatter):
        return None
    return _stepped(name, steps, values, at + 1)


def _climb(run: Run, name: str, steps: IntArray, values: FloatArray) -> Detection | None:
    """Return the rise from the first points to the last of a series that does little else."""
    if not _climbs(values, CLIMB_TREND, CLIMB_RISE) and not (
        _climbs(values, CLIMB_TREND_BOTH, CLIMB_RISE_BOTH) and _val_climbs(run)
    ):
        return None
    before, after = float(np.median(values[:STEP_SIDE])), float(np.median(values[-STEP_SIDE:]))
    rise = float(np.log(after / before))
    measures = {"before": before, "after": after, "factor": after / before, "rise": rise}
    first, last = int(steps[0]), int(steps[-1])
    return Detection(NAME, Shape.CLIMB, name, first, last, last, measures)


def _climbs(values: FloatArray, steady: float, least: float) -> bool:
    """Return whether the values rise from first to last by `least` in logarithms, that steadily."""
    if values.size < CLIMB_POINTS or float(values.min()) <= 0:
        return False
    before, after = float(np.median(values[:STEP_SIDE])), float(np.median(values[-STEP_SIDE:]))
    return float(np.log(after / before)) >= least and trend(values) >= steady


def _val_climbs(run: Run) -> bool:
    val = run.get(Metric.VAL_LOSS)
    return val is not None and _climbs(val.finite()[1], CLIMB_TREND_BOTH, CLIMB_RISE_BOTH)


def _scatter(logs: FloatArray) -> float:
    """Return the scatter about a straight line: a descent is no noise."""
    changes = np.diff(logs)
    return float(np.std(changes)) / float(np.sqrt(2.0)) if changes.size else 0.0


def _standstill(run: Run, name: str, steps: IntArray, values: FloatArray) -> Detection | None:
    """Return a loss of whole epochs that repeats its digits, or never leaves a usual ln C."""
    first, last = float(values[0]), float(values[-1])
    measures = {"first": first, "best": float(values.min()), "last": last}
    same = values[1:]  # the first epoch holds the way down from the initialisation
    level = float(np.median(same))
    enough = values.size >= SAME_POINTS and level > 0 and level >= SAME_LEVEL * first
    enough = enough and not is_printed_away(same)
    if enough and float(np.ptp(same)) <= SAME_DIGITS * level and _repeats(same):
        return _standing(name, steps, measures)
    standing = _at_chance(run, name, steps, values, measures)
    # An accuracy that counts each of C yes-or-no answers is 1 - 1/C at the guess: where the loss
    # keeps its digits as well, it is no witness.
    exact = float(np.ptp(same)) <= EXACT_WIDTH * level if values.size >= POOR_POINTS else False
    if standing is not None and (exact or not answers_well(run)):
        return standing
    fall = first - float(values.min())
    stands = values.size >= POOR_POINTS and fall <= min(POOR_FALL, POOR_SHARE * abs(first))
    if stands and all_poor(run):
        return _standing(name, steps, measures)
    return None


def _at_chance(
    run: Run, name: str, steps: IntArray, values: FloatArray, measures: dict[str, float]
) -> Detection | None:
    """Return a loss that stays within 1 % of ln C, from the second epoch on at the latest."""
    first = float(values[0])
    known = run.config.get("num_classes")
    usual = tuple(c for c in COMMON_CLASSES if c >= CHANCE_FROM)
    for classes in (known,) if isinstance(known, int) and known > 1 else usual:
        chance = chance_loss(classes)
        near = np.abs(values / chance - 1.0) <= CHANCE_WIDTH
        if (bool(near.all()) and values.size >= CHANCE_POINTS) or (
            bool(near[1:].all()) and values.size > CHANCE_POINTS and first > chance
        ):
            known_chance = {"classes": float(classes), "chance": chance}
            return _standing(name, steps, measures | known_chance)
    return None


def _repeats(values: FloatArray) -> bool:
    """Return whether most values equal the one before: a slow descent does not repeat itself."""
    equal = [a == b for a, b in pairwise(values.tolist())]
    return 2 * equal.count(True) > len(equal)


def _standing(name: str, steps: IntArray, measures: dict[str, float]) -> Detection:
    first, last = int(steps[0]), int(steps[-1])
    return Detection(NAME, Shape.STANDSTILL, name, first, first, last, measures)


DETECTOR: Final = detect
