"""Where the anomaly's events lie within an epoch."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.evidence._answers import UNKNOWN, answer, has_onset, is_recurring, percent, short
from spikedoc.evidence._events import event_steps, signal
from spikedoc.evidence._facts import epoch_length, evaluations, spacing
from spikedoc.evidence._periods import folded, period_of, told_cycles, told_phase
from spikedoc.evidence._phases import alignment, interval
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.signal.around import last_before, peak_between, trend
from spikedoc.text import Text

# Seven events in ten at one phase; three events at least.
ALIGNED_SHARE: Final = 0.70
EVENTS_FEWEST: Final = 3
# The phase window: one logged point or 2 % of the epoch to either side.
PHASE_POINTS: Final = 1
PHASE_SHARE: Final = 0.02
# An epoch so short that the window covers an eighth of it has no place one could miss.
WINDOW_MOST: Final = 0.125
# A change of level happens once, so its one place must do: only where no more than a twentieth of
# the epoch counts as its boundary.
ONCE: Final = frozenset({Kind.LEVEL_SHIFT, Kind.LR_DISCONTINUITY})
WINDOW_ONCE: Final = 0.05
# A period is the epoch's within 3 %.
PERIOD_SAME: Final = 0.03
MULTIPLES: Final = 4
# A wave that repeats in each epoch counts as aligned without single events.
WAVE_ETA2: Final = 0.15
WAVE_RHO: Final = 0.90
# Falling heights: Kendall's tau, and last third below first third.
SHRINK_TREND: Final = -0.4
SHRINK_RATIO: Final = 0.8
HEIGHT_BEFORE: Final = 20


def _window(case: Case, epoch: float) -> float:
    """Return the half-width in steps within which two phases are the same."""
    series = signal(case)
    stride = spacing(series) if series is not None else 1.0
    return max(PHASE_POINTS * stride, PHASE_SHARE * epoch)


def _events(case: Case) -> NDArray[np.float64]:
    if is_recurring(case) or case.anomaly.kind is Kind.OSCILLATION:
        return np.array(event_steps(case), dtype=np.float64)
    same = {a.peak_step for a in case.anomalies if a.kind is case.anomaly.kind}
    return np.array(sorted(same | {case.anomaly.peak_step}), dtype=np.float64)


def _same_place_each_epoch(case: Case) -> Answer:
    epoch = epoch_length(case.run)
    if epoch is None:
        return Answer(None, {}, (Metric.EPOCH,), ("steps_per_epoch",))
    window = _window(case, epoch)
    if 2 * window > WINDOW_MOST * epoch:
        return UNKNOWN
    events = _events(case)
    found = folded(case) if is_recurring(case) else None
    if found is not None and found.eta2 >= WAVE_ETA2 and found.rho >= WAVE_RHO:
        at, cycles = told_phase(case, found), told_cycles(case, found)
        return answer(True, percent=100, count=cycles, phase=at)
    if events.size < EVENTS_FEWEST or events[-1] - events[0] < 2 * epoch:
        return UNKNOWN
    share, phase = alignment(events, epoch, window)
    return answer(
        share >= ALIGNED_SHARE, percent=percent(share), count=int(events.size), phase=round(phase)
    )


def _near_epoch_boundary(case: Case) -> Answer:
    epoch = epoch_length(case.run)
    if epoch is None:
        return Answer(None, {}, (Metric.EPOCH,), ("steps_per_epoch",))
    window = _window(case, epoch)
    if not has_onset(case) or 2 * window > WINDOW_MOST * epoch:
        return UNKNOWN
    if case.anomaly.start_step < epoch - window:
        return UNKNOWN
    events = _events(case)
    if events.size >= EVENTS_FEWEST:
        share, phase = alignment(events, epoch, window)
        if share < ALIGNED_SHARE:
            return answer(False, step=case.anomaly.start_step, distance=short(phase))
    else:
        phase = math.fmod(case.anomaly.start_step, epoch)
    distance = min(phase, epoch - phase)
    near = distance <= window
    # One event there is chance; one event elsewhere still rules out what happens only there.
    told = events.size >= EVENTS_FEWEST or not near or _is_once(case, window, epoch)
    return answer(near if told else None, step=case.anomaly.start_step, distance=round(distance))


def _is_once(case: Case, window: float, epoch: float) -> bool:
    return case.anomaly.kind in ONCE and 2 * window <= WINDOW_ONCE * epoch


def _matches(period: float, other: float) -> bool:
    if other <= 0:  # beyond 2**53 neighbouring steps are one number, with nothing between them
        return False
    ratio = period / other
    nearest = round(ratio)
    if 1 <= nearest <= MULTIPLES:
        return abs(ratio - nearest) <= PERIOD_SAME * nearest
    return False


def _period_is_epoch(case: Case) -> Answer:
    epoch, period = epoch_length(case.run), period_of(case)
    if epoch is None:
        return Answer(None, {}, (Metric.EPOCH,), ("steps_per_epoch",))
    if period is None or epoch <= 1:
        return UNKNOWN
    return answer(_matches(period, epoch), period=short(period), epoch=short(epoch))


def _period_is_eval(case: Case) -> Answer:
    every, period = interval(evaluations(case.run)), period_of(case)
    if period is None or every is None:
        return UNKNOWN
    return answer(_matches(period, every), period=short(period), interval=short(every))


def _peaks_shrink(case: Case) -> Answer:
    loss = case.run.get(Metric.LOSS)
    events = event_steps(case) if is_recurring(case) else ()
    if loss is None or len(events) < EVENTS_FEWEST + 1:
        return UNKNOWN
    heights = []
    for step in events:
        before = last_before(loss.steps, loss.values, step - spacing(loss), HEIGHT_BEFORE)
        peak = peak_between(loss.steps, loss.values, step, step)
        if before.size and peak is not None and math.isfinite(peak[1]):
            heights.append(peak[1] - float(np.median(before)))
    if len(heights) <= EVENTS_FEWEST:
        return UNKNOWN
    third = max(1, len(heights) // 3)
    early, late = float(np.median(heights[:third])), float(np.median(heights[-third:]))
    shrinks = trend(np.array(heights)) <= SHRINK_TREND and late < SHRINK_RATIO * early
    return answer(shrinks, early=short(early), late=short(late))


def _shuffle_is_off(case: Case) -> Answer:
    value = case.run.config.get("shuffle")
    if isinstance(value, bool):
        return answer(not value, value=str(value).lower())
    if isinstance(value, int | float):
        return answer(value == 0, value=value)
    return UNKNOWN


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "same_place_each_epoch",
        Text("Do the events fall on one place in the epoch?", "事件是否总落在 epoch 的同一位置？"),
        Text(
            "{percent} % of {count} {count|event falls|events fall} on the same place in the epoch "
            "(step {phase} of it)",
            "{count} 次事件中有 {percent} % 落在 epoch 内的同一位置（第 {phase} 步）",
        ),
        Text(
            "{count} {count|event is|events are} spread over the epoch (at most {percent} % at one "
            "place)",
            "{count} 次事件散布在 epoch 各处（同一位置最多 {percent} %）",
        ),
        _same_place_each_epoch,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "near_epoch_boundary",
        Text("Does it begin at an epoch boundary?", "异常是否始于 epoch 边界？"),
        Text(
            "It begins {distance} {distance|step|steps} from an epoch boundary (step {step})",
            "异常始于距 epoch 边界 {distance} 步处（第 {step} 步）",
        ),
        Text(
            "It begins within an epoch, {distance} {distance|step|steps} from the boundary (step "
            "{step})",
            "异常始于 epoch 中间，距边界 {distance} 步（第 {step} 步）",
        ),
        _near_epoch_boundary,
    ),
    Probe(
        "period_is_epoch",
        Text("Is the period that of the epoch?", "周期是否等于 epoch 长度？"),
        Text(
            "It repeats every {period} steps, the length of an epoch ({epoch}) or a multiple",
            "每 {period} 步重复一次，等于 epoch 长度（{epoch} 步）或其整数倍",
        ),
        Text(
            "It repeats every {period} steps; an epoch has {epoch}",
            "每 {period} 步重复一次，而一个 epoch 有 {epoch} 步",
        ),
        _period_is_epoch,
    ),
    Probe(
        "period_is_eval",
        Text("Is the period that of the evaluation?", "周期是否等于评估间隔？"),
        Text(
            "It repeats every {period} steps, the interval of the evaluations ({interval}) or "
            "a multiple",
            "每 {period} 步重复一次，等于评估间隔（{interval} 步）或其整数倍",
        ),
        Text(
            "It repeats every {period} steps; evaluations come every {interval}",
            "每 {period} 步重复一次，而评估间隔为 {interval} 步",
        ),
        _period_is_eval,
    ),
    Probe(
        "peaks_shrink",
        Text("Do the peaks shrink from epoch to epoch?", "峰值是否逐个 epoch 变小？"),
        Text(
            "The peaks shrink from {early} to {late}: the model is learning that data",
            "峰值从 {early} 降到 {late}，模型正在学会这部分数据",
        ),
        Text(
            "The peaks do not shrink ({early} early, {late} late)",
            "峰值没有变小（前期 {early}，后期 {late}）",
        ),
        _peaks_shrink,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "shuffle_is_off",
        Text("Is shuffling switched off in the config?", "配置中是否关闭了打乱（shuffle）？"),
        Text("The config has shuffle = {value}", "配置中 shuffle = {value}"),
        Text("The config has shuffle = {value}", "配置中 shuffle = {value}"),
        _shuffle_is_off,
        needs_config=("shuffle",),
    ),
)
