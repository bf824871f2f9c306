"""The course of the whole run: learns nothing, drifts away, falls abruptly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from spikedoc.classifier.context import Context
from spikedoc.classifier.harder import answers_more, without_harm
from spikedoc.classifier.settings import by_setting, drift_by_setting, is_by_setting
from spikedoc.classifier.term_rise import by_term
from spikedoc.model.anomaly import Anomaly, Detection, Shape
from spikedoc.model.constants import chance_level
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.loss_terms import is_sum_of_terms
from spikedoc.model.objective import Objective
from spikedoc.model.optimizer import is_slow_sgd, is_standing_rate
from spikedoc.model.run import Run
from spikedoc.signal.baseline import rolling_median
from spikedoc.signal.contrast import MEDIAN_FACTOR
from spikedoc.signal.transform import ratio

# The last third lies this many standard errors below the first: the loss does fall, if slowly, and
# the run may be the fine-tuning of a trained model.
FALLS_SCORE: Final = 4.0
# Less than 1 % in the whole run is nothing, measurable or not.
NOTHING: Final = 0.01
# The best level is less than 2 % below the first: a line that goes nowhere, believed early.
FLAT_LINE_FALL: Final = 0.02
MIN_FLAT_POINTS: Final = 60
# What trainings that learn fell by at least is .57 nats, what others did at most .06 (measured, see
# the detector): in between, a tenth.
SLOW_FALL: Final = 0.10
# Noisy and measurably rising, if by little: believed only from a long log. Noisy and not falling is
# what a fine-tuning may look like.
RISES_SCORE: Final = 3.0
# No trained model sits at a cross-entropy of 5 nats (a guess among 150): this one did not start out
# trained, and does not get there.
UNTRAINED_LEVEL: Final = 5.0
# Ends above its start: by a fifth and by three times the scatter of single points.
ABOVE_SIGMAS: Final = 3.0
MIN_NOISY_POINTS: Final = 1_000
# A log whose first step is beyond this share of its last one has not seen the start of training,
# where a loss falls.
LATE_START: Final = 0.1
# A rise that ends a fifth above its start is lost training.
HARM_RISE: Final = float(np.log(1.2))
# Single points of a noisy loss lie above that from the first steps on: its level is the median of a
# fortieth of the log.
LEVEL_BLOCKS: Final = 40


def label_flat(context: Context) -> list[Anomaly]:
    """Return the finding for a loss that never left its first level."""
    out = []
    for d in context.of(Shape.FLAT, context.signal):
        m = dict(d.measures)
        chance = _chance(context.run, m["last"])
        if chance is not None:
            m |= {"classes": float(chance[0]), "chance": chance[1]}
        m |= fall_percent(m)
        if _ends_above_start(m):
            above = drift_by_setting(context, _above_start(context, d, m))
            out.append(above if is_by_setting(above) else without_harm(context, above))
            continue
        severity, confidence = _flat_severity(context, m, chance is not None)
        if severity is Severity.WARNING and chance is None and _creeps_up(m):
            out.append(Anomaly.of(d, Kind.SUSTAINED_DRIFT, severity, confidence, measures=_rise(m)))
            continue
        if chance is None and context.begins_after(LATE_START):
            continue  # it may have learned before
        falls = m["fall_score"] > FALLS_SCORE and m["fall"] >= NOTHING
        form = Form.SLOW if falls and chance is None else Form.FLAT
        a = Anomaly.of(d, Kind.NON_CONVERGENCE, severity, confidence, form, measures=m)
        out.append(replace(a, severity=Severity.INFO) if answers_more(context, a) else a)
    return out


def fall_percent(m: Mapping[str, float]) -> dict[str, float]:
    """Return how far the loss fell from `first` to `best`, in percent; none from a first of 0."""
    return {"fall_percent": 100.0 * (1.0 - m["best"] / m["first"])} if m["first"] else {}


def _chance(run: Run, level: float) -> tuple[int, float] | None:
    """Return the classes among which `level` is a guess, and ln of them; None when it is not."""
    classes = run.config.get("num_classes")
    if is_sum_of_terms(run):
        return None
    return chance_level(level, classes if isinstance(classes, int) else None)


def label_slow(context: Context) -> list[Anomaly]:
    """Return the finding for a loss that falls evenly from the first step to the last."""
    out = []
    for d in context.of(Shape.SLOW, context.signal):
        m = dict(d.measures)
        m |= fall_percent(m)
        plain = context.objective is Objective.PLAIN
        severity = Severity.WARNING if plain else Severity.INFO
        out.append(Anomaly.of(d, Kind.NON_CONVERGENCE, severity, 0.7, Form.SLOW, measures=m))
    return out


def label_plateau(context: Context) -> list[Anomaly]:
    """Return the finding for a loss that stands still where something says it should not."""
    out = []
    for d in context.of(Shape.PLATEAU):
        m = dict(d.measures)
        m |= fall_percent(m)
        plain = context.objective is Objective.PLAIN
        severity = Severity.WARNING if plain else Severity.INFO
        form = Form.PLATEAU if m.pop("still") else Form.SLOW
        out.append(Anomaly.of(d, Kind.NON_CONVERGENCE, severity, 0.8, form, measures=m))
    return out


def _ends_above_start(m: dict[str, float]) -> bool:
    """Return whether the loss ends clearly above where it began, never having been below."""
    rise = float(np.log(m["last"] / m["first"])) if m["last"] > 0 else -np.inf
    return rise >= max(HARM_RISE, ABOVE_SIGMAS * m["relative_noise"])


def _above_start(context: Context, d: Detection, m: dict[str, float]) -> Anomaly:
    seen = context.seen
    start = d.first_step
    if seen is not None:
        level = rolling_median(seen.values, len(seen) // LEVEL_BLOCKS)
        below = np.flatnonzero(level <= m["first"] * float(np.exp(HARM_RISE)))
        start = int(seen.steps[min(int(below[-1]) + 1, len(seen) - 1)]) if below.size else start
    plain = context.objective is Objective.PLAIN
    measures = m | {"factor": m["last"] / m["first"], "after": m["last"], "before": m["first"]}
    return Anomaly(
        Kind.DIVERGENCE,
        Severity.CRITICAL if plain else Severity.INFO,
        0.9,
        d.signal,
        start,
        d.last_step,
        d.last_step,
        Form.FINITE,
        measures,
        (d,),
    )


def _flat_severity(
    context: Context, m: dict[str, float], at_chance: bool
) -> tuple[Severity, float]:
    """Return how bad a flat loss is and how sure: guessing is, a slow fine-tuning is not."""
    if context.objective is not Objective.PLAIN or m.get("printed_away"):
        return Severity.INFO, 0.5
    if at_chance and m["points"] < MIN_FLAT_POINTS:
        return Severity.INFO, 0.5  # every training begins at the level of a guess
    if at_chance:
        return Severity.CRITICAL, 0.95
    if m.get("thrown"):  # no fine-tuning, however slow, begins with a blow-up
        return Severity.WARNING, 0.8
    if m["fall_score"] > FALLS_SCORE and m["fall"] >= NOTHING:
        # A trained model is tuned by small steps, but not by SGD at a hundredth of its usual rate,
        # nor by any optimizer at a rate that moves nothing.
        too_slow = is_slow_sgd(context.run) or is_standing_rate(context.run)
        return (Severity.WARNING, 0.7) if too_slow else (Severity.INFO, 0.5)
    if m["fall"] < FLAT_LINE_FALL and m["points"] >= MIN_FLAT_POINTS and _would_show(m):
        return Severity.CRITICAL, 0.85
    if m["last"] >= UNTRAINED_LEVEL and m["fall_score"] <= FALLS_SCORE:
        return Severity.WARNING, 0.7
    return (Severity.WARNING, 0.6) if _creeps_up(m) else (Severity.INFO, 0.4)


def _would_show(m: dict[str, float]) -> bool:
    """Return whether a fall by a tenth, as the slowest training has, would stand out of the noise.

    Where it would not, a level that seems to stand still is none: so a diffusion model that is
    fine-tuned looks, by whatever it learns.
    """
    third = max(1.0, m["points"] / 3.0)
    error = MEDIAN_FACTOR * m.get("relative_noise", 0.0) * float(np.sqrt(2.0 / third))
    return FALLS_SCORE * error <= SLOW_FALL


def _creeps_up(m: dict[str, float]) -> bool:
    """Return whether a loss that never fell rises, by little but measurably."""
    return m["fall_score"] < -RISES_SCORE and m["points"] >= MIN_NOISY_POINTS


def _rise(m: dict[str, float]) -> dict[str, float]:
    """Return the measures of a flat loss with those of its rise from first to last level."""
    factor = m["last"] / m["first"]
    rise = float(np.log(factor)) if factor > 0 else 0.0
    return m | {"rise": rise, "factor": factor, "before": m["first"], "after": m["last"]}


def slow_rises(context: Context, found: list[Anomaly]) -> list[Anomaly]:
    """Return what was found, with a new level that an even rise leads to as that rise.

    A level is compared before and after a point, wherever on the slope it stands out most: the
    rise began earlier.
    """
    slopes = [d for d in context.of(Shape.RAMP, context.signal) if "reached" in d.measures]
    return [_along(context, a, slopes) for a in found]


def _along(context: Context, a: Anomaly, slopes: list[Detection]) -> Anomaly:
    risen = a.kind is Kind.DIVERGENCE or (a.kind is Kind.LEVEL_SHIFT and a.form is Form.UP)
    under = (d for d in slopes if d.first_step <= a.start_step <= d.measures["reached"])
    slope = next(under, None) if risen else None
    if slope is None:
        return a
    detections = (*a.detections, slope)
    if a.kind is Kind.DIVERGENCE:
        start = min(a.start_step, int(slope.measures["left"]))
        return replace(a, start_step=start, detections=detections)
    return replace(
        a,
        kind=Kind.SUSTAINED_DRIFT,
        form=None,
        start_step=slope.first_step,
        measures=_drift_measures(context, slope),
        detections=detections,
    )


def _drift_measures(context: Context, slope: Detection) -> dict[str, float]:
    m = slope.measures
    if not context.is_log:
        return {**m, "factor": float("nan")}
    return {**m, "factor": m["after"] / m["before"] if "after" in m else ratio(m["rise"])}


def label_drift(context: Context, others: list[Anomaly]) -> list[Anomaly]:
    """Return the slow rise of the loss, unless another finding already covers its stretch."""
    covering = (
        Kind.LEVEL_SHIFT,
        Kind.DIVERGENCE,
        Kind.SUSTAINED_DRIFT,
        Kind.OSCILLATION,
        Kind.PERIODIC_SPIKES,
    )
    out = []
    for d in context.of(Shape.RAMP, context.signal):
        if "other_factor" in d.measures:
            continue  # seen against another series: the balance of an adversarial training
        overlaps = any(
            a.kind in covering and a.end_step >= d.first_step and a.form is not Form.NOISE
            for a in others
            if not is_by_setting(a)
        )
        if overlaps:
            continue
        rise = d.measures["rise"]
        m = _drift_measures(context, d)
        short = np.isinf(d.measures["z"])
        kind = Kind.DIVERGENCE if short else Kind.SUSTAINED_DRIFT
        severity = Severity.CRITICAL if rise >= HARM_RISE else Severity.WARNING
        if context.objective is not Objective.PLAIN:
            severity = Severity.INFO
        form = Form.FINITE if kind is Kind.DIVERGENCE else None
        if any((a.kind, a.start_step) == (kind, d.first_step) for a in others):
            continue  # a rise of the level that was followed down to where it begins
        drift = by_setting(context, Anomaly.of(d, kind, severity, 0.8, form, measures=m))
        out.append(by_term(context, drift))
    return out


def label_falls(context: Context) -> list[Anomaly]:
    """Return abrupt falls of the level: nearly always meant (lr step, augmentation off)."""
    out = []
    for d in context.of(Shape.FALL, context.signal):
        m = dict(d.measures)
        index = int(m["index"])
        before, after = context.level(index - 20, index), context.level(index, index + 20)
        if before is not None and after is not None:
            m |= {"before": before, "after": after}
            if before > 0:
                m["factor"] = after / before
        last = context.run.last_step
        out.append(
            Anomaly.of(
                d, Kind.LEVEL_SHIFT, Severity.INFO, 0.8, Form.DOWN, measures=m, end_step=last
            )
        )
    return out
