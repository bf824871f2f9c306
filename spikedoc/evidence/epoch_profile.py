"""The shape of the loss within an epoch: one peak, a wave, a running mean, a staircase."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.evidence._answers import UNKNOWN, answer, percent, short
from spikedoc.evidence._periods import epoch_fold
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.metric import Metric
from spikedoc.signal.around import finite
from spikedoc.text import Text

# The same batch order: phase explains half of the variance, odd and even epochs agree. Shuffled
# healthy runs reach .08, evaluation mode left on .62, the same order .95 (measured).
ORDER_ETA2: Final = 0.50
ORDER_RHO: Final = 0.90
# A peak is narrow when at most 15 % of the phases reach half its height, and it stands out.
NARROW_SHARE: Final = 0.15
BROAD_SHARE: Final = 0.25
PEAK_ERRORS: Final = 4.0
WAVE_ETA2: Final = 0.15
WAVE_RHO: Final = 0.70
# Sawtooth of a running mean: neighbouring points differ five times less late in the epoch.
SMOOTH_RATIO: Final = 5.0
EARLY_SHARE: Final = 0.15
LATE_SHARE: Final = 0.60
EPOCHS_FEWEST: Final = 3
EPOCH_POINTS: Final = 12
# Staircase: boundaries carry most of the fall of the whole stretch.
BOUNDARY_SHARE: Final = 0.60
QUARTERS: Final = 4
FALL_RATIO: Final = 1.10


def _same_order_each_epoch(case: Case) -> Answer:
    found = epoch_fold(case)
    if found is None:
        return UNKNOWN
    same = found.eta2 >= ORDER_ETA2 and found.rho >= ORDER_RHO
    return answer(
        same, percent=percent(found.eta2), rho=short(found.rho), cycles=round(found.cycles)
    )


def _half_height(profile: NDArray[np.float64]) -> float:
    """Return the share of phases above half the height of the peak over the median."""
    middle = float(np.median(profile))
    height = float(profile.max()) - middle
    return float(np.mean(profile >= middle + height / 2)) if height > 0 else 1.0


def _single_phase_peak(case: Case) -> Answer:
    found = epoch_fold(case)
    if found is None:
        return UNKNOWN
    wide = _half_height(found.profile)
    height = float(found.profile.max() - np.median(found.profile))
    tall = found.noise > 0 and height > PEAK_ERRORS * found.noise and height > 1
    return answer(
        tall and wide <= NARROW_SHARE,
        percent=percent(wide),
        height=short(height),
        phase=round(found.peak_phase * found.period),
    )


def _smooth_epoch_wave(case: Case) -> Answer:
    found = epoch_fold(case)
    if found is None:
        return UNKNOWN
    wide = _half_height(found.profile)
    wave = found.eta2 >= WAVE_ETA2 and found.rho >= WAVE_RHO and wide >= BROAD_SHARE
    return answer(wave, percent=percent(wide), eta=percent(found.eta2))


def _epochs(case: Case) -> list[NDArray[np.float64]]:
    """Return the finite losses of each whole epoch; empty when there are too few."""
    loss, length = case.run.get(Metric.LOSS), case.run.steps_per_epoch
    if loss is None or length is None or length < EPOCH_POINTS * loss.stride:
        return []
    steps, values = finite(loss.steps, loss.values)
    number = np.floor((steps - 1) / length)
    cuts = np.flatnonzero(np.diff(number) > 0) + 1
    whole = [part for part in np.split(values, cuts) if part.size >= EPOCH_POINTS]
    return whole if len(whole) >= EPOCHS_FEWEST else []


def _sawtooth_is_smooth(case: Case) -> Answer:
    ratios = []
    for values in _epochs(case):
        size = np.abs(np.diff(values))
        early = size[: max(2, int(size.size * EARLY_SHARE))]
        late = size[int(size.size * LATE_SHARE) :]
        if float(np.median(late)) > 0:
            ratios.append(float(np.median(early)) / float(np.median(late)))
    if len(ratios) < EPOCHS_FEWEST:
        return UNKNOWN
    ratio = float(np.median(ratios))
    return answer(ratio >= SMOOTH_RATIO, ratio=short(ratio), epochs=len(ratios))


def _falls_at_boundary(case: Case) -> Answer:
    epochs = _epochs(case)
    if not epochs:
        return UNKNOWN
    firsts = np.array([float(np.median(v[: v.size // QUARTERS])) for v in epochs])
    lasts = np.array([float(np.median(v[-(v.size // QUARTERS) :])) for v in epochs])
    if not bool(np.all(np.minimum(firsts, lasts) > 0)):
        return UNKNOWN
    # The first epoch is ordinary learning; the staircase shows from the second on.
    steps = np.log(lasts[:-1] / firsts[1:])
    whole = float(np.log(lasts[0] / lasts[-1]))
    share = float(steps.sum()) / whole if whole > 0 else 0.0
    stairs = bool(np.median(steps) > np.log(FALL_RATIO)) and share >= BOUNDARY_SHARE
    return answer(
        stairs, percent=percent(share), fall=percent(1 - float(np.exp(-np.median(steps))))
    )


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "same_order_each_epoch",
        Text("Does each epoch repeat the same course?", "每个 epoch 是否重复同样的走势？"),
        Text(
            "The place in the epoch explains {percent} % of the scatter (odd against even "
            "epochs: {rho}, {cycles} epochs): the batches come in the same order",
            "epoch 内的位置解释了 {percent} % 的波动（奇偶 epoch 相关 {rho}，共 {cycles} 个 "
            "epoch）：批次顺序每次相同",
        ),
        Text(
            "The place in the epoch explains only {percent} % of the scatter (odd against even "
            "epochs: {rho})",
            "epoch 内的位置只解释了 {percent} % 的波动（奇偶 epoch 相关 {rho}）",
        ),
        _same_order_each_epoch,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "single_phase_peak",
        Text(
            "Does one narrow place of the epoch stick out?", "是否只有 epoch 中一个很窄的位置突出？"
        ),
        Text(
            "One place of the epoch sticks out (step {phase} of it, {percent} % of the epoch "
            "wide, {height} deviations high)",
            "epoch 中只有一处突出（第 {phase} 步，宽度占 {percent} %，高出 {height} 个标准差）",
        ),
        Text(
            "No single place of the epoch sticks out (half height reached in {percent} % of it,"
            " {height} deviations)",
            "epoch 中没有单独突出的位置（半高宽度占 {percent} %，高度 {height} 个标准差）",
        ),
        _single_phase_peak,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "smooth_epoch_wave",
        Text("Is there a broad wave in each epoch?", "每个 epoch 内是否有一个宽缓的波动？"),
        Text(
            "Each epoch has a broad wave: {percent} % of it lies above half height, {eta} % of "
            "the scatter",
            "每个 epoch 都有宽缓的波动：{percent} % 的区间高于半高，占波动的 {eta} %",
        ),
        Text(
            "No broad wave within the epochs ({percent} % above half height, {eta} % of the "
            "scatter)",
            "epoch 内没有宽缓的波动（高于半高的区间占 {percent} %，占波动的 {eta} %）",
        ),
        _smooth_epoch_wave,
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
        _sawtooth_is_smooth,
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
            "Only {percent} % of the fall happens at epoch boundaries",
            "总降幅中只有 {percent} % 发生在 epoch 边界",
        ),
        _falls_at_boundary,
        needs=(Metric.LOSS,),
    ),
)
