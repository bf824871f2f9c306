"""Whether grad_norm had been growing before the anomaly."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.evidence._answers import has_onset
from spikedoc.evidence.base import Case
from spikedoc.model.metric import Metric
from spikedoc.model.run import Series
from spikedoc.signal.around import finite, part_medians, trend

# Long ramp: twentyfold medians of the last 200 points rise by x2 with tau .5 and more than 95 % of
# the earlier windows of the same length did (measured: x3 ramps found .83 to 1.0, none without).
LONG_POINTS: Final = 200
LONG_FEWEST: Final = 60
LONG_PARTS: Final = 20
LONG_RISE: Final = math.log(2.0)
LONG_TREND: Final = 0.5
LONG_QUANTILE: Final = 0.95
LONG_EARLIER: Final = 50
# Short ramp: three points in a row, each above 1.8 times the one before (a 176B run's spike was
# preceded by .24, .95, 2.39, 15.9; healthy noise never does it).
SHORT_POINTS: Final = 3
SHORT_GROWTH: Final = math.log(1.8)
# The ramp must end this close to the onset, in logged points.
NEAR_POINTS: Final = 10
# Calm: the last points lie within a factor two of the level of the last hundred.
CALM_POINTS: Final = 5
CALM_RATIO: Final = 2.0
CALM_BEFORE: Final = 100
CALM_FEWEST: Final = 20


@dataclass(frozen=True, slots=True)
class Ramp:
    """A growth of grad_norm that ends at the onset."""

    factor: float
    first_step: int
    last_step: int
    points: int


def _until_onset(case: Case, series: Series) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the positive finite points up to the onset, it included, at most 50 windows."""
    stop = int(np.searchsorted(series.steps, case.anomaly.start_step, side="right"))
    start = max(0, stop - LONG_POINTS * LONG_EARLIER)
    steps, values = finite(series.steps[start:stop], series.values[start:stop])
    positive = values > 0
    return steps[positive], values[positive]


def ramp_before(case: Case) -> Ramp | bool | None:
    """Return the ramp that leads to the onset, False when there is none, None when unknown."""
    grad = case.run.get(Metric.GRAD_NORM)
    if grad is None or not has_onset(case):
        return None
    steps, values = _until_onset(case, grad)
    if values.size < CALM_FEWEST:
        return None
    logs = np.log(values)
    return _short(steps, logs) or _long(steps, logs) or False


def _short(steps: NDArray[np.int64], logs: NDArray[np.float64]) -> Ramp | None:
    recent = logs[-(NEAR_POINTS + SHORT_POINTS) :]
    grows = np.diff(recent) > SHORT_GROWTH
    best, run = 0, 0
    end = 0
    for index, growing in enumerate(grows):
        run = run + 1 if growing else 0
        if run > best:
            best, end = run, index + 1
    if best < SHORT_POINTS:
        return None
    offset = logs.size - recent.size
    factor = math.exp(float(recent[end] - recent[end - best]))
    return Ramp(factor, int(steps[offset + end - best]), int(steps[offset + end]), best + 1)


def _rise(logs: NDArray[np.float64]) -> float:
    medians = part_medians(logs, LONG_PARTS)
    return float(medians[-1] - medians[0]) if trend(medians) >= LONG_TREND else 0.0


def _long(steps: NDArray[np.int64], logs: NDArray[np.float64]) -> Ramp | None:
    length = min(LONG_POINTS, logs.size // 2)
    # The onset itself is the event, not its ramp.
    logs, steps = logs[:-1], steps[:-1]
    if length < LONG_FEWEST:
        return None
    rise = _rise(logs[-length:])
    earlier = [
        _rise(logs[end - length : end]) for end in range(logs.size - length, length - 1, -length)
    ]
    usual = float(np.quantile(earlier, LONG_QUANTILE)) if earlier else 0.0
    if rise < LONG_RISE or rise <= usual:
        return None
    return Ramp(math.exp(rise), int(steps[-length]), int(steps[-1]), length)


def is_calm(case: Case) -> bool | None:
    """Tell whether grad_norm kept its level up to the onset; None when too little is logged."""
    grad = case.run.get(Metric.GRAD_NORM)
    ramp = ramp_before(case)
    if grad is None or ramp is None:
        return None
    return ramp is False and calm_ratio(case, grad) < CALM_RATIO


def calm_ratio(case: Case, grad: Series) -> float:
    """Return the level of the last points before the onset over that of the last hundred."""
    _, values = _until_onset(case, grad)
    before = values[:-1][-CALM_BEFORE:]
    if before.size == 0:
        return 1.0
    return float(np.median(before[-CALM_POINTS:]) / np.median(before))
