"""What the learning rate did at the onset of the anomaly."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._answers import UNKNOWN, answer, has_onset, percent, short
from spikedoc.evidence._schedule import RateStep, highest, jump_up_near, rate, rate_at
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.signal.around import finite_only, trend
from spikedoc.text import Text

POINTS_FEWEST: Final = 5
# A fall to less than .77 is the counterpart of a rise by 1.3.
DROP_RATIO: Final = 0.77
DROP_POINTS: Final = 5
# Two rates are the same within 5 %, a schedule is constant within 1 %.
SAME: Final = 0.05
CONSTANT: Final = 0.01
# Near the maximum, and far down from it.
PEAK_SHARE: Final = 0.90
LOW_SHARE: Final = 0.10
# A smooth rise: nearly all of the last twenty points go up, by a tenth at least.
RISE_POINTS: Final = 20
RISE_TREND: Final = 0.8
RISE_RATIO: Final = 1.10


def _lr_jumped_up(case: Case) -> Answer:
    if not has_onset(case) or rate(case)[1].size < POINTS_FEWEST:
        return UNKNOWN
    jump = jump_up_near(case)
    if jump is None:
        return answer(False, step=case.anomaly.start_step)
    return answer(
        True,
        step=jump.step,
        before=short(jump.before),
        after=short(jump.after),
        factor=short(jump.factor),
        onset=case.anomaly.start_step,
    )


def _lr_dropped(case: Case) -> Answer:
    steps, values = rate(case)
    if not has_onset(case) or values.size < POINTS_FEWEST:
        return UNKNOWN
    onset = int(np.searchsorted(steps, case.anomaly.start_step, side="left"))
    first = max(1, onset - DROP_POINTS)
    for index in range(first, min(values.size, onset + DROP_POINTS + 1)):
        if values[index] < DROP_RATIO * values[index - 1]:
            return answer(
                True,
                step=int(steps[index]),
                before=short(float(values[index - 1])),
                after=short(float(values[index])),
            )
    return answer(False, step=case.anomaly.start_step)


def _jump(case: Case) -> RateStep | None:
    return jump_up_near(case) if has_onset(case) else None


def _lr_returned_to_start(case: Case) -> Answer:
    jump = _jump(case)
    _, values = rate(case)
    if jump is None or values.size < POINTS_FEWEST:
        return UNKNOWN
    before = values[: jump.index]
    seen = {"first": float(values[0]), "peak": highest(before)}
    for value in seen.values():
        if abs(jump.after - value) <= SAME * value:
            return answer(True, after=short(jump.after), earlier=short(value), step=jump.step)
    return answer(
        False, after=short(jump.after), first=short(seen["first"]), peak=short(seen["peak"])
    )


def _lr_jump_reverted(case: Case) -> Answer:
    jump = _jump(case)
    steps, values = rate(case)
    if jump is None or jump.before <= 0 or values.size - jump.index < POINTS_FEWEST:
        return UNKNOWN
    after = values[jump.index :]
    # Back by a step; a schedule that decays to the old value again has not been reverted.
    falls = np.flatnonzero(after[1:] < DROP_RATIO * after[:-1]) + 1
    back = [int(index) for index in falls if after[index] <= jump.before * (1 + SAME)]
    if not back:
        return answer(False, step=jump.step, after=short(jump.after))
    return answer(
        True,
        step=jump.step,
        back=int(steps[jump.index + back[0]]),
        peak=short(highest(after[: back[0]])),
        before=short(jump.before),
    )


def _lr_rises_before(case: Case) -> Answer:
    steps, values = rate(case)
    onset = int(np.searchsorted(steps, case.anomaly.start_step, side="right"))
    if not has_onset(case) or onset < RISE_POINTS:
        return UNKNOWN
    recent = values[onset - RISE_POINTS : onset]
    low, high = float(recent[0]), float(recent[-1])
    rises = trend(recent) >= RISE_TREND and high > RISE_RATIO * low
    return answer(rises, first=short(low), last=short(high), points=RISE_POINTS)


def _lr_at_peak(case: Case) -> Answer:
    _, values = rate(case)
    now, top = rate_at(case, case.anomaly.start_step), highest(values)
    if now is None or top <= 0 or not has_onset(case) or _is_constant(values):
        return UNKNOWN
    return answer(now >= PEAK_SHARE * top, now=short(now), top=short(top))


def _is_constant(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> bool:
    return bool(float(values.max() - values.min()) <= CONSTANT * abs(float(values.max())))


def _lr_is_constant(case: Case) -> Answer:
    _, values = rate(case)
    if values.size < POINTS_FEWEST:
        return UNKNOWN
    low, high = float(values.min()), highest(values)
    return answer(_is_constant(values), low=short(low), high=short(high))


def _lr_is_low_at_onset(case: Case) -> Answer:
    _, values = rate(case)
    now, top = rate_at(case, case.anomaly.start_step), highest(values)
    if now is None or top <= 0 or not has_onset(case):
        return UNKNOWN
    return answer(now <= LOW_SHARE * top, now=short(now), percent=percent(now / top))


def _lr_starts_at_peak(case: Case) -> Answer:
    _, values = rate(case)
    if values.size < POINTS_FEWEST or highest(values) <= 0:
        return UNKNOWN
    warm = case.run.config.get("warmup_steps")
    first, top = float(values[0]), highest(values)
    if _is_constant(values) and warm != 0:
        return UNKNOWN
    return answer(first >= PEAK_SHARE * top, first=short(first), top=short(top))


def _lr_is_zero(case: Case) -> Answer:
    _, values = rate(case)
    series = case.run.get(Metric.LR)
    if series is None or values.size == 0:
        return UNKNOWN
    here = series.window(case.anomaly.start_step, case.anomaly.end_step)
    here = finite_only(here)
    if here.size == 0:
        return UNKNOWN
    whole = case.anomaly.kind in (Kind.NON_CONVERGENCE, Kind.NONFINITE)
    zero = bool(np.all(here == 0.0)) if whole else bool(np.median(here) == 0.0)
    return answer(zero, level=short(float(np.median(here))), points=int(here.size))


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "lr_jumped_up",
        Text("Did the learning rate jump up just before?", "异常前学习率是否突然升高？"),
        Text(
            "The learning rate jumped from {before} to {after} ({factor}x) at step {step}; "
            "onset at step {onset}",
            "学习率在第 {step} 步从 {before} 跳到 {after}（{factor} 倍），异常始于第 {onset} 步",
        ),
        Text(
            "The learning rate made no jump before step {step}",
            "第 {step} 步之前学习率没有突变",
        ),
        _lr_jumped_up,
        needs=(Metric.LR,),
    ),
    Probe(
        "lr_dropped",
        Text("Did the learning rate step down at the onset?", "异常开始时学习率是否下调？"),
        Text(
            "The learning rate stepped down at step {step} ({before} -> {after})",
            "学习率在第 {step} 步下调（{before} -> {after}）",
        ),
        Text(
            "The learning rate did not step down at step {step}", "第 {step} 步附近学习率没有下调"
        ),
        _lr_dropped,
        needs=(Metric.LR,),
    ),
    Probe(
        "lr_returned_to_start",
        Text(
            "Did the learning rate return to an earlier value?",
            "学习率是否跳回了早先的取值？",
        ),
        Text(
            "At step {step} the learning rate went back to {after}, a value it had at its "
            "start or peak ({earlier}): the schedule began anew",
            "学习率在第 {step} 步跳回 {after}，与起始或峰值（{earlier}）相同：调度器重新开始了",
        ),
        Text(
            "The learning rate jumped to {after}, neither its first value {first} nor its peak "
            "{peak}",
            "学习率跳到 {after}，既不是起始值 {first} 也不是峰值 {peak}",
        ),
        _lr_returned_to_start,
        needs=(Metric.LR,),
    ),
    Probe(
        "lr_jump_reverted",
        Text("Did the jump of the learning rate end again?", "学习率的突升之后是否又恢复？"),
        Text(
            "The learning rate left {before} at step {step}, reached {peak} and was back at "
            "step {back}: an excursion in the schedule",
            "学习率在第 {step} 步离开 {before}，最高到 {peak}，第 {back} 步恢复：调度中的一次偏离",
        ),
        Text(
            "The learning rate stayed up after step {step} ({after})",
            "学习率在第 {step} 步之后保持在高位（{after}）",
        ),
        _lr_jump_reverted,
        needs=(Metric.LR,),
    ),
    Probe(
        "lr_rises_before",
        Text("Was the learning rate rising at the onset?", "异常开始前学习率是否在上升？"),
        Text(
            "The learning rate rose from {first} to {last} over the {points} points before the "
            "onset",
            "异常前 {points} 个记录点内学习率从 {first} 升到 {last}",
        ),
        Text(
            "The learning rate was not rising before the onset ({first} -> {last})",
            "异常前学习率没有上升（{first} -> {last}）",
        ),
        _lr_rises_before,
        needs=(Metric.LR,),
    ),
    Probe(
        "lr_at_peak",
        Text("Was the learning rate at its peak?", "异常时学习率是否处于峰值？"),
        Text(
            "The learning rate was {now} at the onset, at its peak ({top})",
            "异常开始时学习率为 {now}，处于峰值（{top}）",
        ),
        Text(
            "The learning rate was {now} at the onset, below its peak of {top}",
            "异常开始时学习率为 {now}，低于峰值 {top}",
        ),
        _lr_at_peak,
        needs=(Metric.LR,),
    ),
    Probe(
        "lr_is_constant",
        Text("Is the learning rate constant?", "学习率是否恒定？"),
        Text("The learning rate is {high} throughout", "学习率始终为 {high}"),
        Text("The learning rate varies from {low} to {high}", "学习率在 {low} 到 {high} 之间变化"),
        _lr_is_constant,
        needs=(Metric.LR,),
    ),
    Probe(
        "lr_is_low_at_onset",
        Text("Was the learning rate low at the onset?", "异常开始时学习率是否已很低？"),
        Text(
            "The learning rate was down to {now} at the onset, {percent} % of its maximum",
            "异常开始时学习率已降到 {now}，为最大值的 {percent} %",
        ),
        Text(
            "The learning rate was {now} at the onset, {percent} % of its maximum",
            "异常开始时学习率为 {now}，为最大值的 {percent} %",
        ),
        _lr_is_low_at_onset,
        needs=(Metric.LR,),
    ),
    Probe(
        "lr_starts_at_peak",
        Text("Does the learning rate start without warm-up?", "学习率是否没有预热？"),
        Text(
            "The learning rate starts at {first}, its maximum ({top}): no warm-up",
            "学习率一开始就是 {first}（最大值 {top}），没有预热",
        ),
        Text("The learning rate warms up from {first} to {top}", "学习率从 {first} 预热到 {top}"),
        _lr_starts_at_peak,
        needs=(Metric.LR,),
    ),
    Probe(
        "lr_is_zero",
        Text("Is the learning rate zero?", "学习率是否为零？"),
        Text(
            "The learning rate is exactly 0 over the {points} points: nothing is updated",
            "这 {points} 个记录点上学习率恰好为 0，参数没有更新",
        ),
        Text("The learning rate is not zero ({level})", "学习率不为零（{level}）"),
        _lr_is_zero,
        needs=(Metric.LR,),
    ),
)
