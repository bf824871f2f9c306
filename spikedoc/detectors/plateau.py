"""A loss that fell for a while and then stands still far too high."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.constants import chance_loss, double_softmax_floor
from spikedoc.model.loss_terms import is_sum_of_terms
from spikedoc.model.metric import Metric
from spikedoc.model.quality import POOR_ACCURACY
from spikedoc.model.run import FloatArray, Run
from spikedoc.signal.baseline import block_medians
from spikedoc.signal.level import Levels, levels
from spikedoc.signal.printed import decimals, is_staircase
from spikedoc.signal.trend import trend
from spikedoc.signal.view import View, view

NAME: Final = "plateau"
MIN_POINTS: Final = 100
# Standing still: in the second half no steady fall, or one of less than 3 %.
STILL_TAU: Final = -0.4
STILL_CHANGE: Final = 0.03
# It ends at its best level, or hardly above: what had been far better fell back, which is another
# finding.
BEST_LEVEL: Final = 1.3
# Creeping: less than 10 % in the second half.
CREEP_CHANGE: Final = 0.10
# Twice softmax: the loss began at ln C at most, ends within half a per cent of ln(1 + (C-1)/e)
# and never went below it. The end alone fits one healthy plateau in a hundred.
FLOOR_WIDTH: Final = 0.005
FLOOR_CLASSES: Final = (10, 100, 1000)
FLOOR_BLOCKS: Final = 40
# Up to a fifth above that floor when validation is held up there as well, and more of its answers
# are right than such a loss allows: a model that is right in a share a of C classes needs no more
# than -a ln a - (1-a) ln((1-a)/(C-1)), spreading its doubt evenly. Something keeps it unsure.
FLOOR_ABOVE: Final = 1.2
FLOOR_VAL: Final = 0.98
SURE_LOSS: Final = 0.85
SURE_LEAST: Final = 0.5
# Near guessing: it began at ln C and ends above 70 % of it; C within 5 % of a known count.
NEAR_CHANCE: Final = 0.7
AT_CHANCE: Final = 0.05
# A share of right answers that stays poor, beside a loss that falls by so many nats at most.
POOR_FALL: Final = 0.35
# … unless it grew by a quarter, and to four times that of guessing, whose loss is the first one: of
# a hundred tokens a language model may get twenty right in health.
POOR_GROWTH: Final = 1.25
POOR_ENDS: Final = 3
KNOWS: Final = 4.0
MIN_EVALUATIONS: Final = 3
# The learning rate at a hundredth of its peak from before this share of the run on, and nothing
# learned since; a loss at a quarter of its start has converged.
LR_GONE: Final = 0.01
LR_GONE_BY: Final = 0.3
CONVERGED: Final = 0.25
# Two cuts to a tenth make a hundredth, to the digits that are printed.
ROUNDED: Final = 1e-4
# Gone within the first seventh of the run, it has to have come to a tenth: no schedule that was
# meant spends six sevenths of a training on nothing.
LR_GONE_EARLY: Final = 0.15
CONVERGED_EARLY: Final = 0.1
# From a tenth of its peak or more to a hundred-thousandth between two logged points: what one
# step moved takes as many now. No schedule ends so, and where the loss was still falling the rest
# of the run, a third of it or more, is lost whatever the level.
SWITCHED_FROM: Final = 0.1
SWITCHED_TO: Final = 1e-5
SWITCHED_BY: Final = 2.0 / 3.0
# A rate of exactly 0 trains nothing, whatever schedule it ends: for half of the run is no tail.
ZERO_BY: Final = 0.5
# Losses are printed with four decimals, rarely five; with more all digits are there.
MANY_DECIMALS: Final = 6
ONE_UNIT: Final = 1.5  # not two


def detect(run: Run) -> tuple[Detection, ...]:
    """Return PLATEAU when the loss stands still at a level that something gives away as too high.

    A level alone says nothing: a hard task may end high. One of four signs is asked for.
    """
    series = run.get(Metric.LOSS)
    if series is None:
        return ()
    seen = view(series.steps, series.values)
    if len(seen) < MIN_POINTS or float(seen.values.min()) <= 0:
        return ()
    level, half = levels(seen.values), trend(seen.judged[len(seen) // 2 :])
    if level.end > BEST_LEVEL * level.best:
        return ()
    creeps = half.change > -CREEP_CHANGE
    still = half.tau > STILL_TAU or half.change > -STILL_CHANGE
    signs = _at_floor(run, seen, level)
    if signs is None and creeps:
        signs = _near_chance(run, level) or _poor_accuracy(run, level)
    if signs is None and still:
        signs = _lr_gone(run, seen, level)
    if signs is None:
        return ()
    first = int(signs.pop("off_step", seen.steps[_reached(seen, level)]))
    measures = {"first": level.start, "best": level.best, "last": level.end, **signs}
    measures["still"] = float(still or "floor" in signs)
    last = int(seen.steps[-1])
    return (Detection(NAME, Shape.PLATEAU, series.name, first, first, last, measures),)


def _reached(seen: View, level: Levels) -> int:
    """Return the index at which the final level was first reached."""
    return int(np.argmax(seen.values <= level.end))


def _classes(run: Run) -> int | None:
    known = run.config.get("num_classes")
    return known if isinstance(known, int) and known > 1 else None


def _at_floor(run: Run, seen: View, level: Levels) -> dict[str, float] | None:
    if is_sum_of_terms(run):
        return None
    known = _classes(run)
    blocks = block_medians(seen.values, max(5, len(seen) // FLOOR_BLOCKS))
    for classes in (known,) if known else FLOOR_CLASSES:
        floor = double_softmax_floor(classes)
        near = abs(level.end - floor) <= FLOOR_WIDTH * floor
        unsure = floor <= level.end <= FLOOR_ABOVE * floor and _is_unsure(run, classes, floor)
        above = float(blocks.min()) >= (1 - FLOOR_WIDTH) * floor
        began = (1 + AT_CHANCE) * floor < level.start <= (1 + AT_CHANCE) * chance_loss(classes)
        if (near or unsure) and above and began:
            return {"floor": floor, "classes": float(classes)}
    return None


def _is_unsure(run: Run, classes: int, floor: float) -> bool:
    """Return whether validation is right far more often than its loss, above `floor`, allows."""
    val = run.get(Metric.VAL_LOSS)
    losses = np.zeros(0) if val is None else val.finite()[1][-MIN_EVALUATIONS:]
    if losses.size < MIN_EVALUATIONS or float(losses.min()) < FLOOR_VAL * floor:
        return False
    for series in run.all(Metric.VAL_METRIC):
        values = series.finite()[1][-MIN_EVALUATIONS:]
        share = float(np.median(values)) if values.size == MIN_EVALUATIONS else 0.0
        if "acc" not in series.tag.lower() or not SURE_LEAST <= share <= 1.0:
            continue
        wrong = max(1.0 - share, float(np.finfo(float).tiny))
        needed = -share * np.log(share) - wrong * np.log(wrong / (classes - 1))
        return bool(needed <= SURE_LOSS * float(losses.min()))
    return False


def _near_chance(run: Run, level: Levels) -> dict[str, float] | None:
    classes = _classes(run)
    if classes is None or is_sum_of_terms(run):
        return None
    chance = chance_loss(classes)
    began = level.start >= (1 - AT_CHANCE) * chance
    if not began or level.end < NEAR_CHANCE * chance:
        return None
    return {"chance": chance, "classes": float(classes)}


def _poor_accuracy(run: Run, level: Levels) -> dict[str, float] | None:
    if np.log(level.start) - np.log(level.end) > POOR_FALL:
        return None
    for series in run.all(Metric.VAL_METRIC):
        values = series.finite()[1]
        if "acc" not in series.tag.lower() or values.size < MIN_EVALUATIONS:
            continue
        end = float(np.median(values[-POOR_ENDS:]))
        learns = end > max(POOR_GROWTH * float(values[0]), KNOWS * float(np.exp(-level.start)))
        if not learns and float(values.min()) >= 0 and float(values.max()) <= POOR_ACCURACY:
            return {"accuracy": float(values[-1])}
    return None


def _lr_gone(run: Run, seen: View, level: Levels) -> dict[str, float] | None:
    lr = run.get(Metric.LR)
    if lr is None or len(lr) < MIN_POINTS:
        return None
    steps, values = lr.finite()
    peak = float(values.max()) if values.size else 0.0
    low = np.flatnonzero(values > LR_GONE * peak * (1 + ROUNDED))
    if peak <= 0 or low.size == 0 or int(low[-1]) + 1 >= values.size:
        return None
    at = int(low[-1]) + 1
    gone, span = int(steps[at]), float(steps[-1] - steps[0])
    rates = (float(values[at - 1]), float(values[at:].max()))
    off = rates[0] >= SWITCHED_FROM * peak and rates[1] <= SWITCHED_TO * peak
    off = off and not _is_printed_short(values, seen) and _stops_at(seen, gone)
    is_early = gone - float(steps[0]) <= LR_GONE_EARLY * span
    converged = CONVERGED_EARLY if is_early else CONVERGED
    if not off and level.end <= converged * level.start:
        return None
    latest = SWITCHED_BY if off else LR_GONE_BY
    zero = int(np.flatnonzero(values)[-1]) + 1
    if zero < values.size and not _is_printed_short(values, seen):
        latest = max(latest, ZERO_BY)
    if gone - float(steps[0]) > latest * span or not _still_since(seen, gone):
        return None
    found = {"lr_step": float(gone), "lr_peak": peak, "lr_after": float(values[-1])}
    return found | {"off_step": float(gone)} if off else found


def _is_printed_short(rates: FloatArray, seen: View) -> bool:
    """Return whether a rate that reads 0 may be any rate too small for the decimals of its column.

    So it may where the rates go up and down by units of the last one, and where the only step is
    from one unit to 0 in a log that prints its loss as short.
    """
    if is_staircase(rates):
        return True
    printed, beside = decimals(rates), decimals(seen.values)
    if printed is None or beside is None or beside >= MANY_DECIMALS:
        return False
    return float(rates.max()) <= ONE_UNIT * 10.0**-printed


def _stops_at(seen: View, step: int) -> bool:
    """Return whether the loss was on its way down in the half before `step` and has none after.

    Rates printed with few decimals fall to 0 as abruptly, beside a loss that goes on falling.
    """
    at = int(np.searchsorted(seen.steps, step))
    if min(at, len(seen) - at) < MIN_POINTS // 2:
        return False
    before, after = trend(seen.judged[at // 2 : at]), trend(seen.judged[at:])
    fell = before.tau <= STILL_TAU and before.change <= -STILL_CHANGE
    return fell and after.tau > STILL_TAU


def _still_since(seen: View, step: int) -> bool:
    after: FloatArray = seen.judged[seen.steps >= step]
    if after.size < MIN_POINTS // 2:
        return False
    course = trend(after)
    return course.tau > STILL_TAU or course.change > -STILL_CHANGE


DETECTOR: Final = detect
