"""Whether the loss is defined differently from the anomaly on, and the model no worse."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.evidence._answers import UNKNOWN, answer, lacking, saying, setting, short
from spikedoc.evidence._facts import spacing
from spikedoc.evidence._profile import profile
from spikedoc.evidence._quality import change_at, first_directed
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Form, Kind
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series
from spikedoc.signal.around import first_from, last_before
from spikedoc.text import Text

# Points of the level on either side of the shift, and the fewest that make one.
SIDE_POINTS: Final = 100
SIDE_FEWEST: Final = 10
# A rise by a fifth for the rest of the log: the smallest that is not drift of the level itself.
RISE: Final = 1.2
# Smoothing values in use; .1 is the one nearly everybody takes.
SMOOTHINGS: Final = (0.05, 0.1, 0.2)
# A smoothed loss ends at its floor plus what it was above zero before, seldom 15 % more than that.
FLOOR_BELOW: Final = 0.97
FLOOR_ABOVE: Final = 1.15
# Where that was more than a third of the floor, nearly any level would fit one of the three.
BEFORE_MOST: Final = 1.0 / 3.0
# Classes read off the first loss: ln C of a usual C, a little less when it already falls.
USUAL_CLASSES: Final = (2, 3, 4, 5, 10, 20, 50, 100, 1000)
CLASSES_TOLERANCE: Final = 0.03
# Terms stay where they are: none moves a quarter of the way of their sum, in log units.
COMPONENT_SHARE: Final = 0.25
# ... which changed by a quarter at least.
TOTAL_MOVE: Final = 1.25
# Without terms: validation goes up half of the way of training at least, in log units.
VALIDATION_WAY: Final = 0.5
# So many logged components make up the total well enough to be judged.
COMPONENTS_FEWEST: Final = 2


def _is_rise(case: Case, loss: Series) -> bool:
    if case.anomaly.kind is Kind.SLOW_RECOVERY:
        # One that was over sooner lifts the level of what follows and leaves nothing behind.
        took = case.anomaly.measures.get("recovered_after_steps", math.inf)
        return took >= SIDE_POINTS * spacing(loss)
    return case.anomaly.kind is Kind.LEVEL_SHIFT and case.anomaly.form is not Form.DOWN


def _sides(case: Case, series: Series) -> tuple[float, float, float] | None:
    """Return the levels before the shift, after it and at the end; None with too few points."""
    steps, values = series.steps, series.values
    before = last_before(steps, values, case.anomaly.start_step, SIDE_POINTS)
    after = first_from(steps, values, case.anomaly.peak_step, SIDE_POINTS)
    end = last_before(steps, values, case.run.last_step + 1, SIDE_POINTS)
    if min(before.size, after.size, end.size) < SIDE_FEWEST:
        return None
    return _level(before), _level(after), _level(end)


def _level(values: NDArray[np.float64]) -> float:
    return float(np.median(values))


def _metric_unharmed_by_rise(case: Case) -> Answer:
    loss, found = case.run.get(Metric.LOSS), first_directed(case.run, (Metric.VAL_METRIC,))
    if found is None:
        return lacking(Metric.VAL_METRIC)
    sides = _sides(case, loss) if loss is not None and _is_rise(case, loss) else None
    if sides is None or sides[0] <= 0 or sides[1] < RISE * sides[0]:
        return UNKNOWN
    series, sign = found
    change = change_at(series, sign, case.anomaly.start_step, case.anomaly.peak_step)
    if change is None:
        return UNKNOWN
    return answer(
        not change.is_worse,
        name=series.spoken,
        before=change.before,
        after=change.after,
        low=short(sides[0]),
        high=short(sides[1]),
    )


def _classes(case: Case) -> int | None:
    """Return the number of classes from the config or from a first loss of ln C."""
    known = setting(case, "num_classes")
    if known is not None:
        return int(known) if known > 1 else None
    whole = profile(case.run.get(Metric.LOSS))
    if whole is None:
        return None
    count = min(USUAL_CLASSES, key=lambda c: abs(math.log(c) - whole.start))
    near = abs(whole.start / math.log(count) - 1) <= CLASSES_TOLERANCE
    return count if near else None


def smoothing_floor(classes: int, smoothing: float) -> float:
    """Return the entropy in nats of a smoothed target, the lowest a cross-entropy can get."""
    low = smoothing / classes
    high = 1 - smoothing + low
    return -high * math.log(high) - (classes - 1) * low * math.log(low)


def _rise_fits_smoothing(case: Case) -> Answer:
    loss, classes = case.run.get(Metric.LOSS), _classes(case)
    sides = _sides(case, loss) if loss is not None and _is_rise(case, loss) else None
    # Several terms make no plain cross-entropy.
    if sides is None or classes is None or len(components(case.run)) >= COMPONENTS_FEWEST:
        return UNKNOWN
    before, _, end = sides
    floors = {s: smoothing_floor(classes, s) for s in SMOOTHINGS}
    value = min(floors, key=lambda s: abs(floors[s] - end))
    floor = floors[value]
    fits = before < floor and FLOOR_BELOW * floor <= end <= FLOOR_ABOVE * floor + before
    if fits and before > BEFORE_MOST * floor:
        return UNKNOWN
    return answer(
        fits,
        level=short(end),
        before=short(before),
        floor=round(floor, 4),
        classes=classes,
        smoothing=value,
    )


def components(run: Run) -> tuple[Series, ...]:
    """Return the logged terms of the training loss."""
    return run.all(Metric.LOSS_COMPONENT)


def _factor(case: Case, series: Series) -> float | None:
    sides = _sides(case, series)
    if sides is None or min(sides) <= 0:
        return None
    return sides[1] / sides[0]


def _evaluated_alike(case: Case, loss: Series) -> Answer:
    """Answer without terms: validation data are what they were, and so are the answers to them.

    Where their loss goes up all the same, by half as far as that of training, it is the loss that
    changed. Harder training data leave both where they were, a worse model neither.
    """
    val, found = case.run.get(Metric.VAL_LOSS), first_directed(case.run, (Metric.VAL_METRIC,))
    sides = _sides(case, loss)
    if val is None or found is None or sides is None or min(sides) <= 0:
        return lacking(Metric.LOSS_COMPONENT)
    where = (float(case.anomaly.start_step), float(case.anomaly.peak_step))
    held, quality = change_at(val, -1, *where), change_at(*found, *where)
    if held is None or quality is None or held.before <= 0 or quality.is_worse:
        return lacking(Metric.LOSS_COMPONENT)
    moved = math.log(sides[1] / sides[0])
    if not held.is_worse or math.log(held.after / held.before) < VALIDATION_WAY * moved:
        return lacking(Metric.LOSS_COMPONENT)
    return saying(
        answer(
            True,
            name=val.spoken,
            quality=found[0].spoken,
            low=short(held.before),
            high=short(held.after),
        ),
        "{name} rose with it ({low} to {high}) while {quality} did not get worse: the same answers "
        "cost more, so what the loss measures has changed",
        "{name} 也随之上升（{low} 到 {high}），而 {quality} 没有变差："
        "同样的输出代价更高，说明损失的定义变了",
    )


def _components_unchanged(case: Case) -> Answer:
    loss, terms = case.run.get(Metric.LOSS), components(case.run)
    if loss is None or case.anomaly.kind is not Kind.LEVEL_SHIFT:
        return UNKNOWN
    if len(terms) < COMPONENTS_FEWEST:
        return _evaluated_alike(case, loss)
    total, moves = _factor(case, loss), [_factor(case, term) for term in terms]
    known = [max(move, 1 / move) for move in moves if move is not None]
    if total is None or len(known) < COMPONENTS_FEWEST:
        return UNKNOWN
    moved = math.log(max(total, 1 / total))
    still = moved >= math.log(TOTAL_MOVE) and math.log(max(known)) <= COMPONENT_SHARE * moved
    return answer(still, factor=short(total), count=len(known), most=short(max(known)))


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "metric_unharmed_by_rise",
        Text(
            "Does the loss rise for good while the quality metric does not get worse?",
            "损失持续升高时，质量指标是否没有变差？",
        ),
        Text(
            "The loss went from {low} to {high} while {name} did not get worse ({before} → "
            "{after}): what the loss measures may have changed, the model is not worse",
            "损失从 {low} 升到 {high}，而 {name} 没有变差（{before} → {after}）：可能是损失的"
            "定义变了，模型并没有变差",
        ),
        Text(
            "{name} got worse while the loss was up ({before} → {after})",
            "{name} 在损失升高期间变差（{before} → {after}）",
        ),
        _metric_unharmed_by_rise,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "rise_fits_smoothing",
        Text(
            "Is the new level the floor of a usual label smoothing?",
            "新的水平是否等于常用标签平滑的损失下限？",
        ),
        Text(
            "The new level {level} is what label smoothing of {smoothing} would lead to with "
            "{classes} classes: {floor} at least, and the loss was at {before} before",
            "新的水平 {level} 与 {classes} 类、标签平滑系数 {smoothing} 相符：此时损失的下限为 "
            "{floor}，而此前的水平是 {before}",
        ),
        Text(
            "The new level {level} is not the floor of a usual label smoothing (nearest: "
            "{floor} for {smoothing} and {classes} classes)",
            "新的水平 {level} 不是常用标签平滑的下限（最接近的是 {floor}，{classes} 类、系数 "
            "{smoothing}）",
        ),
        _rise_fits_smoothing,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "components_unchanged",
        Text(
            "Do the terms of the loss stay while their sum changes?",
            "总损失改变时各分项是否基本不变？",
        ),
        Text(
            "The total loss changed {factor}x while none of its {count} logged terms moved by "
            "more than {most}x: a weight changed",
            "总损失变为 {factor} 倍，而记录的 {count} 个分项变化都不超过 {most} 倍：改变的是权重",
        ),
        Text(
            "The terms of the loss moved too (by up to {most}x; total {factor}x)",
            "损失的分项也变了（最多 {most} 倍，总损失 {factor} 倍）",
        ),
        _components_unchanged,
        needs=(Metric.LOSS,),
    ),
)
