"""What the scatter of the loss is like: size, rhythm, tails, grid."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.evidence._answers import SPIKES, UNKNOWN, answer, asked_of, short
from spikedoc.evidence._facts import spacing
from spikedoc.evidence._profile import NOISE_TREND, profile
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.signal.around import detrended, finite
from spikedoc.signal.baseline import scatter
from spikedoc.signal.printed import decimals
from spikedoc.signal.transform import ratio
from spikedoc.text import Text

# Linear noise over the fall achieved: .08 to 2.2 in trainings that oscillate, at most .13 in
# healthy ones; between the two limits the noise must also be half of the level itself, which in
# healthy trainings happens only at a noise of .01 of the fall and less.
NOISE_SHARE: Final = 0.15
NOISE_SHARE_LOW: Final = 0.07
RELATIVE_NOISE: Final = 0.5
# Swings that turn round at every point: learning rate at the edge of stability.
ALTERNATES_BELOW: Final = -0.3
# Neighbouring residuals correlate by .26 at most where batches are sampled in random order, by .55
# to .92 with a full batch, which has no sampling (measured).
SMOOTH_ABOVE: Final = 0.4
# Upper over lower tail of the log residual; a symmetric tail gives 1.
UPPER_TAIL: Final = 1.3
# Noise that is proportional to the loss keeps its log scatter while the level falls.
PROPORTIONAL_FALL: Final = 1.5
PROPORTIONAL_RATIO: Final = 2.0
# bf16 keeps 8 significant bits: of the word of a float32 the upper 16.
BF16_KEPT: Final = 0xFFFF0000
BF16_HALF: Final = 0x8000
GRID_SHARE: Final = 0.95
GRID_CHANCE: Final = 0.5
GRID_FEWEST: Final = 10
GRID_POINTS: Final = 2000
BF16_STEP: Final = 2.0**-7
# Kinds that a single batch could be blamed for; a fixed order of batches is smooth, too.
SINGLE: Final = SPIKES | {
    Kind.OSCILLATION,
    Kind.DIVERGENCE,
    Kind.LEVEL_SHIFT,
    Kind.SUSTAINED_DRIFT,
    Kind.GRADIENT_EXPLOSION,
    Kind.GRADIENT_RAMP,
    Kind.UPDATE_SPIKE,
}
# The smallest scatter that counts as one.
TINY: Final = 1e-12


def _noise_exceeds_learning(case: Case) -> Answer:
    whole, told = profile(case.run.get(Metric.LOSS)), _reported(case)
    if whole is None and told.get("relative_noise", 0.0) < RELATIVE_NOISE:
        return UNKNOWN
    if whole is None:  # a few means over epochs, which the finding itself has measured
        share = told["noise"] / told["learned"]
        noise, fall = short(told["noise"]), short(told["learned"])
        return answer(share >= NOISE_SHARE, noise=noise, fall=fall, ratio=short(share))
    if whole.fall <= TINY:
        return answer(None)
    noise, fall = told.get("noise", whole.noise), told.get("learned", whole.fall)
    share = noise / fall
    large = share >= NOISE_SHARE_LOW and whole.log_noise >= RELATIVE_NOISE
    large = large or share >= NOISE_SHARE
    return answer(large, noise=short(noise), fall=short(fall), ratio=short(share))


def _reported(case: Case) -> Mapping[str, float]:
    """Return what a finding about the noise, or about the fall, tells itself; empty without one."""
    loss = case.run.get(Metric.LOSS)
    for a in (case.anomaly, *case.anomalies):
        told = loss is not None and a.signal == loss.name and a.kind is Kind.OSCILLATION
        if told and {"noise", "learned"} <= a.measures.keys():
            return a.measures
    for a in (case.anomaly, *case.anomalies):
        stands = loss is not None and a.signal == loss.name and a.kind is Kind.NON_CONVERGENCE
        fall = a.measures.get("first", 0.0) - a.measures.get("best", math.inf)
        if stands and fall > TINY:
            return {"learned": fall}
    return {}


def _noise_alternates(case: Case) -> Answer:
    whole = profile(case.run.get(Metric.LOSS))
    if whole is None or whole.noise <= TINY:
        return UNKNOWN
    return answer(whole.lag_one < ALTERNATES_BELOW, correlation=short(whole.lag_one))


def _loss_is_smooth(case: Case) -> Answer:
    whole = profile(case.run.get(Metric.LOSS))
    if whole is None:
        return UNKNOWN
    return answer(whole.lag_one > SMOOTH_ABOVE, correlation=short(whole.lag_one))


def _noise_has_upper_tail(case: Case) -> Answer:
    whole = profile(case.run.get(Metric.LOSS))
    if whole is None or whole.lower <= TINY:
        return UNKNOWN
    ratio = whole.upper / whole.lower
    return answer(ratio >= UPPER_TAIL, ratio=short(ratio))


def _noise_shrinks_with_loss(case: Case) -> Answer:
    loss = case.run.get(Metric.LOSS)
    whole = profile(loss)
    if loss is None or whole is None:
        return UNKNOWN
    _, values = finite(loss.steps, loss.values)
    if float(values.min()) <= 0:
        return UNKNOWN
    logs = np.log(values)
    third = values.size // 3
    early, late = logs[:third], logs[-third:]
    fall = ratio(float(np.median(early) - np.median(late)))
    before = scatter(detrended(early, NOISE_TREND))
    after = scatter(detrended(late, NOISE_TREND))
    if fall < PROPORTIONAL_FALL or before <= TINY:
        return UNKNOWN
    return answer(
        after <= PROPORTIONAL_RATIO * before,
        before=short(100 * before),
        after=short(100 * after),
        fall=short(fall),
    )


def _loss_on_bf16_grid(case: Case) -> Answer:
    loss = case.run.get(Metric.LOSS)
    if loss is None:
        return UNKNOWN
    _, values = finite(loss.steps, loss.values)
    values = values[(values != 0) & (np.abs(values) < np.finfo(np.float32).max)]
    values = values[:: max(1, values.size // GRID_POINTS)]
    if np.unique(values).size < GRID_FEWEST:
        return UNKNOWN
    rounded, chance = _match_bf16(values)
    if chance > GRID_CHANCE:
        return UNKNOWN
    return answer(rounded >= GRID_SHARE, percent=short(100 * rounded))


def _match_bf16(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the share of values on the bf16 grid, and the share expected by chance."""
    grid = _to_bf16(values)
    printed = decimals(values)
    if printed is None:
        return float(np.mean(grid == values.astype(np.float32))), 0.0
    cells = BF16_STEP * np.exp2(np.floor(np.log2(np.abs(values))))
    chance = float(np.mean(np.minimum(1.0, 10.0**-printed / cells)))
    same = np.round(grid.astype(np.float64), printed) == np.round(values, printed)
    return float(np.mean(same)), chance


def _to_bf16(values: NDArray[np.float64]) -> NDArray[np.float32]:
    bits = values.astype(np.float32).view(np.uint32).astype(np.uint64)
    # Halves go up: what lies in the middle between two numbers is on the grid either way not.
    kept = (bits + np.uint64(BF16_HALF)) & np.uint64(BF16_KEPT)
    return np.asarray(kept.astype(np.uint32).view(np.float32))


def _cadence_is_coarse(case: Case) -> Answer:
    loss = case.run.get(Metric.LOSS)
    if loss is None or len(loss) < GRID_FEWEST:
        return UNKNOWN
    return answer(spacing(loss) > 1, stride=spacing(loss))


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "noise_exceeds_learning",
        Text(
            "Is the noise large against what was learned?", "损失的波动相对于学到的幅度是否过大？"
        ),
        Text(
            "The loss scatters by {noise}, {ratio} times the {fall} it fell in all: much noise for "
            "what was learned",
            "损失波动为 {noise}，是总下降幅度 {fall} 的 {ratio} 倍：相对学到的幅度，噪声很大",
        ),
        Text(
            "The loss scatters by {noise}, {ratio} times the {fall} it fell in all: little for "
            "what was learned",
            "损失波动为 {noise}，仅为总下降幅度 {fall} 的 {ratio} 倍：相对学到的幅度，噪声不大",
        ),
        _noise_exceeds_learning,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "noise_alternates",
        Text("Does the loss flip up and down from point to point?", "损失是否逐点上下交替？"),
        Text(
            "The loss flips from point to point (correlation of neighbours {correlation})",
            "损失逐点上下交替（相邻点相关系数 {correlation}）",
        ),
        Text(
            "The loss does not flip from point to point (correlation of neighbours {correlation})",
            "损失没有逐点交替（相邻点相关系数 {correlation}）",
        ),
        _noise_alternates,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "loss_is_smooth",
        Text(
            "Is the loss smooth from point to point, as without batch sampling?",
            "损失曲线是否逐点平滑，没有批次采样噪声？",
        ),
        Text(
            "The loss moves smoothly (correlation of neighbours {correlation}): no batch noise,"
            " so no single batch can be to blame",
            "损失平滑变化（相邻点相关系数 {correlation}），没有批次噪声，因此不会是某个批次造成的",
        ),
        Text(
            "The loss scatters independently from point to point (correlation of neighbours "
            "{correlation}): batch noise",
            "损失逐点独立波动（相邻点相关系数 {correlation}），存在批次噪声",
        ),
        asked_of(SINGLE, _loss_is_smooth),
        needs=(Metric.LOSS,),
    ),
    Probe(
        "noise_has_upper_tail",
        Text("Does the loss stick out upwards more than downwards?", "损失是否主要向上偏离？"),
        Text(
            "The loss sticks out upwards {ratio} times as far as downwards",
            "损失向上的偏离是向下的 {ratio} 倍",
        ),
        Text(
            "The loss does not stick out upwards: {ratio} times as far as downwards",
            "损失没有主要向上偏离：向上是向下的 {ratio} 倍",
        ),
        _noise_has_upper_tail,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "noise_shrinks_with_loss",
        Text("Does the noise shrink along with the loss?", "波动是否随损失一起变小？"),
        Text(
            "The noise follows the level: {before} % of it early, {after} % late, while the "
            "loss fell {fall}-fold",
            "波动与损失水平成比例：前期 {before} %，后期 {after} %，而损失降低为原来的 1/{fall}",
        ),
        Text(
            "The noise grew against the level: {before} % of it early, {after} % late",
            "相对于损失水平，波动变大了：前期 {before} %，后期 {after} %",
        ),
        _noise_shrinks_with_loss,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "loss_on_bf16_grid",
        Text("Do the losses lie on the bf16 grid?", "损失值是否落在 bf16 的网格上？"),
        Text(
            "{percent} % of the losses are bf16 numbers: the steps in the curve are rounding",
            "{percent} % 的损失值恰为 bf16 可表示的数，曲线上的台阶来自舍入",
        ),
        Text(
            "{percent} % of the losses are bf16 numbers: the loss was not rounded to bf16",
            "{percent} % 的损失值是 bf16 可表示的数，损失并未舍入为 bf16",
        ),
        _loss_on_bf16_grid,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "cadence_is_coarse",
        Text("Is the loss logged less often than every step?", "损失是否不是逐步记录？"),
        Text(
            "The loss is logged every {stride} steps: events of one step are missed or "
            "averaged away",
            "损失每 {stride} 步记录一次，单步事件可能被漏掉或被平均掉",
        ),
        Text("The loss is logged at every step", "损失逐步记录"),
        _cadence_is_coarse,
        needs=(Metric.LOSS,),
    ),
)
