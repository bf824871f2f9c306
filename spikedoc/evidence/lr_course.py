"""The learning rate over the whole run: cycles, early decay, and what the noise makes of it."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._answers import UNKNOWN, answer, lacking, percent, saying, short
from spikedoc.evidence._periods import period_of
from spikedoc.evidence._profile import NOISE_TREND, profile
from spikedoc.evidence._schedule import cycle, highest, rate
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Form, Kind
from spikedoc.model.metric import Metric
from spikedoc.signal.around import correlation, detrended, finite, parts
from spikedoc.signal.baseline import scatter
from spikedoc.text import Text

# Words of schedules that go up and down by design.
CYCLIC_WORDS: Final = ("cycl", "restart", "triang", "sgdr", "onecycle_repeat")
# Two periods agree within a tenth.
PERIOD_SAME: Final = 0.10
# The schedule has ended where the rate is below a twentieth of its maximum.
ENDED_SHARE: Final = 0.05
# The loss stopped where a block is first within this share of the whole fall of the best level.
STOPPED_SHARE: Final = 0.03
# Comparison of noise and learning rate: blocks, spread of the rate needed, correlation, ratio.
BLOCKS: Final = 30
RATE_SPREAD: Final = 2.0
NOISE_FOLLOWS: Final = 0.5
NOISE_RATIO: Final = 0.7
POINTS_FEWEST: Final = 150


def _is_planned(anomaly: Anomaly) -> bool:
    """Return whether a finding is the restart of a schedule that repeats itself."""
    restart = anomaly.kind is Kind.LR_DISCONTINUITY and anomaly.form is Form.RESTART
    return restart and bool(anomaly.measures.get("cyclic"))


def _lr_is_cyclic(case: Case) -> Answer:
    second = next((a for a in case.anomalies if _is_planned(a)), None)
    series = case.run.get(Metric.LR)
    if second is not None and cycle(series) is None:
        return saying(
            answer(True, name=second.signal, step=second.start_step),
            "From step {step} on {name} goes down from its top as it did before: the cycle begins "
            "anew by plan",
            "自第 {step} 步起，{name} 从顶端按与之前相同的曲线下降：这是计划内的新一个周期",
        )
    if series is None or len(series) < 2 * BLOCKS:
        name = case.run.config.get("schedule")
        if not isinstance(name, str) or not name:
            return lacking(Metric.LR, config=("schedule",))
        cyclic = any(word in name.lower() for word in CYCLIC_WORDS)
        found = answer(cyclic, name=name)
        if not cyclic:
            return found
        return saying(
            found,
            "The config names a cyclic learning rate ({name})",
            "配置中的学习率是周期性的（{name}）",
        )
    waves = cycle(series)
    if waves is None:
        return answer(False, name=str(case.run.config.get("schedule", "lr")))
    return answer(
        True,
        count=waves.count,
        period=short(waves.period),
        low=short(waves.low),
        high=short(waves.high),
        name=str(case.run.config.get("schedule", "lr")),
    )


def _lr_period_matches(case: Case) -> Answer:
    found, period = cycle(case.run.get(Metric.LR)), period_of(case)
    if period is None:
        return UNKNOWN
    if found is None:
        return saying(
            answer(False, period=short(period)),
            "The loss repeats every {period} steps; the learning rate has no cycle",
            "损失每 {period} 步重复一次，而学习率没有周期",
        )
    same = abs(found.period - period) <= PERIOD_SAME * period
    return answer(same, period=short(period), cycle=short(found.period))


def _lr_decayed_before_plateau(case: Case) -> Answer:
    loss = case.run.get(Metric.LOSS)
    whole = profile(loss)
    steps, values = rate(case)
    if loss is None or whole is None or case.anomaly.kind is not Kind.NON_CONVERGENCE:
        return UNKNOWN
    top = highest(values)
    if top <= 0 or whole.fall <= 0:
        return UNKNOWN
    peak = int(np.argmax(values))
    low = np.flatnonzero(values[peak:] <= ENDED_SHARE * top)
    lowest = percent(float(values[peak:].min()) / top)
    if low.size == 0:
        return answer(False, percent=lowest)
    ended = int(steps[peak + low[0]])
    near = np.flatnonzero(whole.levels <= whole.best + STOPPED_SHARE * whole.fall)
    length = float(loss.steps[-1] - loss.steps[0])
    stopped = int(loss.steps[0] + near[0] * length / whole.levels.size)
    if case.anomaly.measures.get("lr_step") == case.anomaly.start_step:
        stopped = case.anomaly.start_step  # the finding begins where the rate was switched off
    spent = stopped >= ended - length / whole.levels.size
    shown = percent(ENDED_SHARE) if spent else lowest
    return answer(spent, ended=ended, stopped=stopped, percent=shown)


def _noise_falls_with_lr(case: Case) -> Answer:
    loss = case.run.get(Metric.LOSS)
    steps, rates = rate(case)
    if loss is None or rates.size == 0:
        return UNKNOWN
    loss_steps, values = finite(loss.steps, loss.values)
    start = values.size // 10
    loss_steps, values = loss_steps[start:], values[start:]
    if values.size < POINTS_FEWEST or float(values.min()) <= 0:
        return UNKNOWN
    at = np.clip(np.searchsorted(steps, loss_steps, side="right") - 1, 0, rates.size - 1)
    residual = parts(detrended(np.log(values), NOISE_TREND), BLOCKS)
    noise = np.array([scatter(part) for part in residual])
    level = np.array([float(np.median(part)) for part in parts(rates[at], BLOCKS)])
    if level.min() <= 0 or level.max() < RATE_SPREAD * level.min():
        return UNKNOWN
    high = noise[level >= np.median(level)]
    low = noise[level < np.median(level)]
    if low.size == 0 or float(np.median(high)) <= 0:
        return UNKNOWN
    ratio = float(np.median(low)) / float(np.median(high))
    follows = correlation(noise, np.log(level)) >= NOISE_FOLLOWS and ratio <= NOISE_RATIO
    return answer(follows, ratio=short(ratio), correlation=short(correlation(noise, np.log(level))))


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "lr_is_cyclic",
        Text("Does the learning rate go up and down repeatedly?", "学习率是否周期性升降？"),
        Text(
            "The learning rate is cyclic ({name}): {count} maxima, {period} steps apart",
            "学习率周期性升降（{name}）：{count} 个峰，间隔 {period} 步",
        ),
        Text("The learning rate is not cyclic ({name})", "学习率没有周期性升降（{name}）"),
        _lr_is_cyclic,
    ),
    Probe(
        "lr_period_matches",
        Text(
            "Is the period of the loss that of the learning rate?",
            "损失的周期是否与学习率的周期一致？",
        ),
        Text(
            "The loss repeats every {period} steps, as the learning rate does ({cycle})",
            "损失每 {period} 步重复一次，与学习率的周期（{cycle}）一致",
        ),
        Text(
            "The loss repeats every {period} steps, the learning rate does not (cycle: {cycle})",
            "损失每 {period} 步重复一次，与学习率无关（学习率周期：{cycle}）",
        ),
        _lr_period_matches,
        needs=(Metric.LR,),
    ),
    Probe(
        "lr_decayed_before_plateau",
        Text(
            "Was the learning rate spent before the loss stopped?",
            "损失停滞之前学习率是否已衰减殆尽？",
        ),
        Text(
            "The learning rate was below {percent} % of its maximum from step {ended} on; the "
            "loss stopped at about step {stopped}",
            "学习率自第 {ended} 步起低于最大值的 {percent} %，损失约在第 {stopped} 步停滞",
        ),
        Text(
            "The loss stopped while the learning rate was still up (its lowest after the peak: "
            "{percent} % of the maximum)",
            "损失停滞时学习率仍然较高（峰值之后最低为最大值的 {percent} %）",
        ),
        _lr_decayed_before_plateau,
        needs=(Metric.LR, Metric.LOSS),
    ),
    Probe(
        "noise_falls_with_lr",
        Text("Does the noise fall with the learning rate?", "波动是否随学习率下降而减小？"),
        Text(
            "The relative noise of the loss falls to {ratio}x where the learning rate is low",
            "学习率低时损失的相对波动降到 {ratio} 倍",
        ),
        Text(
            "The relative noise of the loss does not follow the learning rate ({ratio}x where "
            "it is low)",
            "损失的相对波动与学习率无关（学习率低时为 {ratio} 倍）",
        ),
        _noise_falls_with_lr,
        needs=(Metric.LR, Metric.LOSS),
    ),
)
