"""A rise that came gradually begins where the loss left its former course."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from spikedoc.classifier.context import Context
from spikedoc.classifier.settings import is_by_setting
from spikedoc.model.anomaly import Anomaly, Shape
from spikedoc.model.label import Form, Kind
from spikedoc.signal.leaving import CHANCE_POINTS, leaving
from spikedoc.signal.view import View

GRADUAL: Final = (Kind.DIVERGENCE, Kind.SUSTAINED_DRIFT, Kind.LEVEL_SHIFT)


def from_onset(context: Context, a: Anomaly) -> Anomaly:
    """Return the anomaly with its first step where the loss first left its former course.

    Detectors tell where a rise stands out for sure; a checkpoint from between is spoilt already.
    """
    seen = context.seen
    rises = a.kind in GRADUAL and a.form is not Form.DOWN and a.signal == context.signal
    if seen is None or not rises or is_by_setting(a):
        return a
    told = int(seen.steps.searchsorted(a.start_step))
    if told >= len(seen):
        return a
    first = leaving(seen.judged, told)
    if first == told:
        first = _before_the_top(seen, a, told)
    return a if first == told else replace(a, start_step=int(seen.steps[first]))


def _before_the_top(seen: View, a: Anomaly, told: int) -> int:
    """Return where the way to the highest level began, `told` unless that is another place.

    Where a slope is told it may not yet be up for sure.
    """
    # A drift over the whole log is told without a top.
    peak = a.peak_step if a.peak_step > a.start_step else a.end_step
    top = min(int(seen.steps.searchsorted(peak)), len(seen) - 1)
    first = leaving(seen.judged, top)
    is_told_late = first < told - CHANCE_POINTS
    is_told_whole = a.seen_as(Shape.FLAT) is not None and first < top
    return first if is_told_late or is_told_whole else told
