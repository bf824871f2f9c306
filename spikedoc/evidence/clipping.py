"""Whether gradient clipping was there, tight enough, or always on."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from spikedoc.evidence._answers import UNKNOWN, answer, lacking, percent, saying, setting, short
from spikedoc.evidence._events import jump_of
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.metric import Metric
from spikedoc.model.sign import ordinary_gradients
from spikedoc.signal.around import finite
from spikedoc.signal.habit import high_end, stretch_before
from spikedoc.text import Text, rounded

# Nine steps in ten above the threshold: clipping sets the step size.
SATURATED_SHARE: Final = 0.90
# A log of norms after clipping shows its threshold as a ceiling.
CEILING_SHARE: Final = 0.50
CEILING_WIDTH: Final = 1e-3
CLIP_FEWEST: Final = 20
# Without enough points before the anomaly the first ones of the run stand in.
HABIT_POINTS: Final = 500
# A threshold above three times that never touches an ordinary step, nor most outliers.
LOOSE_FACTOR: Final = 3.0
# A jump that a threshold would have had to catch.
CAUGHT_FROM: Final = 3.0


def _habit(case: Case) -> float | None:
    """Return P99 of grad_norm before the first sign of the main finding, as the advice has it."""
    grad = case.run.get(Metric.GRAD_NORM)
    if grad is None:
        return None
    main = case.anomalies[0] if case.anomalies else case.anomaly
    _, habit = ordinary_gradients(case.run, main, CLIP_FEWEST)
    if habit.size == 0:
        _, habit = stretch_before(grad.steps, grad.values, HABIT_POINTS, CLIP_FEWEST)
    return high_end(habit) if habit.size else None


def _two_digits(value: float) -> float:
    """Return a threshold as the advice shows it."""
    return rounded(value, 2)


def _grad_clip_saturated(case: Case) -> Answer:
    grad = case.run.get(Metric.GRAD_NORM)
    if grad is None:
        return UNKNOWN
    _, values = finite(grad.steps, grad.values)
    if values.size < CLIP_FEWEST:
        return UNKNOWN
    top = float(values.max())
    at_top = float(np.mean(values >= top * (1 - CEILING_WIDTH)))
    if top > 0 and at_top >= CEILING_SHARE and float(values.min()) < top * (1 - CEILING_WIDTH):
        return answer(True, percent=percent(at_top), clip=short(top))
    clip = setting(case, "clip")
    if clip is None:
        return lacking(config=("clip",))
    late = values[values.size // 2 :]
    over = float(np.mean(late >= clip * (1 - CEILING_WIDTH))) if clip > 0 else 0.0
    return answer(over > SATURATED_SHARE, percent=percent(over), clip=clip)


def _grad_exceeds_clip_habit(case: Case) -> Answer:
    rise = jump_of(case, case.run.get(Metric.GRAD_NORM))
    clip, habit = setting(case, "clip"), _habit(case)
    if rise is None or math.isnan(rise.factor) or habit is None:
        return UNKNOWN
    if clip is None:
        return (
            lacking(config=("clip",)) if rise.factor >= CAUGHT_FROM else _not_exceeded(rise.factor)
        )
    free = clip <= 0 or clip > LOOSE_FACTOR * habit
    found = free and rise.factor >= CAUGHT_FROM
    told = answer(
        found, factor=short(rise.factor), clip=clip if clip > 0 else 0, usual=_two_digits(habit)
    )
    return _with_clipping_off(told) if clip <= 0 else told


def _with_clipping_off(told: Answer) -> Answer:
    """The answer in words that show no threshold: there is none."""
    if told.holds:
        return saying(
            told,
            "grad_norm jumped {factor}x and clipping is off (P99 before: {usual})",
            "梯度范数跳升 {factor} 倍，而梯度裁剪是关闭的（此前 P99：{usual}）",
        )
    return _not_exceeded_text(told)


def _not_exceeded(factor: float) -> Answer:
    return _not_exceeded_text(answer(False, factor=short(factor)))


def _not_exceeded_text(told: Answer) -> Answer:
    return saying(
        told,
        "No jump that clipping would have held: grad_norm rose {factor}x",
        "没有需要裁剪来限制的跳升：梯度范数升高 {factor} 倍",
    )


def _clip_is_loose(case: Case) -> Answer:
    clip, habit = setting(case, "clip"), _habit(case)
    if clip is None or clip <= 0 or habit is None:
        return UNKNOWN  # 0 means off, and that is the next question
    return answer(clip > LOOSE_FACTOR * habit > 0, clip=clip, usual=_two_digits(habit))


def _clip_is_off(case: Case) -> Answer:
    clip = case.run.config.get("clip")
    number = setting(case, "clip")
    off = (number is not None and number <= 0) or clip is False or str(clip).lower() in OFF_WORDS
    if number is None and not off:
        return UNKNOWN
    return answer(off, clip=str(clip) if number is None else number)


# How a config says that nothing is clipped.
OFF_WORDS: Final = frozenset({"none", "null", "off", "no", "false"})


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "grad_clip_saturated",
        Text("Is nearly every step clipped?", "是否几乎每一步都被裁剪？"),
        Text(
            "{percent} % of the steps reach the clipping threshold of {clip}: clipping decides "
            "the step, not the gradient",
            "{percent} % 的步达到裁剪阈值 {clip}，步长由裁剪而不是梯度决定",
        ),
        Text(
            "{percent} % of the steps reach the clipping threshold ({clip})",
            "{percent} % 的步达到裁剪阈值（{clip}）",
        ),
        _grad_clip_saturated,
        needs=(Metric.GRAD_NORM,),
    ),
    Probe(
        "grad_exceeds_clip_habit",
        Text("Did a jump of grad_norm meet no clipping?", "梯度范数跳升时是否没有被裁剪限制？"),
        Text(
            "grad_norm jumped {factor}x and nothing held it back (clip: {clip}, P99 before: "
            "{usual})",
            "梯度范数跳升 {factor} 倍而没有受到限制（裁剪阈值：{clip}，此前 P99：{usual}）",
        ),
        Text(
            "No unchecked jump: grad_norm rose {factor}x (clip: {clip})",
            "没有不受限制的跳升：梯度范数升高 {factor} 倍（裁剪阈值：{clip}）",
        ),
        _grad_exceeds_clip_habit,
        needs=(Metric.GRAD_NORM,),
    ),
    Probe(
        "clip_is_loose",
        Text(
            "Is the clipping threshold far above ordinary gradients?",
            "裁剪阈值是否远高于正常梯度？",
        ),
        Text(
            "The clipping threshold {clip} is more than three times the P99 of grad_norm ("
            "{usual}): it hardly ever acts",
            "裁剪阈值 {clip} 超过梯度范数 P99（{usual}）的三倍，几乎不起作用",
        ),
        Text(
            "The clipping threshold {clip} is near ordinary gradients (P99 {usual})",
            "裁剪阈值 {clip} 与正常梯度相近（P99 {usual}）",
        ),
        _clip_is_loose,
        needs=(Metric.GRAD_NORM,),
        needs_config=("clip",),
    ),
    Probe(
        "clip_is_off",
        Text("Is clipping switched off in the config?", "配置中是否关闭了梯度裁剪？"),
        Text("The config switches clipping off", "配置关闭了梯度裁剪"),
        Text("The config clips gradients at {clip}", "配置中梯度裁剪阈值为 {clip}"),
        _clip_is_off,
        needs_config=("clip",),
    ),
)
