"""From which step on, how often and at which step of the period the loss shows a pattern."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.classifier.context import Context
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Form
from spikedoc.signal.baseline import rolling_median
from spikedoc.signal.fold import BINS_MAX, DETREND_MAX, DETREND_MIN, DETREND_PERIODS
from spikedoc.signal.found_period import PEAK_GAP
from spikedoc.signal.view import View

FloatArray = NDArray[np.float64]

# A cycle before those that were judged shows the peak where it is half as high as usual, and the
# highest of its cycle.
HALF_AS_HIGH: Final = 0.5
# One peak that all others are looked for around may itself lie a bin off.
FEWEST_PEAKS: Final = 3


def with_first_cycle(context: Context, a: Anomaly) -> Anomaly:
    """Return a pattern with one clear peak from its first peak on, counted, its phase to the step.

    Detectors judge where the loss has settled: what comes before shows the same peak or does not.
    The phase counts from step 0, after evaluations from the step of the evaluation.
    """
    period, seen = a.measures.get("period", 0.0), context.seen
    if seen is None or not _has_peak(a) or not period > seen.stride:
        return a
    after_evaluation = a.form is Form.AFTER_EVALUATION
    origin = int(context.run.eval_steps[-1]) if after_evaluation else 0
    at, height = _peaks(seen, a, period)
    told = (at >= a.start_step) & (at <= a.end_step)
    if np.count_nonzero(told) < FEWEST_PEAKS:
        return a
    begin = first = int(np.flatnonzero(told)[0])
    shows = np.any(height >= HALF_AS_HIGH * np.median(height[told], axis=0), axis=1)
    # What comes before the first evaluation does not come after one.
    while first > 0 and shows[first - 1] and not after_evaluation:
        first -= 1
    phase = float(np.median((at[told] - at[begin] + period / 2) % period)) - period / 2
    measures = dict(a.measures) | {"phase_step": float((at[begin] + phase - origin) % period)}
    if "count" in measures:
        measures["count"] += begin - first
    elif first < begin:
        measures["cycles"] = float(np.floor((a.end_step - at[first]) / period) + 1)
    start = a.start_step if first == begin else int(at[first])
    return replace(a, start_step=start, measures=measures)


def _has_peak(a: Anomaly) -> bool:
    """Return whether events made the pattern, or one phase of it stands clear of the others."""
    return "events" in a.measures or a.measures.get("gap", 0.0) >= PEAK_GAP


def _peaks(seen: View, a: Anomaly, period: float) -> tuple[FloatArray, FloatArray]:
    """Return the step of each cycle's peak and its heights, minus infinity where one is higher.

    Cycles lie around a peak that is known, `peak_step`. Heights are of shape (cycles, 2), on the
    judging scale and as logged: a loss that still falls steeply hides a share of it, not the sum.
    """
    window = int(np.clip(DETREND_PERIODS * period / seen.stride, DETREND_MIN, DETREND_MAX)) | 1
    above = np.stack(
        [values - rolling_median(values, window) for values in (seen.judged, seen.values)], axis=1
    )
    near = max(seen.stride, period / BINS_MAX)
    cycles = np.arange(
        np.ceil((seen.steps[0] - a.peak_step) / period),
        np.floor((seen.steps[-1] - a.peak_step) / period) + 1,
    )
    at, height = [], []
    for middle in a.peak_step + cycles * period:
        inside = slice(*np.searchsorted(seen.steps, [middle - near, middle + near + 1e-9]))
        whole = slice(*np.searchsorted(seen.steps, [middle - period / 2, middle + period / 2]))
        if inside.stop > inside.start:
            best = inside.start + int(np.argmax(above[inside, 0]))
            is_highest = above[best] >= above[whole].max(axis=0)
            at.append(float(seen.steps[best]))
            height.append(np.where(is_highest, above[best], -np.inf))
    return np.array(at), np.reshape(height, (-1, 2))
