"""What stood beside the first non-finite value: which terms, and whether the weights broke too."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from spikedoc.evidence._answers import BROKEN, STUCK, UNKNOWN, answer, asked_of, saying, short
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Series
from spikedoc.text import Text

# A finite term that stands so many times above all it was before has run away.
AWAY_FACTOR: Final = 100.0
# Without anything before: a mean term of this size is no error of a model whose weights are sound.
AWAY_LEVEL: Final = 1e4
# A regularisation term is made of the weights alone.
OF_WEIGHTS: Final = re.compile(r"regulari[sz]|weight.?decay|(^|[/_.])l2(_|$)", re.IGNORECASE)

# A rate at which no optimizer moves a weight by enough to break it, whatever the gradient: Adam
# moves each weight by the rate, SGD takes gradients of 1e4 to move one by a hundredth.
NEGLIGIBLE: Final = 1e-6
UPDATED_NOTHING: Final = (
    "The loss is non-finite from its first record (step {step}) while the learning rate is still "
    "0: no update did it",
    "损失从第一个记录（第 {step} 步）起就非有限，而此时学习率还是 0：与更新无关",
)


def _broken(case: Case) -> int | None:
    """Return the step of the first non-finite value of the loss or of one of its terms."""
    series = (case.run.get(Metric.LOSS), *case.run.all(Metric.LOSS_COMPONENT))
    steps = [
        int(s.steps[int(np.argmin(s.is_finite))])
        for s in series
        if s is not None and len(s) and not bool(s.is_finite.all())
    ]
    return min(steps, default=None)


def _a_term_ran_away(case: Case) -> Answer:
    step = _broken(case)
    terms = case.run.all(Metric.LOSS_COMPONENT)
    if step is None or not terms:
        return UNKNOWN
    for term in terms:
        there = np.abs(term.values[(term.steps == step) & term.is_finite])
        if there.size == 0:
            continue
        before = np.abs(term.values[(term.steps < step) & term.is_finite])
        limit = AWAY_FACTOR * float(before.max()) if before.size else AWAY_LEVEL
        if float(there[0]) >= max(limit, AWAY_FACTOR):
            return answer(True, term=term.tag, value=short(float(there[0])), step=step)
    return UNKNOWN


def _weights_are_broken(case: Case) -> Answer:
    step = _broken(case)
    of_weights = [
        *case.run.all(Metric.WEIGHT_NORM),
        *(s for s in case.run.all(Metric.LOSS_COMPONENT) if OF_WEIGHTS.search(s.tag)),
    ]
    if step is None or not of_weights:
        return UNKNOWN
    bad = [s for s in of_weights if len(s) and not bool(s.is_finite.all())]
    series = (bad or of_weights)[0]
    return answer(bool(bad), name=series.tag)


def _sum_breaks_alone(case: Case) -> Answer:
    loss, terms = case.run.get(Metric.LOSS), case.run.all(Metric.LOSS_COMPONENT)
    if loss is None or len(terms) < 2:
        return UNKNOWN
    bad = loss.steps[~loss.is_finite]
    if bad.size == 0:
        return UNKNOWN
    beside = [s for s in terms if _is_logged_at(s, int(bad[0]))]
    if len(beside) < 2:
        return UNKNOWN
    alone = all(bool(s.is_finite.all()) for s in beside)
    return answer(alone, step=int(bad[0]), count=len(beside))


def _is_logged_at(series: Series, step: int) -> bool:
    return bool(np.any(series.steps == step))


def _loss_at_clip_floor(case: Case) -> Answer:
    seen = case.anomaly.seen_as(Shape.CLIP_FLOOR)
    if seen is None:
        return UNKNOWN
    return answer(True, level=seen.measures["level"], points=int(seen.measures["points"]))


def _targets_are_empty(case: Case) -> Answer:
    seen = case.anomaly.seen_as(Shape.BLANK)
    if seen is None:
        return UNKNOWN
    series = case.run.named(seen.signal)
    name = seen.signal if series is None else series.tag
    return answer(True, name=name, points=int(seen.measures["points"]))


def _policy_is_reference(case: Case) -> Answer:
    unmoved = case.anomaly.seen_as(Shape.UNMOVED) is not None
    return answer(True, step=case.anomaly.end_step) if unmoved else UNKNOWN


def _starts_broken_at_tiny_lr(case: Case) -> Answer:
    loss, rate = case.run.get(Metric.LOSS), case.run.get(Metric.LR)
    if loss is None or rate is None or len(loss) == 0 or len(rate) == 0:
        return UNKNOWN
    if bool(np.isfinite(loss.values[0])) or not np.isfinite(rate.values[0]):
        return UNKNOWN
    first = float(rate.values[0])
    if first > NEGLIGIBLE:
        return UNKNOWN
    found = answer(True, lr=short(first), step=int(loss.steps[0]))
    return found if first > 0 else saying(found, *UPDATED_NOTHING)


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "a_term_ran_away",
        Text(
            "Did another term of the loss run away when it broke?",
            "失效时是否有别的损失分量失控增长？",
        ),
        Text(
            "{term} stands at {value} at step {step}, where the loss broke: the outputs had run "
            "away",
            "损失失效的第 {step} 步，{term} 达到 {value}：模型输出已经失控",
        ),
        Text("No term of the loss ran away when it broke", "失效时没有损失分量失控增长"),
        asked_of(BROKEN, _a_term_ran_away),
    ),
    Probe(
        "weights_are_broken",
        Text(
            "Is what is computed from the weights alone non-finite?",
            "只由权重算出的量是否也非有限？",
        ),
        Text(
            "{name}, which is made of the weights alone, is non-finite: the weights are broken, "
            "not the data",
            "{name} 只由权重算出，也已非有限：坏的是权重，不是数据",
        ),
        Text(
            "{name}, which is made of the weights alone, is finite: the weights are sound",
            "{name} 只由权重算出，仍为有限值：权重没有坏",
        ),
        asked_of(BROKEN, _weights_are_broken),
    ),
    Probe(
        "sum_breaks_alone",
        Text(
            "Is the total non-finite while all its logged terms are finite?",
            "总损失非有限时，记录的各分量是否全都有限？",
        ),
        Text(
            "The loss is non-finite at step {step} while every logged term is finite "
            "({count} in all): the sum, or a term that is not logged, does it",
            "第 {step} 步损失非有限，而记录的 {count} 个分量全都有限：问题在求和，或在没有记录的"
            "分量",
        ),
        Text(
            "Terms of the loss are non-finite as well (step {step})",
            "损失的分量同样非有限（第 {step} 步）",
        ),
        asked_of(BROKEN, _sum_breaks_alone),
        needs=(Metric.LOSS, Metric.LOSS_COMPONENT),
    ),
    Probe(
        "loss_at_clip_floor",
        Text(
            "Does the loss stand at minus the logarithm of the smallest float?",
            "损失是否停在最小浮点数的负对数上？",
        ),
        Text(
            "The loss stands at {level} over {points} {points|point|points}: minus the logarithm "
            "of the smallest float, so the probability of the right class is 0 or NaN",
            "损失在 {points} 个点上停在 {level}，即最小浮点数的负对数：正确类别的概率是 0 或 NaN",
        ),
        Text("The loss is not at that number", "损失不在这个数值上"),
        asked_of(BROKEN, _loss_at_clip_floor),
    ),
    Probe(
        "targets_are_empty",
        Text(
            "Is a quantity exactly 0 that only an empty target makes 0?",
            "是否有某个只有目标为空才会等于 0 的量恰好为 0？",
        ),
        Text(
            "{name} is exactly 0 in all {points} {points|record|records}: no target reached it",
            "{name} 在全部 {points} 个记录中恰好为 0：没有任何目标进入计算",
        ),
        Text("No such quantity is 0", "没有这样的量为 0"),
        asked_of(STUCK, _targets_are_empty),
    ),
    Probe(
        "policy_is_reference",
        Text(
            "Is the trained policy still exactly the reference?",
            "训练中的策略是否仍与参考模型完全相同？",
        ),
        Text(
            "All rewards are exactly 0 up to step {step}: the policy is still the reference, no "
            "weight has moved",
            "直到第 {step} 步所有奖励都恰好为 0：策略仍等于参考模型，权重没有动过",
        ),
        Text("The policy has left the reference", "策略已经离开参考模型"),
        asked_of(STUCK, _policy_is_reference),
    ),
    Probe(
        "starts_broken_at_tiny_lr",
        Text(
            "Is the loss non-finite before any update of a size that could break it?",
            "在更新大到足以造成破坏之前，损失是否就已非有限？",
        ),
        Text(
            "The loss is non-finite from its first record (step {step}) at a learning rate of "
            "{lr}: no update of that size does it",
            "损失从第一个记录（第 {step} 步）起就非有限，学习率只有 {lr}：这么小的更新不会造成破坏",
        ),
        Text("Updates came before it", "此前已有更新"),
        asked_of(BROKEN, _starts_broken_at_tiny_lr),
        needs=(Metric.LOSS, Metric.LR),
    ),
)
