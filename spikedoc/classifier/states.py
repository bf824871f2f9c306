"""Findings that need no course: what one or a few points show beyond doubt."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from spikedoc.classifier.context import Context
from spikedoc.classifier.course import fall_percent
from spikedoc.classifier.harder import without_harm
from spikedoc.classifier.harder_task import fall_by_task
from spikedoc.classifier.settings import by_setting
from spikedoc.classifier.way_back import sunk_to, way_back
from spikedoc.model.anomaly import Anomaly, Detection, Shape
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.objective import Objective

# Kinds that say already what a state of the loss would say once more.
LOST: Final = (Kind.DIVERGENCE, Kind.LEVEL_SHIFT, Kind.SUSTAINED_DRIFT, Kind.NON_CONVERGENCE)
# Kinds of a loss that stays bad, on training or on held-out data.
LOSS_GONE: Final = (
    *(Kind.DIVERGENCE, Kind.LEVEL_SHIFT, Kind.SUSTAINED_DRIFT, Kind.NONFINITE, Kind.OVERFITTING),
)
# An evaluation sees what the training loss shows one evaluation later at most, or one before.
EVALUATIONS_APART: Final = 2
# Nine tenths of what a reward had gained, and of what it was: the policy has to be taken from a
# checkpoint. Where the task gets harder, or noise has its way, a part is lost at most.
ALL_LOST: Final = 0.9
SWINGS: Final = (Kind.SLOW_RECOVERY, Kind.OSCILLATION, Kind.PERIODIC_SPIKES, Kind.NONFINITE)


def label_states(context: Context, found: list[Anomaly]) -> list[Anomaly]:
    """Return the states that `found` does not already hold."""
    out = _loss_states(context, found)
    out += [_no_spread(d) for d in context.of(Shape.NO_SPREAD)]
    out += [_at_floor(d) for d in context.of(Shape.CLIP_FLOOR)]
    out += [_blank(d) for d in context.of(Shape.BLANK)]
    out += [
        Anomaly.of(d, Kind.NON_CONVERGENCE, Severity.WARNING, 0.9, Form.FLAT)
        for d in context.of(Shape.UNMOVED)
    ]
    out += [
        Anomaly.of(d, Kind.COMPONENT_DOMINATES, Severity.WARNING, 0.8)
        for d in context.of(Shape.SATURATED)
    ]
    out += [
        Anomaly.of(d, Kind.COMPONENT_DOMINATES, Severity.WARNING, 0.8)
        for d in context.of(Shape.HOLDS)
    ]
    plain = context.objective is Objective.PLAIN
    alarms = [a for a in found if a.severity is not Severity.INFO]
    if plain and not any(a.kind is Kind.OVERFITTING for a in alarms):
        out += [
            Anomaly.of(d, Kind.OVERFITTING, Severity.WARNING, 0.8) for d in context.of(Shape.GAP)
        ]
    return out


def label_growth(context: Context) -> list[Anomaly]:
    """Return the logits, scales and weights that grow without bound, whatever the loss does."""
    return [
        Anomaly.of(d, Kind.UNBOUNDED_GROWTH, Severity.WARNING, 0.8)
        for d in context.of(Shape.RAMP)
        if d.measures.get("grows")
    ]


def label_quality_falls(context: Context, found: list[Anomaly]) -> list[Anomaly]:
    """Return the reward or quality that was won and lost, unless its harm is told already."""
    told = {a.signal for a in found if a.kind is Kind.METRIC_DAMAGE}
    return [
        fall_by_task(context, Anomaly.of(d, Kind.QUALITY_LOSS, _fall_severity(context, d), 0.8))
        for d in context.of(Shape.DROP)
        if d.signal not in told and not _is_lost_with_loss(context, d, found)
    ]


def _fall_severity(context: Context, d: Detection) -> Severity:
    """Return CRITICAL for a reward of whose gain next to nothing is left: the policy is lost."""
    m = d.measures
    if not {"best", "after", "first"} <= m.keys():
        return Severity.WARNING
    is_reward = any(s.name == d.signal for s in context.run.all(Metric.REWARD))
    all_of_it = max(abs(m["best"] - m["first"]), abs(m["best"]))
    gone = m["best"] - m["after"] >= ALL_LOST * all_of_it
    return Severity.CRITICAL if is_reward and gone else Severity.WARNING


def _is_lost_with_loss(context: Context, d: Detection, found: list[Anomaly]) -> bool:
    """Return whether a quality on held-out data fell where a loss was lost: one event, told by it.

    Where the loss did not come back, the metric needs no explanation.
    """
    evaluated = [s for s in context.run.all(Metric.VAL_METRIC) if s.name == d.signal]
    if not evaluated:
        return False
    near = d.first_step + EVALUATIONS_APART * evaluated[0].stride
    lost = [a for a in found if a.kind in LOSS_GONE and _alarms(a) and a.end_step >= d.first_step]
    return any(a.start_step <= near for a in lost)


def _loss_states(context: Context, found: list[Anomaly]) -> list[Anomaly]:
    if any(a.kind in LOST and _alarms(a) for a in found):
        return []
    out = [_impossible(d) for d in context.of(Shape.IMPOSSIBLE)]
    out += [
        Anomaly.of(d, Kind.LEVEL_SHIFT, Severity.CRITICAL, 0.9, Form.UP)
        for d in context.of(Shape.LEAP)
    ]
    if not out:
        out += [_short(d) for d in _of_short_loss(context)]
        out += _standstills(context)
    plain = context.objective is Objective.PLAIN
    if not out and plain and not any(a.kind in SWINGS and _alarms(a) for a in found):
        humps = context.of(Shape.HUMP)
        out += [without_harm(context, _hump(context, d)) for d in humps]
    if not out and plain and not any(a.kind is Kind.SUSTAINED_DRIFT for a in found):
        climbs = context.of(Shape.CLIMB)
        drifts = [Anomaly.of(d, Kind.SUSTAINED_DRIFT, Severity.WARNING, 0.8) for d in climbs]
        out += [by_setting(context, a) for a in drifts]
    return out


def _hump(context: Context, d: Detection) -> Anomaly:
    """Return the slow recovery, which ends where the loss is down at its start again.

    The detector sees it end where it is below twice that.
    """
    seen, measures, last = context.seen, dict(d.measures), d.last_step
    if seen is not None and d.signal == context.signal:
        first, end = (int(seen.steps.searchsorted(s)) for s in (d.first_step, d.last_step))
        back = sunk_to(seen, measures["before"], end)
        end = end if back is None else back
        measures |= way_back(context, Kind.SLOW_RECOVERY, first, end, back)
        last = int(seen.steps[end])
    return Anomaly.of(
        d, Kind.SLOW_RECOVERY, Severity.WARNING, 0.8, measures=measures, end_step=last
    )


def _of_short_loss(context: Context) -> list[Detection]:
    return context.of(Shape.LONE) + context.of(Shape.STEP_UP, context.signal)


def _alarms(a: Anomaly) -> bool:
    return a.severity is not Severity.INFO


def _impossible(d: Detection) -> Anomaly:
    """Return a loss below zero as one that its type does not allow, a huge one as lost."""
    if d.measures["negative"]:
        lowest = {"lowest": d.measures["last"]}
        return Anomaly.of(
            d, Kind.FIRST_LOSS_OFF, Severity.WARNING, 0.9, Form.BELOW, measures=lowest
        )
    measures = {k: v for k, v in d.measures.items() if k != "first"}
    measures["after"] = d.measures["last"]
    return Anomaly.of(d, Kind.DIVERGENCE, Severity.CRITICAL, 0.95, Form.FINITE, measures=measures)


def _short(d: Detection) -> Anomaly:
    if d.shape is Shape.LONE:
        return Anomaly.of(d, Kind.ISOLATED_SPIKE, Severity.WARNING, 0.8)
    return Anomaly.of(d, Kind.DIVERGENCE, Severity.CRITICAL, 0.8, Form.FINITE)


def _standstills(context: Context) -> list[Anomaly]:
    """Return a finding for each signal that stands still, however many detectors see it.

    That of the detection that knows the guess, which the sentence tells.
    """
    found: dict[str, Anomaly] = {}
    for d in sorted(context.of(Shape.STANDSTILL), key=lambda d: "chance" not in d.measures):
        told = found.get(d.signal)
        if told is None:
            found[d.signal] = _standstill(context, d)
        else:
            found[d.signal] = replace(told, detections=(*told.detections, d))
    return list(found.values())


def _standstill(context: Context, d: Detection) -> Anomaly:
    plain = context.objective is Objective.PLAIN
    severity = Severity.WARNING if plain else Severity.INFO
    measures = {**d.measures, **fall_percent(d.measures)}
    return Anomaly.of(d, Kind.NON_CONVERGENCE, severity, 0.8, Form.FLAT, measures=measures)


def _at_floor(d: Detection) -> Anomaly:
    """Return a loss at the floor of a float as the NaN, or the probability of 0, that it hides."""
    return Anomaly.of(d, Kind.NONFINITE, Severity.CRITICAL, 0.95, Form.MASKED)


def _blank(d: Detection) -> Anomaly:
    return Anomaly.of(d, Kind.NON_CONVERGENCE, Severity.WARNING, 0.9, Form.CONSTANT_ZERO)


def _no_spread(d: Detection) -> Anomaly:
    severity = Severity.CRITICAL if d.measures["whole"] else Severity.WARNING
    return Anomaly.of(d, Kind.NON_CONVERGENCE, severity, 0.9, Form.CONSTANT_ZERO)
