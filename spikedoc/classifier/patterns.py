"""Periodic patterns and oscillations of the loss."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from spikedoc.classifier.context import Context
from spikedoc.classifier.course import UNTRAINED_LEVEL
from spikedoc.classifier.pattern_start import with_first_cycle
from spikedoc.model.anomaly import Anomaly, Detection, Shape
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.loss_setting import setting_periods
from spikedoc.model.metric import Metric
from spikedoc.model.objective import Objective
from spikedoc.signal.alternation import alternation
from spikedoc.signal.baseline import scatter
from spikedoc.signal.view import view
from spikedoc.signal.wave import find_wave

# Noise that ends in no progress for the second half is a fault; while the level still falls it is
# worth knowing only.
STILL_FALLING_TAU: Final = -0.4
STRONG_RATIO: Final = 0.5
# A run that falls by less than this (nats) may be a fine-tuning: there noise as large as the little
# left to learn is normal (simulated healthy ones fire at two in three).
FROM_SCRATCH_FALL: Final = 0.4
LARGE_NOISE: Final = 0.5
# Without a validation loss to ask, only a run that has clearly learned from scratch is judged, and
# whose noise is half of all it learned: the training loss cannot tell a rate that is too high from
# batches that differ (measured: neither memory nor wander of the noise is another).
FROM_SCRATCH_FALL_ALONE: Final = 1.0
# Batches differ, epochs do not: a mean over one that scatters by so much (a standard deviation in
# logarithms, twice the level) says that the weights are thrown about, falling or not. Near zero
# every loss does.
THROWN_EPOCHS: Final = 0.7
NEAR_ZERO: Final = 0.1
# Relative scatter of validation from one evaluation to the next. Measured: .19 and .32 where the lr
# was too high, at most .12 on healthy runs and on runs with noisy batches or labels.
CALM_JITTER: Final = 0.15
CALM_RISE: Final = 0.05
MIN_EVALUATIONS: Final = 2
# In fewer points noise and learning are hard to tell apart: there a steady validation is enough.
FEW_POINTS: Final = 200
# Most is learned in the first steps: a log that begins after this share of them does not show what
# the noise is to be compared with.
LATE_START: Final = 0.03
# Sampling without replacement, and means that start anew, leave a slope over each epoch (detection
# proposal, section 5a: up to .30 of the scatter, correlation with the phase above .4); a real one
# was measured at .29. A peak six scatters above the rest of the profile is none of that.
SAWTOOTH_ETA2: Final = 0.25
SAWTOOTH_RAMP: Final = 0.4
PEAK_GAP: Final = 6.0
# An average over many steps takes the noise away and leaves the slope: neighbours of such a log
# correlate at .99, those of logs with a real pattern at .75 or less (11 measured). There only the
# whole course from epoch to epoch is a real one.
AVERAGED: Final = 0.9
AVERAGED_ETA2: Final = 0.85
# A level that rises evenly through the epoch and falls where it ends is memory of the samples, new
# order or not: measured .99, beside .57 at most where the order was the same each time. One place
# that sticks out leaves no such line, so it need not be looked for: in a log of few points per
# epoch the end of an even rise stands apart from the rest by itself (12 scatters, five points).
EVEN_RAMP: Final = 0.95
# A swing of the level of less than 10 % (one standard deviation) is worth knowing only: a cyclic
# schedule makes it. Measured on real ones: .33 and .46.
LARGE_WAVE: Final = 0.1
# Periods of loss and learning rate within a tenth are the same.
SAME: Final = 0.1
# Those of loss and another setting are exact.
SAME_SETTING: Final = 0.05
# Which form of a pattern is seen in which series beside the loss.
COMBS: Final = {Metric.GRAD_NORM: Form.GRADIENT, Metric.UPDATE_NORM: Form.UPDATE}


def label_periods(context: Context) -> list[Anomaly]:
    """Return the periodic finding of the loss, if any."""
    forms = {
        Shape.EPOCH_PROFILE: Form.EPOCH,
        Shape.AFTER_EVALUATION: Form.AFTER_EVALUATION,
        Shape.PERIOD: Form.FIXED_PERIOD,
    }
    after = [d for d in context.of(Shape.AFTER_EVALUATION, context.signal) if "off" in d.measures]
    out = [
        Anomaly.of(d, Kind.PERIODIC_SPIKES, _period_severity(context, d), 0.9, form)
        for shape, form in forms.items()
        for d in context.of(shape, context.signal)
        if d in after or not any(_comes_as_often(d, of) for of in after)
    ]
    out = [a if "off" in a.measures else with_first_cycle(context, a) for a in out]
    waves = context.of(Shape.WAVE, context.signal)
    return out + [
        _wave(context, d) for d in waves if not any(_comes_as_often(d, of) for of in after)
    ]


def _comes_as_often(d: Detection, after: Detection) -> bool:
    """Return whether a pattern is what comes after evaluations, seen as a period."""
    times = d.measures["period"] / after.measures["period"]
    return abs(times - max(1.0, round(times))) <= SAME_SETTING


def label_combs(context: Context, found: list[Anomaly]) -> list[Anomaly]:
    """Return spikes of the gradient or the update at equal distances that the loss does not show.

    In the last batch of each epoch, which may be a small one, they are a remark, and where a logged
    setting comes back as often.
    """
    if any(a.kind is Kind.PERIODIC_SPIKES and a.severity is not Severity.INFO for a in found):
        return []
    out = []
    for metric in COMBS:
        series = context.run.get(metric)
        for d in [] if series is None else context.of(Shape.PERIOD, series.name):
            harmless = bool(d.measures["epoch_end"]) or _is_of_a_setting(context, d)
            severity = Severity.INFO if harmless else Severity.WARNING
            out.append(Anomaly.of(d, Kind.PERIODIC_SPIKES, severity, 0.8, COMBS[metric]))
    return out


def _is_of_a_setting(context: Context, d: Detection) -> bool:
    """Return whether a logged setting, or a smaller batch, comes back with this period."""
    period = d.measures["period"]
    return any(abs(period - p) <= SAME_SETTING * p for p in setting_periods(context.run))


def _period_severity(context: Context, d: Detection) -> Severity:
    """Return INFO for the sawtooth of an ordinary epoch: weak, and one slope from end to end.

    And where a logged setting, the learning rate, or a smaller batch, comes back as often as the
    loss does, or where averages swing by chance.
    """
    m = d.measures
    if _is_of_a_setting(context, d) or _lr_swings(context, m["period"]):
        return Severity.INFO
    rises_evenly = m.get("ramp", 0.0) >= EVEN_RAMP
    no_peak = rises_evenly or m.get("gap", np.inf) < PEAK_GAP
    one_slope = abs(m.get("ramp", 0.0)) >= SAWTOOTH_RAMP and no_peak
    averaged = m.get("memory", 0.0) >= AVERAGED
    if averaged and m.get("stretch") and m["eta2"] < AVERAGED_ETA2:
        return Severity.INFO
    even = averaged or rises_evenly
    most = AVERAGED_ETA2 if even else SAWTOOTH_ETA2
    sawtooth = (even or d.shape is Shape.EPOCH_PROFILE) and one_slope and m["eta2"] < most
    return Severity.INFO if sawtooth else Severity.WARNING


def _wave(context: Context, d: Detection) -> Anomaly:
    """Return the slow swing of the loss: a remark where it is small or what is set swings so."""
    small = d.measures.get("amplitude", np.inf) < LARGE_WAVE
    swings = _lr_swings(context, d.measures["period"]) or _is_of_a_setting(context, d)
    harmless = small or swings
    severity = Severity.INFO if harmless else Severity.WARNING
    return Anomaly.of(d, Kind.OSCILLATION, severity, 0.8, Form.WAVE)


def _lr_swings(context: Context, period: float) -> bool:
    """Return whether the learning rate swings with this period (steps)."""
    series = context.run.get(Metric.LR)
    if series is None:
        return False
    seen = view(series.steps, series.values)
    wave = find_wave(seen.judged) or alternation(seen.judged)
    return wave is not None and abs(wave.period_points * seen.stride - period) <= SAME * period


def label_balance(context: Context) -> list[Anomaly]:
    """Return the generator that loses to its discriminator, if there is one.

    A rising generator's loss alone is no fault, so it is judged beside the other side's.
    """
    terms = {s.name for s in context.run.series if s.metric in (Metric.LOSS, Metric.LOSS_COMPONENT)}
    return [
        Anomaly.of(d, Kind.SUSTAINED_DRIFT, Severity.WARNING, 0.7)
        for d in context.of(Shape.RAMP)
        if d.signal in terms and "other_factor" in d.measures
    ]


def label_relapse(context: Context) -> list[Anomaly]:
    """Return the swings that throw a loss above its own start."""
    plain = context.objective is Objective.PLAIN
    severity = Severity.WARNING if plain else Severity.INFO
    return [
        Anomaly.of(d, Kind.OSCILLATION, severity, 0.8, Form.BURSTS)
        for d in context.of(Shape.ABOVE_START)
    ]


def label_growing(context: Context) -> list[Anomaly]:
    """Return the growing oscillation of the loss, if any."""
    return [
        Anomaly.of(d, Kind.OSCILLATION, Severity.CRITICAL, 0.85, Form.GROWING)
        for d in context.of(Shape.GROWING, context.signal)
    ]


def label_noise(context: Context) -> list[Anomaly]:
    """Return the oscillation that noise as large as the progress amounts to, if any.

    However noisy the training loss is, a validation loss that is steady and not getting worse
    says that the model learns and is not thrown about: then it is a remark, not an alarm. One that
    is wrong from the start says nothing of it.
    """
    out = []
    is_wrong = bool(context.of(Shape.GAP))
    for d in context.of(Shape.NOISE, context.signal):
        m = d.measures
        began = m.get("best", 0.0) * float(np.exp(m["fall"]))
        calm = None if is_wrong else _validation_is_calm(context, began)
        if calm is None:
            # Fine-tuning and diffusion losses are noise around a level that hardly falls; and where
            # batches differ by length or time step, as much of it is health.
            small_fall = m["fall"] < FROM_SCRATCH_FALL_ALONE or m["ratio"] < STRONG_RATIO
        else:
            small_fall = m["fall"] < FROM_SCRATCH_FALL and m["relative_noise"] < LARGE_NOISE
        # No fine-tuning of a trained model sits up there.
        small_fall = small_fall and m.get("best", 0.0) < UNTRAINED_LEVEL
        falling = m["late_tau"] <= STILL_FALLING_TAU
        reserved = context.objective is not Objective.PLAIN
        quiet = falling or small_fall or reserved or calm is True or _is_short_and_steady(context)
        quiet = quiet or context.begins_after(LATE_START)  # most may have been learned before
        quiet = quiet and (reserved or calm is True or not _throws_epochs(context, m))
        severity = Severity.INFO if quiet else Severity.WARNING
        confidence = 0.85 if m["ratio"] >= STRONG_RATIO else 0.6
        out.append(Anomaly.of(d, Kind.OSCILLATION, severity, confidence, Form.NOISE))
    return out


def _throws_epochs(context: Context, m: Mapping[str, float]) -> bool:
    """Return whether means over whole epochs swing to twice their level, and not near zero."""
    if not context.run.counts_epochs or m["relative_noise"] < THROWN_EPOCHS:
        return False
    return m["best"] >= NEAR_ZERO * (m["best"] + m["learned"])


def _validation_is_calm(context: Context, began: float) -> bool | None:
    """Return whether validation got better, is steady, and no worse late than midway.

    By the first evaluation an epoch of learning is over: better than the training loss began is
    better as well. None when too few evaluations were logged to say.
    """
    found = _validation(context, began)
    return None if found is None else found[0] and found[1]


def _is_short_and_steady(context: Context) -> bool:
    """Return whether a short log has a validation that is steady: a fine-tuning may stand still."""
    found = _validation(context)
    short = context.seen is not None and len(context.seen) < FEW_POINTS
    return short and found is not None and found[1]


def _validation(context: Context, began: float = 0.0) -> tuple[bool, bool] | None:
    """Return whether validation got better, and whether it is steady and no worse than midway."""
    series = context.run.get(Metric.VAL_LOSS)
    values = series.finite()[1] if series is not None else np.zeros(0)
    third = values.size // 3
    if third < MIN_EVALUATIONS or float(values.min()) <= 0:
        return None
    judged = np.log(values[third:])
    jitter = scatter(np.diff(judged)) / float(np.sqrt(2.0))
    worse = float(np.median(judged[-third:]) - np.median(judged[:third]))
    first = float(np.log(max(float(values[0]), began)))
    learned = float(np.median(judged[-third:])) - first < -CALM_RISE
    return learned, jitter < CALM_JITTER and worse <= CALM_RISE
