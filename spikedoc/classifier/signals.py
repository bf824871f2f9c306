"""Findings in the other signals: learning rate, loss scale, restarts, ranks, gradient norm."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.classifier.context import Context
from spikedoc.classifier.patterns import STILL_FALLING_TAU
from spikedoc.model.anomaly import Anomaly, Detection, Shape
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.objective import Objective

# A rank that stands out tenfold is named even when the loss shrugged it off.
RANK_FACTOR: Final = 5.0
# Shards of different difficulty differ by some tens of per cent; a lasting half is worth a look.
RANK_LASTING_FACTOR: Final = 1.5
# Gradient explosions that came back are a warning, those that did not a loss.
RANKS_MAX: Final = 10
# Jumps of one cyclic schedule among which one may fall on a restart of the run.
CYCLE_SURE: Final = 3
# A fall to less than .77 is the counterpart of a rise by 1.3, the least that is a jump.
STEPS_BACK: Final = 0.77
# Three times ln C at the start: no usual initialisation does that.
FAR_ABOVE: Final = 3.0
# The total scatters by all it ever learned, and one term by more than its own level.
ALL_LEARNED: Final = 1.0
LOUD_TERM: Final = 1.0


def label_lr(context: Context) -> list[Anomaly]:
    """Return the jumps of the learning rate; restarts of a cyclic schedule are a remark, once.

    A jump where the run itself was restarted is no cycle: a schedule knows nothing of that. Among
    three and more of one schedule it is chance that the run was restarted there, too.
    """
    lr = context.run.get(Metric.LR)
    jumps = context.of(Shape.JUMP, lr.name) if lr is not None else []
    cyclic = [d for d in jumps if d.measures.get("cyclic")]
    at_restart = sum(d.measures["at_restart"] > 0 for d in cyclic)
    if cyclic and (not at_restart or (len(cyclic) >= CYCLE_SURE and at_restart == 1)):
        return [_lr(cyclic[0], Form.RESTART, Severity.INFO, 0.8)]
    return [
        _lr(d, Form.RESTART, Severity.INFO, 0.8)
        if d.measures.get("warm_up")
        else _lr(d, _lr_form(context, d), Severity.WARNING, 0.95)
        for d in jumps
    ]


def _lr_form(context: Context, d: Detection) -> Form:
    m = d.measures
    if m.get("comeback"):
        return Form.MISMATCH
    known = m["at_start_value"] or m["at_peak_value"]
    if m["at_restart"] or (known and not (m["reverted"] and _steps_back(context, d))):
        return Form.RESET
    return Form.JUMP


def _steps_back(context: Context, d: Detection) -> bool:
    """Return whether the rate steps back to where it was; a schedule that began anew decays."""
    series = context.run.named(d.signal)
    if series is None:
        return True
    steps, values = series.finite()
    end = int(np.searchsorted(steps, d.last_step))
    return not 0 < end < values.size or bool(values[end] < STEPS_BACK * values[end - 1])


def _lr(d: Detection, form: Form, severity: Severity, confidence: float) -> Anomaly:
    return Anomaly.of(d, Kind.LR_DISCONTINUITY, severity, confidence, form)


def label_loss_scale(context: Context) -> list[Anomaly]:
    """Return the collapse of the loss scale, if any."""
    out = []
    for d in context.of(Shape.HALVINGS):
        if d.measures["floor"]:
            form = Form.FLOOR
        else:
            form = Form.CHAIN if d.measures["chain"] else Form.STAIRCASE
        severity = Severity.CRITICAL if d.measures["floor"] else Severity.WARNING
        out.append(Anomaly.of(d, Kind.LOSS_SCALE_COLLAPSE, severity, 0.95, form))
    return out


def label_restarts(context: Context) -> list[Anomaly]:
    """Return what a restart did to the update norm and to the loss."""
    out = [
        Anomaly.of(d, Kind.UPDATE_SPIKE, *_cold_severity(d)) for d in context.of(Shape.DECAY_TAIL)
    ]
    out += [
        Anomaly.of(d, Kind.RESUME_DISCONTINUITY, Severity.WARNING, 0.8)
        for d in context.of(Shape.JUMP, "loss")
    ]
    out += [
        Anomaly.of(d, Kind.RESUME_DISCONTINUITY, Severity.WARNING, 0.95)
        for d in context.of(Shape.RESCALED)
    ]
    return out


def _cold_severity(d: Detection) -> tuple[Severity, float]:
    """A warning at a restart; without one, and with a loss that goes on calmly, a remark."""
    return (Severity.INFO, 0.6) if "unmarked" in d.measures else (Severity.WARNING, 0.9)


def label_ranks(context: Context) -> list[Anomaly]:
    """Return ranks that left the others, strongest first, at most ten."""
    ranks = {s.name for s in context.run.series if s.rank is not None}
    outliers = [d for d in context.of(Shape.OUTLIER) if d.signal in ranks]
    found = sorted(outliers, key=lambda d: -d.measures["factor"])
    kept = [d for d in found if d.measures["factor"] >= RANK_FACTOR or _lasts(d)][:RANKS_MAX]
    return [Anomaly.of(d, Kind.RANK_OUTLIER, _rank_severity(d), 0.9) for d in kept]


def _lasts(outlier: Detection) -> bool:
    return bool({"lasting_factor", "nonfinite_points"} & outlier.measures.keys())


def _rank_severity(outlier: Detection) -> Severity:
    """A remark where a rank went over to a somewhat different level, as another shard has one."""
    factor = outlier.measures.get("lasting_factor")
    mild = factor is not None and outlier.measures["factor"] < RANK_LASTING_FACTOR
    mild = mild and "equal_points" not in outlier.measures  # replicas that were one went apart
    return Severity.INFO if mild else Severity.WARNING


def label_clipping(context: Context) -> list[Anomaly]:
    """Return clipping that acts always or never: worth knowing, seldom the fault itself.

    Under Adam a clip that always acts hardly changes the step, because Adam divides it out.
    """
    out = []
    for d in context.of(Shape.CEILING):
        kind = Kind.CLIP_SATURATED if d.measures["saturated"] else Kind.CLIP_INACTIVE
        out.append(Anomaly.of(d, kind, Severity.INFO, 0.9))
    return out


def label_first_loss(context: Context) -> list[Anomaly]:
    """Return a first loss that does not fit the number of classes."""
    if context.objective is not Objective.PLAIN:
        return []
    out = []
    for d in context.of(Shape.START_OFF):
        above = d.measures["ratio"] > 1.0
        form = Form.ABOVE if above else Form.BELOW
        far = d.measures["ratio"] >= FAR_ABOVE
        severity = Severity.WARNING if far else Severity.INFO
        out.append(Anomaly.of(d, Kind.FIRST_LOSS_OFF, severity, 0.9 if far else 0.7, form))
    return out


def label_components(context: Context) -> list[Anomaly]:
    """Return the loss term that carries nearly all the noise of the total.

    Worth knowing only, unless that noise is larger than all the total ever learned and than the
    level of the term itself: then chance sets the direction of most steps.
    """
    terms = {s.name for s in context.run.all(Metric.LOSS_COMPONENT)}
    drowned = context.objective is Objective.PLAIN and any(
        d.measures["ratio"] >= ALL_LEARNED and d.measures["late_tau"] > STILL_FALLING_TAU
        for d in context.of(Shape.NOISE, context.signal)
    )
    return [
        Anomaly.of(d, Kind.COMPONENT_DOMINATES, _component_severity(d, drowned), 0.8)
        for d in context.of(Shape.OUTLIER)
        if d.signal in terms
    ]


def _component_severity(d: Detection, drowned: bool) -> Severity:
    loud = drowned and d.measures["relative_noise"] >= LOUD_TERM
    return Severity.WARNING if loud else Severity.INFO
