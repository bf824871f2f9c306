"""Whether a run is a learning-rate range test: its rate rises exponentially from end to end."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, Run

# A range test sweeps several decades; schedules that rise at all do so linearly, over less.
LEAST_DECADES: Final = 2.0
# The logarithm of the rate may leave the straight line by so much of its range.
STRAIGHT: Final = 0.02
FEWEST_POINTS: Final = 40


def swept_rates(run: Run) -> tuple[FloatArray, FloatArray] | None:
    """Return the rates and the losses at the steps that have both; None for any other run.

    Losses are as logged, finite or not; rates are positive and never fall.
    """
    lr, loss = run.get(Metric.LR), run.main_loss
    if lr is None or loss is None or not lr.is_finite.all():
        return None
    _, i, j = np.intersect1d(lr.steps, loss.steps, assume_unique=True, return_indices=True)
    rates, steps = lr.values[i], lr.steps[i].astype(np.float64)
    if rates.size < FEWEST_POINTS or rates.min() <= 0 or np.any(np.diff(rates) < 0):
        return None
    logs = np.log10(rates)
    decades = float(logs[-1] - logs[0])
    if decades < LEAST_DECADES:
        return None
    line = logs[0] + decades * (steps - steps[0]) / (steps[-1] - steps[0])
    if float(np.max(np.abs(logs - line))) > STRAIGHT * decades:
        return None
    return rates, loss.values[j]
