"""What a break tells by itself, where the log holds the loss and little beside it."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._answers import BROKEN, UNKNOWN, answer, asked_of, is_held_out, short
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Form, Kind
from spikedoc.model.metric import Metric
from spikedoc.model.run import Series
from spikedoc.text import Text

# What would tell the causes of a break apart: none of it is in such a log.
WITNESSES: Final = (
    *(Metric.GRAD_NORM, Metric.LOSS_SCALE, Metric.UPDATE_NORM, Metric.WEIGHT_NORM),
    *(Metric.LOSS_COMPONENT, Metric.VAL_LOSS_COMPONENT),
)
# Messages that tell it.
TELLING: Final = ("returned nan", "overflow", "scale", "encountered in", "resum")
# The loss did not climb before it broke: its last value is below twice the level before, as for a
# calm loss elsewhere.
CLIMB: Final = 2.0
# A loss that is not finite in validation while training goes on is another question.
TRAINING: Final = (Form.FROM_START, Form.PERSISTENT, Form.MASKED)
# The records of one training step, or of the first few: what follows is broken already.
FIRST_RECORDS: Final = 2


def _breaks_without_witness(case: Case) -> Answer:
    loss = case.run.get(Metric.LOSS)
    if case.anomaly.kind is not Kind.NONFINITE or case.anomaly.form not in TRAINING:
        return UNKNOWN
    if loss is None or is_held_out(case) or "precision" in case.run.config:
        return UNKNOWN
    told = any(says in line.lower() for _, line in case.run.events for says in TELLING)
    if told or any(case.run.all(metric) for metric in WITNESSES):
        return UNKNOWN
    before = _before_break(loss)
    if before.size >= FIRST_RECORDS and before[-1] >= CLIMB * float(np.median(before[:-1])):
        return UNKNOWN
    return answer(True, step=case.anomaly.start_step, points=int(before.size))


def _before_break(loss: Series) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the values before the loss was first 0 or not finite."""
    broken = ~loss.is_finite | (loss.values == 0.0)
    return loss.values[: int(np.argmax(broken))] if bool(broken.any()) else loss.values


def _first_gradient_kills(case: Case) -> Answer:
    loss, grad = case.run.get(Metric.LOSS), case.run.get(Metric.GRAD_NORM)
    if loss is None or grad is None or not len(grad) or len(loss) < FIRST_RECORDS:
        return UNKNOWN
    sound = np.isfinite(loss.values[0]) and loss.values[0] != 0.0
    if not sound or not int(loss.steps[0]) <= int(grad.steps[0]) < int(loss.steps[1]):
        return UNKNOWN
    broken = not np.isfinite(loss.values[1]) or loss.values[1] == 0.0
    if not broken:
        return UNKNOWN  # the step was skipped, as a loss scaler does
    step, first = int(grad.steps[0]), float(loss.values[0])
    return answer(not np.isfinite(grad.values[0]), step=step, first=short(first))


def _only_validation_shown(case: Case) -> Answer:
    if not is_held_out(case) or case.run.get(Metric.LOSS) is not None:
        return UNKNOWN
    return answer(True, step=case.anomaly.start_step)


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "breaks_without_witness",
        Text(
            "Does the loss break without a climb, in a log without gradient, scale or precision?",
            "损失是否未经上升就失效，而日志里没有梯度、缩放因子或精度？",
        ),
        Text(
            "The loss breaks at step {step} without having climbed, and neither gradient norm, "
            "loss scale nor precision is logged: half precision is behind nearly half of the known "
            "breaks of this kind, so rule it out first",
            "第 {step} 步损失未经上升就失效，日志里没有梯度范数、损失缩放和精度："
            "在原因已查明的同类失效中半精度占近一半，应最先排除",
        ),
        Text("The log tells more about the break", "日志对失效有更多说明"),
        asked_of(BROKEN, _breaks_without_witness),
    ),
    Probe(
        "first_gradient_kills",
        Text(
            "Does the very first gradient break a model whose first loss was sound?",
            "第一个梯度是否就毁掉了首个损失正常的模型？",
        ),
        Text(
            "The loss is a number at step {step} ({first}) while the gradient of that step is not, "
            "and the next loss is broken: the backward pass gives NaN, and no loss scaler skipped "
            "the step",
            "第 {step} 步的损失是正常数值（{first}），但该步的梯度不是，下一个损失就已失效："
            "反向传播产生 NaN，也没有损失缩放器跳过这一步",
        ),
        Text(
            "The first gradient (step {step}) is a number",
            "第一个梯度（第 {step} 步）是有限值",
        ),
        asked_of(BROKEN, _first_gradient_kills),
        needs=(Metric.LOSS, Metric.GRAD_NORM),
    ),
    Probe(
        "only_validation_shown",
        Text(
            "Is the broken loss that of validation, with no training loss in the log?",
            "失效的是否是验证损失，而日志里没有训练损失？",
        ),
        Text(
            "The validation loss is not finite from step {step} on, and the log holds no training "
            "loss: look at the evaluation first",
            "验证损失从第 {step} 步起非有限，而日志里没有训练损失：先检查评估",
        ),
        Text("The training loss is logged as well", "训练损失也有记录"),
        asked_of(BROKEN, _only_validation_shown),
    ),
)
