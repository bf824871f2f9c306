"""Outputs that are exactly 0 or 1, read from a loss and an accuracy that fit together."""

from __future__ import annotations

from typing import Final

from spikedoc.evidence._answers import STUCK, answer, asked_of, lacking, short
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.metric import Metric
from spikedoc.model.quality import is_accuracy
from spikedoc.text import Text

# What the finding was measured by.
COST: Final = "cost"


def _answers_are_certain(case: Case) -> Answer:
    found = case.anomaly.measures.get(COST)
    if found is not None:
        return answer(True, cost=short(found))
    metrics = (*case.run.all(Metric.TRAIN_METRIC), *case.run.all(Metric.VAL_METRIC))
    if not any(map(is_accuracy, metrics)):
        return lacking(Metric.TRAIN_METRIC)
    return answer(False)


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "answers_are_certain",
        Text(
            "Does each wrong answer cost the most that the loss allows, a right one nothing?",
            "是否每个错误答案的代价都是损失所允许的最大值，而正确答案没有代价？",
        ),
        Text(
            "The loss is {cost} times the share of wrong answers at every record: the outputs are "
            "exactly 0 or 1, right or wrong, and no gradient comes back through them",
            "每条记录的损失都是错误率的 {cost} 倍：无论对错，输出都恰好是 0 或 1，梯度无法由此传回",
        ),
        Text(
            "Answers are not certain: the loss is no multiple of the share of wrong ones",
            "输出并非全是 0 或 1：损失不是错误率的固定倍数",
        ),
        asked_of(STUCK, _answers_are_certain),
        needs=(Metric.LOSS,),
    ),
)
