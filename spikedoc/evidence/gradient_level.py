"""The level of the gradient norm over a stretch: zero, vanishing, usable; what it follows."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Final

import numpy as np

from spikedoc.evidence._answers import (
    PROGRESS,
    STUCK,
    UNKNOWN,
    answer,
    asked_of,
    saying,
    setting,
    short,
)
from spikedoc.evidence._profile import NOISE_TREND
from spikedoc.evidence._stretch import ZERO, is_zero, stretch
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.model.run import Series
from spikedoc.signal.around import (
    aligned,
    correlation,
    detrended,
    finite,
    first_from,
    part_medians,
    parts,
)
from spikedoc.signal.baseline import scatter
from spikedoc.text import Text

# Vanishing: by itself, or against the first values of the run.
VANISHING: Final = 1e-4
VANISHING_SHARE: Final = 1e-3
# Above this a gradient is exploding rather than teaching.
EXPLODING: Final = 1e4
FIRST_POINTS: Final = 5
# A model whose output does not depend on its input guesses 1 / C for each class; what is left of
# the gradient is that of the output bias, sqrt((1 - 1 / C) / B) over a batch of B (measured: .96
# and 1.03 of it with dead units and a frozen body, 2.5 times and more with a living network).
BIAS_TOLERANCE: Final = 0.15
# Up to sqrt(2) all weights together have no larger gradient than the output bias alone. Measured:
# 1.0 to 1.4 where nothing reaches the lower layers, 2.5 and more where only the labels are wrong.
BIAS_MOST: Final = 1.42
LARGEST_LOG: Final = 20.0
# Blocks in which scatter of the loss and level of the gradient are compared.
COMPARE_BLOCKS: Final = 40
COMPARE_FEWEST: Final = 5
FOLLOWS: Final = 0.5
# Stretches of constant loss scale and how near the log-log slope must be to 1 (measured: found in
# 40 of 40 simulated cases, never without the fault).
SCALE_POINTS: Final = 20
SCALE_SLOPE: Final = 0.25
SCALE_PAIRS: Final = 2


def _grad_is_zero(case: Case) -> Answer:
    return is_zero(case, Metric.GRAD_NORM)


def _grad_is_vanishing(case: Case) -> Answer:
    grad = case.run.get(Metric.GRAD_NORM)
    values = stretch(case, grad)
    if grad is None or values.size == 0:
        return UNKNOWN
    level = float(np.median(values))
    first = first_from(grad.steps, grad.values, case.run.first_step, FIRST_POINTS)
    start = float(np.median(first)) if first.size else 0.0
    small = level >= ZERO and (level < VANISHING or level < VANISHING_SHARE * start)
    if not small and _is_bias_only(case):
        return UNKNOWN  # of its usual size, and still none of it reaches what has to learn
    told = case.anomaly.measures
    if case.anomaly.kind is Kind.GRADIENT_VANISHING and {"before", "after"} <= told.keys():
        level, start = told["after"], told["before"]  # one norm, one pair of figures
    return answer(small, level=short(level), start=short(start))


def _grad_is_moderate(case: Case) -> Answer:
    grad = case.run.get(Metric.GRAD_NORM)
    values = stretch(case, grad)
    if grad is None or values.size == 0:
        return UNKNOWN
    level = float(np.median(values))
    if _is_bias_only(case):
        return saying(
            answer(False, level=short(level)),
            "grad_norm is {level}, no more than an output bias alone would have: no learning "
            "signal",
            "梯度范数为 {level}，不超过单独一个输出层偏置的梯度：没有学习信号",
        )
    return answer(VANISHING <= level <= EXPLODING, level=short(level))


def _is_bias_only(case: Case) -> bool:
    return case.anomaly.kind in STUCK and _grad_is_bias_only(case).holds is True


def _grad_is_bias_only(case: Case) -> Answer:
    values, loss = stretch(case, case.run.get(Metric.GRAD_NORM)), case.run.get(Metric.LOSS)
    size = (setting(case, "batch_size") or 0.0) * max(setting(case, "accumulation") or 1.0, 1.0)
    if values.size == 0 or loss is None or size < 1:
        return UNKNOWN
    classes = setting(case, "num_classes")
    losses = stretch(case, loss)
    if classes is None and losses.size:
        classes = math.exp(min(float(np.median(losses)), LARGEST_LOG))
    if classes is None or classes <= 1:
        return UNKNOWN
    expected = math.sqrt((1 - 1 / classes) / size)
    level = float(np.median(values))
    near = 1 - BIAS_TOLERANCE <= level / expected <= BIAS_MOST
    return answer(near, level=short(level), expected=short(expected), batch=size)


def _grad_noise_follows_loss(case: Case) -> Answer:
    loss, grad = case.run.get(Metric.LOSS), case.run.get(Metric.GRAD_NORM)
    if loss is None or grad is None:
        return UNKNOWN
    values, grads = aligned((loss.steps, loss.values), (grad.steps, grad.values))
    if values.size < COMPARE_BLOCKS * COMPARE_FEWEST:
        return UNKNOWN
    residual = detrended(values, NOISE_TREND)
    noise = np.array([scatter(part) for part in parts(residual, COMPARE_BLOCKS)])
    level = part_medians(grads, COMPARE_BLOCKS)
    together = correlation(noise, level)
    return answer(together > FOLLOWS, correlation=short(together))


def _grad_follows_loss_scale(case: Case) -> Answer:
    grad, scale = case.run.get(Metric.GRAD_NORM), case.run.get(Metric.LOSS_SCALE)
    if grad is None or scale is None:
        return UNKNOWN
    slopes = _scale_slopes(grad, scale)
    if len(slopes) < SCALE_PAIRS:
        return UNKNOWN
    middle = float(np.median(slopes))
    near = sum(abs(slope - 1) < SCALE_SLOPE for slope in slopes)
    follows = near >= SCALE_PAIRS and abs(middle - 1) < SCALE_SLOPE
    return answer(follows, slope=short(middle), pairs=len(slopes))


def _scale_slopes(grad: Series, scale: Series) -> list[float]:
    """Return the log-log slopes of grad_norm over the loss scale between steady stretches."""
    steps, values = finite(grad.steps, grad.values)
    scale_steps, scales = finite(scale.steps, scale.values)
    keep = (values > 0) & (steps >= (scale_steps[0] if scale_steps.size else np.inf))
    steps, values = steps[keep], values[keep]
    if steps.size == 0 or float(scales.min()) <= 0:
        return []
    at = np.log2(scales)[np.searchsorted(scale_steps, steps, side="right") - 1]
    groups = np.split(np.arange(steps.size), np.flatnonzero(np.diff(at) != 0) + 1)
    logs, slopes = np.log2(values), []
    for first, second in pairwise(groups):
        if min(first.size, second.size) >= SCALE_POINTS:
            rise = float(
                np.median(logs[second[:SCALE_POINTS]]) - np.median(logs[first[-SCALE_POINTS:]])
            )
            slopes.append(rise / float(at[second[0]] - at[first[-1]]))
    return [slope for slope in slopes if math.isfinite(slope)]


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "grad_is_zero",
        Text("Is grad_norm exactly zero?", "梯度范数是否恰好为零？"),
        Text(
            "grad_norm is zero in {percent} % of the points of steps {first} to {last}: nothing "
            "reaches the parameters there",
            "第 {first} 到 {last} 步之间 {percent} % 的点上梯度范数为零，没有梯度传到参数",
        ),
        Text("grad_norm is not zero (median {level})", "梯度范数不为零（中位数 {level}）"),
        asked_of(STUCK, _grad_is_zero),
        needs=(Metric.GRAD_NORM,),
    ),
    Probe(
        "grad_is_vanishing",
        Text("Is grad_norm vanishing?", "梯度是否消失？"),
        Text(
            "grad_norm is down to {level} (start {start}): next to no signal reaches the "
            "parameters",
            "梯度范数只有 {level}（初始 {start}），几乎没有信号传到参数",
        ),
        Text(
            "grad_norm is {level} (start {start}): not vanishing",
            "梯度范数为 {level}（初始 {start}），没有消失",
        ),
        asked_of(STUCK, _grad_is_vanishing),
        needs=(Metric.GRAD_NORM,),
    ),
    Probe(
        "grad_is_moderate",
        Text("Is there a usable gradient?", "是否存在可用的梯度？"),
        Text(
            "grad_norm is {level}: a learning signal exists",
            "梯度范数为 {level}，学习信号是存在的",
        ),
        Text(
            "grad_norm is {level}: outside the usable range",
            "梯度范数为 {level}，不在可用范围内",
        ),
        asked_of(PROGRESS | STUCK, _grad_is_moderate),
        needs=(Metric.GRAD_NORM,),
    ),
    Probe(
        "grad_is_bias_only",
        Text("Is the gradient only that of an output bias?", "梯度是否只剩输出层偏置的那一部分？"),
        Text(
            "grad_norm is {level}, just what the output bias of a constant guess gives at a "
            "batch of {batch} ({expected}): nothing else receives a gradient",
            "梯度范数为 {level}，恰好等于批次为 {batch} 时常数输出的偏置梯度（{expected}）：其"
            "余参数没有梯度",
        ),
        Text(
            "grad_norm is {level}; an output bias alone would give {expected} at a batch of "
            "{batch}",
            "梯度范数为 {level}；若只有输出层偏置有梯度，批次为 {batch} 时应为 {expected}",
        ),
        asked_of(STUCK, _grad_is_bias_only),
        needs=(Metric.GRAD_NORM, Metric.LOSS),
        needs_config=("batch_size",),
    ),
    Probe(
        "grad_noise_follows_loss",
        Text(
            "Does the loss scatter more where grad_norm is high?", "梯度范数高时损失波动是否更大？"
        ),
        Text(
            "The loss scatters most where grad_norm is high (correlation {correlation})",
            "梯度范数高的时候损失波动也大（相关系数 {correlation}）",
        ),
        Text(
            "The scatter of the loss does not follow grad_norm (correlation {correlation})",
            "损失波动与梯度范数无明显关系（相关系数 {correlation}）",
        ),
        _grad_noise_follows_loss,
        needs=(Metric.LOSS, Metric.GRAD_NORM),
    ),
    Probe(
        "grad_follows_loss_scale",
        Text("Does grad_norm follow the loss scale?", "梯度范数是否随损失缩放系数变化？"),
        Text(
            "grad_norm doubles when the loss scale doubles (slope {slope} over {pairs} changes)"
            ": it is logged, and perhaps clipped, before unscaling",
            "损失缩放系数翻倍时梯度范数也翻倍（{pairs} 次变化的斜率为 {slope}）：说明记录（可能"
            "连裁剪）发生在 unscale 之前",
        ),
        Text(
            "grad_norm does not follow the loss scale (slope {slope} over {pairs} changes): it "
            "is unscaled first",
            "梯度范数不随损失缩放系数变化（{pairs} 次变化的斜率为 {slope}），已先做 unscale",
        ),
        _grad_follows_loss_scale,
        needs=(Metric.GRAD_NORM, Metric.LOSS_SCALE),
    ),
)
