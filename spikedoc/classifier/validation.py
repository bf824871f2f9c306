"""What the evaluations say: overfitting, a step of validation, evaluations that go wrong."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.classifier.context import Context
from spikedoc.model.anomaly import Anomaly, Detection, Shape
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.objective import Objective
from spikedoc.model.quality import HIGHER_IS_BETTER, direction, is_poor_accuracy
from spikedoc.model.run import Series
from spikedoc.signal.transform import HUGE

# A mild rise of the validation loss is calibration as long as the metric does not get worse.
MILD_RISE_PERCENT: Final = 50.0
MIN_METRIC_POINTS: Final = 4
# A loss that doubles and goes on rising is no calibration where the metric gained all it did soon
# after the best loss: beyond the first third of what follows it has to gain still.
DOUBLED_PERCENT: Final = 100.0
SOON_SHARE: Final = 3
TINY: Final = 1e-9
# Families in which the loss measures how well given samples are told: there it can be memorised.
TRAINED_ON_SAMPLES: Final = (Objective.PLAIN, Objective.PREFERENCE)
# Falls within a twentieth of an epoch of where one begins; two of them are no accident.
AT_EPOCH: Final = 0.05
STEPS: Final = 2
# An evaluation that lost half of a quality metric.
HALVED: Final = 0.5
# Events of the training loss after which a step of validation is no news.
EXPLAINS_VALIDATION: Final = (
    Kind.SLOW_RECOVERY,
    Kind.ISOLATED_SPIKE,
    Kind.LEVEL_SHIFT,
    Kind.DIVERGENCE,
    Kind.OSCILLATION,
    Kind.PERIODIC_SPIKES,
    Kind.SUSTAINED_DRIFT,
    Kind.NONFINITE,
)


def label_overfitting(context: Context) -> list[Anomaly]:
    """Return the scissors of validation and training loss, or a validation that stands still.

    A training loss that falls in steps where an epoch ends, beside a validation loss that stands
    still, is a memory of the samples; without the steps the gap is a remark.
    """
    out = []
    wrong = context.of(Shape.GAP) if context.objective is Objective.PLAIN else []  # said as such
    for d in [] if wrong else context.of(Shape.LEFT_BEHIND):
        memorises = context.objective in TRAINED_ON_SAMPLES and _falls_at_epochs(context) >= STEPS
        severity = Severity.WARNING if memorises else Severity.INFO
        out.append(Anomaly.of(d, Kind.OVERFITTING, severity, 0.7))
    for d in context.of(Shape.SCISSORS):
        if wrong and any(d.first_step <= gap.first_step for gap in wrong):
            continue  # never right: nothing was won that could be lost again
        # Of a loss below zero what counts is the share of the gain that is lost.
        rise = d.measures.get("rise_percent", d.measures.get("lost_percent", 0.0))
        mild = rise < MILD_RISE_PERCENT
        gain = _metric_gain(context, d, lately=rise >= DOUBLED_PERCENT)
        holds = gain is not None and (gain > 1.0 or (mild and gain > -1.0))
        harmless = context.objective is not Objective.PLAIN or holds
        severity = Severity.INFO if harmless else Severity.WARNING
        out.append(Anomaly.of(d, Kind.OVERFITTING, severity, 0.85))
    return out


def _falls_at_epochs(context: Context) -> int:
    """Return how many abrupt falls of the loss lie where an epoch begins."""
    epoch = context.run.steps_per_epoch
    if epoch is None:
        return 0
    falls = [float(d.first_step) for d in context.of(Shape.FALL, context.signal)]
    return sum(abs(step / epoch - round(step / epoch)) <= AT_EPOCH for step in falls)


def label_evaluations(context: Context, others: list[Anomaly]) -> list[Anomaly]:
    """Return single evaluations that went wrong, where no event of the training loss explains it.

    An alarm where the quality measured there was halved: any checkpoint may be such a one.
    """
    val = context.run.get(Metric.VAL_LOSS)
    if val is None or val.name == context.signal:
        return []
    out = []
    for d in context.of(Shape.POINT, val.name):
        if _is_explained(d, val, others):
            continue
        halved = d.measures["metric_drop"] >= HALVED and context.objective is Objective.PLAIN
        severity = Severity.WARNING if halved else Severity.INFO
        out.append(Anomaly.of(d, Kind.ISOLATED_SPIKE, severity, 0.8))
    return out


def _is_explained(d: Detection, val: Series, others: list[Anomaly]) -> bool:
    """Return whether an event of the training loss covers this place of the validation loss."""
    reach = 2.0 * val.stride
    return any(
        a.start_step - reach <= d.first_step <= a.end_step + reach
        for a in others
        if a.kind in EXPLAINS_VALIDATION and a.signal != val.name
    )


def label_validation_step(context: Context, others: list[Anomaly]) -> list[Anomaly]:
    """Return a step of the validation loss that no event of the training loss explains."""
    val = context.run.get(Metric.VAL_LOSS)
    if val is None or val.name == context.signal:
        return []
    out = []
    for d in context.of(Shape.RISE, val.name):
        if _is_explained(d, val, others):
            continue
        plain = context.objective is Objective.PLAIN
        severity = Severity.WARNING if plain else Severity.INFO
        out.append(Anomaly.of(d, Kind.LEVEL_SHIFT, severity, 0.8, Form.UP))
    return out


def _metric_gain(context: Context, d: Detection, *, lately: bool) -> float | None:
    """Return how much better a validation metric ends than it was at the best loss, in scatters.

    Or than it was a third of the way from there to the end (`lately`). Loss may rise while accuracy
    holds: calibration, not overfitting. None without such a metric.
    """
    gains = []
    for series in context.run.all(Metric.VAL_METRIC):
        steps, values = series.finite()
        values = np.clip(values, -HUGE, HUGE)
        at = int(np.searchsorted(steps, d.first_step))
        at += (values.size - at) // SOON_SHARE if lately else 0
        if values.size - at < MIN_METRIC_POINTS or at < 1 or is_poor_accuracy(series):
            continue
        best, end = float(np.median(values[at - 1 : at + 2])), float(np.median(values[-3:]))
        spread = float(np.std(values[at:])) or TINY
        gains.append((end - best) * (direction(series) or HIGHER_IS_BETTER) / spread)
    return max(gains, default=None)
