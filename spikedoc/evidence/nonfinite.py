"""Which series became non-finite first, and whether it stayed so."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.evidence._answers import (
    BROKEN,
    SPIKES,
    STUCK,
    UNKNOWN,
    answer,
    asked_of,
    is_nonfinite_form,
    lacking,
    saying,
)
from spikedoc.evidence._events import loss_jump
from spikedoc.evidence._ramps import is_calm
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Form, Kind
from spikedoc.model.metric import Metric
from spikedoc.model.run import Series
from spikedoc.signal.broken import broken_since
from spikedoc.text import Text

# More finite than non-finite points afterwards: transient.
TRANSIENT_SHARE: Final = 0.5
# … and of ten breaks nine passed.
COMES_BACK: Final = 10
# A first record further in than any usual logging interval is not the first loss of the training.
BEGINNING: Final = 100
# A lone record may be from anywhere.
FEWEST: Final = 2
KINDS: Final = frozenset({Kind.NONFINITE, Kind.DIVERGENCE, Kind.LOSS_SCALE_COLLAPSE})


def _first_loss_nonfinite(case: Case) -> Answer:
    loss = case.run.get(Metric.LOSS)
    if loss is None or len(loss) < FEWEST:
        return UNKNOWN
    if int(loss.steps[0]) > max(BEGINNING, loss.stride):
        return UNKNOWN  # an excerpt: the first loss of all is not in it
    return answer(
        not np.isfinite(loss.values[0]), step=int(loss.steps[0]), value=float(loss.values[0])
    )


def _nonfinite_is_transient(case: Case) -> Answer:
    if not is_nonfinite_form(case):
        return UNKNOWN
    for series in (case.run.get(Metric.LOSS), case.run.named(case.anomaly.signal)):
        if series is None or bool(series.is_finite.all()):
            continue
        good = series.is_finite
        first = int(np.argmin(good))
        after = good[first:]
        transient = _comes_back(after) and float(after.mean()) > TRANSIENT_SHARE
        bad = int(after.size - np.count_nonzero(after))
        return answer(transient, count=bad, points=int(after.size), step=int(series.steps[first]))
    return UNKNOWN


def _comes_back(good: NDArray[np.bool_]) -> bool:
    """Return whether numbers followed on the breaks: on all, or on nine in ten and not on the last.

    A log may end at any moment, within a break of many that passed.
    """
    begins = int(np.count_nonzero(good[:-1] & ~good[1:])) + int(not good[0])
    return bool(good[-1]) or begins >= COMES_BACK


def _onset(series: Series, around: int) -> int | None:
    return broken_since(series.steps, series.values, around)


def _hides_nan(case: Case) -> bool:
    return any(a.form is Form.MASKED for a in (case.anomaly, *case.anomalies))


def _order(case: Case) -> tuple[int | None, int | None] | None:
    """Return the first non-finite step of loss and grad_norm; None when both are finite.

    None as well where a trainer hides NaN, and with it when the loss broke.
    """
    loss, grad = case.run.get(Metric.LOSS), case.run.get(Metric.GRAD_NORM)
    if loss is None or grad is None or case.anomaly.kind not in KINDS:
        return None
    # Findings about one breakdown speak of one first break.
    own = case.anomaly
    same = [
        a.start_step
        for a in case.anomalies
        if a.kind is Kind.NONFINITE
        and a.signal == loss.name
        and a.start_step <= own.end_step
        and a.end_step >= own.start_step
    ]
    at = min([own.start_step, *same])
    steps = _onset(loss, at), _onset(grad, at)
    if steps == (None, None) or (steps[0] is None and _hides_nan(case)):
        return None
    return steps


def _grad_nonfinite_first(case: Case) -> Answer:
    order = _order(case)
    if order is None:
        return UNKNOWN
    loss, grad = order
    if loss is None:
        return saying(
            answer(True, grad=grad),
            "grad_norm became non-finite at step {grad} while the loss stayed a number: the "
            "backward pass broke",
            "梯度范数在第 {grad} 步变为非有限值，而损失仍是有限值：问题出在反向传播",
        )
    if grad is None:
        return saying(
            answer(False, loss=loss),
            "grad_norm stayed finite where the loss broke (step {loss})",
            "损失失效时（第 {loss} 步）梯度范数仍是有限值",
        )
    return answer(grad < loss, grad=grad, loss=loss)


FROM_FIRST_RECORD: Final = Text(
    "The loss is not finite from the first record on (step {loss}), and no gradient was before "
    "it: the forward pass or the loss is broken",
    "损失从第一条记录（第 {loss} 步）起就不是有限值，此前没有任何梯度：问题出在前向计算或损失函数",
)


def _loss_nonfinite_first(case: Case) -> Answer:
    if case.run.get(Metric.GRAD_NORM) is None:
        return lacking(Metric.GRAD_NORM)
    order = _order(case)
    if order is None:
        return UNKNOWN
    loss, grad = order
    calm = is_calm(case)
    if calm is None and loss is not None and loss > case.run.first_step:
        return UNKNOWN
    earlier = loss is not None and (grad is None or loss <= grad)
    told = answer(earlier and calm is not False, loss=loss, grad=grad)
    if loss is None:
        return saying(
            told,
            "The loss stayed a number; grad_norm became non-finite at step {grad}",
            "损失仍是有限值，而梯度范数在第 {grad} 步变为非有限值",
        )
    if earlier and calm is None:  # nothing lies before the first record
        return saying(told, FROM_FIRST_RECORD.en, FROM_FIRST_RECORD.zh)
    if earlier and calm is False:
        return saying(
            told,
            "The loss became non-finite at step {loss}, but gradients had left their level before",
            "损失在第 {loss} 步变为非有限值，但此前梯度已偏离平时水平",
        )
    if grad is None:
        return saying(
            told,
            "The loss became non-finite at step {loss}, grad_norm never did, with calm gradients "
            "before: the forward pass or the loss broke",
            "损失在第 {loss} 步变为非有限值，梯度范数始终有限，此前梯度平稳：问题出在前向计算"
            "或损失函数",
        )
    return told


def _grad_broken_at_peak(case: Case) -> Answer:
    grad, rise = case.run.get(Metric.GRAD_NORM), loss_jump(case)
    if grad is None or rise is None or case.anomaly.kind not in SPIKES:
        return UNKNOWN
    there = grad.values[grad.steps == rise.step]
    if there.size == 0 or not np.isfinite(rise.peak):
        return UNKNOWN
    value = float(there[0])
    return answer(not np.isfinite(value), step=rise.step, value=value, loss=rise.peak)


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "first_loss_nonfinite",
        Text("Is the very first logged loss non-finite?", "第一个记录的损失就是非有限值吗？"),
        Text(
            "The very first loss, at step {step}, is {value}: broken before any training",
            "第一个损失（第 {step} 步）就是 {value}，训练尚未开始就已出错",
        ),
        Text(
            "The first loss, at step {step}, is finite ({value})",
            "第一个损失（第 {step} 步）是有限值（{value}）",
        ),
        asked_of(BROKEN | STUCK, _first_loss_nonfinite),
        needs=(Metric.LOSS,),
    ),
    Probe(
        "nonfinite_is_transient",
        Text("Do finite values follow?", "之后是否又恢复为有限值？"),
        Text(
            "Only {count} of {points} values from step {step} on {count|is|are} non-finite: "
            "numbers follow",
            "自第 {step} 步起 {points} 个值中只有 {count} 个非有限，其后又是有限值",
        ),
        Text(
            "From step {step} on, {count} of {points} {points|value|values} {count|is|are} "
            "non-finite: it stays",
            "自第 {step} 步起 {points} 个值中有 {count} 个非有限，没有恢复",
        ),
        _nonfinite_is_transient,
    ),
    Probe(
        "grad_nonfinite_first",
        Text(
            "Did grad_norm become non-finite before the loss?", "梯度范数是否先于损失变为非有限值？"
        ),
        Text(
            "grad_norm became non-finite first (step {grad}; loss: step {loss}): the backward pass "
            "broke",
            "梯度范数先变为非有限值（第 {grad} 步；损失：第 {loss} 步），问题出在反向传播",
        ),
        Text(
            "grad_norm did not become non-finite before the loss (grad_norm: step "
            "{grad}, loss: step {loss})",
            "梯度范数没有先于损失变为非有限值（梯度范数：第 {grad} 步，损失：第 {loss} 步）",
        ),
        _grad_nonfinite_first,
        needs=(Metric.LOSS, Metric.GRAD_NORM),
    ),
    Probe(
        "grad_broken_at_peak",
        Text(
            "Is grad_norm non-finite at the peak of the loss?",
            "损失达到峰值时梯度范数是否为非有限值？",
        ),
        Text(
            "grad_norm is {value} at step {step}, where the loss peaks ({loss}): the computation "
            "broke there",
            "损失在第 {step} 步达到峰值（{loss}），同一步的梯度范数为 {value}：计算在那里出错",
        ),
        Text(
            "grad_norm is finite ({value}) at the peak of the loss (step {step})",
            "损失达到峰值的第 {step} 步，梯度范数是有限值（{value}）",
        ),
        _grad_broken_at_peak,
        needs=(Metric.LOSS, Metric.GRAD_NORM),
    ),
    Probe(
        "loss_nonfinite_first",
        Text(
            "Was the loss the first to become non-finite, out of calm gradients?",
            "是否在梯度平稳的情况下损失先变为非有限值？",
        ),
        Text(
            "The loss became non-finite at step {loss} (grad_norm: step {grad}) with calm "
            "gradients before: the forward pass or the loss broke",
            "损失在第 {loss} 步变为非有限值（梯度范数：第 {grad} 步），此前梯度平稳："
            "问题出在前向计算或损失函数",
        ),
        Text(
            "The loss was not the first to break: grad_norm did at step {grad}, the loss at step "
            "{loss}",
            "损失不是最先失效的：梯度范数在第 {grad} 步失效，损失在第 {loss} 步",
        ),
        _loss_nonfinite_first,
        needs=(Metric.LOSS, Metric.GRAD_NORM),
    ),
)
