"""Whether the loss settles after each evaluation, as it does from other weights."""

from __future__ import annotations

from typing import Final

from spikedoc.evidence._after_evaluation import rise_after_evaluation
from spikedoc.evidence._answers import UNKNOWN, answer, has_onset, lacking, short
from spikedoc.evidence._facts import evaluations
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.metric import Metric
from spikedoc.text import Text


def _settles_after_evaluation(case: Case) -> Answer:
    if evaluations(case.run).size == 0:
        return lacking(Metric.VAL_LOSS)
    found = rise_after_evaluation(case)
    if found is None or not has_onset(case):
        return UNKNOWN
    return answer(found.settles, factor=short(found.factor), points=found.points, count=found.count)


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "settles_after_evaluation",
        Text(
            "Does the loss jump after each evaluation and settle step by step?",
            "每次验证之后损失是否跳高、再逐步平复？",
        ),
        Text(
            "After the {count} evaluations the loss is {factor}x up and comes back over {points} "
            "points: training repairs what it met there, no mode was switched",
            "{count} 次验证之后损失升到 {factor} 倍，再用 {points} 个点逐步回落："
            "训练在修复那里遇到的改变，而不是切换了模式",
        ),
        Text(
            "After the {count} evaluations the loss is {factor}x up and comes back at one point",
            "{count} 次验证之后损失升到 {factor} 倍，并在一个点上恢复",
        ),
        _settles_after_evaluation,
        needs=(Metric.LOSS,),
    ),
)
