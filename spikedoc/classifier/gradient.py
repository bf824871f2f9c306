"""Findings in the gradient norm: it explodes, climbs, steps up for good, or dies away."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from spikedoc.classifier.context import Context
from spikedoc.model.anomaly import Anomaly, Detection, Shape
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.objective import Objective
from spikedoc.model.run import IntArray, Series
from spikedoc.signal.around import finite, level_before
from spikedoc.signal.arrival import arrival
from spikedoc.signal.departure import departure
from spikedoc.signal.ramp import LONG_PARTS, Ramp, climb

# Failures of the loss before which a growing gradient norm is a warning that was there to see.
FAILURES: Final = (
    Kind.NONFINITE,
    Kind.DIVERGENCE,
    Kind.LEVEL_SHIFT,
    Kind.SUSTAINED_DRIFT,
    Kind.LOSS_SCALE_COLLAPSE,
    Kind.OSCILLATION,
)
# An explosion that takes more points than twice its detector's level is a climb, with a beginning.
CLIMB_POINTS: Final = 10
# The norm at a step, where a sentence names one: the median of five points.
AT_POINTS: Final = 5
# Within a factor of two of where it was then it has stayed there.
STAYED: Final = 2.0


def label_gradient(context: Context) -> list[Anomaly]:
    """Return the explosion of the gradient norm, if any, from where it left its level."""
    gradient = context.run.get(Metric.GRAD_NORM)
    if gradient is None:
        return []
    out = []
    for d in context.of(Shape.RAMP, gradient.name):
        severity = Severity.WARNING if context.objective is Objective.PLAIN else Severity.INFO
        out.append(_as_climb(gradient, Anomaly.of(d, Kind.GRADIENT_EXPLOSION, severity, 0.85)))
    return out


def label_gradient_step(context: Context, found: list[Anomaly]) -> list[Anomaly]:
    """Return the step of the gradient norm to a level of ten times and more, if it is for good.

    An explosion says it already; the reward or the opponent of other families may change at once.
    """
    gradient = context.run.get(Metric.GRAD_NORM)
    exploded = any(a.kind is Kind.GRADIENT_EXPLOSION for a in found)
    if gradient is None or exploded or context.objective is not Objective.PLAIN:
        return []
    steps = context.of(Shape.STEP_UP, gradient.name)
    return [Anomaly.of(d, Kind.LEVEL_SHIFT, Severity.WARNING, 0.85, Form.UP) for d in steps]


def _as_climb(gradient: Series, a: Anomaly) -> Anomaly:
    """Return the explosion with the step where it left its level, and the one where it was up.

    Its detector tells where the level is ten times up for sure, and the highest value of all: of a
    norm that stays up that is the largest of the noise.
    """
    steps, values = finite(gradient.steps, gradient.values)
    lo, hi = np.searchsorted(steps, [a.start_step, a.end_step + 1]).tolist()
    if hi - lo < 1:
        return a
    peak = lo + arrival(values[lo:hi])
    up = int(steps[peak])
    start = a.start_step
    if peak - lo > CLIMB_POINTS:
        start = min(start, departure(steps, values, start, up))
    before = level_before(steps, values, start)
    measures = dict(a.measures)
    if before.size and float(np.median(before)) > 0:
        level, high = float(np.median(before)), float(values[peak])
        measures |= {"before": level, "peak": high, "factor": high / level}
        if peak - lo > CLIMB_POINTS:
            measures["points"] = float(_points(steps, start, up))
    return replace(a, start_step=start, peak_step=up, measures=measures)


def _points(steps: IntArray, first: int, last: int) -> int:
    return int(np.count_nonzero((steps >= first) & (steps <= last)))


def label_ramp(context: Context, found: list[Anomaly]) -> list[Anomaly]:
    """Return the growth of the gradient norm that leads to a lost loss, if there is one.

    Only before a failure is a ramp a finding: gradients grow for many harmless reasons. A ramp that
    goes on as an explosion ends where that is up: one climb has one height.
    """
    gradient = context.run.get(Metric.GRAD_NORM)
    if gradient is None:
        return []
    lost = [a for a in found if a.severity is Severity.CRITICAL and a.kind in FAILURES]
    led = [(climb(gradient.steps, gradient.values, a.start_step), a.start_step) for a in lost]
    ramps = [(ramp, onset) for ramp, onset in led if ramp is not None]
    if not ramps:
        return []
    ramp, onset = min(ramps, key=lambda pair: pair[0].first_step)
    measures = {
        "points": float(ramp.points),
        "lead_steps": float(onset - ramp.first_step),
        **_heights(gradient, ramp),
    }
    first, last = ramp.first_step, ramp.last_step
    kind = Kind.GRADIENT_RAMP
    told = Anomaly(kind, Severity.WARNING, 0.8, gradient.name, first, last, last, None, measures)
    return [_up_to_explosion(gradient, told, found)]


def _heights(gradient: Series, ramp: Ramp) -> dict[str, float]:
    """Return the norm at the two ends of a ramp: medians of the points of one of its parts."""
    steps, values = finite(gradient.steps, gradient.values)
    width = max(1, ramp.points // LONG_PARTS)
    ends = np.searchsorted(steps, [ramp.first_step, ramp.last_step], side="right").tolist()
    before, peak = (float(np.median(values[max(0, end - width) : end])) for end in ends)
    factor = peak / before if before > 0 else ramp.factor
    return {"factor": factor, "before": before, "peak": peak}


def _up_to_explosion(gradient: Series, ramp: Anomaly, found: list[Anomaly]) -> Anomaly:
    """Return the ramp with the ends and heights of the explosion that it is a part of."""
    for a in found:
        climbs = a.kind is Kind.GRADIENT_EXPLOSION and "points" in a.measures
        if climbs and a.start_step <= ramp.end_step and ramp.start_step <= a.peak_step:
            heights = {k: a.measures[k] for k in ("before", "peak", "factor")}
            first, last = a.start_step, a.peak_step
            heights["points"] = float(_points(gradient.steps, first, last))
            measures = {**ramp.measures, **heights}
            return replace(ramp, start_step=first, peak_step=last, end_step=last, measures=measures)
    return ramp


def label_vanishing(context: Context) -> list[Anomaly]:
    """Return a gradient norm that died away while the loss is still high."""
    return [
        Anomaly.of(d, Kind.GRADIENT_VANISHING, Severity.WARNING, 0.85, measures=_faded(context, d))
        for d in context.of(Shape.VANISHING)
    ]


def _faded(context: Context, d: Detection) -> dict[str, float]:
    """Return the norm at the start, at the step named (`reached`) and at the end (`after`).

    `reached` only where the norm goes on falling; no level before for one that was never there.
    """
    series = context.run.named(d.signal)
    told = dict(d.measures)
    if told.get("before") == told.get("after"):
        return {k: v for k, v in told.items() if k not in ("before", "after")}
    if series is None:
        return told
    steps, values = finite(series.steps, series.values)
    at = int(np.searchsorted(steps, d.first_step))
    parts = (values[:AT_POINTS], values[at : at + AT_POINTS], values[-AT_POINTS:])
    start, reached, end = (float(np.median(part)) for part in parts)
    told |= {"before": start, "after": end, "factor": end / start if start > 0 else 0.0}
    return told if reached <= STAYED * end else told | {"reached": reached}
