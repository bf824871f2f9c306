"""The excursion of the loss: does it come back, how high it is, where in the run it lies."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from spikedoc.evidence._answers import (
    UNKNOWN,
    answer,
    has_onset,
    is_held_out,
    saying,
)
from spikedoc.evidence._events import loss_jump
from spikedoc.evidence._recovery import OFF_FEWEST, recovery
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric, spoken
from spikedoc.signal.around import finite_only, first_from, last_before
from spikedoc.text import Text

# "At once" is the definition of an isolated spike: up and back within three logged points.
AT_ONCE_POINTS: Final = 3
# Points whose median is the level at the start of the run.
START_POINTS: Final = 5
# Below a tenth of the first loss most of the learning is done and log-noise grows.
FLOOR_SHARE: Final = 0.10
# Points before the onset that give its level.
RUN_FEWEST: Final = 20
# Jumps of four orders of magnitude, or losses no classifier or language model has, are blow-ups.
HUGE_FACTOR: Final = 1e4
HUGE_LOSS: Final = 1e6
# Kinds that leave the loss at a level instead of touching it.
LEVELS: Final = frozenset({Kind.LEVEL_SHIFT, Kind.DIVERGENCE, Kind.SUSTAINED_DRIFT})
# Above the start by 5 %: the first points scatter by that much themselves.
ABOVE_START: Final = 0.05


def _returns_at_once(case: Case) -> Answer:
    way = recovery(case)
    if way is None or is_held_out(case):
        return UNKNOWN  # an evaluation holds many batches: that it passed says nothing of one
    quick = way.points is not None and way.points <= AT_ONCE_POINTS
    if not quick and way.points is not None:
        return saying(
            answer(False, points=way.points, name=spoken(way.name)),
            "{name} was not back within three logged points: it took {points}",
            "{name} 没有在三个记录点内恢复，而是用了 {points} 个",
        )
    shown = way.points if way.points is not None else way.after
    if quick and shown == 0:
        return saying(
            answer(quick, points=shown, before=way.before, peak=way.peak, name=spoken(way.name)),
            "{name} was back at its level right after the peak ({before} before, {peak} at the "
            "peak)",
            "{name} 在峰值之后立即回到原水平（之前 {before}，峰值 {peak}）",
        )
    return answer(quick, points=shown, before=way.before, peak=way.peak, name=spoken(way.name))


def _returns_slowly(case: Case) -> Answer:
    way = recovery(case)
    if way is None or (way.points is None and way.after < OFF_FEWEST):
        return UNKNOWN
    if way.points is None:
        return saying(
            answer(False, points=way.after, name=spoken(way.name)),
            "There was no slow return: {name} never came back in {points} {points|point|points} "
            "logged after the peak",
            "不是缓慢恢复：峰值之后的 {points} 个记录点里，{name} 始终没有恢复",
        )
    slow = way.points > AT_ONCE_POINTS
    return answer(slow, points=way.points, steps=way.steps, name=spoken(way.name))


def _stays_off(case: Case) -> Answer:
    way = recovery(case)
    if way is None or (way.points is None and way.after < OFF_FEWEST):
        return UNKNOWN
    never = way.points is None
    told = answer(never, points=way.after, steps=way.steps, before=way.before, peak=way.peak)
    return Answer(told.holds, {**told.values, "name": spoken(way.name)})


def _loss_near_floor(case: Case) -> Answer:
    loss = case.run.get(Metric.LOSS)
    if loss is None or not has_onset(case):
        return UNKNOWN
    own = case.anomaly.signal
    if case.anomaly.kind is Kind.NONFINITE and own != loss.name and loss.is_finite.all():
        return UNKNOWN  # what broke is not the loss
    start = first_from(loss.steps, loss.values, case.run.first_step, START_POINTS)
    before = last_before(loss.steps, loss.values, case.anomaly.start_step, RUN_FEWEST)
    if start.size < START_POINTS or before.size < RUN_FEWEST:
        return UNKNOWN
    rise = loss_jump(case)
    first = float(np.median(start))
    level = float(np.median(before)) if rise is None else rise.before
    if first <= 0 or level < 0:
        return UNKNOWN
    return answer(level <= FLOOR_SHARE * first, level=level, start=first)


def _loss_exceeds_start(case: Case) -> Answer:
    loss = case.run.get(Metric.LOSS)
    if loss is None or not has_onset(case):
        return UNKNOWN
    start = first_from(loss.steps, loss.values, case.run.first_step, START_POINTS)
    if start.size < START_POINTS or case.anomaly.start_step <= loss.steps[START_POINTS - 1]:
        return UNKNOWN
    first = float(np.median(start))
    if case.anomaly.kind in LEVELS:
        after = finite_only(loss.window(case.anomaly.start_step, case.anomaly.end_step))
        level = float(np.median(after)) if after.size else math.nan
    else:
        rise = loss_jump(case)
        level = rise.peak if rise is not None else math.nan
    above = level > first + ABOVE_START * abs(first)
    return UNKNOWN if math.isnan(level) else answer(above, level=level, start=first)


def _loss_is_huge(case: Case) -> Answer:
    rise = loss_jump(case)
    if rise is None:
        return UNKNOWN
    factor = rise.factor if not math.isnan(rise.factor) else 0.0
    huge = factor > HUGE_FACTOR or rise.peak > HUGE_LOSS
    return answer(huge, peak=rise.peak, before=rise.before, step=rise.step)


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "returns_at_once",
        Text("Is the loss back within three logged points?", "损失是否在三个记录点内恢复？"),
        Text(
            "{name} was back at its level {points} logged {points|point|points} after the peak "
            "({before} before, {peak} at the peak)",
            "{name} 在峰值之后 {points} 个记录点内就回到原水平（之前 {before}，峰值 {peak}）",
        ),
        Text(
            "{name} was not back within three logged points, and still off after {points}",
            "{name} 没有在三个记录点内恢复，{points} 个点之后仍偏高",
        ),
        _returns_at_once,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "returns_slowly",
        Text("Does the loss come back, but slowly?", "损失是否恢复得很慢？"),
        Text(
            "{name} needed {steps} {steps|step|steps} ({points} logged {points|point|points}) to "
            "come back",
            "{name} 用了 {steps} 步（{points} 个记录点）才恢复",
        ),
        Text(
            "There was no slow return: {name} was back after {points} logged {points|point|points}",
            "不是缓慢恢复：{name} 在 {points} 个记录点后就已恢复",
        ),
        _returns_slowly,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "stays_off",
        Text("Does the loss stay off its old level to the end?", "损失直到日志结束都没有恢复吗？"),
        Text(
            "{name} never came back to {before} in the {points} {points|point|points} logged "
            "after the peak of {peak}",
            "峰值 {peak} 之后的 {points} 个记录点里，{name} 始终没有回到 {before}",
        ),
        Text(
            "{name} came back to {before} after {steps} {steps|step|steps}",
            "{name} 在 {steps} 步后回到 {before}",
        ),
        _stays_off,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "loss_near_floor",
        Text("Had the loss nearly converged before the onset?", "异常发生前损失是否已接近收敛？"),
        Text(
            "Before step {onset} the loss was at {level}, at most a tenth of its start ({start})",
            "第 {onset} 步之前损失为 {level}，不到初始值 {start} 的十分之一，已接近收敛",
        ),
        Text(
            "Before step {onset} the loss was at {level}, still far from converged (start {start})",
            "第 {onset} 步之前损失为 {level}，离收敛还远（初始值 {start}）",
        ),
        _loss_near_floor,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "loss_exceeds_start",
        Text("Did the loss go above where it began?", "损失是否超过了初始值？"),
        Text(
            "The loss went to {level}, above the {start} it began with",
            "损失达到 {level}，高于初始值 {start}",
        ),
        Text(
            "The loss did not go clearly above its start ({level} against {start})",
            "损失没有明显超过初始值（{level}，初始 {start}）",
        ),
        _loss_exceeds_start,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "loss_is_huge",
        Text("Did the loss rise by orders of magnitude?", "损失是否上升了几个数量级？"),
        Text(
            "The loss rose from {before} to {peak} at step {step}: by orders of magnitude",
            "损失在第 {step} 步从 {before} 升到 {peak}，高出几个数量级",
        ),
        Text(
            "The loss peaked at {peak} (from {before}): no blow-up by orders of magnitude",
            "损失峰值为 {peak}（此前 {before}），没有高出几个数量级",
        ),
        _loss_is_huge,
        needs=(Metric.LOSS,),
    ),
)
