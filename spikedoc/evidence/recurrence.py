"""How often the loss spikes, and whether the spikes grow."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._answers import BROKEN, SPIKES, UNKNOWN, answer, is_held_out, is_recurring
from spikedoc.evidence._events import event_steps
from spikedoc.evidence._facts import spacing
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.metric import Metric
from spikedoc.signal.around import last_before, peak_between, trend
from spikedoc.text import Text

# Two spikes are chance, three are a pattern (fewest for a trend in their heights, too).
REPEAT_FEWEST: Final = 3
# Kendall's tau beyond this and a ratio of last to first heights beyond that make a trend.
HEIGHT_TREND: Final = 0.6
HEIGHT_RATIO: Final = 1.5
# Points of the level a height is measured from.
HEIGHT_BEFORE: Final = 20


def _spikes(case: Case) -> tuple[int, ...]:
    """Return the peak steps of all spikes: of this recurring anomaly, or of the run."""
    if is_recurring(case):
        return event_steps(case)
    if case.anomaly.kind not in SPIKES:
        return ()
    return tuple(sorted({a.peak_step for a in case.anomalies if a.kind in SPIKES}))


def _heights(case: Case) -> list[float]:
    loss = case.run.get(Metric.LOSS)
    heights: list[float] = []
    for step in _spikes(case) if loss is not None else ():
        assert loss is not None
        before = last_before(loss.steps, loss.values, step - spacing(loss), HEIGHT_BEFORE)
        peak = peak_between(loss.steps, loss.values, step, step)
        if before.size and peak is not None and np.isfinite(peak[1]):
            heights.append(peak[1] - float(np.median(before)))
    return heights


def _spike_is_alone(case: Case) -> Answer:
    if case.anomaly.kind not in SPIKES or is_held_out(case):
        return UNKNOWN
    count = len(_spikes(case))
    return answer(count <= 1, step=case.anomaly.peak_step, count=count)


def _spikes_repeat(case: Case) -> Answer:
    if case.anomaly.kind not in SPIKES and not is_recurring(case):
        return UNKNOWN
    steps = _spikes(case)
    if not steps:
        return UNKNOWN
    return answer(len(steps) >= REPEAT_FEWEST, count=len(steps), first=steps[0], last=steps[-1])


def _spike_came_before(case: Case) -> Answer:
    if case.anomaly.kind not in BROKEN:
        return UNKNOWN
    onset = case.anomaly.start_step
    loss = case.run.main_loss
    before = sorted(
        a.peak_step
        for a in case.anomalies
        if a.kind in SPIKES and a.end_step < onset and loss is not None and a.signal == loss.name
    )
    if not before:
        return answer(False, step=onset)
    return answer(True, count=len(before), step=before[-1], ahead=onset - before[-1])


def _height_trend(case: Case, sign: int) -> Answer:
    heights = np.array([max(h, 0.0) for h in _heights(case)])
    if heights.size < REPEAT_FEWEST:
        return UNKNOWN
    third = max(1, heights.size // 3)
    early, late = float(np.median(heights[:third])), float(np.median(heights[-third:]))
    low, high = (early, late) if sign > 0 else (late, early)
    moved = sign * trend(heights) >= HEIGHT_TREND and high > HEIGHT_RATIO * low
    return answer(moved, early=early, late=late, count=int(heights.size))


def _spikes_grow(case: Case) -> Answer:
    return _height_trend(case, 1)


def _spikes_shrink(case: Case) -> Answer:
    return _height_trend(case, -1)


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "spike_is_alone",
        Text("Is it the only spike of the run?", "这是整个训练中唯一的尖峰吗？"),
        Text(
            "The spike at step {step} is the only one of the run",
            "第 {step} 步的尖峰是整个训练中唯一的一次",
        ),
        Text("The run has {count} {count|spike|spikes}", "整个训练出现了 {count} 次尖峰"),
        _spike_is_alone,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "spikes_repeat",
        Text("Do spikes come again and again?", "尖峰是否反复出现？"),
        Text(
            "{count} spikes between step {first} and {last}",
            "第 {first} 步到第 {last} 步之间出现 {count} 次尖峰",
        ),
        Text("{count} {count|spike|spikes} in the whole run", "整个训练中有 {count} 次尖峰"),
        _spikes_repeat,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "spikes_grow",
        Text("Do the spikes get higher?", "尖峰是否越来越高？"),
        Text(
            "The spikes grow: {early} high at first, {late} at the end ({count} spikes)",
            "尖峰越来越高：开始约 {early}，后来约 {late}（共 {count} 次）",
        ),
        Text(
            "The spikes do not grow: {early} high at first, {late} at the end ({count} spikes)",
            "尖峰没有变高：开始约 {early}，后来约 {late}（共 {count} 次）",
        ),
        _spikes_grow,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "spikes_shrink",
        Text("Do the spikes get lower?", "尖峰是否越来越低？"),
        Text(
            "The spikes shrink: {early} high at first, {late} at the end ({count} spikes)",
            "尖峰越来越低：开始约 {early}，后来约 {late}（共 {count} 次）",
        ),
        Text(
            "The spikes do not shrink: {early} high at first, {late} at the end ({count} spikes)",
            "尖峰没有变低：开始约 {early}，后来约 {late}（共 {count} 次）",
        ),
        _spikes_shrink,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "spike_came_before",
        Text(
            "Had the loss spiked and recovered before it broke?",
            "出错之前损失是否出现过尖峰并恢复？",
        ),
        Text(
            "The loss had spiked {count} {count|time|times} and recovered before, last at step "
            "{step}, {ahead} {ahead|step|steps} ahead: a warning",
            "此前损失已出现 {count} 次尖峰并恢复，最近一次在第 {step} 步，早 {ahead} 步：这是预兆",
        ),
        Text(
            "The loss had no spike before step {step}",
            "第 {step} 步之前损失没有出现过尖峰",
        ),
        _spike_came_before,
        needs=(Metric.LOSS,),
    ),
)
