"""What a single record can settle: an impossible value, a leap, a scale at its floor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from spikedoc.evidence._answers import UNKNOWN, answer, asked_of, saying, short
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.anomaly import Shape
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.model.quality import is_accuracy, is_overlap
from spikedoc.text import Text

# A mean loss of this size is no scale of the data any more (raw time stamps squared are 1e18).
ABSURD: Final = 1e20
# Two areas cannot overlap by more than all of it.
FULL_OVERLAP: Final = 1.0
LOST: Final = frozenset({Kind.DIVERGENCE, Kind.NONFINITE, Kind.LEVEL_SHIFT})


def _measure(case: Case, shape: Shape) -> Mapping[str, float] | None:
    """Return the measures of the detection of `shape` behind the anomaly; None without one."""
    seen = case.anomaly.seen_as(shape)
    return None if seen is None else seen.measures


def _loss_is_absurd(case: Case) -> Answer:
    loss = case.run.main_loss
    values = np.zeros(0) if loss is None else np.abs(loss.finite()[1])
    if values.size == 0 or case.anomaly.measures.get("limit", 0.0) < 0:
        return UNKNOWN  # a loss without a lower bound goes there with sound weights
    highest = float(values.max())
    impossible = _measure(case, Shape.IMPOSSIBLE)
    return answer(highest >= ABSURD or impossible is not None, highest=short(highest))


def _leaps_at_negligible_lr(case: Case) -> Answer:
    seen = _measure(case, Shape.LEAP)
    if seen is None:
        return UNKNOWN
    return answer(
        True,
        before=short(seen["before"]),
        after=short(seen["after"]),
        step=case.anomaly.start_step,
        lr=short(seen["lr"]),
    )


def _loss_below_zero(case: Case) -> Answer:
    loss = case.run.main_loss
    if loss is None or loss.finite()[1].size == 0:
        return UNKNOWN
    lowest = float(loss.finite()[1].min())
    if case.anomaly.measures.get("limit", 0.0) < 0:  # found to have no bottom
        return saying(
            answer(True, lowest=short(lowest), first=short(float(loss.finite()[1][0]))),
            "The loss begins at {first} and falls to {lowest} without end: a term of it has the "
            "wrong sign, or has no lower bound",
            "损失从 {first} 开始，一直降到 {lowest}，没有尽头：其中某一项符号写反了，或者没有下界",
        )
    qualities = (*case.run.all(Metric.TRAIN_METRIC), *case.run.all(Metric.VAL_METRIC))
    known = [s for s in qualities if is_accuracy(s) or is_overlap(s)]
    if not known:
        return UNKNOWN
    overlaps = [s for s in known if is_overlap(s) and s.finite()[1].size]
    widest = max(overlaps, key=lambda s: float(s.finite()[1].max()), default=None)
    highest = 0.0 if widest is None else float(widest.finite()[1].max())
    if widest is not None and lowest < 0 and highest > FULL_OVERLAP:
        told = answer(True, lowest=short(lowest), overlap=short(highest), accuracy=widest.spoken)
        return saying(
            told,
            "The loss falls to {lowest} while {accuracy} reaches {overlap}, more than the 1 of "
            "full overlap: the masks hold values beyond 0 and 1, such as 0 to 255",
            "损失降到 {lowest}，而 {accuracy} 达到 {overlap}，超过完全重合时的 1："
            "掩码中有 0 和 1 之外的值，例如 0 到 255",
        )
    return answer(lowest < 0, lowest=short(lowest), accuracy=known[0].spoken)


def _scale_is_useless(case: Case) -> Answer:
    seen = _measure(case, Shape.HALVINGS)
    return UNKNOWN if seen is None else answer(bool(seen["floor"]), last=seen["after"])


def _rewards_alike(case: Case) -> Answer:
    seen = _measure(case, Shape.NO_SPREAD)
    return UNKNOWN if seen is None else answer(True, points=int(seen["points"]))


def _discriminator_always_right(case: Case) -> Answer:
    seen = _measure(case, Shape.SATURATED)
    if seen is None or "discriminator" not in seen:
        return UNKNOWN
    return answer(True, low=short(seen["discriminator"]), high=short(seen["generator"]))


def _discriminator_always_wrong(case: Case) -> Answer:
    seen = _measure(case, Shape.SATURATED)
    if seen is None or "fooled" not in seen:
        return UNKNOWN
    return answer(True, name=case.anomaly.signal, high=short(seen["fooled"]))


# What a gap is told of that needs no other data.
OTHERWISE: Final = frozenset({"scale", "steady", "equal"})
# Validation that is thrown to and fro was off from the start where its first value lies that far
# above training: as far as the detector asks of the middle of all of them.
APART: Final = 2.5


def _starts_apart(case: Case, seen: Mapping[str, float]) -> bool:
    """Return whether validation that swings was far above training at its first evaluation.

    Nor was it ever below what training came down to: one that is as good at times does work.
    """
    train, val = case.run.get(Metric.LOSS), case.run.get(Metric.VAL_LOSS)
    if train is None or val is None:
        return False
    _, first, second = np.intersect1d(train.steps, val.steps, return_indices=True)
    if first.size == 0 or seen["best"] < seen["train"]:
        return False
    return bool(val.values[second[0]] >= APART * train.values[first[0]])


def _val_wrong_from_start(case: Case) -> Answer:
    seen = _measure(case, Shape.GAP)
    # Counted otherwise, it may be as good as training; always the same, it tells of no data.
    if seen is None or not OTHERWISE.isdisjoint(seen):
        return UNKNOWN
    if "swings" in seen and not _starts_apart(case, seen):
        return UNKNOWN
    return answer(
        True, name=case.anomaly.signal, best=short(seen["best"]), train=short(seen["train"])
    )


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "loss_is_absurd",
        Text("Is the loss larger than any loss can be?", "损失是否大到任何正常损失都不可能达到？"),
        Text(
            "The loss reads {highest}: no data and no loss function give such a number, the "
            "weights have run away",
            "损失高达 {highest}：任何数据和损失函数都得不到这个数，权重已经失控",
        ),
        Text(
            "The largest loss, {highest}, is a number that data can give",
            "最大的损失 {highest} 仍是数据可能给出的数值",
        ),
        asked_of(LOST, _loss_is_absurd),
    ),
    Probe(
        "leaps_at_negligible_lr",
        Text(
            "Did one update at a negligible learning rate throw the loss up?",
            "学习率几乎为零时，一次更新是否就让损失跳升？",
        ),
        Text(
            "The loss went from {before} to {after} at step {step} with a learning rate of {lr}: "
            "no update of that size does this, other weights took the place of the loaded ones",
            "第 {step} 步损失从 {before} 变为 {after}，而学习率只有 {lr}：这么小的更新做不到，"
            "加载的权重被换成了别的权重",
        ),
        Text("No such leap", "没有这样的跳变"),
        _leaps_at_negligible_lr,
    ),
    Probe(
        "loss_below_zero",
        Text("Is the loss of a classifier below zero?", "分类器的损失是否小于零？"),
        Text(
            "The loss falls to {lowest} beside {accuracy}: a cross-entropy cannot be negative "
            "unless the targets are no probabilities",
            "损失降到 {lowest}，同时记录了 {accuracy}：交叉熵不可能为负，除非目标不是概率",
        ),
        Text("The loss stays above zero ({lowest})", "损失没有小于零（{lowest}）"),
        _loss_below_zero,
    ),
    Probe(
        "scale_is_useless",
        Text("Has the loss scale come to its floor?", "损失缩放系数是否已经触底？"),
        Text(
            "The loss scale is down to {last} and steps still overflow: the gradients themselves "
            "are beyond the range, or not finite",
            "损失缩放系数已降到 {last} 仍在溢出：梯度本身超出范围或已非有限",
        ),
        Text("The loss scale still works ({last})", "损失缩放系数仍在起作用（{last}）"),
        asked_of(frozenset({Kind.LOSS_SCALE_COLLAPSE}), _scale_is_useless),
        needs=(Metric.LOSS_SCALE,),
    ),
    Probe(
        "rewards_alike",
        Text("Did every sample of a group get the same reward?", "同组样本的奖励是否全都相同？"),
        Text(
            "In the last {points} {points|record|records} all rewards of a group are equal and the "
            "gradient is 0: advantages are zero, nothing can be learned",
            "最后 {points} 条记录里同组奖励全部相等、梯度为 0：优势恒为零，无从学习",
        ),
        Text("The rewards of a group differ", "同组样本的奖励有差别"),
        _rewards_alike,
    ),
    Probe(
        "discriminator_always_right",
        Text("Is the discriminator always right?", "判别器是否总是判对？"),
        Text(
            "The discriminator's loss is {low}, the generator's {high}: the generator gets no "
            "usable gradient",
            "判别器损失为 {low}，生成器损失为 {high}：生成器得不到有用的梯度",
        ),
        Text("Neither side has won", "双方势均力敌"),
        _discriminator_always_right,
    ),
    Probe(
        "discriminator_always_wrong",
        Text(
            "Does the discriminator take every generated sample for a real one?",
            "判别器是否把每个生成样本都当成真实样本？",
        ),
        Text(
            "{name} is exactly 0 while the discriminator's loss stands at {high}: every generated "
            "sample passes for real, and the generator gets no gradient",
            "{name} 恰好为 0，而判别器损失停在 {high}：每个生成样本都被判为真，生成器得不到梯度",
        ),
        Text("Neither side has won", "双方势均力敌"),
        _discriminator_always_wrong,
    ),
    Probe(
        "val_wrong_from_start",
        Text("Was validation wrong from its first value on?", "验证结果是否从第一次起就不对？"),
        Text(
            "{name} was no better than {best} by the time the training side had reached {train}: "
            "it did not get worse, it was off from the start",
            "训练一侧已达到 {train} 时，{name} 最好也只有 {best}：不是后来变差，而是从一开始就不对",
        ),
        Text("Validation worked at first", "验证起初是正常的"),
        _val_wrong_from_start,
    ),
)
