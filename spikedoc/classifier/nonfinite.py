"""NaN and infinities, and the zeros that hide them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from spikedoc.classifier.context import Context
from spikedoc.classifier.infinite_norms import is_often_broken, skipped_among
from spikedoc.model.anomaly import Anomaly, Detection, Shape
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.objective import Objective
from spikedoc.model.rounded_zero import right_from_the_start, rounded_zero
from spikedoc.model.run import Run

# Persistent: nine tenths of what follows the first one are non-finite.
PERSISTENT_SHARE: Final = 0.9
# Zeros without a NaN beside them: this many in a row at the end, after a level that was not small.
ZEROS_MIN: Final = 3
ZERO_SHARE: Final = 0.9
# … or twice while answers are wrong: a cross-entropy of 0 gives each right answer probability 1.
ZEROS_WRONG: Final = 2
ZERO_ACCURACY: Final = 0.9
# A hinge, a triplet or a perceptron is exactly 0 once every answer is right by a margin; nearly all
# of them were in the record before.
ALL_RIGHT: Final = 0.999
NEARLY_RIGHT: Final = 0.9
# The trainer of transformers prints a NaN as 0.0 (`logging_nan_inf_filter`, on by default) and four
# decimals of the rest: one record is enough where no loss before was below this.
FILTERING: Final = "hf"
FAR_ABOVE: Final = 0.1
SMALL_LEVEL: Final = 1e-3
# … unless the log holds a few decimals only, and the loss had come down to a tenth of its start:
# then it was learned, and is rounded to 0.
LEARNED_SHARE: Final = 0.1
LEAST_PRINTED: Final = 1e-6
# Zeros among losses of which none comes near zero are no losses: three apart, and as many others.
AMID_GAP: Final = 0.25
AMID_SHARE: Final = 0.5
# One batch in twenty without a single label is a waste worth knowing of, and harms nothing.
RARE_SHARE: Final = 0.05
# Norms of all weights and of their changes: one number that is not finite makes them so.
NORMS: Final = (Metric.WEIGHT_NORM, Metric.UPDATE_NORM)
# Gradient norms that end the log non-finite are lost training, however few.
END_POINTS: Final = 2
# … unless the loss goes on at its level for this many points, none of them this much higher.
GOES_ON_POINTS: Final = 3
GOES_ON_LEVEL: Final = 2.0
LEVEL_POINTS: Final = 50
# A first record further into training than any usual logging interval does not hold its beginning:
# the log is an excerpt, and the numbers may have been sound before it.
BEGINNING: Final = 100


def label_nonfinite(context: Context) -> list[Anomaly]:
    """Return the non-finite findings: the loss first, then what is not explained by it.

    Reads the measures `share` and `first_index` of a NONFINITE detection; `count`, `nan` and
    `at_end` make the text more exact and may be missing.
    """
    run = context.run
    loss_name = context.signal
    out: list[Anomaly] = []
    main = context.of(Shape.NONFINITE, loss_name)
    out += [_loss(run, d) for d in main]
    masked = [d for d in context.of(Shape.EXACT_ZERO) if d.measures["nan_beside"] > 0]
    gradient = [d for d in context.of(Shape.NONFINITE) if _metric(run, d) is Metric.GRAD_NORM]
    if masked and not main:
        out.append(_masked(masked[0], gradient))
    elif gradient and not main:
        out += [a for d in gradient if (a := _gradient(run, d)) is not None]
    covered = min((a.start_step for a in out if a.severity is Severity.CRITICAL), default=None)
    for d in context.of(Shape.NONFINITE):
        metric = _metric(run, d)
        if d in main or metric is Metric.GRAD_NORM:
            continue
        if covered is not None and d.first_step >= covered - _reach(run, d):
            continue
        out.append(_other(run, d, metric))
    return out


def label_zero_loss(context: Context) -> list[Anomaly]:
    """Return a loss that fell to exactly zero and stayed, when no NaN beside it explains that.

    A policy-gradient loss may be zero from the first step (one update per batch of samples): then
    the gradient is not. Equal rewards explain a zero and are a finding of their own. A zero of two
    decimals beside answers that are right may be anything below .005: unless all of them are right
    from the first record on, which no training does.
    """
    out: list[Anomaly] = []
    rounded = rounded_zero(context.run) is not None
    if context.of(Shape.NO_SPREAD) or (rounded and not right_from_the_start(context.run)):
        return out
    for d in context.of(Shape.EXACT_ZERO):
        m = d.measures
        whole = m["first_index"] == 0
        expected = (whole and _policy_learns(context)) or _is_learned(m)
        sudden = m.get("before", 0.0) > SMALL_LEVEL and (_is_wrong(m) or not _rounded_away(m))
        # Loss and gradient both exactly 0 are no rounding: one record is enough.
        once = bool(m.get("grad_zero")) or _is_wrong(m) or _is_filtered(context, m)
        enough = m["count"] >= ZEROS_MIN or once
        stays = enough and m["share"] >= ZERO_SHARE
        if m["nan_beside"] == 0 and _is_amid(context, m):
            out.append(_amid(d))
            continue
        if m["nan_beside"] > 0 or not stays or not (whole or sudden):
            continue
        lost = Severity.WARNING if rounded else Severity.CRITICAL
        told = dict(m) | ({"right": m["count"]} if rounded else {})
        severity = Severity.INFO if expected else lost
        out.append(
            Anomaly.of(d, Kind.NON_CONVERGENCE, severity, 0.8, Form.CONSTANT_ZERO, measures=told)
        )
    return out


def _is_amid(context: Context, m: Mapping[str, float]) -> bool:
    """Return whether zeros stand here and there among losses that never come near zero."""
    many = m["stretches"] >= ZEROS_MIN and m["share"] <= AMID_SHARE
    return many and m["gap"] >= AMID_GAP and context.objective is Objective.PLAIN


def _amid(d: Detection) -> Anomaly:
    measures = dict(d.measures) | {"zeros": d.measures["count"]}
    rare = d.measures["count"] < RARE_SHARE * d.measures["points"]
    severity = Severity.INFO if rare else Severity.WARNING
    return Anomaly.of(d, Kind.NON_CONVERGENCE, severity, 0.8, Form.CONSTANT_ZERO, measures=measures)


def _is_wrong(m: Mapping[str, float]) -> bool:
    """Return whether a loss of zero, twice, stands beside an accuracy that says otherwise."""
    return m["count"] >= ZEROS_WRONG and m.get("accuracy", 1.0) < ZERO_ACCURACY


def _is_filtered(context: Context, m: Mapping[str, float]) -> bool:
    """Return whether a trainer that prints 0.0 for NaN did so after losses far above zero."""
    filters = context.run.config.get("framework") == FILTERING
    high = m.get("least", 0.0) >= FAR_ABOVE and m["share"] == 1.0
    return filters and high and context.objective is Objective.PLAIN


def _is_learned(m: Mapping[str, float]) -> bool:
    """Return whether every answer is right where the loss is zero, and nearly all were before."""
    return m.get("accuracy", 0.0) >= ALL_RIGHT and m.get("accuracy_before", 0.0) >= NEARLY_RIGHT


def _rounded_away(m: Mapping[str, float]) -> bool:
    """Return whether a loss went down to the last digit of a rounded log before it was 0."""
    rounded = m.get("least", 0.0) >= LEAST_PRINTED
    return rounded and m["right_before"] <= LEARNED_SHARE * m["start"]


def _policy_learns(context: Context) -> bool:
    """Return whether this is reinforcement learning with a gradient that is alive."""
    gradient = context.run.get(Metric.GRAD_NORM)
    if context.objective is not Objective.REINFORCEMENT or gradient is None:
        return False
    values = gradient.finite()[1]
    return values.size > 0 and float(np.median(values)) > 0


def _metric(run: Run, d: Detection) -> Metric | None:
    series = run.named(d.signal)
    return None if series is None else series.metric


def _reach(run: Run, d: Detection) -> float:
    series = run.named(d.signal)
    return 2.0 * series.stride if series is not None else 0.0


def _loss(run: Run, d: Detection) -> Anomaly:
    m = d.measures
    persistent = m["share"] >= PERSISTENT_SHARE
    series = run.named(d.signal)
    begins = series is None or d.first_step <= max(BEGINNING, series.stride)
    if m["first_index"] == 0 and persistent and begins:
        form, severity = Form.FROM_START, Severity.CRITICAL
    elif persistent:
        form, severity = Form.PERSISTENT, Severity.CRITICAL
    else:
        form, severity = Form.TRANSIENT, Severity.WARNING
    return _nonfinite(d, form, severity, 1.0)


def _masked(zero: Detection, gradient: list[Detection]) -> Anomaly:
    first = min(
        [zero.first_step, *(d.first_step for d in gradient if d.measures.get("at_end", 0.0) > 0)]
    )
    members = (zero, *gradient)
    return Anomaly(
        Kind.NONFINITE,
        Severity.CRITICAL,
        1.0,
        zero.signal,
        first,
        zero.first_step,
        zero.last_step,
        Form.MASKED,
        dict(zero.measures),
        members,
    )


def _gradient(run: Run, d: Detection) -> Anomaly | None:
    """Return the finding for a gradient norm whose loss stays finite.

    Single infinities are the daily work of a dynamic loss scaler: known, not alarming. Beside an
    update of 0 they are steps that were thrown away; a log that ends in them is lost.
    """
    m = d.measures
    scaler = _has_scaler(run)
    if m.get("at_end", 0.0) >= END_POINTS or m["share"] >= PERSISTENT_SHARE:
        form = Form.FROM_START if m["first_index"] == 0 else Form.PERSISTENT
        severity = Severity.CRITICAL
        if _loss_goes_on(run, d):
            # A mean over many steps is NaN with one skipped step among them.
            severity = Severity.INFO if scaler else Severity.WARNING
        return _nonfinite(d, form, severity, 0.95)
    series = run.named(d.signal)
    skipped = 0 if series is None else skipped_among(run, series)
    seen = replace(d, measures={**m, "skipped": float(skipped)}) if skipped else d
    if series is not None and is_often_broken(run, series):
        return _nonfinite(seen, Form.TRANSIENT, Severity.WARNING, 0.9)
    if scaler or (m.get("nan") == 0 and not skipped):
        return None
    return _nonfinite(seen, Form.TRANSIENT, Severity.INFO, 0.8)


def _loss_goes_on(run: Run, d: Detection) -> bool:
    """Return whether the loss kept its level long after the gradient norm went non-finite.

    Then the weights are finite: the steps were skipped, or a mean over many steps holds one inf.
    """
    loss = run.get(Metric.LOSS)
    if loss is None:
        return False
    first = loss.index_at(d.first_step)
    before, after = loss.values[max(0, first - LEVEL_POINTS) : first], loss.values[first:]
    if before.size == 0 or after.size < GOES_ON_POINTS or not np.isfinite(after).all():
        return False
    usual = float(np.median(before))
    calm = float(after.max()) <= GOES_ON_LEVEL * usual
    return usual > 0 and float(after.min()) > 0 and calm


def _other(run: Run, d: Detection, metric: Metric | None) -> Anomaly:
    m = d.measures
    losses = (Metric.LOSS, Metric.VAL_LOSS, Metric.LOSS_COMPONENT, Metric.VAL_LOSS_COMPONENT)
    persistent = m["share"] >= PERSISTENT_SHARE
    if m["first_index"] == 0 and persistent:
        form = Form.FROM_START
    else:
        form = Form.PERSISTENT if persistent else Form.TRANSIENT
    warns = metric in losses or (metric in NORMS and _ends_broken(run, d, form))
    severity = Severity.WARNING if warns else Severity.INFO
    return _nonfinite(d, form, severity, 1.0)


def _ends_broken(run: Run, d: Detection, form: Form) -> bool:
    """Return whether a norm that was finite is not any more, to the end of the log.

    One that never was finite was not measured; under a loss scaler a mean over many steps holds a
    skipped one.
    """
    lasting = form is Form.PERSISTENT and d.measures.get("at_end", 0.0) >= END_POINTS
    return lasting and not _has_scaler(run)


def _has_scaler(run: Run) -> bool:
    return run.get(Metric.LOSS_SCALE) is not None or run.config.get("precision") == "fp16"


def _nonfinite(d: Detection, form: Form, severity: Severity, confidence: float) -> Anomaly:
    measures = dict(d.measures) | {"first_step": float(d.first_step)}
    # What a detector did not count is not claimed.
    count = measures.get("count")
    if count is not None and measures.get("nan") == 0:
        measures["infinite"] = count
    if count is not None and count > 1 and measures.get("at_end") == 0:
        measures["infinite_passed" if "infinite" in measures else "passed"] = count
    return Anomaly.of(d, Kind.NONFINITE, severity, confidence, form, measures=measures)
