"""The learning rate that was used against the one the config declares."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._answers import NOT_THERE, UNKNOWN, answer, setting, short
from spikedoc.evidence._schedule import rate
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.metric import Metric
from spikedoc.text import Text

# The last step of a warm-up lies below its peak by a step or two, and the decay has begun: 10 %.
TOLERANCE: Final = 0.10
POINTS_FEWEST: Final = 5


def _lr_misses_declared_peak(case: Case) -> Answer:
    declared, warmup = setting(case, "lr"), setting(case, "warmup_steps")
    steps, values = rate(case)
    if declared is None or warmup is None or declared <= 0 or warmup <= 0:
        return UNKNOWN
    index = int(np.searchsorted(steps, warmup, side="left"))
    # The warm-up must lie within the log, and the log must be dense enough to see its end.
    if steps.size < POINTS_FEWEST or index == 0 or index >= steps.size:
        return UNKNOWN
    if steps[index] - steps[index - 1] > TOLERANCE * warmup:
        return UNKNOWN
    found = float(values[index])
    reached = np.flatnonzero(values >= (1 - TOLERANCE) * declared)
    return answer(
        abs(found - declared) > TOLERANCE * declared,
        step=int(steps[index]),
        found=short(found),
        declared=short(declared),
        reached=int(steps[reached[0]]) if reached.size else NOT_THERE,
    )


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "lr_misses_declared_peak",
        Text(
            "Does the learning rate miss its declared peak at the end of the warm-up?",
            "预热结束时学习率是否偏离配置的峰值？",
        ),
        Text(
            "At step {step}, where the declared warm-up ends, the learning rate is {found} instead "
            "of {declared}; first step with that value: {reached}",
            "按配置，预热应在第 {step} 步结束，而那里的学习率是 {found}，不是 {declared}；"
            "首次达到该值的步数：{reached}",
        ),
        Text(
            "At the end of the declared warm-up (step {step}) the learning rate is {found}, as "
            "declared ({declared}, first at step {reached})",
            "按配置的预热结束时（第 {step} 步）学习率为 {found}，与配置的 {declared} 相符"
            "（首次达到：第 {reached} 步）",
        ),
        _lr_misses_declared_peak,
        needs=(Metric.LR,),
        needs_config=("lr", "warmup_steps"),
    ),
)
