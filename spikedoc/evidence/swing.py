"""A swing of the level that comes back at a steady period: something is scheduled or ordered."""

from __future__ import annotations

from typing import Final

from spikedoc.evidence._answers import UNKNOWN, answer
from spikedoc.evidence._facts import spacing
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Form, Kind
from spikedoc.signal.quick_swing import MOST_POINTS
from spikedoc.text import Text

# Swings whose strength (autocorrelation at one period against half a period) reaches this are no
# accident; healthy runs reached .24.
STRENGTH: Final = 0.5


def _swings_steadily(case: Case) -> Answer:
    anomaly = case.anomaly
    strength, period = anomaly.measures.get("strength"), anomaly.measures.get("period")
    if anomaly.kind is not Kind.OSCILLATION or strength is None or period is None:
        return UNKNOWN
    if period < MOST_POINTS * _spacing(case):
        return UNKNOWN  # the optimizer swings so by itself
    steady = anomaly.form is Form.WAVE and strength >= STRENGTH
    return answer(steady, period=round(period), cycles=round(anomaly.measures.get("cycles", 0)))


def _spacing(case: Case) -> float:
    loss = case.run.named(case.anomaly.signal)
    return 1.0 if loss is None else spacing(loss)


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "swings_steadily",
        Text(
            "Does the level swing with a steady period?",
            "损失水平是否以固定周期摆动？",
        ),
        Text(
            "The level swings every {period} steps, {cycles} times in the log: something with that "
            "period drives it, noise has none",
            "损失水平每 {period} 步摆动一次，日志中共 {cycles} 次："
            "有某个同周期的因素在驱动，噪声没有周期",
        ),
        Text(
            "The swing has no steady period",
            "摆动没有固定的周期",
        ),
        _swings_steadily,
    ),
)
