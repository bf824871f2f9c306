"""Whether grad_norm had been growing before the anomaly."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._answers import SPIKES, has_onset, is_recurring
from spikedoc.evidence._climbs import grad_climb
from spikedoc.evidence._events import event_steps
from spikedoc.evidence.base import Case
from spikedoc.model.label import Form, Kind
from spikedoc.model.metric import Metric
from spikedoc.model.run import Series
from spikedoc.signal.memo import remembered_up_to
from spikedoc.signal.ramp import FEWEST, Ramp, climb, window_before

# Calm: the last points lie within a factor two of the level of the last hundred.
CALM_POINTS: Final = 5
CALM_RATIO: Final = 2.0
CALM_BEFORE: Final = 100
# The level of that hundred itself is held against all before it, by the same factor: after hundreds
# of points of growth it is no measure of what was usual.
_DOUBLES: Final = np.finfo(np.float64)
# Of a recurring anomaly's events so many must have a ramp, and so many are looked at.
RAMPED_SHARE: Final = 0.5
EVENTS_MOST: Final = 20
# Findings that are a growth of the norm themselves, where they say over how many points.
CLIMBS: Final = (Kind.GRADIENT_RAMP, Kind.GRADIENT_EXPLOSION)


def _until(case: Case) -> tuple[int, ...]:
    """Return the steps up to which growth counts as "before".

    Spikes, ramps and explosions: their peak, because the onset may be a part of the ramp; a
    divergence that ends in NaN: its end. Others: their onset.
    """
    anomaly = case.anomaly
    if is_recurring(case):
        return event_steps(case)[-EVENTS_MOST:]
    if anomaly.form is Form.TO_NONFINITE:
        return (anomaly.end_step,)
    grows_itself = anomaly.kind in SPIKES or anomaly.kind in CLIMBS
    return (anomaly.peak_step if grows_itself else anomaly.start_step,)


def ramp_before(case: Case) -> Ramp | bool | None:
    """Return the ramp that leads to the anomaly, False when there is none, None when unknown."""
    grad = case.run.get(Metric.GRAD_NORM)
    if grad is None or not has_onset(case):
        return None
    told = _reported(case)
    if told is None:
        told = grad_climb(case)  # the two leave together: the norm feeds what the loss shows
    if told is not None:
        return told
    ends = _until(case)
    found = [_ramp(grad, end) for end in ends]
    judged = [ramp for ramp in found if ramp is not None]
    ramps = [ramp for ramp in judged if isinstance(ramp, Ramp)]
    if not judged:
        return None
    return ramps[-1] if len(ramps) > RAMPED_SHARE * len(judged) else False


def _reported(case: Case) -> Ramp | None:
    """Return the ramp that a finding of the run tells, where it leads up to this anomaly."""
    if is_recurring(case):
        return None
    ends = _until(case)
    for a in (case.anomaly, *case.anomalies):
        told = a.measures
        tells = a.kind in CLIMBS and {"factor", "points"} <= told.keys()
        if tells and a.start_step < ends[0]:
            return Ramp(told["factor"], a.start_step, a.peak_step, int(told["points"]))
    return None


@remembered_up_to(64)
def _ramp(grad: Series, end: int) -> Ramp | bool | None:
    _, values = window_before(grad.steps, grad.values, end)
    if values.size < FEWEST:
        return None
    return climb(grad.steps, grad.values, end) or False


def is_calm(case: Case) -> bool | None:
    """Tell whether grad_norm kept its level up to the anomaly; None when too little is logged."""
    grad, ramp = case.run.get(Metric.GRAD_NORM), ramp_before(case)
    if grad is None or ramp is None:
        return None
    if ramp is False and has_risen(case, grad):
        return None
    return ramp is False and calm_ratio(case, grad) < CALM_RATIO


def calm_ratio(case: Case, grad: Series) -> float:
    """Return the level of the last points before the onset over that of the last hundred."""
    _, values = window_before(grad.steps, grad.values, case.anomaly.start_step)
    before = values[:-1][-CALM_BEFORE:]
    if before.size == 0:
        return 1.0
    usual = max(float(np.median(before)), float(_DOUBLES.tiny))
    return min(float(np.median(before[-CALM_POINTS:])) / usual, float(_DOUBLES.max))


def has_risen(case: Case, grad: Series) -> bool:
    """Tell whether the last hundred points before the onset lie far above those of the run."""
    return _level_ratio(case, grad) >= CALM_RATIO


def _level_ratio(case: Case, grad: Series) -> float:
    _, values = window_before(grad.steps, grad.values, case.anomaly.start_step)
    before = values[:-1]
    if before.size < 2 * CALM_BEFORE:
        return 1.0
    usual = max(float(np.median(before[:-CALM_BEFORE])), float(_DOUBLES.tiny))
    return min(float(np.median(before[-CALM_BEFORE:])) / usual, float(_DOUBLES.max))
