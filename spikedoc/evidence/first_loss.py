"""How far the first loss lies from a guess, and whether a sum over the batch explains it."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from spikedoc.evidence._answers import UNKNOWN, answer, asked_of, setting, short
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.signal.around import finite
from spikedoc.text import Text

# Logits of standard deviation s cost about s^2 / 2 more than ln C: three times ln 10 takes s = 3,
# which no usual initialisation gives.
FAR_FACTOR: Final = 3.0
# The ratio to a guess is the batch size within a tenth: logits are small, but not zero.
BATCH_TOLERANCE: Final = 0.10
# A loss of so few samples is no multiple of anything.
BATCH_FEWEST: Final = 4
# The squared error of standardised targets begins near 1, a cross-entropy below ln of the largest
# vocabulary (12.5): thousands mean a sum or quantities of another scale.
THOUSANDS: Final = 1000.0
KINDS: Final = frozenset({Kind.FIRST_LOSS_OFF})
SCALE_KINDS: Final = KINDS | {Kind.NON_CONVERGENCE, Kind.NONFINITE, Kind.DIVERGENCE}


def _ratio(case: Case) -> tuple[float, float] | None:
    """Return the first finite loss and the loss of a guess; None when either is unknown."""
    loss, classes = case.run.get(Metric.LOSS), setting(case, "num_classes")
    if loss is None or classes is None or classes <= 1:
        return None
    _, values = finite(loss.steps, loss.values)
    return (float(values[0]), math.log(classes)) if values.size else None


def _first_loss_far_above(case: Case) -> Answer:
    found = _ratio(case)
    if found is None:
        return UNKNOWN
    first, chance = found
    return answer(
        first >= FAR_FACTOR * chance,
        first=first,
        chance=round(chance, 4),
        factor=short(first / chance),
    )


def _first_loss_is_batch_multiple(case: Case) -> Answer:
    found, size = _ratio(case), setting(case, "batch_size")
    if found is None or size is None or size < BATCH_FEWEST:
        return UNKNOWN
    first, chance = found
    ratio = first / chance
    near = abs(float(np.log(max(ratio, np.finfo(np.float64).tiny) / size))) <= BATCH_TOLERANCE
    return answer(near, factor=short(ratio), batch=size)


def _first_loss_in_thousands(case: Case) -> Answer:
    loss = case.run.get(Metric.LOSS)
    if loss is None:
        return UNKNOWN
    _, values = finite(loss.steps, loss.values)
    if values.size == 0:
        return UNKNOWN
    return answer(float(values[0]) >= THOUSANDS, first=short(float(values[0])))


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "first_loss_far_above",
        Text("Is the first loss several times that of a guess?", "初始损失是否数倍于随机猜测？"),
        Text(
            "The first loss {first} is {factor}x that of a guess ({chance}): the untrained model "
            "is confidently wrong",
            "初始损失 {first} 是随机猜测（{chance}）的 {factor} 倍：未训练的模型“自信地错了”",
        ),
        Text(
            "The first loss {first} is {factor}x that of a guess ({chance})",
            "初始损失 {first} 为随机猜测（{chance}）的 {factor} 倍",
        ),
        asked_of(KINDS, _first_loss_far_above),
        needs=(Metric.LOSS,),
        needs_config=("num_classes",),
    ),
    Probe(
        "first_loss_is_batch_multiple",
        Text(
            "Is the first loss a guess times the batch size?",
            "初始损失是否等于随机猜测乘以批大小？",
        ),
        Text(
            "The first loss is {factor}x that of a guess and the batch has {batch} "
            "{batch|sample|samples}: it is summed, not averaged",
            "初始损失是随机猜测的 {factor} 倍，而批大小为 {batch}：损失是求和而不是平均",
        ),
        Text(
            "The first loss is {factor}x that of a guess, not the batch size of {batch}",
            "初始损失是随机猜测的 {factor} 倍，与批大小 {batch} 不符",
        ),
        asked_of(KINDS, _first_loss_is_batch_multiple),
        needs=(Metric.LOSS,),
        needs_config=("num_classes", "batch_size"),
    ),
    Probe(
        "first_loss_in_thousands",
        Text("Does the loss begin in the thousands?", "损失是否从上千开始？"),
        Text(
            "The loss begins at {first}: summed, or of inputs or targets that are not scaled",
            "损失从 {first} 开始：不是求和所致，就是输入或目标没有归一化",
        ),
        Text(
            "The loss begins at {first}, a usual size",
            "损失从 {first} 开始，大小正常",
        ),
        asked_of(SCALE_KINDS, _first_loss_in_thousands),
        needs=(Metric.LOSS,),
    ),
)
