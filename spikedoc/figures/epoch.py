"""Epochs, periods and evaluations."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from spikedoc.figures._lookup import rounded, value_at, whole
from spikedoc.figures.base import Figure
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.text import FieldValue, Text

# Evaluations that make an interval.
EVALUATIONS_FEWEST: Final = 3
DIGITS: Final = 4


def _epoch(run: Run) -> float | None:
    steps = run.steps_per_epoch
    return steps if steps is not None and math.isfinite(steps) and steps > 0 else None


def _steps_per_epoch(run: Run, _anomaly: Anomaly) -> FieldValue | None:
    steps = _epoch(run)
    exact = None if steps is None else rounded(steps, DIGITS)
    return None if exact is None else whole(exact)


def _epoch_of_onset(run: Run, anomaly: Anomaly) -> FieldValue | None:
    steps = _epoch(run)
    if steps is None:
        epoch = value_at(run.get(Metric.EPOCH), anomaly.start_step)
    else:
        epoch = anomaly.start_step / steps
    # Epochs of a tiny part of a step are more than any number.
    return None if epoch is None or not math.isfinite(epoch) else math.floor(epoch)


def _phase_step(run: Run, anomaly: Anomaly) -> FieldValue | None:
    known = anomaly.measures.get("phase_step")
    if known is not None and math.isfinite(known):
        return round(known)
    steps = _epoch(run)
    return None if steps is None else round(math.fmod(anomaly.peak_step, steps))


def _period_steps(_run: Run, anomaly: Anomaly) -> FieldValue | None:
    period = anomaly.measures.get("period")
    if period is None or not math.isfinite(period) or period <= 0:
        return None
    return round(period)


def _eval_interval(run: Run, _anomaly: Anomaly) -> FieldValue | None:
    steps = run.eval_steps
    return round(float(np.median(np.diff(steps)))) if steps.size >= EVALUATIONS_FEWEST else None


FIGURES: Final[tuple[Figure, ...]] = (
    Figure("steps_per_epoch", Text("steps of an epoch", "每个 epoch 的步数"), _steps_per_epoch),
    Figure(
        "epoch_of_onset", Text("epoch in which it begins", "异常开始所在的 epoch"), _epoch_of_onset
    ),
    Figure("phase_step", Text("step within the epoch", "在 epoch 内的步数"), _phase_step),
    Figure("period_steps", Text("period in steps", "周期（步）"), _period_steps),
    Figure("eval_interval", Text("steps between evaluations", "评估间隔（步）"), _eval_interval),
)
