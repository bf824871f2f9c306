"""Whether steps with an infinite gradient norm changed anything."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._answers import UNKNOWN, answer, asked_of, lacking, percent
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.text import Text

# As often as this a step with an infinite norm leaves the weights as they are: always, or with
# a few lines whose update was logged a step late.
NEARLY_ALL: Final = 0.9
# One coincidence is none.
FEWEST: Final = 2


def _update_is_zero_where_infinite(case: Case) -> Answer:
    grad, update = case.run.get(Metric.GRAD_NORM), case.run.get(Metric.UPDATE_NORM)
    loss = case.run.get(Metric.LOSS)
    if grad is None or case.anomaly.signal != grad.name:
        return UNKNOWN
    if update is None:
        return lacking(Metric.UPDATE_NORM)
    infinite = grad.steps[np.isinf(grad.values)]
    beside = update.values[np.isin(update.steps, infinite)]
    if beside.size < FEWEST or loss is None or not bool(loss.is_finite.all()):
        return UNKNOWN
    zeros = int(np.count_nonzero(beside == 0.0))
    moved = update.values[~np.isin(update.steps, infinite)]
    if not bool(np.any(moved > 0.0)):
        return UNKNOWN  # nothing ever moves: the infinite norms are not the reason
    share = zeros / int(beside.size)
    return answer(share >= NEARLY_ALL, count=zeros, points=int(beside.size), percent=percent(share))


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "update_is_zero_where_infinite",
        Text(
            "Is the update exactly 0 where grad_norm is infinite?",
            "梯度范数为无穷大的那些步，更新量是否恰好为 0？",
        ),
        Text(
            "At {count} of {points} steps with an infinite grad_norm the update is exactly 0, and "
            "the loss stays a number: the step was skipped, or clipping divided by infinity; an "
            "infinite entry, multiplied by 0, would have left NaN",
            "梯度范数为无穷大的 {points} 步中有 {count} 步更新量恰好为 0，损失仍是有限值：这一步"
            "被跳过，或者裁剪时除以了无穷大；若某个元素本身为无穷大，乘以 0 会留下 NaN",
        ),
        Text(
            "Of {points} steps with an infinite grad_norm the update is 0 in {percent} %: most of "
            "them were taken",
            "梯度范数为无穷大的 {points} 步中只有 {percent} % 更新量为 0：多数步照常执行了",
        ),
        asked_of(frozenset({Kind.NONFINITE}), _update_is_zero_where_infinite),
        needs=(Metric.GRAD_NORM, Metric.UPDATE_NORM),
    ),
)
