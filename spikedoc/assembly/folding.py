"""The series of a periodic finding laid over itself at its period."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from spikedoc.assembly.plot import wants_log
from spikedoc.model.charts import FoldedCurve
from spikedoc.model.label import Kind
from spikedoc.model.report import Finding
from spikedoc.model.run import FloatArray, IntArray, Run
from spikedoc.signal.baseline import rolling_median
from spikedoc.signal.transform import HUGE

# Phases drawn at most: the peak of one bad batch still stands alone in an epoch of this length.
PHASES_MOST: Final = 160
CYCLES_FEWEST: Final = 3
# The trend is taken over more than a cycle, else it would follow the pattern.
TREND_CYCLES: Final = 1.5
# Longer trends cost more time than a picture is worth.
TREND_MOST: Final = 4_001
LOW, HIGH = 0.1, 0.9


def folds(run: Run, findings: Sequence[Finding]) -> tuple[FoldedCurve, ...]:
    """Return one fold for each periodic finding whose period is known."""
    found = []
    for finding in findings:
        if finding.anomaly.kind is Kind.PERIODIC_SPIKES:
            one = _fold(run, finding)
            if one is not None:
                found.append(one)
    return tuple(found)


def _fold(run: Run, finding: Finding) -> FoldedCurve | None:
    anomaly = finding.anomaly
    series = run.named(anomaly.signal)
    period = anomaly.measures.get("period", 0.0)
    if series is None or not np.isfinite(period) or period <= 0:
        return None
    steps, values = series.finite()
    inside = (steps >= anomaly.start_step) & (steps <= anomaly.end_step)
    steps, values = steps[inside], values[inside]
    if steps.size < CYCLES_FEWEST or steps[-1] - steps[0] < CYCLES_FEWEST * period:
        return None
    # As the finding counts them: the last step of a cycle does not begin one more.
    span = float(steps[-1] - steps[0]) + series.stride
    values = np.clip(values, -HUGE, HUGE)
    is_ratio = bool(values.min() > 1 / HUGE)
    level = _without_trend(values, period / series.stride, is_ratio=is_ratio)
    phases, low, middle, high = _profile(steps, level, period, series.stride)
    return FoldedCurve(
        finding=finding.id,
        signal=series.name,
        period=float(period),
        cycles=round(anomaly.measures.get("cycles", span / period)),
        phases=_plain(phases),
        low=_plain(low),
        middle=_plain(middle),
        high=_plain(high),
        is_ratio=is_ratio,
        log=is_ratio and wants_log(np.concatenate([low, high])),
    )


def _without_trend(values: FloatArray, points: float, *, is_ratio: bool) -> FloatArray:
    window = int(min(TREND_CYCLES * points, TREND_MOST, values.size)) | 1
    trend = rolling_median(values, window)
    return values / trend if is_ratio else values - trend


def _profile(
    steps: IntArray, level: FloatArray, period: float, stride: float
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return phases and the low, middle and high level at each; phases without a point are left."""
    bins = int(np.clip(period / stride, 1, PHASES_MOST))
    place = np.minimum((np.mod(steps, period) / period * bins).astype(np.int64), bins - 1)
    order = np.argsort(place, kind="stable")
    found, firsts = np.unique(place[order], return_index=True)
    parts = np.split(level[order], firsts[1:])
    spread = np.array([np.quantile(part, (LOW, 0.5, HIGH)) for part in parts])
    # The lowest phase of a bin, which is a step of its own where bins are as fine as the log.
    return found / bins * period, spread[:, 0], spread[:, 1], spread[:, 2]


def _plain(values: FloatArray) -> tuple[float, ...]:
    return tuple(float(value) for value in values)
