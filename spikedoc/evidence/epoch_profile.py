"""The shape of the loss within an epoch: one peak, a wave, a running mean, a staircase."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.evidence._after_evaluation import is_of_evaluations
from spikedoc.evidence._answers import ORDERED, UNKNOWN, answer, asked_of, percent, short
from spikedoc.evidence._facts import epoch_length, spacing
from spikedoc.evidence._periods import folded, folded_beside_peak, told_cycles, told_phase
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.metric import Metric
from spikedoc.signal.around import correlation, finite
from spikedoc.text import Text

# The same batch order: beside the highest phase, too, the phase explains much of the scatter and
# the halves of the epochs agree. Measured: fixed order .25 to .9 with .87 and more (also with one
# hard sample in it), evaluation mode left on 0 with .1, shuffled healthy runs up to .09.
ORDER_ETA2: Final = 0.20
ORDER_RHO: Final = 0.85
# A peak is narrow when at most 15 % of the phases reach half its height, and it stands out.
NARROW_SHARE: Final = 0.15
BROAD_SHARE: Final = 0.25
PEAK_GAP: Final = 3.5
PEAK_HEIGHT: Final = 1.0
PEAK_CONSISTENCY: Final = 0.6
WAVE_ETA2: Final = 0.15
WAVE_RHO: Final = 0.70
# Sawtooth of a running mean: neighbours differ by 1 / k of their scatter at the k-th point, so 4
# times less in the last third than in the early part; the very first points are the border itself.
SMOOTH_RATIO: Final = 2.5
SMOOTH_FIRST: Final = 0.08
# Steps of a running mean are independent; steps of noisy values correlate by -.5.
SMOOTH_MEMORY: Final = -0.25
EARLY_SHARE: Final = 0.30
LATE_SHARE: Final = 0.67
EPOCHS_FEWEST: Final = 3
EPOCH_POINTS: Final = 12
# Staircase: boundaries carry most of the fall of the whole stretch.
BOUNDARY_SHARE: Final = 0.60
BOUNDARY_MOST: Final = 1.50
QUARTERS: Final = 4
FALL_RATIO: Final = 1.10


def _same_order_each_epoch(case: Case) -> Answer:
    found, rest = folded(case), folded_beside_peak(case)
    if found is None or rest is None or is_of_evaluations(case):
        return UNKNOWN  # of what comes after evaluations it is known that the rest does not repeat
    same = rest.eta2 >= ORDER_ETA2 and rest.rho >= ORDER_RHO
    return answer(
        same,
        percent=percent(max(rest.eta2, 0.0)),
        rho=short(rest.rho),
        cycles=told_cycles(case, found),
        period=short(found.period),
    )


def _half_height(profile: NDArray[np.float64]) -> float:
    """Return the share of phases above half the height of the peak over the median."""
    middle = float(np.median(profile))
    height = float(profile.max()) - middle
    return float(np.mean(profile >= middle + height / 2)) if height > 0 else 1.0


def _single_phase_peak(case: Case) -> Answer:
    found = folded(case)
    if found is None:
        return UNKNOWN
    wide = _half_height(found.profile)
    tall = found.peak_gap >= PEAK_GAP and found.peak_height >= PEAK_HEIGHT
    single = tall and found.consistency >= PEAK_CONSISTENCY and wide <= NARROW_SHARE
    return answer(
        single,
        percent=percent(wide),
        height=short(found.peak_height),
        phase=told_phase(case, found),
        period=short(found.period),
    )


def _smooth_epoch_wave(case: Case) -> Answer:
    found = folded(case)
    if found is None:
        return UNKNOWN
    wide = _half_height(found.profile)
    wave = found.eta2 >= WAVE_ETA2 and found.rho >= WAVE_RHO and wide >= BROAD_SHARE
    return answer(
        wave,
        percent=percent(wide),
        eta=percent(max(found.eta2, 0.0)),
        period=short(found.period),
    )


def _epochs(case: Case) -> list[NDArray[np.float64]]:
    """Return the finite losses of each whole epoch; empty when there are too few."""
    loss, length = case.run.get(Metric.LOSS), epoch_length(case.run)
    if loss is None or length is None or length < EPOCH_POINTS * spacing(loss):
        return []
    steps, values = finite(loss.steps, loss.values)
    number = np.floor((steps - 1) / length)
    cuts = np.flatnonzero(np.diff(number) > 0) + 1
    whole = [part for part in np.split(values, cuts) if part.size >= EPOCH_POINTS]
    return whole if len(whole) >= EPOCHS_FEWEST else []


def _sawtooth_is_smooth(case: Case) -> Answer:
    ratios, memories = [], []
    for values in _epochs(case):
        size = np.abs(np.diff(values))
        early = size[int(size.size * SMOOTH_FIRST) : max(2, int(size.size * EARLY_SHARE))]
        late = size[int(size.size * LATE_SHARE) :]
        steps = np.diff(values)[int(size.size * LATE_SHARE) :]
        memories.append(correlation(steps[:-1], steps[1:]))
        if float(np.median(late)) > 0:
            ratios.append(float(np.median(early)) / float(np.median(late)))
    if len(ratios) < EPOCHS_FEWEST:
        return UNKNOWN
    ratio = float(np.median(ratios))
    smooth = ratio >= SMOOTH_RATIO and float(np.median(memories)) > SMOOTH_MEMORY
    return answer(smooth, ratio=short(ratio), epochs=len(ratios))


def _falls_at_boundary(case: Case) -> Answer:
    epochs = _epochs(case)
    if not epochs:
        return UNKNOWN
    firsts = np.array([float(np.median(v[: v.size // QUARTERS])) for v in epochs])
    lasts = np.array([float(np.median(v[-(v.size // QUARTERS) :])) for v in epochs])
    if not bool(np.all(np.minimum(firsts, lasts) > 0)):
        return UNKNOWN
    # The first epoch is ordinary learning; the staircase shows from the second on.
    # Of logs the difference: the quotient of two losses may be no double.
    steps = np.log(lasts[:-1]) - np.log(firsts[1:])
    whole = float(np.log(lasts[0]) - np.log(lasts[-1]))
    # A loss that rises at the boundaries falls by nothing there.
    share = max(float(steps.sum()) / whole, 0.0) if whole > 0 else 0.0
    stairs = (
        bool(np.median(steps) > np.log(FALL_RATIO)) and BOUNDARY_SHARE <= share <= BOUNDARY_MOST
    )
    fall = 1 - float(np.exp(-max(float(np.median(steps)), 0.0)))
    return answer(stairs, percent=percent(share), fall=percent(fall))


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "same_order_each_epoch",
        Text("Does each epoch repeat the same course?", "每个 epoch 是否重复同样的走势？"),
        Text(
            "The whole course repeats every {period} steps, beside its highest place too ("
            "{percent} % of the scatter, agreement {rho}, {cycles} cycles): the batches come "
            "in the same order",
            "整个走势每 {period} 步重复一次，最高点以外也是如此（解释 {percent} % 的波动，吻合"
            "度 {rho}，共 {cycles} 个周期）：批次顺序每次相同",
        ),
        Text(
            "Beside its highest place the course does not repeat every {period} steps ("
            "{percent} % of the scatter, agreement {rho}): the order changes",
            "除最高点外，走势并不每 {period} 步重复（只解释 {percent} % 的波动，吻合度 {rho}）："
            "批次顺序是变化的",
        ),
        asked_of(ORDERED, _same_order_each_epoch),
        needs=(Metric.LOSS,),
    ),
    Probe(
        "single_phase_peak",
        Text(
            "Does one narrow place of the epoch stick out?", "是否只有 epoch 中一个很窄的位置突出？"
        ),
        Text(
            "One place of the cycle of {period} steps sticks out (step {phase} of it, {percent}"
            " % wide, {height} deviations high)",
            "{period} 步的周期中只有一处突出（第 {phase} 步，宽度占 {percent} %，高出 {height} "
            "个标准差）",
        ),
        Text(
            "No single place of the cycle of {period} steps sticks out (half height in "
            "{percent} % of it, {height} deviations)",
            "{period} 步的周期中没有单独突出的位置（半高宽度占 {percent} %，高度 {height} 个标"
            "准差）",
        ),
        asked_of(ORDERED, _single_phase_peak),
        needs=(Metric.LOSS,),
    ),
    Probe(
        "smooth_epoch_wave",
        Text("Is there a broad wave in each epoch?", "每个 epoch 内是否有一个宽缓的波动？"),
        Text(
            "Each cycle of {period} steps has a broad wave: {percent} % of it lies above half "
            "height, {eta} % of the scatter",
            "每 {period} 步有一个宽缓的波动：{percent} % 的区间高于半高，占波动的 {eta} %",
        ),
        Text(
            "No broad wave in the cycle of {period} steps ({percent} % above half height, {eta}"
            " % of the scatter)",
            "{period} 步的周期内没有宽缓的波动（高于半高的区间占 {percent} %，占波动的 {eta} %）",
        ),
        asked_of(ORDERED, _smooth_epoch_wave),
        needs=(Metric.LOSS,),
    ),
    Probe(
        "sawtooth_is_smooth",
        Text(
            "Does the logged loss get smoother within each epoch?",
            "每个 epoch 内记录的损失是否越来越平滑？",
        ),
        Text(
            "Within each epoch the loss gets {ratio} times smoother, then starts over: a "
            "running mean that is reset",
            "每个 epoch 内损失逐渐平滑（平滑 {ratio} 倍），随后重新开始：记录的是按 epoch 重置"
            "的滑动平均",
        ),
        Text(
            "The loss is as rough late in the epoch as early ({ratio}x): no running mean",
            "epoch 前后段的损失同样粗糙（{ratio} 倍），不是滑动平均",
        ),
        asked_of(ORDERED, _sawtooth_is_smooth),
        needs=(Metric.LOSS,),
    ),
    Probe(
        "falls_at_boundary",
        Text(
            "Does the loss step down at epoch boundaries and stay flat between?",
            "损失是否只在 epoch 边界下降、其间持平？",
        ),
        Text(
            "The loss falls by {fall} % at each epoch boundary, {percent} % of its whole fall: "
            "samples seen before are being memorised",
            "损失在每个 epoch 边界下降约 {fall} %，占总降幅的 {percent} %：模型在记忆见过的样本",
        ),
        Text(
            "{percent} % of the fall happens at epoch boundaries",
            "总降幅中有 {percent} % 发生在 epoch 边界",
        ),
        asked_of(ORDERED, _falls_at_boundary),
        needs=(Metric.LOSS,),
    ),
)
