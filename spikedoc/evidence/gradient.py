"""What the gradient norm did at the anomaly and before it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import numpy as np

from spikedoc.evidence._answers import UNKNOWN, answer, has_onset, is_recurring, saying, short
from spikedoc.evidence._climbs import grad_climb, grown_into
from spikedoc.evidence._events import jump_of, loss_jump
from spikedoc.evidence._facts import spacing
from spikedoc.evidence._ramps import CALM_RATIO, CLIMBS, calm_ratio, has_risen, ramp_before
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.evidence.val_jump import jumps_alone
from spikedoc.model.metric import Metric
from spikedoc.model.run import Series
from spikedoc.signal.around import finite, first_from, last_before
from spikedoc.signal.ramp import Ramp
from spikedoc.text import Text

# Wrong labels move the gradient 3- to 5-fold, bad inputs 30-fold, while the loss rises 10- to
# 25-fold in both (measured on small trainings).
WITH_LOSS: Final = 3.0
FAR: Final = 10.0
BARELY_BELOW: Final = 5.0
BARELY_MARGIN: Final = 1.5
# Near-zero gradients are what Adam divides by: three orders below the start of the run, or well
# below it (1 to 2 % was measured before full-batch bursts) with a loss down to a thousandth.
TINY_SHARE: Final = 1e-3
SMALL_SHARE: Final = 0.05
CONVERGED_SHARE: Final = 1e-3
START_POINTS: Final = 5
EARLY_SHARE: Final = 0.10
LEVEL_POINTS: Final = 20
# What takes more points than this to get to its height does not jump.
JUMP_POINTS: Final = 3
GREW: Final = (
    "grad_norm did not jump: it grew {factor}x little by little, from step {first} to {last}",
    "梯度范数没有跳升：从第 {first} 步到第 {last} 步，它一点点增长了 {factor} 倍",
)


def _jump_at_least(case: Case, least: float) -> Answer:
    rise = jump_of(case, case.run.get(Metric.GRAD_NORM))
    if rise is None or math.isnan(rise.factor):
        return UNKNOWN
    told = answer(
        rise.factor >= least,
        factor=short(rise.factor),
        step=rise.step,
        before=short(rise.before),
        after=short(rise.peak),
    )
    if told.holds and _took(case, rise.step) > JUMP_POINTS:
        return saying(
            told,
            "grad_norm rose {factor}x by step {step} ({before} → {after})",
            "梯度范数到第 {step} 步升高 {factor} 倍（{before} → {after}）",
        )
    return told


def _took(case: Case, peak_step: int) -> float:
    """Return how many logged points an exploding gradient climbed; 0 for other anomalies."""
    grad, anomaly = case.run.get(Metric.GRAD_NORM), case.anomaly
    told = [a for a in (anomaly, *case.anomalies) if a.kind in CLIMBS and a.peak_step == peak_step]
    if grad is None or not told:
        return 0.0
    return (peak_step - min(a.start_step for a in told)) / spacing(grad)


def _grad_jumps_with_loss(case: Case) -> Answer:
    return _jump_at_least(case, WITH_LOSS)


def _grad_jumps_far(case: Case) -> Answer:
    climb, found = grad_climb(case), _jump_at_least(case, FAR)
    if climb is None and found.holds:
        grad = case.run.get(Metric.GRAD_NORM)
        climb = grown_into(grad, jump_of(case, grad))
    if climb is not None:
        told = answer(
            False, factor=short(climb.factor), first=climb.first_step, last=climb.last_step
        )
        return saying(told, *GREW)
    return UNKNOWN if found.holds and _returns_to_start(case) else found


def _returns_to_start(case: Case) -> bool:
    """Return whether a gradient that had nearly vanished is back at what it was at the start.

    Any multiple of next to nothing is large: what is no more than an untrained model has is the
    gradient of an ordinary batch that the model gets wrong again.
    """
    grad = case.run.get(Metric.GRAD_NORM)
    rise = jump_of(case, grad)
    if grad is None or rise is None or not math.isfinite(rise.peak):
        return False
    early = first_from(grad.steps, grad.values, case.run.first_step, START_POINTS)
    start = float(np.max(early)) if early.size else 0.0
    return rise.before < TINY_SHARE * start and rise.peak <= start


def _grad_barely_moves(case: Case) -> Answer:
    grad, loss = jump_of(case, case.run.get(Metric.GRAD_NORM)), loss_jump(case)
    if grad is None or loss is None or math.isnan(grad.factor) or math.isnan(loss.factor):
        return UNKNOWN
    small = grad.factor < BARELY_BELOW and loss.factor >= BARELY_MARGIN * max(grad.factor, 1.0)
    return answer(small, grad=short(grad.factor), loss=short(loss.factor), step=loss.step)


def _grad_ramps_before(case: Case) -> Answer:
    ramp = ramp_before(case)
    if ramp is None:
        return UNKNOWN
    if not isinstance(ramp, Ramp):
        return answer(False, step=case.anomaly.start_step)
    told = answer(
        True,
        factor=short(ramp.factor),
        first=ramp.first_step,
        last=ramp.last_step,
        points=ramp.points,
        step=case.anomaly.start_step,
    )
    if ramp.first_step < ramp.last_step:
        return told
    return saying(
        told,
        "grad_norm had grown {factor}x by step {last}",
        "梯度范数到第 {last} 步时已增长 {factor} 倍",
    )


def _grad_calm_before(case: Case) -> Answer:
    grad, ramp = case.run.get(Metric.GRAD_NORM), ramp_before(case)
    if grad is None or ramp is None or jumps_alone(case):
        return UNKNOWN  # what training did says nothing of a step that it does not show
    ratio = calm_ratio(case, grad)
    if not isinstance(ramp, Ramp) and ratio < CALM_RATIO and has_risen(case, grad):
        return UNKNOWN  # even, but at several times the level of the run: neither calm nor a ramp
    told = answer(
        not isinstance(ramp, Ramp) and ratio < CALM_RATIO,
        ratio=short(ratio),
        step=_last_finite(grad, case.anomaly.start_step),
    )
    if isinstance(ramp, Ramp) and ratio < CALM_RATIO:
        return saying(
            told,
            "grad_norm had been growing before: a ramp leads up to it",
            "此前梯度范数一直在增长：存在一段爬升",
        )
    return told


def _last_finite(series: Series, before: int) -> int:
    """Return the last step before `before` at which the series was finite, its own without one."""
    steps, _ = finite(series.steps, series.values)
    index = int(np.searchsorted(steps, before, side="left"))
    return int(steps[index - 1]) if index else before


def _grad_tiny_before(case: Case) -> Answer:
    grad = case.run.get(Metric.GRAD_NORM)
    if grad is None or not has_onset(case):
        return UNKNOWN
    # A norm that climbs into the event is no longer what it had fallen to.
    ramp = None if is_recurring(case) else ramp_before(case)
    onset = case.anomaly.start_step
    onset = min(onset, ramp.first_step) if isinstance(ramp, Ramp) else onset
    before = last_before(grad.steps, grad.values, onset, LEVEL_POINTS)
    early_points = max(LEVEL_POINTS, int(len(grad) * EARLY_SHARE))
    early = first_from(grad.steps, grad.values, case.run.first_step, early_points)
    if before.size < LEVEL_POINTS or grad.index_at(onset) <= early.size:
        return UNKNOWN
    level, start = float(np.median(before)), float(np.median(early))
    if start <= 0:
        return UNKNOWN
    small = level <= TINY_SHARE * start
    if not small and _is_converged(case):
        start = float(np.median(early[:START_POINTS]))
        small = level <= SMALL_SHARE * start
    told = answer(small, level=short(level), start=short(start))
    moved = {"onset": onset} if onset < case.anomaly.start_step else {}
    return replace(told, values={**told.values, **moved})


def _is_converged(case: Case) -> bool:
    loss = case.run.get(Metric.LOSS)
    if loss is None:
        return False
    first = first_from(loss.steps, loss.values, case.run.first_step, START_POINTS)
    now = last_before(loss.steps, loss.values, case.anomaly.start_step, LEVEL_POINTS)
    if first.size == 0 or now.size == 0:
        return False
    return bool(0 <= float(np.median(now)) <= CONVERGED_SHARE * float(np.median(first)))


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "grad_jumps_with_loss",
        Text("Did grad_norm jump with the loss?", "梯度范数是否随损失一起跳升？"),
        Text(
            "grad_norm rose {factor}x with the loss at step {step} ({before} → {after})",
            "梯度范数在第 {step} 步随损失跳升 {factor} 倍（{before} → {after}）",
        ),
        Text(
            "grad_norm did not jump with the loss ({factor}x, {before} → {after})",
            "梯度范数没有随损失跳升（{factor} 倍，{before} → {after}）",
        ),
        _grad_jumps_with_loss,
        needs=(Metric.GRAD_NORM,),
    ),
    Probe(
        "grad_jumps_far",
        Text("Did grad_norm jump tenfold or more?", "梯度范数是否跳升十倍以上？"),
        Text(
            "grad_norm jumped {factor}x at step {step} ({before} → {after})",
            "梯度范数在第 {step} 步跳升 {factor} 倍（{before} → {after}）",
        ),
        Text(
            "grad_norm did not jump tenfold: {factor}x its level just before, at step {step} "
            "({before} → {after})",
            "梯度范数没有跳升十倍：第 {step} 步为紧邻之前水平的 {factor} 倍（{before} → {after}）",
        ),
        _grad_jumps_far,
        needs=(Metric.GRAD_NORM,),
    ),
    Probe(
        "grad_barely_moves",
        Text("Did the loss jump much further than grad_norm?", "损失的跳升是否远大于梯度范数？"),
        Text(
            "grad_norm rose only {grad}x while the loss rose {loss}x at step {step}",
            "第 {step} 步损失跳升 {loss} 倍，梯度范数只升高 {grad} 倍",
        ),
        Text(
            "grad_norm moved clearly as well ({grad}x, the loss {loss}x)",
            "梯度范数也明显变化（{grad} 倍，损失 {loss} 倍）",
        ),
        _grad_barely_moves,
        needs=(Metric.GRAD_NORM, Metric.LOSS),
    ),
    Probe(
        "grad_ramps_before",
        Text("Had grad_norm been growing before the onset?", "异常之前梯度范数是否已在持续增长？"),
        Text(
            "grad_norm grew {factor}x from step {first} to {last} ({points} logged "
            "{points|point|points})",
            "梯度范数从第 {first} 步到第 {last} 步增长了 {factor} 倍（{points} 个记录点）",
        ),
        Text(
            "grad_norm did not climb before step {step}",
            "第 {step} 步之前梯度范数没有持续爬升",
        ),
        _grad_ramps_before,
        needs=(Metric.GRAD_NORM,),
    ),
    Probe(
        "grad_calm_before",
        Text("Was grad_norm calm right up to the onset?", "直到异常前梯度范数是否一直平稳？"),
        Text(
            "grad_norm was calm up to step {step} (last points at {ratio}x their usual level)",
            "直到第 {step} 步梯度范数都很平稳（最后几个点为平时的 {ratio} 倍）",
        ),
        Text(
            "grad_norm was unsettled by step {step}: its last points at {ratio}x their usual level",
            "到第 {step} 步时梯度范数已不平稳：最后几个点为平时的 {ratio} 倍",
        ),
        _grad_calm_before,
        needs=(Metric.GRAD_NORM,),
    ),
    Probe(
        "grad_tiny_before",
        Text(
            "Was grad_norm tiny before the onset against the start of the run?",
            "异常前梯度范数是否比训练初期小几个数量级？",
        ),
        Text(
            "grad_norm had fallen to {level} before step {onset}, from {start} early on: Adam "
            "divides by next to nothing",
            "第 {onset} 步之前梯度范数已从初期的 {start} 降到 {level}，Adam 几乎是在除以零",
        ),
        Text(
            "grad_norm was {level} before step {onset}, not tiny against {start} early on",
            "第 {onset} 步之前梯度范数为 {level}，与初期的 {start} 相比并不算极小",
        ),
        _grad_tiny_before,
        needs=(Metric.GRAD_NORM,),
    ),
)
