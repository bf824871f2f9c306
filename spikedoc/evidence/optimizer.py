"""What is known about the optimizer, and what its moments did."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from spikedoc.evidence._answers import UNKNOWN, answer, lacking, saying, setting, short
from spikedoc.evidence._events import jump_of
from spikedoc.evidence._facts import epoch_length
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.model.optimizer import optimizer_name
from spikedoc.text import Text

# Adam's memory of squares is 1 / (1 - beta2) steps: 100 and more is long against a spike.
LONG_BETA2: Final = 0.99
MOMENT_JUMPS: Final = 3.0
# Squares of the gradient jumped at least this many times further than the second moment.
LAG: Final = 10.0
# Ten thousand times the default turns Adam into SGD wherever gradients are small.
LARGE_EPS: Final = 1e-4
# Decay inside the gradient (Adam, SGD) is strong from .05, decoupled decay from .3.
STRONG_COUPLED: Final = 0.05
STRONG_DECOUPLED: Final = 0.3
# Noise that 1 / sqrt(B) predicts becomes large below this batch.
SMALL_BATCH: Final = 16
_EPOCH_MEANS: Final = (
    "Each value is a mean over a whole epoch: no batch can differ",
    "每个值都是整个 epoch 的平均，不存在批次差异",
)


def _optimizer_is_adam(case: Case) -> Answer:
    name = optimizer_name(case.run)
    if name is None:
        return lacking(config=("optimizer",))
    return answer("adam" in name, name=name)


def _optimizer_is_sgd(case: Case) -> Answer:
    name = optimizer_name(case.run)
    if name is None:
        return lacking(config=("optimizer",))
    return answer("sgd" in name or name == "momentum", name=name)


def _beta2_is_long(case: Case) -> Answer:
    beta2 = setting(case, "beta2")
    if beta2 is None or not 0 <= beta2 < 1:
        return UNKNOWN
    return answer(beta2 >= LONG_BETA2, beta2=beta2, steps=round(1 / (1 - beta2)))


def _first_moment_jumps(case: Case) -> Answer:
    rise = jump_of(case, case.run.get(Metric.EXP_AVG_NORM))
    if rise is None or math.isnan(rise.factor):
        return UNKNOWN
    return answer(
        rise.factor >= MOMENT_JUMPS,
        factor=short(rise.factor),
        step=rise.step,
        after=short(rise.peak),
    )


def _second_moment_lags(case: Case) -> Answer:
    second = jump_of(case, case.run.get(Metric.EXP_AVG_SQ_NORM))
    grad = jump_of(case, case.run.get(Metric.GRAD_NORM))
    if grad is None:
        return lacking(Metric.GRAD_NORM) if case.run.get(Metric.GRAD_NORM) is None else UNKNOWN
    if second is None or math.isnan(second.factor) or math.isnan(grad.factor):
        return UNKNOWN
    if grad.factor < MOMENT_JUMPS or not math.isfinite(grad.factor):
        return UNKNOWN
    squares = min(grad.factor, np.sqrt(np.finfo(np.float64).max)) ** 2
    return answer(
        squares >= LAG * max(second.factor, 1.0),
        squares=short(float(squares)),
        factor=short(second.factor),
    )


def _eps_is_large(case: Case) -> Answer:
    eps = setting(case, "eps")
    return UNKNOWN if eps is None else answer(eps >= LARGE_EPS, eps=eps)


def _weight_decay_is_strong(case: Case) -> Answer:
    decay, name = setting(case, "weight_decay"), optimizer_name(case.run)
    if decay is None:
        return UNKNOWN
    coupled = name is not None and name != "adamw"
    return answer(decay >= (STRONG_COUPLED if coupled else STRONG_DECOUPLED), decay=decay)


# Loggers whose batch size is that of one device and one micro-batch.
OF_ONE_DEVICE: Final = frozenset({"hf"})


def _full_batch(case: Case) -> Answer:
    steps = epoch_length(case.run)
    if case.run.counts_epochs and case.anomaly.kind is Kind.OSCILLATION:
        return saying(answer(True), *_EPOCH_MEANS)
    if steps is None:
        return lacking(config=("steps_per_epoch",))
    return answer(steps <= 1, steps=steps)


def _batch_is_small(case: Case) -> Answer:
    size = setting(case, "batch_size")
    if size is None or size <= 0:
        return UNKNOWN
    rounds = setting(case, "accumulation")
    if rounds is None and case.run.config.get("framework") in OF_ONE_DEVICE and size <= SMALL_BATCH:
        return lacking(config=("accumulation",))
    whole = size * max(rounds or 1.0, 1.0)
    return answer(whole <= SMALL_BATCH, size=whole)


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "optimizer_is_adam",
        Text("Is the optimizer of the Adam family?", "优化器是否属于 Adam 系列？"),
        Text("The optimizer is {name}", "优化器为 {name}"),
        Text("The optimizer is {name}, not Adam", "优化器为 {name}，不是 Adam"),
        _optimizer_is_adam,
    ),
    Probe(
        "optimizer_is_sgd",
        Text("Is the optimizer SGD?", "优化器是否为 SGD？"),
        Text("The optimizer is {name}", "优化器为 {name}"),
        Text("The optimizer is {name}, not SGD", "优化器为 {name}，不是 SGD"),
        _optimizer_is_sgd,
    ),
    Probe(
        "beta2_is_long",
        Text("Does Adam remember squares for long?", "Adam 二阶矩的记忆是否很长？"),
        Text(
            "beta2 {beta2} remembers {steps} steps: the denominator adapts slowly",
            "beta2 为 {beta2}，记忆约 {steps} 步，分母适应得慢",
        ),
        Text(
            "beta2 {beta2} remembers only {steps} {steps|step|steps}",
            "beta2 为 {beta2}，只记忆约 {steps} 步",
        ),
        _beta2_is_long,
        needs_config=("beta2",),
    ),
    Probe(
        "first_moment_jumps",
        Text("Did Adam's first moment jump?", "Adam 的一阶矩是否跳升？"),
        Text(
            "Adam's first moment rose {factor}x at step {step} (to {after}): it took the "
            "outlier in",
            "Adam 的一阶矩在第 {step} 步升高 {factor} 倍（达 {after}），吸收了异常梯度",
        ),
        Text(
            "Adam's first moment did not jump ({factor}x)", "Adam 的一阶矩没有跳升（{factor} 倍）"
        ),
        _first_moment_jumps,
        needs=(Metric.EXP_AVG_NORM,),
    ),
    Probe(
        "second_moment_lags",
        Text("Did Adam's second moment lag behind the gradient?", "Adam 的二阶矩是否滞后于梯度？"),
        Text(
            "The squared gradient rose {squares}x but the second moment only {factor}x: the "
            "denominator is out of date",
            "梯度平方升高 {squares} 倍，二阶矩只升高 {factor} 倍，分母已经过时",
        ),
        Text(
            "The second moment kept up with the gradient ({factor}x, squared gradient {squares}x)",
            "二阶矩跟上了梯度（{factor} 倍，梯度平方 {squares} 倍）",
        ),
        _second_moment_lags,
        needs=(Metric.EXP_AVG_SQ_NORM,),
    ),
    Probe(
        "eps_is_large",
        Text("Is Adam's eps large?", "Adam 的 eps 是否过大？"),
        Text(
            "eps is {eps}: where gradients are small, Adam becomes slow SGD",
            "eps 为 {eps}：在梯度较小处 Adam 退化为缓慢的 SGD",
        ),
        Text("eps is {eps}: in the usual range", "eps 为 {eps}，属于常用范围"),
        _eps_is_large,
        needs_config=("eps",),
    ),
    Probe(
        "weight_decay_is_strong",
        Text("Is the weight decay strong?", "权重衰减是否过强？"),
        Text("Weight decay is {decay}: strong", "权重衰减为 {decay}，偏强"),
        Text("Weight decay is {decay}: in the usual range", "权重衰减为 {decay}，属于常用范围"),
        _weight_decay_is_strong,
        needs_config=("weight_decay",),
    ),
    Probe(
        "full_batch",
        Text("Is each step a whole epoch?", "每一步是否就是一个完整的 epoch？"),
        Text(
            "An epoch has {steps} step: full-batch training, no batch can differ",
            "每个 epoch 只有 {steps} 步，是全批量训练，不存在批次差异",
        ),
        Text("An epoch has {steps} steps", "每个 epoch 有 {steps} 步"),
        _full_batch,
    ),
    Probe(
        "batch_is_small",
        Text("Is the batch small?", "批次是否很小？"),
        Text(
            "By the config a step sees {size} {size|sample|samples}: few enough for large noise",
            "按配置，每步只有 {size} 个样本，噪声会很大",
        ),
        Text(
            "By the config a step sees {size} {size|sample|samples}", "按配置，每步有 {size} 个样本"
        ),
        _batch_is_small,
        needs_config=("batch_size",),
    ),
)
