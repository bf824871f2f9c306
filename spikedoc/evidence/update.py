"""What the update norm did at the anomaly: the step the optimizer really took."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from spikedoc.evidence._answers import UNKNOWN, answer, has_onset, is_recurring, saying, short
from spikedoc.evidence._events import event_steps, is_too_sparse, jump_of, signal
from spikedoc.evidence._facts import spacing
from spikedoc.evidence._restarts import restart_near
from spikedoc.evidence._updates import LEAD_POINTS, decay_rate, lead_over, lr_moved
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.metric import Metric
from spikedoc.signal.around import Jump, finite_only, first_from, last_before
from spikedoc.text import Text

# At a bad batch Adam's update rises 7-fold (beta2 .999); clipped or skipped it stays near 1, with
# wrong labels it reaches 1.9 (measured).
JUMPS: Final = 2.5
NORMAL_BELOW: Final = 2.0
# The bad gradient leaves the first moment at beta1 per step: .87 to .93 was measured around .9.
DECAY_LOW: Final = 0.80
DECAY_HIGH: Final = 0.97
# How well a straight line must describe the logarithm of the tail (share of variance).
DECAY_FIT: Final = 0.8
# A cold Adam takes steps 4.4 times as long; 10 to 40 steps later it is back to 1.2 to 1.7 times.
COLD_STEPS_LOW: Final = 8
COLD_STEPS_HIGH: Final = 40
COLD_SETTLED: Final = 2.0
COLD_FIRST: Final = 3
# The update followed the learning rate when their ratio changed by less than this.
LR_FOLLOWED: Final = 1.5


def _jump(case: Case) -> Jump | None:
    rise = jump_of(case, case.run.get(Metric.UPDATE_NORM))
    return None if rise is None or math.isnan(rise.factor) else rise


def _shown(rise: Jump) -> dict[str, float | int]:
    return {
        "factor": short(rise.factor),
        "step": rise.step,
        "before": short(rise.before),
        "after": short(rise.peak),
    }


def _update_jumps_with_loss(case: Case) -> Answer:
    rise = _jump(case)
    if rise is not None and "unmarked" in case.anomaly.measures:
        return saying(
            answer(False, **_shown(rise)),
            "update_norm jumped alone ({factor}x at step {step}): the loss went on as before",
            "只有更新范数跳升（第 {step} 步，{factor} 倍）：损失一如既往",
        )
    return UNKNOWN if rise is None else answer(rise.factor >= JUMPS, **_shown(rise))


def _update_stays_normal(case: Case) -> Answer:
    rise = _jump(case)
    return UNKNOWN if rise is None else answer(rise.factor < NORMAL_BELOW, **_shown(rise))


def _update_tail_decays(case: Case) -> Answer:
    update, rise = case.run.get(Metric.UPDATE_NORM), _jump(case)
    if update is None or rise is None or not math.isfinite(rise.peak):
        return UNKNOWN
    if rise.factor < NORMAL_BELOW:
        return answer(False, factor=short(rise.factor))
    found = decay_rate(update, rise)
    if found is None:
        return UNKNOWN
    rate, fit = found
    return answer(
        DECAY_LOW <= rate <= DECAY_HIGH and fit >= DECAY_FIT,
        rate=short(rate),
        factor=short(rise.factor),
        step=rise.step,
    )


def _update_leads_loss(case: Case) -> Answer:
    update, own = case.run.get(Metric.UPDATE_NORM), signal(case)
    if update is None or own is None or not has_onset(case) or own is update:
        return UNKNOWN
    if is_too_sparse(case, update) or spacing(update) > spacing(own) or len(update) == 0:
        return UNKNOWN
    onsets = event_steps(case) if is_recurring(case) else (case.anomaly.start_step,)
    leads = [(*lead, onset) for onset in onsets if (lead := lead_over(update, onset)) is not None]
    if not leads:
        return UNKNOWN
    steps, factor, onset = sorted(leads)[len(leads) // 2]
    return answer(steps > 0, steps=steps, factor=short(factor), step=onset)


def _update_jumps_at_restart(case: Case) -> Answer:
    update, restart = case.run.get(Metric.UPDATE_NORM), restart_near(case)
    if update is None or restart is None:
        return UNKNOWN
    before = last_before(update.steps, update.values, restart.step)
    first = first_from(update.steps, update.values, restart.step, COLD_FIRST)
    later = update.window(restart.step + COLD_STEPS_LOW, restart.step + COLD_STEPS_HIGH)
    later = finite_only(later)
    if before.size < LEAD_POINTS or first.size == 0 or later.size == 0:
        return UNKNOWN
    level = float(np.median(before))
    if level <= 0:
        return UNKNOWN
    factor, settled = float(first.max()) / level, float(np.median(later)) / level
    cold = factor >= JUMPS and settled < COLD_SETTLED and not lr_moved(case, restart.step)
    return answer(cold, factor=short(factor), later=short(settled), step=restart.step)


def _update_over_lr_constant(case: Case) -> Answer:
    update, rate, rise = case.run.get(Metric.UPDATE_NORM), case.run.get(Metric.LR), _jump(case)
    if update is None or rate is None or rise is None or not math.isfinite(rise.factor):
        return UNKNOWN
    before = last_before(rate.steps, rate.values, case.anomaly.start_step, LEAD_POINTS)
    after = last_before(rate.steps, rate.values, rise.step + 1, 1)
    if before.size == 0 or after.size == 0 or float(np.median(before)) <= 0 or rise.factor <= 0:
        return UNKNOWN
    moved = float(after[0]) / float(np.median(before))
    if moved <= 0:
        return UNKNOWN
    change = rise.factor / moved
    same = max(change, 1 / change) < LR_FOLLOWED
    return answer(same, update=short(rise.factor), lr=short(moved))


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "update_jumps_with_loss",
        Text("Did update_norm jump with the loss?", "更新范数是否随损失一起跳升？"),
        Text(
            "update_norm rose {factor}x at step {step} ({before} → {after}): the optimizer "
            "took the bad step",
            "更新范数在第 {step} 步跳升 {factor} 倍（{before} → {after}），优化器走了这一大步",
        ),
        Text(
            "update_norm did not jump with the loss ({factor}x, {before} → {after})",
            "更新范数没有随损失跳升（{factor} 倍，{before} → {after}）",
        ),
        _update_jumps_with_loss,
        needs=(Metric.UPDATE_NORM,),
    ),
    Probe(
        "update_stays_normal",
        Text("Did update_norm stay normal?", "更新范数是否保持正常？"),
        Text(
            "update_norm stayed normal ({factor}x at step {step}): the weights took no harm",
            "更新范数保持正常（第 {step} 步为 {factor} 倍），权重没有受损",
        ),
        Text(
            "update_norm rose {factor}x at step {step} ({before} → {after})",
            "更新范数在第 {step} 步升高 {factor} 倍（{before} → {after}）",
        ),
        _update_stays_normal,
        needs=(Metric.UPDATE_NORM,),
    ),
    Probe(
        "update_tail_decays",
        Text(
            "Does update_norm die away at Adam's momentum rate?",
            "更新范数是否按 Adam 动量的速率衰减？",
        ),
        Text(
            "After rising {factor}x at step {step}, update_norm fell to {rate} of itself per "
            "step: the bad gradient sits in Adam's first moment",
            "更新范数在第 {step} 步升高 {factor} 倍后每步乘以 {rate} 衰减：异常梯度留在 Adam 的"
            "一阶矩里",
        ),
        Text(
            "update_norm left no tail at the momentum rate (rose {factor}x)",
            "更新范数没有留下按动量速率衰减的尾巴（升高 {factor} 倍）",
        ),
        _update_tail_decays,
        needs=(Metric.UPDATE_NORM,),
    ),
    Probe(
        "update_leads_loss",
        Text("Did update_norm move before the loss?", "更新范数是否先于损失变化？"),
        Text(
            "update_norm left its band {steps} {steps|step|steps} before the loss did at step "
            "{step} ({factor}x): the optimizer, not a batch, began it",
            "更新范数比损失（第 {step} 步）早 {steps} 步偏离正常范围（{factor} 倍）："
            "起因是优化器而不是某个批次",
        ),
        Text(
            "update_norm was in its band until step {step}",
            "直到第 {step} 步，更新范数都在正常范围内",
        ),
        _update_leads_loss,
        needs=(Metric.UPDATE_NORM,),
    ),
    Probe(
        "update_jumps_at_restart",
        Text(
            "Are the first updates after the restart too large?", "重启后的最初几次更新是否过大？"
        ),
        Text(
            "The first updates after the restart at step {step} are {factor}x as large, then "
            "{later}x: a cold optimizer",
            "第 {step} 步重启后的最初几次更新为之前的 {factor} 倍，随后回到 {later} 倍：优化器"
            "状态是冷启动的",
        ),
        Text(
            "The updates after the restart at step {step} show no cold optimizer ({factor}x, "
            "later {later}x)",
            "第 {step} 步重启后的更新没有冷启动特征（{factor} 倍，随后 {later} 倍）",
        ),
        _update_jumps_at_restart,
        needs=(Metric.UPDATE_NORM,),
    ),
    Probe(
        "update_over_lr_constant",
        Text("Did update_norm only follow the learning rate?", "更新范数是否只是随学习率变化？"),
        Text(
            "update_norm changed {update}x and the learning rate {lr}x: the update followed "
            "the schedule",
            "更新范数变为 {update} 倍，学习率变为 {lr} 倍：更新随学习率调度而变",
        ),
        Text(
            "update_norm changed {update}x but the learning rate {lr}x",
            "更新范数变为 {update} 倍，而学习率变为 {lr} 倍",
        ),
        _update_over_lr_constant,
        needs=(Metric.UPDATE_NORM, Metric.LR),
    ),
)
