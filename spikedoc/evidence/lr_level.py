"""How high the learning rate is: at its peak, low, constant, zero."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._answers import (
    STUCK,
    UNKNOWN,
    answer,
    asked_of,
    has_onset,
    percent,
    saying,
    short,
)
from spikedoc.evidence._schedule import highest, rate, rate_at
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.signal.around import finite_only
from spikedoc.text import Text

# Points that make a schedule.
POINTS_FEWEST: Final = 5
# A schedule is constant within 1 %.
CONSTANT: Final = 0.01
# Near the maximum, and far down from it.
PEAK_SHARE: Final = 0.90
LOW_SHARE: Final = 0.10
# At a hundredth of its peak the rate moves nothing any more; usual schedules spend there only the
# last percents of a run.
SPENT_SHARE: Final = 0.01
# Two cuts to a tenth make a hundredth, to the digits that are printed.
ROUNDED: Final = 1e-4
SPENT_MOST: Final = 0.50
# At a hundred-thousandth of its peak a rate is as good as zero: what one step moved takes as many.
AS_ZERO: Final = 1e-5


def _lr_at_peak(case: Case) -> Answer:
    _, values = rate(case)
    now, top = _rate_there(case), highest(values)
    if now is None or top <= 0 or values.size < POINTS_FEWEST or _is_constant(values):
        return UNKNOWN
    return answer(now >= PEAK_SHARE * top, now=short(now), top=short(top))


def _rate_there(case: Case) -> float | None:
    """Return the learning rate at the onset, or its median over a stretch without one."""
    series = case.run.get(Metric.LR)
    if has_onset(case) or series is None:
        return rate_at(case, case.anomaly.start_step)
    here = finite_only(series.window(case.anomaly.start_step, case.anomaly.end_step))
    return float(np.median(here)) if here.size else None


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


def _lr_is_spent_mostly(case: Case) -> Answer:
    steps, values = rate(case)
    top = highest(values)
    if values.size < POINTS_FEWEST or top <= 0:
        return UNKNOWN
    spent = values <= SPENT_SHARE * top * (1 + ROUNDED)
    # By steps, not by points: a log may hold a rate only where it changed.
    rest = max(case.run.last_step - int(steps[-1]), 0) + 1
    after = np.append(np.diff(steps.astype(np.float64)), rest)
    share = float(after[spent].sum()) / float(after.sum())
    past = np.flatnonzero(spent & (np.arange(values.size) > int(np.argmax(values))))
    low = share > SPENT_MOST and past.size > 0
    since = int(steps[past[0]]) if past.size else None
    return answer(low, percent=percent(share), top=short(top), since=since)


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
    level = float(here.max()) if whole else float(np.median(here))
    usual, top = short(float(np.median(here))), highest(values)
    if not 0.0 < level <= AS_ZERO * top:
        return answer(level == 0.0, level=usual, points=int(here.size))
    return saying(
        answer(True, level=usual, points=int(here.size), top=short(top)),
        "The learning rate is {level} over {points} {points|point|points}, next to nothing beside "
        "its peak of {top}: hardly anything is updated",
        "这 {points} 个记录点上学习率为 {level}，与峰值 {top} 相比几乎为零，参数几乎没有更新",
    )


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "lr_at_peak",
        Text("Was the learning rate at its peak?", "异常时学习率是否处于峰值？"),
        Text(
            "The learning rate was {now} there, at its peak ({top})",
            "当时学习率为 {now}，处于峰值（{top}）",
        ),
        Text(
            "The learning rate was {now} there, below its peak of {top}",
            "当时学习率为 {now}，低于峰值 {top}",
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
            "The learning rate was down to {now} at step {onset}, {percent} % of its maximum",
            "第 {onset} 步学习率已降到 {now}，为最大值的 {percent} %",
        ),
        Text(
            "The learning rate was {now} at step {onset}, {percent} % of its maximum",
            "第 {onset} 步学习率为 {now}，为最大值的 {percent} %",
        ),
        _lr_is_low_at_onset,
        needs=(Metric.LR,),
    ),
    Probe(
        "lr_is_spent_mostly",
        Text(
            "Is the learning rate at 1 % of its peak or less for most of the run?",
            "学习率是否在大部分训练中不高于峰值的 1 %？",
        ),
        Text(
            "For {percent} % of the run the learning rate is at most 1 % of its peak {top} (since "
            "step {since})",
            "训练中有 {percent} % 的步数学习率不高于峰值 {top} 的 1 %（自第 {since} 步起）",
        ),
        Text(
            "The learning rate is at 1 % of its peak or less for only {percent} % of the run",
            "学习率不高于峰值 1 % 的步数只占 {percent} %",
        ),
        _lr_is_spent_mostly,
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
            "The learning rate is exactly 0 over {points} {points|point|points}: nothing is "
            "updated",
            "这 {points} 个记录点上学习率恰好为 0，参数没有更新",
        ),
        Text("The learning rate is not zero ({level})", "学习率不为零（{level}）"),
        asked_of(STUCK, _lr_is_zero),
        needs=(Metric.LR,),
    ),
)
