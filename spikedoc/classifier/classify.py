"""Detections in, labelled anomalies out: a decision list, the stronger explanation first."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from spikedoc.classifier.bursts import label_bursts
from spikedoc.classifier.context import Context, build
from spikedoc.classifier.course import (
    label_drift,
    label_falls,
    label_flat,
    label_plateau,
    label_slow,
    slow_rises,
)
from spikedoc.classifier.cycles import holds_over_cycles
from spikedoc.classifier.damage import label_damage
from spikedoc.classifier.dips import as_dip
from spikedoc.classifier.excursions import label_excursions
from spikedoc.classifier.gradient import (
    label_gradient,
    label_gradient_step,
    label_ramp,
    label_vanishing,
)
from spikedoc.classifier.gradient_beside import with_gradient
from spikedoc.classifier.harder import without_harm
from spikedoc.classifier.many_spikes import as_one
from spikedoc.classifier.nonfinite import label_nonfinite, label_zero_loss
from spikedoc.classifier.onset import from_onset
from spikedoc.classifier.patterns import (
    label_balance,
    label_combs,
    label_growing,
    label_noise,
    label_periods,
    label_relapse,
)
from spikedoc.classifier.rank_mean import without_rank_means
from spikedoc.classifier.regular import as_pattern
from spikedoc.classifier.resumed import as_resumed
from spikedoc.classifier.rises import with_rise
from spikedoc.classifier.settings import by_setting, is_by_setting
from spikedoc.classifier.signals import (
    label_clipping,
    label_components,
    label_first_loss,
    label_loss_scale,
    label_lr,
    label_ranks,
    label_restarts,
)
from spikedoc.classifier.states import label_growth, label_quality_falls, label_states
from spikedoc.classifier.tried_rates import as_tried
from spikedoc.classifier.validation import (
    label_evaluations,
    label_overfitting,
    label_validation_step,
)
from spikedoc.classifier.variety import label_collapse
from spikedoc.classifier.warm_restarts import of_schedule
from spikedoc.model.anomaly import Anomaly, Detection
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.objective import Objective
from spikedoc.model.run import Run

SPIKES: Final = (Kind.ISOLATED_SPIKE, Kind.SLOW_RECOVERY)
LEVELS: Final = (Kind.LEVEL_SHIFT, Kind.DIVERGENCE)
# Findings that accompany one in the loss, and say less by themselves.
COMPANIONS: Final = (
    Kind.GRADIENT_EXPLOSION,
    Kind.GRADIENT_RAMP,
    Kind.METRIC_DAMAGE,
    Kind.OVERFITTING,
)
# Forms of a level or a divergence that are no mere rise.
FALLEN: Final = (Form.DOWN, Form.TO_NONFINITE)
# A loss of these families jumps in health: only non-finite values and a dead loss are alarms.
RESERVED: Final = (Objective.REINFORCEMENT, Objective.ADVERSARIAL, Objective.MAXIMISED)


def classify(run: Run, detections: tuple[Detection, ...]) -> tuple[Anomaly, ...]:
    """Return the anomalies of `run`, most severe first, then by step."""
    context = build(run, detections)
    found = label_nonfinite(context) + label_zero_loss(context)
    found += _loss_findings(context, found)
    found += label_lr(context) + label_loss_scale(context) + label_restarts(context)
    found = [of_schedule(context, _to_nonfinite(a, found)) for a in found]
    found = as_pattern(context, [as_resumed(context, a) for a in found])
    found = without_rank_means(context, found + label_ranks(context)) + label_gradient(context)
    found += label_ramp(context, found)
    found += label_clipping(context) + label_vanishing(context) + label_components(context)
    found += label_first_loss(context) + label_damage(context, found)
    found += label_combs(context, found)
    found += label_states(context, found)
    found = [_with_reserve(context, a) for a in _without_echoes(context, found)]
    found = [a for a in found if not _is_gain(context, a)]
    # Two losses that part, a reward that is lost, a variety that is gone and logits without bound
    # are no freedom of the family: judged as they are.
    found += label_balance(context) + label_growth(context) + label_quality_falls(context, found)
    found += label_collapse(context) + label_gradient_step(context, found)
    found = as_one(context, as_tried(context, found))
    found = [with_rise(run, from_onset(context, a)) for a in found]
    return tuple(sorted((with_gradient(run, a) for a in found), key=_importance))


def _importance(a: Anomaly) -> tuple[int, bool, int, str]:
    """Sort key: the worst first, what the loss shows before its companions, then by step."""
    return -a.severity.rank, a.kind in COMPANIONS, a.start_step, a.kind


def _loss_findings(context: Context, nonfinite: list[Anomaly]) -> list[Anomaly]:
    """Return what is wrong with the course of the loss: patterns first, then what they leave."""
    if any(a.form is Form.FROM_START and a.signal == context.signal for a in nonfinite):
        return []
    zeros = [a for a in nonfinite if a.form is Form.CONSTANT_ZERO and "zeros" in a.measures]
    if any(a.severity is not Severity.INFO for a in zeros):
        return []  # zeros that are no losses leave no course to judge
    flat = label_flat(context)
    plateau = label_plateau(context) or label_slow(context)
    if flat and not (plateau and all(a.severity is Severity.INFO for a in flat)):
        return flat + label_overfitting(context)
    pattern = _pattern(context)
    found = plateau + pattern + _excursions(context, pattern)
    noisy = [a for a in found if a.kind in (*LEVELS, Kind.SLOW_RECOVERY)]
    if not pattern and not plateau:
        found += [a for a in label_noise(context) if not noisy or _outranks(a, noisy)]
    if not pattern and not any(a.kind in (*SPIKES, *LEVELS) for a in found):
        found += label_relapse(context)
    if not pattern:
        falls = [a for a in label_falls(context) if not _is_way_back(a, found)]
        found += [as_dip(context.seen, a) for a in falls] if context.seen is not None else falls
    found = slow_rises(context, found)
    found += label_drift(context, found)
    if any(a.severity is Severity.CRITICAL for a in found):
        return found
    found = found + label_validation_step(context, found) + label_evaluations(context, found)
    return found + label_overfitting(context)


def _outranks(noise: Anomaly, others: list[Anomaly]) -> bool:
    """Return whether noise is an alarm where single events in it are remarks."""
    return noise.severity.rank > max(a.severity.rank for a in others)


def _is_way_back(fall: Anomaly, found: list[Anomaly]) -> bool:
    """Return whether a fall of the level is the end of an excursion found before.

    The clock of a recovery looks ahead, so it may stop before the fall: its own length is the
    leeway.
    """
    return any(
        a.kind in (*SPIKES, *LEVELS)
        and a.start_step <= fall.start_step <= 2 * a.end_step - a.start_step
        for a in found
    )


def _pattern(context: Context) -> list[Anomaly]:
    """Return periodic findings and growing swings; a periodic profile explains growing ones."""
    periodic = label_periods(context)
    explained = any(a.form is not Form.WAVE for a in periodic)
    return periodic if explained else periodic + label_growing(context)


def _excursions(context: Context, pattern: list[Anomaly]) -> list[Anomaly]:
    """Return single excursions; bursts of a smooth curve stand for its spikes."""
    excursions = [without_harm(context, a) for a in label_excursions(context)]
    if pattern:
        return [a for a in excursions if _beyond(context, a, pattern)]
    bursts = [by_setting(context, a) for a in label_bursts(context)]
    if not bursts:
        return excursions
    levels = [a for a in excursions if a.kind in LEVELS]
    told = {a.start_step for a in levels if is_by_setting(a)}
    return levels + [a for a in bursts if not (is_by_setting(a) and a.start_step in told)]


def _beyond(context: Context, a: Anomaly, pattern: list[Anomaly]) -> bool:
    """Return whether an excursion is more than part of a pattern that covers its step."""
    inside = [p for p in pattern if p.start_step <= a.start_step <= p.end_step]
    if not inside:
        return a.kind in LEVELS
    if any(p.form is Form.GROWING for p in pattern):
        return False
    periods = [p.measures["period"] for p in inside if "period" in p.measures]
    if a.kind is not Kind.LEVEL_SHIFT or a.form is Form.DOWN or context.seen is None:
        return a.kind is Kind.DIVERGENCE
    return bool(periods) and all(holds_over_cycles(context.seen, a, p) for p in periods)


def _to_nonfinite(a: Anomaly, found: list[Anomaly]) -> Anomaly:
    """Return a rise that never came back and ended in NaN or inf as a divergence to it."""
    broken = [
        b.start_step
        for b in found
        if b.kind is Kind.NONFINITE
        and b.severity is Severity.CRITICAL
        and b.start_step > a.start_step
    ]
    if a.kind not in LEVELS or a.form is Form.DOWN or not broken:
        return a
    step = min(broken)
    return replace(
        a,
        kind=Kind.DIVERGENCE,
        form=Form.TO_NONFINITE,
        severity=Severity.CRITICAL,
        peak_step=min(a.peak_step, step),
        end_step=min(a.end_step, step),
        measures={**a.measures, "broken_step": float(step)},
    )


def _without_echoes(context: Context, found: list[Anomaly]) -> list[Anomaly]:
    """Drop findings that another one already says: a loss jump at a restart that is a level shift,
    a spike inside a breakdown, of which nothing comes back."""
    reach = 10 * (context.seen.stride if context.seen is not None else 1.0)
    levels = [a for a in found if a.kind in LEVELS or a.kind in SPIKES]
    out = []
    for a in found:
        if a.kind is Kind.RESUME_DISCONTINUITY and any(
            abs(a.start_step - b.start_step) <= reach for b in levels
        ):
            continue
        if a.kind in SPIKES and any(_is_within(a, b, reach) for b in found):
            continue
        if a.severity is Severity.INFO and any(_says_more(b, a) for b in found):
            continue
        out.append(a)
    return out


def _says_more(b: Anomaly, remark: Anomaly) -> bool:
    """Tell whether an alarm says the same of the whole course as a remark on the same series."""
    same = (b.label, b.signal) == (remark.label, remark.signal)
    return same and b.kind is Kind.NON_CONVERGENCE and b.severity is not Severity.INFO


def _is_within(spike: Anomaly, b: Anomaly, reach: float) -> bool:
    """Tell whether a spike is a part of the breakdown `b` of the same series."""
    breaks = b.form in (Form.TO_NONFINITE, Form.MASKED) and b.signal == spike.signal
    return breaks and b.start_step <= spike.start_step and spike.end_step <= b.end_step + reach


def _is_gain(context: Context, a: Anomaly) -> bool:
    """Return whether what is to be raised has risen: nothing to tell."""
    rises = a.kind in (*LEVELS, Kind.SUSTAINED_DRIFT) and a.form not in FALLEN
    maximised = context.objective is Objective.MAXIMISED
    return maximised and rises and a.signal == context.signal


def _with_reserve(context: Context, a: Anomaly) -> Anomaly:
    """Return `a` as a remark where the loss of this family is allowed to behave like that."""
    spared = (Kind.NONFINITE, Kind.LR_DISCONTINUITY, Kind.LOSS_SCALE_COLLAPSE, Kind.RANK_OUTLIER)
    dead = a.form is Form.CONSTANT_ZERO
    rises = a.kind in (*LEVELS, Kind.SUSTAINED_DRIFT) and a.form is not Form.DOWN
    if context.objective is Objective.SELF_DISTILLED and rises:
        return replace(a, severity=Severity.INFO)  # the target gets harder to meet as it learns
    if context.objective in RESERVED and a.kind not in spared and not dead:
        return replace(a, severity=Severity.INFO)
    return a
