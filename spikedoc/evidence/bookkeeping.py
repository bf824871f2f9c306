"""Whether the logged number is counted in another way: a sum never reset, another divisor."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from spikedoc.evidence._answers import UNKNOWN, answer, asked_of, short
from spikedoc.evidence._restarts import restart_near
from spikedoc.evidence._stretch import stretch
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.model.run import Series
from spikedoc.signal.around import finite
from spikedoc.signal.transform import ratio
from spikedoc.text import Text

# A loss is noise around a course: fifty steps up and none down do not happen. One in fifty may be
# the reset of a sum.
FEWEST: Final = 50
UP: Final = 0.98
# What diverges gets faster; a sum of losses that are learned down, or stay, does not.
NO_FASTER: Final = 1.5
KINDS: Final = frozenset({Kind.DIVERGENCE, Kind.SUSTAINED_DRIFT, Kind.LEVEL_SHIFT})
# A loss times k has a gradient times k. So many points on either side tell a level, and two levels
# of a noisy series to some 15 %: steps of half as much again and more agree by chance seldom.
SCALED_POINTS: Final = 30
SCALED_FEWEST: Final = 10
SCALED_LEAST: Final = math.log(1.5)
SCALED_ALIKE: Final = math.log(1.15)
# Another divisor acts on both at once: the last points before the onset, and the first ones after
# it, stand as high in the one as in the other, to half as much again. A gradient that was up before
# the loss, or a loss that takes longer, is no common factor.
BEFORE_POINTS: Final = 3
AT_ONCE_POINTS: Final = 5
STEPS_UP: Final = frozenset({Kind.DIVERGENCE, Kind.LEVEL_SHIFT, Kind.RESUME_DISCONTINUITY})


def _loss_only_rises(case: Case) -> Answer:
    values = stretch(case, case.run.get(Metric.LOSS))
    if values.size < FEWEST:
        return UNKNOWN
    moves = np.diff(values)
    up = float(np.mean(moves > 0))
    third = moves.size // 3
    early, late = float(np.median(moves[:third])), float(np.median(moves[-third:]))
    rises = up >= UP and early > 0 and late <= NO_FASTER * early
    return answer(rises, count=int(np.sum(moves > 0)), all=int(moves.size), step=short(late))


def _counted_in_two_ways(case: Case) -> Answer:
    restart = restart_near(case)
    if restart is None or restart.piece is None or not restart.piece.changed:
        return UNKNOWN
    multiple = restart.piece.ratio
    if multiple is None:
        return answer(False, step=restart.step)
    return answer(
        True,
        step=restart.step,
        last=restart.last_step,
        ratio=short(multiple),
        inverse=short(1 / multiple),
    )


def _scaled_alike(case: Case) -> Answer:
    loss = _factor_at(case, case.run.get(Metric.LOSS))
    grad = _factor_at(case, case.run.get(Metric.GRAD_NORM))
    if loss is None or grad is None or abs(loss) < SCALED_LEAST:
        return UNKNOWN
    alike = abs(loss - grad) <= SCALED_ALIKE
    if alike and not (_together(case, -BEFORE_POINTS) and _together(case, AT_ONCE_POINTS)):
        return UNKNOWN
    return answer(alike, loss=short(ratio(loss)), grad=short(ratio(grad)))


def _together(case: Case, points: int) -> bool:
    """Return whether loss and gradient norm stand as high in the points next to the onset."""
    loss = _factor_at(case, case.run.get(Metric.LOSS), points)
    grad = _factor_at(case, case.run.get(Metric.GRAD_NORM), points)
    return loss is None or grad is None or abs(loss - grad) <= SCALED_LEAST


def _factor_at(case: Case, series: Series | None, points: int = SCALED_POINTS) -> float | None:
    """Return ln of the level over `points` from the onset on over the level before it.

    Below zero `points` are the last ones before the onset. None with too few on either side.
    """
    if series is None:
        return None
    steps, values = finite(series.steps, series.values)
    at = int(np.searchsorted(steps, case.anomaly.start_step))
    before, after = values[max(0, at - SCALED_POINTS) : at], values[at : at + SCALED_POINTS]
    if min(before.size, after.size) < SCALED_FEWEST:
        return None
    part = after[:points] if points > 0 else before[points:]
    low, high = float(np.median(before)), float(np.median(part))
    return math.log(high) - math.log(low) if low > 0 and high > 0 else None


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "counted_in_two_ways",
        Text(
            "Were the same steps logged twice, the loss of one a fixed multiple of the other?",
            "同一批步数是否记录了两次，且两次的损失成固定倍数？",
        ),
        Text(
            "Steps {step} to {last} stand in the log twice; the loss of the first time is {ratio} "
            "times that of the second ({inverse} the other way round) at each of them: another "
            "divisor (samples, tokens, accumulation steps, cards), not another training",
            "日志中第 {step} 到 {last} 步出现了两次；第一次的损失在每一步都是第二次的 {ratio} 倍"
            "（反过来为 {inverse} 倍）：是除数不同（样本、token、累积步数或卡数），而不是训练不同",
        ),
        Text(
            "What was logged twice from step {step} on has other values, not multiples",
            "从第 {step} 步起被记录两次的数值各不相同，并非固定倍数",
        ),
        _counted_in_two_ways,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "scaled_alike",
        Text(
            "Did loss and gradient norm change by the same factor at once?",
            "损失与梯度范数是否同时变为原来的同一倍数？",
        ),
        Text(
            "At the onset the loss changed {loss}-fold and grad_norm {grad}-fold: one factor "
            "before both, another divisor or weight, rather than other weights of the model",
            "异常开始时，损失变为原来的 {loss} 倍，梯度范数变为 {grad} 倍：两者同乘一个系数，"
            "说明换了除数或权重，而不是模型参数变了",
        ),
        Text(
            "At the onset the loss changed {loss}-fold, grad_norm {grad}-fold: no common factor",
            "异常开始时，损失变为原来的 {loss} 倍，梯度范数变为 {grad} 倍：没有共同的系数",
        ),
        asked_of(STEPS_UP, _scaled_alike),
        needs=(Metric.LOSS, Metric.GRAD_NORM),
    ),
    Probe(
        "loss_only_rises",
        Text(
            "Does the loss rise at every single record, evenly?",
            "损失是否在每条记录上都均匀上升？",
        ),
        Text(
            "The loss rises from {count} of {all} records to the next, without noise and without "
            "getting faster (by {step} in the end): this is a running sum, not a loss",
            "{all} 次相邻记录中有 {count} 次上升，没有噪声，也没有加速（末段每次上升 {step}）："
            "这是累加和，不是损失",
        ),
        Text(
            "The loss rises from {count} of {all} records to the next: it is no running sum",
            "{all} 次相邻记录中有 {count} 次上升：不是累加和",
        ),
        asked_of(KINDS, _loss_only_rises),
        needs=(Metric.LOSS,),
    ),
)
