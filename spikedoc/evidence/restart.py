"""Whether the anomaly belongs to a restart, and what did not survive it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.evidence._anew import begins_anew
from spikedoc.evidence._answers import UNKNOWN, answer, has_onset, short
from spikedoc.evidence._restarts import keeps_no_trace, restart_before, restart_near
from spikedoc.evidence._schedule import jump_up_near
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Form, Kind
from spikedoc.model.metric import Metric
from spikedoc.model.run import Restart, Series
from spikedoc.signal.around import first_from, last_before
from spikedoc.signal.baseline import scatter
from spikedoc.text import Text

# A learning rate that moves by more than 1.3 from one point to the next was not carried over.
LR_RATIO: Final = 1.3
# Points before and after a restart that are compared, and the factor on their scatter.
SIDE_POINTS: Final = 20
FIRST_POINTS: Final = 5
SIGMAS: Final = 3.0
LOSS_RISE: Final = 1.05
# A pause this many times longer than the usual time between points is a gap.
GAP_FACTOR: Final = 10.0
GAP_FEWEST: Final = 20
GAP_NEAR: Final = 5
# Repeated data: lower than before by this many standard errors, later back up.
LATER_POINTS: Final = 60
BELOW: Final = 0.97
# Data that run out of repeats bring the loss back to where it was before them, within a quarter,
# after a fall at least twice as steep as before the restart.
BACK: Final = 0.75
STEEPER: Final = 2.0
# A noisy loss whose first value happens to be low: its level is what went up.
AFTER_RESTART: Final = Text(
    "After the restart (step {step}) the loss went from {before} to {after} (median of {count} "
    "points): something it depends on was not carried over",
    "重启后（第 {step} 步）损失从 {before} 变为 {after}（{count} 个点的中位数）："
    "有状态没有延续下来",
)


def _near_restart(case: Case) -> Answer:
    if not has_onset(case) or case.anomaly.form is Form.UPDATE:
        return UNKNOWN  # what comes back all the time begins at no restart
    restart = restart_near(case)
    if restart is None:
        unmarked = begins_anew(case) is not None or "unmarked" in case.anomaly.measures
        if unmarked and not case.run.restarts:
            return UNKNOWN  # this is what a restart looks like of which the log says nothing
        of_rate = case.anomaly.kind is Kind.LR_DISCONTINUITY or jump_up_near(case) is not None
        if of_rate and not case.run.restarts and keeps_no_trace(case.run):
            return UNKNOWN
        return answer(False, step=case.anomaly.start_step, count=len(case.run.restarts))
    return answer(
        True,
        step=case.anomaly.start_step,
        restart=restart.step,
        distance=abs(case.anomaly.start_step - restart.step),
        reason=restart.reason,
    )


def _sides(
    series: Series, restart: Restart
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    before = last_before(series.steps, series.values, restart.step, SIDE_POINTS)
    after = first_from(series.steps, series.values, restart.step, FIRST_POINTS)
    return (before, after) if before.size >= FIRST_POINTS and after.size >= FIRST_POINTS else None


def _lr_not_carried(case: Case) -> Answer:
    rate, restart = case.run.get(Metric.LR), restart_near(case)
    if rate is None or restart is None:
        return UNKNOWN
    before = last_before(rate.steps, rate.values, restart.step, 1)
    after = first_from(rate.steps, rate.values, restart.step, 1)
    if before.size == 0 or after.size == 0 or float(before[0]) <= 0:
        return UNKNOWN
    old, new = float(before[0]), float(after[0])
    moved = new > LR_RATIO * old or new < old / LR_RATIO
    return answer(moved, before=short(old), after=short(new), step=restart.step)


def _loss_not_carried(case: Case) -> Answer:
    loss, restart = case.run.get(Metric.LOSS), restart_near(case)
    sides = _sides(loss, restart) if loss is not None and restart is not None else None
    if sides is None or restart is None:
        return UNKNOWN
    before, after = sides
    level, new = float(np.median(before)), float(np.median(after))
    error = SIGMAS * scatter(before) * math.sqrt(math.pi / 2 / FIRST_POINTS)
    jumped = new > level + error and (level <= 0 or new > LOSS_RISE * level)
    first = float(after[0])
    if first > level or not jumped:
        return answer(jumped, before=level, after=first if jumped else new, step=restart.step)
    told = answer(True, before=level, after=new, count=FIRST_POINTS, step=restart.step)
    return replace(told, said=AFTER_RESTART)


def _loss_scale_not_carried(case: Case) -> Answer:
    scale, restart = case.run.get(Metric.LOSS_SCALE), restart_near(case)
    if scale is None or restart is None:
        return UNKNOWN
    before = last_before(scale.steps, scale.values, restart.step, 1)
    after = first_from(scale.steps, scale.values, restart.step, 1)
    first = first_from(scale.steps, scale.values, case.run.first_step, 1)
    if before.size == 0 or after.size == 0 or first.size == 0:
        return UNKNOWN
    back = bool(after[0] == first[0]) and bool(before[0] != after[0])
    return answer(back, before=float(before[0]), after=float(after[0]), step=restart.step)


def _restart_precedes(case: Case) -> Answer:
    if not has_onset(case):
        return UNKNOWN
    restart = restart_before(case)
    if restart is None:
        return answer(False, step=case.anomaly.start_step, count=len(case.run.restarts))
    distance = max(0, case.anomaly.start_step - restart.step)
    return answer(True, step=case.anomaly.start_step, restart=restart.step, distance=distance)


def _dip_since(case: Case, loss: Series, restart: Restart) -> Answer:
    """Tell whether the loss fell steeply from the restart on and the onset brought it back."""
    onset = case.anomaly.start_step
    since = int(np.count_nonzero((loss.steps >= restart.step) & (loss.steps < onset)))
    before = last_before(loss.steps, loss.values, restart.step, SIDE_POINTS)
    dip = last_before(loss.steps, loss.values, onset, SIDE_POINTS)
    later = first_from(loss.steps, loss.values, case.anomaly.peak_step + 1, SIDE_POINTS)
    earlier = last_before(loss.steps, loss.values, restart.step, since)[:SIDE_POINTS]
    if since < SIDE_POINTS or min(before.size, dip.size, later.size, earlier.size) < FIRST_POINTS:
        return UNKNOWN
    level, low, back = (float(np.median(part)) for part in (before, dip, later))
    start = float(np.median(earlier))
    if min(level, low, back, start) <= 0:
        return UNKNOWN
    fall, usual = math.log(level / low), max(math.log(start / level), 0.0)
    error = SIGMAS * scatter(before) * math.sqrt(math.pi / 2 / SIDE_POINTS)
    steep = fall > STEEPER * usual and low < BELOW * level and low < level - error
    return answer(
        steep and back >= BACK * level, before=level, first=low, later=back, step=restart.step
    )


def _loss_below_trend_after(case: Case) -> Answer:
    loss, restart = case.run.get(Metric.LOSS), restart_near(case)
    if loss is not None and restart is None and has_onset(case):
        earlier = restart_before(case)
        return UNKNOWN if earlier is None else _dip_since(case, loss, earlier)
    sides = _sides(loss, restart) if loss is not None and restart is not None else None
    if loss is None or sides is None or restart is None:
        return UNKNOWN
    later = first_from(loss.steps, loss.values, restart.step, LATER_POINTS)
    before, _ = sides
    if later.size < LATER_POINTS or float(np.median(before)) <= 0:
        return UNKNOWN
    first, last = float(np.median(later[:SIDE_POINTS])), float(np.median(later[-SIDE_POINTS:]))
    level = float(np.median(before))
    error = SIGMAS * scatter(before) * math.sqrt(math.pi / 2 / SIDE_POINTS)
    low = first < BELOW * level and first < level - error and last > first + error
    return answer(low, before=level, first=first, later=last, step=restart.step)


def _gap_in_time(case: Case) -> Answer:
    series = case.run.named(case.anomaly.signal) or case.run.get(Metric.LOSS)
    if series is None or series.wall_times is None or not has_onset(case):
        return UNKNOWN
    times = series.wall_times
    if times.size < GAP_FEWEST or not bool(np.isfinite(times).all()):
        return UNKNOWN
    gaps = np.diff(times)
    usual = float(np.median(gaps))
    at = series.index_at(case.anomaly.start_step)
    near = gaps[max(0, at - GAP_NEAR) : at + 1]
    if usual <= 0:
        return UNKNOWN
    longest = float(near.max())
    gap = longest > GAP_FACTOR * usual and restart_near(case) is None
    return answer(gap, seconds=short(longest), usual=short(usual), step=case.anomaly.start_step)


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "near_restart",
        Text("Does it begin at a restart of the run?", "异常是否始于训练重启处？"),
        Text(
            "It begins at step {step}, {distance} {distance|step|steps} from the restart at step "
            "{restart}",
            "异常始于第 {step} 步，距第 {restart} 步的重启 {distance} 步",
        ),
        Text(
            "No restart lies near step {step} ({count} in the run)",
            "第 {step} 步附近没有重启（整个训练 {count} 次）",
        ),
        _near_restart,
    ),
    Probe(
        "restart_precedes",
        Text("Does a restart of the run lie before it?", "异常之前是否有过训练重启？"),
        Text(
            "The run was restarted at step {restart}, {distance} {distance|step|steps} before "
            "step {step}",
            "训练曾在第 {restart} 步重启，比第 {step} 步早 {distance} 步",
        ),
        Text(
            "No restart lies before step {step} ({count} in the run)",
            "第 {step} 步之前没有重启（整个训练 {count} 次）",
        ),
        _restart_precedes,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "lr_not_carried",
        Text("Did the learning rate not survive the restart?", "重启后学习率是否没有接续？"),
        Text(
            "At the restart (step {step}) the learning rate went from {before} to {after}: the "
            "schedule was not restored",
            "重启处（第 {step} 步）学习率从 {before} 变为 {after}：调度器状态没有恢复",
        ),
        Text(
            "The learning rate was carried over the restart ({before} → {after})",
            "重启前后学习率是连续的（{before} → {after}）",
        ),
        _lr_not_carried,
        needs=(Metric.LR,),
    ),
    Probe(
        "loss_not_carried",
        Text("Did the loss jump right at the restart?", "损失是否恰在重启处跳升？"),
        Text(
            "Right at the restart (step {step}) the loss went from {before} to {after}: "
            "something it depends on was not carried over",
            "恰在重启处（第 {step} 步）损失从 {before} 变为 {after}：有状态没有延续下来",
        ),
        Text(
            "The loss carried on over the restart ({before} → {after})",
            "重启前后损失是连续的（{before} → {after}）",
        ),
        _loss_not_carried,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "loss_scale_not_carried",
        Text("Did the loss scale start anew?", "损失缩放系数是否重新开始？"),
        Text(
            "After the restart (step {step}) the loss scale is back at its first value ("
            "{before} → {after})",
            "重启后（第 {step} 步）损失缩放系数回到初始值（{before} → {after}）",
        ),
        Text(
            "The loss scale was carried over the restart ({before} → {after})",
            "重启前后损失缩放系数是连续的（{before} → {after}）",
        ),
        _loss_scale_not_carried,
        needs=(Metric.LOSS_SCALE,),
    ),
    Probe(
        "loss_below_trend_after",
        Text("Was the loss too low for a while after the restart?", "重启后一段时间损失是否偏低？"),
        Text(
            "After the restart (step {step}) the loss was lower for a while ({before} → "
            "{first}), then back up ({later}): data seen before",
            "重启后（第 {step} 步）损失先偏低（{before} → {first}），随后回升（{later}）：重复"
            "使用了见过的数据",
        ),
        Text(
            "The loss was not lower after the restart ({before} → {first}, later {later})",
            "重启后损失没有偏低（{before} → {first}，之后 {later}）",
        ),
        _loss_below_trend_after,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "gap_in_time",
        Text("Is there a pause in the log at the onset?", "异常开始处日志是否有时间中断？"),
        Text(
            "There is a pause of {seconds} s near step {step} (usually {usual} s): perhaps an "
            "unmarked restart",
            "第 {step} 步附近有 {seconds} 秒的中断（通常 {usual} 秒），可能是未标明的重启",
        ),
        Text(
            "No unmarked pause near step {step} (longest {seconds} s)",
            "第 {step} 步附近没有未标明的中断（最长 {seconds} 秒）",
        ),
        _gap_in_time,
    ),
)
