"""What the dynamic loss scale of fp16 training did."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._answers import (
    STUCK,
    UNKNOWN,
    answer,
    asked_of,
    is_nonfinite_form,
    lacking,
    saying,
    short,
)
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.signal.around import finite
from spikedoc.signal.halvings import LossScale, loss_scale
from spikedoc.text import Text, format_value

# Lone halvings after growth are how a scaler works; four in a row are not.
CHAIN: Final = 4
# The chain must lie this close to the onset, as a share of the run, or begin after it.
NEAR_SHARE: Final = 0.05
# A scale of 1 or less cannot help; so many points make it lasting.
FLOOR: Final = 1.0
# What a run without scaling logs.
UNSCALED: Final = 1.0
FLOOR_POINTS: Final = 5
# The search for the first usable scale takes place here.
SEARCH_SHARE: Final = 0.05
HALF_NAMES: Final = ("fp16", "float16", "16-mixed", "half", "amp")
# The framework whose trainer has `amp=True` unless told otherwise:
# https://docs.ultralytics.com/usage/cfg/#train-settings
BY_DEFAULT: Final = "ultralytics"
# A norm of 1000 and more throughout is none a model learns with, .01 to 100 is; with a scale below
# a hundred the two cannot be told apart.
HUGE_GRAD: Final = 1e3
LEAST_USUAL: Final = 1e-2
MOST_USUAL: Final = 1e2
LEAST_SCALE: Final = 100.0
GRADS_FEWEST: Final = 20
BFLOAT_NAMES: Final = ("bf16", "bfloat16")


def _scale(case: Case) -> LossScale | None:
    series = case.run.get(Metric.LOSS_SCALE)
    return loss_scale(*finite(series.steps, series.values)) if series is not None else None


def _loss_scale_chain(case: Case) -> Answer:
    scale = _scale(case)
    # A few records of a longer log cannot show that there was no chain.
    if scale is None or (not scale.chains and scale.growths == 0 and scale.at_last < CHAIN):
        return UNKNOWN
    reach = NEAR_SHARE * (case.run.last_step - case.run.first_step)
    near = [
        chain
        for chain in scale.chains
        if chain.last >= case.anomaly.start_step - reach
        and chain.first <= case.anomaly.end_step + reach
    ]
    longest = max(near, key=lambda chain: chain.halvings, default=None)
    if longest is None:
        return answer(False, halvings=0)
    return answer(
        longest.halvings >= CHAIN,
        halvings=longest.halvings,
        first=longest.first,
        last=longest.last,
        before=longest.before,
        after=longest.after,
    )


def _loss_scale_is_healthy(case: Case) -> Answer:
    scale = _scale(case)
    if scale is None or (not scale.chains and scale.growths == 0):
        return UNKNOWN
    border = case.run.first_step + SEARCH_SHARE * (case.run.last_step - case.run.first_step)
    longest = max((c.halvings for c in scale.chains if c.last > border), default=0)
    return answer(
        longest < CHAIN and scale.last > FLOOR,
        longest=longest,
        growths=scale.growths,
        last=scale.last,
    )


def _loss_scale_at_floor(case: Case) -> Answer:
    scale = _scale(case)
    if scale is None or scale.growths + len(scale.chains) == 0:
        return UNKNOWN
    return answer(
        scale.last <= FLOOR and scale.at_last >= FLOOR_POINTS, last=scale.last, points=scale.at_last
    )


def _loss_scale_search(case: Case) -> Answer:
    scale = _scale(case)
    if scale is None or not scale.chains:
        return UNKNOWN
    border = case.run.first_step + SEARCH_SHARE * (case.run.last_step - case.run.first_step)
    last = max(chain.last for chain in scale.chains)
    count = sum(chain.halvings for chain in scale.chains)
    return answer(last <= border, last=last, count=count)


def _precision(case: Case) -> str | None:
    value = case.run.config.get("precision")
    return value.lower() if isinstance(value, str) else None


def _fp16_in_use(case: Case) -> Answer:
    scale, precision = _scale(case), _precision(case)
    if scale is not None and (scale.chains or scale.growths):
        return answer(
            True, how=f"loss_scale {format_value(scale.first)} → {format_value(scale.last)}"
        )
    if scale is not None and scale.last != UNSCALED:
        return answer(True, how=f"loss_scale {format_value(scale.last)}")
    if any("overflow" in line.lower() for _, line in case.run.events):
        return answer(True, how="overflow")
    if precision is None and scale is not None:
        return lacking(config=("precision",))
    if precision is None and _is_half_unless_told(case):
        return saying(
            answer(True, how=BY_DEFAULT),
            "The log is of Ultralytics, which trains in fp16 mixed precision unless told otherwise "
            "(`amp=False`)",
            "日志由 Ultralytics 写出，它默认使用 fp16 混合精度训练，除非设置了 `amp=False`",
        )
    if precision is None:
        return lacking(Metric.LOSS_SCALE, config=("precision",))
    half = any(name in precision for name in HALF_NAMES) and not _is_bfloat(precision)
    return answer(half, how=precision)


def _is_half_unless_told(case: Case) -> bool:
    return is_nonfinite_form(case) and case.run.config.get("framework") == BY_DEFAULT


def _is_bfloat(precision: str) -> bool:
    return any(name in precision for name in BFLOAT_NAMES)


def _bf16_in_use(case: Case) -> Answer:
    precision = _precision(case)
    if precision is None:
        return lacking(config=("precision",))
    return answer(_is_bfloat(precision), how=precision)


def _lr_zero_while_skipping(case: Case) -> Answer:
    rate, loss = case.run.get(Metric.LR), case.run.get(Metric.LOSS)
    if rate is None or loss is None or len(rate) < FLOOR_POINTS or len(loss) < FLOOR_POINTS:
        return UNKNOWN
    zeros = rate.values[:FLOOR_POINTS] == 0.0
    losses = loss.values[:FLOOR_POINTS]
    broken = bool(np.all((losses == 0.0) | ~np.isfinite(losses)))
    scale = _scale(case)
    stuck = broken or (scale is not None and bool(scale.chains))
    starting = case.anomaly.kind in (Kind.NONFINITE, Kind.NON_CONVERGENCE, Kind.LOSS_SCALE_COLLAPSE)
    return answer(bool(zeros.all()) and stuck and starting, points=int(zeros.sum()))


def _grad_is_of_scale_size(case: Case) -> Answer:
    grad, scale = case.run.get(Metric.GRAD_NORM), case.run.get(Metric.LOSS_SCALE)
    if grad is None or scale is None:
        return UNKNOWN
    grads, scales = finite(grad.steps, grad.values)[1], finite(scale.steps, scale.values)[1]
    if grads.size < GRADS_FEWEST or scales.size == 0:
        return UNKNOWN
    level, size = float(np.median(grads)), float(np.median(scales))
    if size < LEAST_SCALE:
        return UNKNOWN
    usual = LEAST_USUAL <= level / size <= MOST_USUAL
    return answer(
        level >= HUGE_GRAD and usual, level=short(level), scale=size, ratio=short(level / size)
    )


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "grad_is_of_scale_size",
        Text(
            "Is grad_norm an ordinary one times the loss scale?",
            "梯度范数是否等于正常值乘以损失缩放系数？",
        ),
        Text(
            "grad_norm is {level}, an ordinary {ratio} times the loss scale of {scale}: it is "
            "measured before unscaling",
            "梯度范数为 {level}，即正常的 {ratio} 乘以损失缩放系数 {scale}：测于 unscale 之前",
        ),
        Text(
            "grad_norm is {level}: not multiplied by the loss scale of {scale}",
            "梯度范数为 {level}，没有乘上损失缩放系数（{scale}）",
        ),
        _grad_is_of_scale_size,
        needs=(Metric.GRAD_NORM, Metric.LOSS_SCALE),
    ),
    Probe(
        "loss_scale_chain",
        Text("Was the loss scale halved again and again?", "损失缩放系数是否连续多次减半？"),
        Text(
            "The loss scale was halved {halvings} times in a row ({before} → {after}, steps "
            "{first} to {last}): gradients overflow again before it can grow",
            "损失缩放系数连续减半 {halvings} 次（{before} → {after}，第 {first} 到 {last} 步），"
            "其间来不及增大，梯度又再次溢出",
        ),
        Text(
            "The loss scale was not halved again and again near step {onset} (longest chain there: "
            "{halvings})",
            "第 {onset} 步附近损失缩放系数没有连续多次减半（最长连续 {halvings} 次）",
        ),
        _loss_scale_chain,
        needs=(Metric.LOSS_SCALE,),
    ),
    Probe(
        "loss_scale_is_healthy",
        Text("Does the loss scale work as it should?", "损失缩放系数是否正常工作？"),
        Text(
            "The loss scale works as it should: at most {longest} {longest|halving|halvings} in a "
            "row, {growths} {growths|growth|growths}",
            "损失缩放系数工作正常：最多连续减半 {longest} 次，增长 {growths} 次",
        ),
        Text(
            "The loss scale collapses: {longest} {longest|halving|halvings} in a row, {last} at "
            "the end",
            "损失缩放系数崩溃：连续减半 {longest} 次，最后为 {last}",
        ),
        _loss_scale_is_healthy,
        needs=(Metric.LOSS_SCALE,),
    ),
    Probe(
        "loss_scale_at_floor",
        Text("Is the loss scale at its floor?", "损失缩放系数是否已到下限？"),
        Text(
            "The loss scale has been at {last} for the last {points} logged "
            "{points|point|points}: it has nothing left to give",
            "损失缩放系数在最后 {points} 个记录点上一直为 {last}，已无下调余地",
        ),
        Text(
            "The loss scale ends at {last}, above its floor", "损失缩放系数最后为 {last}，未到下限"
        ),
        _loss_scale_at_floor,
        needs=(Metric.LOSS_SCALE,),
    ),
    Probe(
        "loss_scale_search",
        Text("Are the halvings only the search at the start?", "减半是否只是训练开始时的搜索？"),
        Text(
            "{count} {count|halving|halvings} of the loss scale, only at the start (until step "
            "{last}): it looks for a usable value",
            "损失缩放系数的 {count} 次减半都在训练开始阶段（到第 {last} 步为止），是在寻找可用的"
            "取值",
        ),
        Text(
            "The loss scale was halved until step {last}, not only at the start",
            "损失缩放系数直到第 {last} 步仍在减半，不只是开始时的搜索",
        ),
        _loss_scale_search,
        needs=(Metric.LOSS_SCALE,),
    ),
    Probe(
        "fp16_in_use",
        Text("Does the run train in fp16?", "训练是否使用 fp16？"),
        Text("The run trains in fp16 ({how})", "训练使用 fp16（{how}）"),
        Text("The run does not train in fp16 ({how})", "训练没有使用 fp16（{how}）"),
        _fp16_in_use,
    ),
    Probe(
        "bf16_in_use",
        Text("Does the run train in bf16?", "训练是否使用 bf16？"),
        Text("The run trains in bf16 ({how})", "训练使用 bf16（{how}）"),
        Text("The run does not train in bf16 ({how})", "训练没有使用 bf16（{how}）"),
        _bf16_in_use,
    ),
    Probe(
        "lr_zero_while_skipping",
        Text(
            "Is the learning rate held at 0 because every step is skipped?",
            "学习率是否因每步都被跳过而停在 0？",
        ),
        Text(
            "The learning rate stays 0 over the first {points} {points|point|points}: every step "
            "is skipped, so the schedule never starts",
            "前 {points} 个记录点学习率一直为 0：每一步都被跳过，调度器从未启动",
        ),
        Text("The schedule does advance from the start", "学习率调度从一开始就在推进"),
        asked_of(STUCK, _lr_zero_while_skipping),
        needs=(Metric.LR, Metric.LOSS),
    ),
)
