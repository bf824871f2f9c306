"""Whether the loss settles after each evaluation, as it does from other weights."""

from __future__ import annotations

from typing import Final

from spikedoc.evidence._after_evaluation import off_after_evaluation, rise_after_evaluation
from spikedoc.evidence._answers import UNKNOWN, answer, has_onset, lacking, percent, short
from spikedoc.evidence._facts import evaluations
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.metric import Metric
from spikedoc.text import Text

# Simulated: at most a quarter is left where weights are swapped for their average, three quarters
# and more of what a mode makes.
FADED: Final = 0.4


def _settles_after_evaluation(case: Case) -> Answer:
    if evaluations(case.run).size == 0:
        return lacking(Metric.VAL_LOSS)
    found = rise_after_evaluation(case)
    if found is None or not has_onset(case):
        return UNKNOWN
    return answer(found.settles, factor=short(found.factor), points=found.points, count=found.count)


def _higher_after_evaluation(case: Case) -> Answer:
    if evaluations(case.run).size == 0:
        return lacking(Metric.VAL_LOSS)
    off = off_after_evaluation(case)
    if off is None or not has_onset(case):
        return UNKNOWN
    return answer(off.size > 0, count=off.count, errors=short(abs(off.errors)))


def _fades_over_the_run(case: Case) -> Answer:
    if evaluations(case.run).size == 0:
        return lacking(Metric.VAL_LOSS)
    off = off_after_evaluation(case)
    if off is None or off.size < 0 or not has_onset(case):
        return UNKNOWN
    return answer(off.late <= FADED, percent=percent(max(0.0, off.late)), count=off.count)


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
    Probe(
        "higher_after_evaluation",
        Text(
            "Is the loss higher right after evaluations, and nowhere else?",
            "是否只在验证之后损失偏高？",
        ),
        Text(
            "After {count} evaluations the loss stands above what lies before and behind, by "
            "{errors} standard errors, and at no other place between two evaluations as clearly",
            "{count} 次验证之后，损失高于前后两侧（{errors} 个标准误），"
            "两次验证之间别处都没有这样明显",
        ),
        Text(
            "After {count} evaluations the loss stands below what lies before and behind, by "
            "{errors} standard errors: other weights or statistics would make it higher",
            "{count} 次验证之后，损失低于前后两侧（{errors} 个标准误）："
            "换了权重或统计量不符只会使它升高",
        ),
        _higher_after_evaluation,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "fades_over_the_run",
        Text(
            "Does the rise after evaluations fade in the course of the run?",
            "验证之后的升高是否随训练推进而减弱？",
        ),
        Text(
            "The rise after evaluations fades to {percent} % of its height by the last third of "
            "them, as the distance to averaged weights does while training slows down",
            "验证之后的升高到最后三分之一时只剩 {percent} %：训练变慢时，"
            "与平均权重的差距也这样缩小",
        ),
        Text(
            "The rise after evaluations is {percent} % as high at the last third of them as at the "
            "first",
            "最后三分之一的验证之后，升高仍为最初三分之一的 {percent} %",
        ),
        _fades_over_the_run,
        needs=(Metric.LOSS,),
    ),
)
