"""How far a signal rose at a finding, measured in one way for findings, evidence and figures."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import numpy as np

from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Form, Kind
from spikedoc.model.run import Run, Series
from spikedoc.signal.around import finite, jump
from spikedoc.signal.level import BLOCK_MIN_POINTS, BLOCK_SHARE

# Findings that say from where to where a signal rose.
PEAKS: Final = frozenset(
    {
        Kind.ISOLATED_SPIKE,
        Kind.SLOW_RECOVERY,
        Kind.UPDATE_SPIKE,
    }
)
# Findings that say from which level to which other one.
LEVELS: Final = frozenset({Kind.LEVEL_SHIFT, Kind.DIVERGENCE})

# A step stays where the levels right after it and at the end are within a tenth: medians of a
# twentieth of what follows, and of its last fifth.
APART: Final = 0.1
REACHED_SHARE: Final = 20
REACHED_FEWEST: Final = 3
REACHED_MOST: Final = 20
LATE_SHARE: Final = 5


def _course_after(series: Series, anomaly: Anomaly) -> dict[str, float]:
    """Return the level a step led to and that at the end, where they are a tenth apart."""
    steps, values = finite(series.steps, series.values)
    after = values[int(np.searchsorted(steps, anomaly.start_step)) :]
    if after.size < 2 * REACHED_FEWEST:
        return {}
    near = int(np.clip(after.size // REACHED_SHARE, REACHED_FEWEST, REACHED_MOST))
    reached = float(np.median(after[:near]))
    end = float(np.median(after[-max(REACHED_FEWEST, after.size // LATE_SHARE) :]))
    if abs(end - reached) <= APART * max(abs(end), abs(reached)):
        return {}
    return {"reached": reached, "end": end}


def with_rise(run: Run, anomaly: Anomaly) -> Anomaly:
    """Return the anomaly with `before`, `peak` and `factor` as evidence and figures measure them.

    Detectors judge against baselines of their own; a reader must not meet two levels before one
    event.
    """
    series = run.named(anomaly.signal)
    if series is not None and anomaly.kind is Kind.DIVERGENCE and "best" in anomaly.measures:
        return _from_best(series, _risen(run, anomaly))
    return _risen(run, anomaly)


def _from_best(series: Series, a: Anomaly) -> Anomaly:
    """Return the divergence with the level it left, and how many times that its end is.

    Where fewer records came before than make a level, it was measured on the way up: the lowest
    record is the best there was.
    """
    steps, values = finite(series.steps, series.values)
    before = values[: int(np.searchsorted(steps, a.start_step))]
    measures = dict(a.measures)
    if 0 < before.size < max(BLOCK_MIN_POINTS, values.size // BLOCK_SHARE):
        measures["best"] = min(measures["best"], float(before.min()))
    if "factor" in measures and measures["best"] > 0 and "after" in measures:
        measures["factor"] = measures["after"] / measures["best"]
    return replace(a, measures=measures)


def _risen(run: Run, anomaly: Anomaly) -> Anomaly:
    series = run.named(anomaly.signal)
    if "dip_end" in anomaly.measures:
        return anomaly
    if series is not None and anomaly.kind is Kind.LEVEL_SHIFT:
        course = _course_after(series, anomaly)
        anomaly = replace(anomaly, measures={**anomaly.measures, **course}) if course else anomaly
    lasting = anomaly.kind in LEVELS and anomaly.form is not Form.DOWN
    if series is None or not (lasting or anomaly.kind in PEAKS):
        return anomaly
    rise = jump(series.steps, series.values, anomaly.start_step, anomaly.peak_step)
    if rise is None or not math.isfinite(rise.peak) or rise.peak <= rise.before:
        return anomaly
    measures = {k: v for k, v in anomaly.measures.items() if k != "factor"}
    measures |= {"before": rise.before, "peak": rise.peak}
    reached = measures.get("after", math.nan) if lasting else rise.peak
    if math.isfinite(rise.factor) and math.isfinite(reached):
        measures["factor"] = reached / rise.before
    # The step that is named is the one at which the log holds the peak.
    end = max(anomaly.end_step, rise.step)
    return replace(anomaly, peak_step=rise.step, end_step=end, measures=measures)
