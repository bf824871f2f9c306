"""Whether the loss begins its course again, as from weights that were never trained."""

from __future__ import annotations

from typing import Final

from spikedoc.evidence._anew import begins_anew
from spikedoc.evidence._answers import UNKNOWN, answer
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.metric import Metric
from spikedoc.text import Text


def _loss_begins_anew(case: Case) -> Answer:
    found = begins_anew(case)
    if found is None:
        return UNKNOWN
    return answer(
        True,
        step=found.step,
        first=found.first,
        before=found.before,
        again=found.again,
        points=found.points,
    )


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "loss_begins_anew",
        Text(
            "Does the loss begin at its first value again and fall the same way?",
            "损失是否回到最初的值，并按同样的曲线再次下降？",
        ),
        Text(
            "At step {step} the loss goes from {before} back to {again} ({first} at the start) and "
            "falls over {points} points as it did at first: these weights had learned nothing",
            "第 {step} 步损失从 {before} 回到 {again}（开始时为 {first}），此后 {points} 个点的下降"
            "过程与最初相同：这些权重什么都没学过",
        ),
        Text(
            "The loss does not begin its course again",
            "损失没有重新走一遍最初的下降过程",
        ),
        _loss_begins_anew,
        needs=(Metric.LOSS,),
    ),
)
