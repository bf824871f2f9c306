"""What the learning rate did at the onset of the anomaly."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.evidence._answers import UNKNOWN, answer, has_onset, short
from spikedoc.evidence._schedule import (
    STEP_RATIO,
    SWING_SHARE,
    RateStep,
    cycle,
    highest,
    jump_up_near,
    rate,
    steps_near,
)
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.signal.around import trend
from spikedoc.text import Text

# Points that make a schedule.
POINTS_FEWEST: Final = 5
# A fall to less than .77 is the counterpart of a rise by 1.3.
DROP_RATIO: Final = 0.77
DROP_POINTS: Final = 5
# Two rates are the same within 10 %: a resumed schedule may be a few steps into its decay.
SAME: Final = 0.10
# A smooth rise: nearly all of the last twenty points go up, by a tenth at least.
RISE_POINTS: Final = 20
RISE_TREND: Final = 0.8
RISE_RATIO: Final = 1.10
# An excerpt of a log: the last few points before a break all go up, at a step by which a warm-up,
# hundreds of steps as a rule, has left the negligible rates behind.
RISE_FEWEST: Final = 3
RISE_FROM: Final = 50
RISE_SHORT_RATIO: Final = 1.05


def _lr_jumped_up(case: Case) -> Answer:
    if not has_onset(case) or rate(case)[1].size < POINTS_FEWEST:
        return UNKNOWN
    jump = jump_up_near(case)
    if jump is None and (bool(np.any(rate(case)[1] < 0)) or case.anomaly.measures.get("comeback")):
        return UNKNOWN  # what fell below zero, or climbs back, needs no jump to do harm
    if jump is None:
        return answer(False, step=case.anomaly.start_step)
    if _is_on_schedule(case, jump):
        return UNKNOWN  # it leaps as it did before and will again: the plan, not a fault in it
    return answer(
        True,
        step=jump.step,
        before=short(jump.before),
        after=short(jump.after),
        factor=short(jump.factor),
        onset=case.anomaly.start_step,
    )


def _is_on_schedule(case: Case, jump: RateStep) -> bool:
    """Return whether a jump leads to the top of a cycle that the rate goes through again and again.

    The tops of warm restarts may get lower, so it need not be the highest.
    """
    waves = cycle(case.run.get(Metric.LR))
    return waves is not None and jump.after >= waves.low + SWING_SHARE * (waves.high - waves.low)


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
    _, values = rate(case)
    jumps = steps_near(case) if has_onset(case) else []
    if not jumps or values.size < POINTS_FEWEST:
        return UNKNOWN
    first = float(values[0])
    for jump in jumps:
        for value in (first, highest(values[: jump.index])):
            if abs(jump.after - value) <= SAME * value and not _goes_on(values, jump):
                return answer(True, after=short(jump.after), earlier=short(value), step=jump.step)
    last = jumps[-1]
    peak = highest(values[: last.index])
    return answer(False, after=short(last.after), first=short(first), peak=short(peak))


def _goes_on(values: NDArray[np.float64], jump: RateStep) -> bool:
    """Return whether a leap upwards goes on at the next point: it only passed by its value."""
    after = jump.index + 1
    if jump.after <= jump.before or after >= values.size:
        return False
    return float(values[after]) > STEP_RATIO * jump.after


def _lr_jump_reverted(case: Case) -> Answer:
    jump = _jump(case)
    steps, values = rate(case)
    if jump is None or jump.before <= 0 or values.size - jump.index < POINTS_FEWEST:
        return UNKNOWN
    if _is_on_schedule(case, jump):
        return UNKNOWN  # the fall at the end of each cycle takes nothing back
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
    if not has_onset(case) or onset < RISE_FEWEST:
        return UNKNOWN
    recent = values[_climb_begins(values, onset) : onset]
    low, high = float(recent[0]), float(recent[-1])
    short_log = recent.size < RISE_POINTS
    least, ratio = (1.0, RISE_SHORT_RATIO) if short_log else (RISE_TREND, RISE_RATIO)
    rises = trend(recent) >= least and high > ratio * low
    if short_log and not (rises and _breaks(case) and steps[onset - 1] >= RISE_FROM):
        return UNKNOWN
    return answer(rises, first=short(low), last=short(high), points=recent.size)


def _climb_begins(values: NDArray[np.float64], onset: int) -> int:
    """Return where the rate that is looked at begins: further back where it rose all the way."""
    first = max(0, onset - RISE_POINTS)
    falls = np.flatnonzero(np.diff(values[: first + 1]) <= 0)
    bottom = int(falls[-1]) + 1 if falls.size else 0
    return min(first, bottom)


def _breaks(case: Case) -> bool:
    return case.anomaly.kind in (Kind.NONFINITE, Kind.DIVERGENCE)


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "lr_jumped_up",
        Text("Did the learning rate jump up just before?", "异常前学习率是否突然升高？"),
        Text(
            "The learning rate jumped from {before} to {after} ({factor}x) at step {step}",
            "学习率在第 {step} 步从 {before} 跳到 {after}（{factor} 倍）",
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
            "The learning rate stepped down at step {step} ({before} → {after})",
            "学习率在第 {step} 步下调（{before} → {after}）",
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
            "At step {step} the learning rate went back to {after}, about what it had at its "
            "start or peak ({earlier}): the schedule began anew",
            "学习率在第 {step} 步跳回 {after}，与起始或峰值（{earlier}）相当：调度器重新开始了",
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
            "The learning rate rose from {first} to {last} over the {points} {points|point|points} "
            "before step {onset}",
            "第 {onset} 步之前的 {points} 个记录点内学习率从 {first} 升到 {last}",
        ),
        Text(
            "The learning rate was not rising before step {onset} ({first} → {last})",
            "第 {onset} 步之前学习率没有上升（{first} → {last}）",
        ),
        _lr_rises_before,
        needs=(Metric.LR,),
    ),
)
