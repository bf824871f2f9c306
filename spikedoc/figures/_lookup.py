"""What figures read from a run: settings, values at a step, jumps."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc import text
from spikedoc.figures.base import Compute
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series
from spikedoc.signal.around import Jump, finite, jump
from spikedoc.text import FieldValue

FloatArray = NDArray[np.float64]

# Digits worth giving in a number to be typed into a config.
CONFIG_DIGITS: Final = 2
# Logged points after the onset in which a companion series may follow.
FOLLOW_POINTS: Final = 20


def setting(run: Run, key: str) -> float | None:
    """Return a number of the config, or None when it is absent or not a finite number."""
    value = run.config.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None


def whole(value: float) -> float | int:
    """Return an int where the value is one, as a config would hold it."""
    return int(value) if value == int(value) else value


def rounded(value: float, digits: int = CONFIG_DIGITS) -> float | None:
    """Return `value` to some significant digits; None when it is not finite."""
    return text.rounded(value, digits) if math.isfinite(value) else None


def plain(value: float) -> float | None:
    """Return `value`, or None when it is not finite."""
    return float(value) if math.isfinite(value) else None


def value_at(series: Series | None, step: float) -> float | None:
    """Return the last finite value at or before `step`, the first one when none is earlier."""
    if series is None:
        return None
    steps, values = finite(series.steps, series.values)
    if values.size == 0:
        return None
    return float(values[max(0, int(np.searchsorted(steps, step, side="right")) - 1)])


def rise(run: Run, anomaly: Anomaly, metric: Metric) -> Jump | None:
    """Return how far a series rose at the anomaly, over the level before it."""
    series = run.get(metric)
    if series is None:
        return None
    last = max(anomaly.peak_step, anomaly.start_step)
    if anomaly.signal not in (series.name, Metric.LOSS.value):
        last = max(last, round(anomaly.start_step + FOLLOW_POINTS * series.stride))
    return jump(series.steps, series.values, anomaly.start_step, last)


def peak_of(metric: Metric) -> Compute:
    """Return the figure that gives how high a series rose at the anomaly."""

    def compute(run: Run, anomaly: Anomaly) -> FieldValue | None:
        high = rise(run, anomaly, metric)
        return None if high is None else plain(high.peak)

    return compute


def factor_of(metric: Metric) -> Compute:
    """Return the figure that gives how many times its level a series rose to at the anomaly."""

    def compute(run: Run, anomaly: Anomaly) -> FieldValue | None:
        high = rise(run, anomaly, metric)
        return None if high is None else rounded(high.factor)

    return compute


def main_stride(run: Run) -> float:
    """Return the distance of logged steps of the main loss; 1.0 without one."""
    series = run.main_loss
    return series.stride if series is not None else 1.0
