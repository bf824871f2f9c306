"""Whether the harm of a leap of the learning rate stays when the rate is back."""

from __future__ import annotations

from typing import Final

from spikedoc.evidence._answers import UNKNOWN, answer, asked_of, short
from spikedoc.evidence._recovery import OFF_FEWEST, recovery
from spikedoc.evidence._schedule import jump_up_near, rate
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.text import Text

# The rate is back within a tenth of what it was before it leapt.
SAME: Final = 0.10
# Findings of a loss that rose.
RISES: Final = frozenset({Kind.LEVEL_SHIFT, Kind.DIVERGENCE, Kind.SLOW_RECOVERY})


def _harm_outlasts_the_leap(case: Case) -> Answer:
    jump = jump_up_near(case)
    steps, values = rate(case)
    way = recovery(case)
    if jump is None or jump.before <= 0 or way is None:
        return UNKNOWN
    back = [i for i in range(jump.index, values.size) if values[i] <= jump.before * (1 + SAME)]
    if not back or way.after < OFF_FEWEST:
        return UNKNOWN  # while the rate is still up, what follows is its own doing
    shown = {"back": int(steps[back[0]]), "factor": short(jump.factor), "step": jump.step}
    if way.points is None:
        return answer(True, points=way.after, **shown)
    return answer(False, points=way.points, **shown)


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "harm_outlasts_the_leap",
        Text(
            "Does the loss stay up although the learning rate is back?",
            "学习率恢复之后，损失是否仍居高不下？",
        ),
        Text(
            "The learning rate leapt {factor}x at step {step} and was back at step {back}; the "
            "loss was not in any of {points} records since: the long step itself did the harm",
            "学习率在第 {step} 步跃升 {factor} 倍，第 {back} 步已恢复；此后 {points} 条记录里损失"
            "始终没有恢复：造成损害的是那一大步本身",
        ),
        Text(
            "After the leap of the learning rate at step {step} ({factor}x, back at step {back}) "
            "the loss was back within {points} {points|record|records}",
            "学习率在第 {step} 步跃升 {factor} 倍（第 {back} 步恢复）之后，损失在 {points} 条记录内"
            "恢复",
        ),
        asked_of(RISES, _harm_outlasts_the_leap),
        needs=(Metric.LR, Metric.LOSS),
    ),
)
