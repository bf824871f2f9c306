"""A classifier whose accuracy never moves and whose loss is that of a constant guess."""

from __future__ import annotations

from typing import Final

from spikedoc.evidence._answers import STUCK, UNKNOWN, answer, asked_of, short
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.text import Text


def _gives_one_answer(case: Case) -> Answer:
    m = case.anomaly.measures
    if "entropy" not in m:
        return UNKNOWN
    return answer(
        True,
        accuracy=short(m["accuracy"]),
        count=int(m["evaluations"]),
        best=short(m["best"]),
        entropy=short(m["entropy"]),
    )


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "gives_one_answer",
        Text(
            "Does the model give every sample the same answer?",
            "模型是否对每个样本都给出同一个答案？",
        ),
        Text(
            "The accuracy is {accuracy} at all {count} evaluations and the validation loss {best} "
            "at best; always guessing the class of that share costs {entropy} at least: no "
            "sample is told from another",
            "全部 {count} 次评估的准确率都是 {accuracy}，验证损失最好为 {best}；永远猜占比如此的"
            "那一类，损失至少为 {entropy}：模型分不出任何样本",
        ),
        Text("The answers differ from sample to sample", "不同样本得到不同的答案"),
        asked_of(STUCK, _gives_one_answer),
    ),
)
