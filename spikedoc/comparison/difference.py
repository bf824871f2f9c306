"""One quantity of two runs: what is exactly the same, level, slope, noise, and where they part."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.comparison.pairing import Pairs, common_steps, paired
from spikedoc.comparison.parting import (
    FEWEST_PAIRS,
    NORM,
    QUALITY,
    TRAINING,
    VALIDATION,
    Relevance,
    Ruler,
    episodes,
    level_parting,
    nonfinite_parting,
    point_partings,
    ruler,
    visible,
)
from spikedoc.comparison.result import Course, Parting, PartingKind, Side, SignalDifference
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, IntArray, Series
from spikedoc.signal.around import correlation
from spikedoc.signal.baseline import baseline, block_medians, median
from spikedoc.signal.roughness import roughness
from spikedoc.signal.trend import theil_sen

# Quantities that are set, not measured: their values are compared, not their levels.
SCHEDULES: Final = frozenset({Metric.LR, Metric.BATCH_SIZE})
# … and what two logs may differ in by printing four digits.
SAME_VALUE: Final = 1e-3
# Quantities in which a single point means something.
SPIKING: Final = frozenset(
    {Metric.LOSS, Metric.VAL_LOSS, Metric.GRAD_NORM, Metric.UPDATE_NORM, Metric.LOSS_COMPONENT}
)
# Quantities without a way from start to end.
NORMS: Final = frozenset(
    {
        *(Metric.GRAD_NORM, Metric.GRAD_NORM_CLIPPED, Metric.UPDATE_NORM, Metric.WEIGHT_NORM),
        *(Metric.EXP_AVG_NORM, Metric.EXP_AVG_SQ_NORM, Metric.MAX_LOGIT, Metric.LAYER_GRAD_NORM),
    }
)
VALIDATED: Final = frozenset({Metric.VAL_LOSS, Metric.VAL_LOSS_COMPONENT})
QUALITIES: Final = frozenset({Metric.VAL_METRIC, Metric.TRAIN_METRIC})
LEVEL_SHARE: Final = 10
LEVEL_POINTS: Final = 3
SLOPE_BLOCKS: Final = 20
PER_STEPS: Final = 1000.0
# Pairs from which on the noise of both is correlated; shorter logs give any value.
CORRELATED_PAIRS: Final = 30
WINSOR: Final = 4.0
# A constant ratio: nine tenths of all steps within a twentieth of the distance, and tighter than
# the noise would leave it – unless printing alone makes the scatter.
RATIO_PAIRS: Final = 4
RATIO_SPREAD: Final = 0.05
RATIO_LEAST: Final = float(np.log(1.02))
RATIO_ROUNDING: Final = 0.01
# A constant difference is asked the same of the values, and to scatter less than they move
# between neighbouring points: the white noise of two trainings scatters five times as far.
QUANTILES: Final = (0.05, 0.95)
NAN: Final = float("nan")


def difference(one: Series, two: Series) -> SignalDifference:
    """Return how two series of one quantity differ; `one` is of run A."""
    steps, a, b = common_steps(one, two)
    pairs = paired(one, two)
    rule, memory = _measured(one.metric, pairs)
    parting = _parting(one.metric, (steps, a, b), pairs, rule)
    first = _first_difference(a, b)
    before = pairs.steps < (parting.step if parting else np.inf)
    judged = pairs.steps.size >= FEWEST_PAIRS
    ratio = _constant_ratio(pairs, rule)
    end = slice(-_end(pairs.steps.size), None)
    return SignalDifference(
        name=one.name,
        metric=one.metric,
        tags=(one.tag, two.tag),
        alignment=pairs.alignment,
        common=int(steps.size),
        pairs=int(pairs.steps.size),
        first_step=int(max(one.steps[0], two.steps[0])),
        last_step=int(min(one.steps[-1], two.steps[-1])),
        relative=pairs.relative,
        a=_course(one, pairs.steps, pairs.raw_a, pairs.a, before, memory[0]),
        b=_course(two, pairs.steps, pairs.raw_b, pairs.b, before, memory[1]),
        identical_until=None if first == 0 or not steps.size else int(steps[(first or 0) - 1]),
        first_difference=None if first is None else int(steps[first]),
        first_difference_size=None if first is None else _relative(a[first], b[first]),
        units=-median(rule.units[end]) + 0.0 if judged and one.metric not in SCHEDULES else NAN,
        visible=visible(rule, end) if judged and pairs.relative else NAN,
        shared_noise=_shared(pairs),
        constant_ratio=ratio,
        constant_difference=None if ratio is not None else _constant_difference(pairs),
        parting=parting,
        episodes=() if one.metric in SCHEDULES else episodes(pairs, rule, parting),
    )


def _relevance(metric: Metric) -> Relevance:
    if metric in NORMS:
        return NORM
    if metric in VALIDATED:
        return VALIDATION
    return QUALITY if metric in QUALITIES else TRAINING


def _measured(metric: Metric, pairs: Pairs) -> tuple[Ruler, tuple[float, float]]:
    wanted = _relevance(metric)
    if pairs.steps.size < FEWEST_PAIRS:
        return Ruler(pairs.a - pairs.b, np.ones(pairs.a.size), wanted, np.inf), (NAN, NAN)
    memory = roughness(pairs.a).lag1, roughness(pairs.b).lag1
    return ruler(pairs, max(memory), wanted), memory


def _parting(
    metric: Metric, common: tuple[IntArray, FloatArray, FloatArray], pairs: Pairs, rule: Ruler
) -> Parting | None:
    """Return the earliest way in which the two part."""
    if metric in SCHEDULES:
        return _value_parting(pairs)
    broken = nonfinite_parting(*common)
    if broken is not None and broken.until is not None and metric in NORMS:
        broken = None  # a step that the loss scaler skipped
    found = [broken, level_parting(pairs, rule)]
    if metric in SPIKING:
        found += point_partings(pairs, rule)[:1]
    return min((one for one in found if one), key=lambda one: one.step, default=None)


def _value_parting(pairs: Pairs) -> Parting | None:
    """Return where two schedules first have different values, and until when."""
    size = np.maximum(np.abs(pairs.raw_a), np.abs(pairs.raw_b))
    apart = np.abs(pairs.raw_a - pairs.raw_b) > SAME_VALUE * size
    if not apart.any():
        return None
    index = int(np.argmax(apart))
    last = int(np.flatnonzero(apart)[-1])
    a, b = float(pairs.raw_a[index]), float(pairs.raw_b[index])
    return Parting(
        PartingKind.VALUE,
        int(pairs.steps[index]),
        Side.A if a > b else Side.B,
        0.0,
        b / a if a > 0 and b > 0 else NAN,
        None if last == apart.size - 1 else int(pairs.steps[last]),
    )


def _first_difference(a: FloatArray, b: FloatArray) -> int | None:
    """Return the index of the first pair of different values; NaN equals NaN."""
    other = np.flatnonzero(~((a == b) | (np.isnan(a) & np.isnan(b))))
    return int(other[0]) if other.size else None


def _relative(a: float, b: float) -> float:
    if not (np.isfinite(a) and np.isfinite(b)):
        return float("inf")
    largest = max(abs(a), abs(b))
    return float(abs(a / largest - b / largest)) if largest > 0 else 0.0


def _end(n: int) -> int:
    return max(LEVEL_POINTS, n // LEVEL_SHARE)


def _course(
    series: Series,
    steps: IntArray,
    raw: FloatArray,
    judged: FloatArray,
    before: np.typing.NDArray[np.bool_],
    memory: float,
) -> Course:
    """Return the numbers of one series on the pairs."""
    n = raw.size
    enough = n >= FEWEST_PAIRS
    early = raw[before]
    return Course(
        points=len(series),
        level=median(raw[-_end(n) :]) if n else NAN,
        level_before=median(early[-_end(early.size) :]) if 0 < early.size < n else NAN,
        slope=_slope(steps, raw) if enough else NAN,
        noise=median(baseline(judged).noise) if enough else NAN,
        memory=memory,
        nonfinite=int((~series.is_finite).sum()),
    )


def _slope(steps: IntArray, raw: FloatArray) -> float:
    """Return the change per 1000 steps over the second half."""
    half = raw.size // 2
    width = max(1, (raw.size - half) // SLOPE_BLOCKS)
    distance = float(steps[-1] - steps[half]) / max(steps.size - 1 - half, 1) * width
    return theil_sen(block_medians(raw[half:], width)) / distance * PER_STEPS if distance else 0.0


def _shared(pairs: Pairs) -> float | None:
    """Return how the noise of both goes together: near 1 for the same batches in the same order."""
    if pairs.steps.size < CORRELATED_PAIRS:
        return None
    return correlation(_noise(pairs.a), _noise(pairs.b))


def _noise(judged: FloatArray) -> FloatArray:
    base = baseline(judged)
    return np.clip((judged - base.hampel) / base.noise, -WINSOR, WINSOR)


def _constant_ratio(pairs: Pairs, rule: Ruler) -> float | None:
    """Return B over A where that is the same at all steps and not one."""
    if not pairs.relative or pairs.steps.size < RATIO_PAIRS:
        return None
    middle = median(rule.difference)
    low, high = np.quantile(rule.difference, QUANTILES)
    spread = float(high - low)
    tight = spread <= RATIO_ROUNDING or spread <= median(rule.unit)
    if abs(middle) < RATIO_LEAST or spread > RATIO_SPREAD * abs(middle) or not tight:
        return None
    return float(np.exp(-middle))


def _constant_difference(pairs: Pairs) -> float | None:
    """Return B minus A where that is the same at all steps and not nothing."""
    if pairs.steps.size < RATIO_PAIRS:
        return None
    apart = pairs.raw_b - pairs.raw_a
    middle = median(apart)
    low, high = np.quantile(apart, QUANTILES)
    spread = float(high - low)
    least = (np.exp(RATIO_LEAST) - 1.0) * min(median(np.abs(x)) for x in (pairs.raw_a, pairs.raw_b))
    moves = median(np.abs(np.diff(pairs.raw_a)))
    if moves <= 0 or abs(middle) < least or spread > RATIO_SPREAD * abs(middle) or spread > moves:
        return None
    return middle
