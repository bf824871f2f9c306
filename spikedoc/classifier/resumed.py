"""A hump of the loss that begins where the run was resumed: something was lost on the way."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from spikedoc.classifier.context import Context
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import Series
from spikedoc.signal.around import first_from, last_before

# By chance one record in hundreds stands at a restart, so less is needed there than elsewhere: a
# peak a third above the level, where another hump must stay a third above it.
RESUMED_RISE: Final = float(np.log(4.0 / 3.0))
# … and far outside the scatter of the points on either side.
RESUMED_SIGMAS: Final = 6.0
# A restart and the first record after it are at most two logged points apart.
NEAR_STRIDES: Final = 2.0
# Weights and moments that were carried over give the gradient they gave before.
GRADIENT_RISE: Final = 1.5
GRADIENT_POINTS: Final = 20


def as_resumed(context: Context, a: Anomaly) -> Anomaly:
    """Return a remark on a hump as a warning where the run was resumed and did not go on as before.

    The gradient norm must have jumped too where it was logged: a harder batch raises it less.
    """
    if a.kind is not Kind.SLOW_RECOVERY or a.severity is not Severity.INFO:
        return a
    rise, around = a.measures.get("rise", 0.0), a.measures.get("around", 0.0)
    if rise < max(RESUMED_RISE, RESUMED_SIGMAS * around) or not _is_at_restart(context, a):
        return a
    gradient = context.run.get(Metric.GRAD_NORM)
    if gradient is not None and not _jumps(gradient, a.start_step):
        return a
    return replace(a, severity=Severity.WARNING)


def _is_at_restart(context: Context, a: Anomaly) -> bool:
    series = context.run.named(a.signal)
    reach = NEAR_STRIDES * (series.stride if series is not None else 1.0)
    return any(abs(a.start_step - r.step) <= reach for r in context.run.restarts)


def _jumps(gradient: Series, step: int) -> bool:
    before = last_before(gradient.steps, gradient.values, step, GRADIENT_POINTS)
    after = first_from(gradient.steps, gradient.values, step, 1)
    if before.size == 0 or after.size == 0:
        return True  # nothing there that could tell
    return float(after[0]) >= GRADIENT_RISE * float(np.median(before))
