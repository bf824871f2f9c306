"""How an update norm dies away after a jump, and whether it moved before the loss."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from spikedoc.evidence.base import Case
from spikedoc.model.metric import Metric
from spikedoc.model.run import Series
from spikedoc.signal.around import Jump, finite, first_from, last_before
from spikedoc.signal.baseline import scatter

# The tail of a jump is followed over so many points, and needs so many that stand out.
DECAY_FEWEST: Final = 4
DECAY_POINTS: Final = 40
# It is followed while the update is this far above its level.
DECAY_ABOVE: Final = 1.3
# A lead of one to ten logged points, each far above the scatter before.
LEAD_POINTS: Final = 10
LEAD_SIGMAS: Final = 4.0
LEAD_RATIO: Final = 1.5
LEAD_BEFORE: Final = 50
# Largest exponent of a double.
EXP_MOST: Final = 700.0
# Neighbouring learning rates within this factor are the same for this purpose.
LR_SAME: Final = 1.3


def decay_rate(update: Series, rise: Jump) -> tuple[float, float] | None:
    """Return the factor per step at which the excess dies away, and how well that describes it.

    The excess adds to the usual update at right angles, so squares are compared. None when fewer
    than four points stand out.
    """
    start = int(np.searchsorted(update.steps, rise.step, side="left"))
    steps, values = finite(
        update.steps[start : start + DECAY_POINTS], update.values[start : start + DECAY_POINTS]
    )
    low = np.flatnonzero(values < DECAY_ABOVE * rise.before)
    length = int(low[0]) if low.size else values.size
    steps, values = steps[:length], values[:length]
    if values.size < DECAY_FEWEST:
        # It is gone at once: no memory of the bad gradient.
        return (0.0, 1.0) if low.size else None
    excess = np.log(np.square(values) - rise.before**2) / 2
    slope, offset = np.polyfit((steps - steps[0]).astype(np.float64), excess, 1)
    residual = excess - (slope * (steps - steps[0]) + offset)
    spread = float(np.sum(np.square(excess - excess.mean())))
    fit = 1 - float(np.sum(np.square(residual))) / spread if spread > 0 else 0.0
    return float(np.exp(min(slope, 1.0))), fit


def lead_over(update: Series, onset: int) -> tuple[int, float] | None:
    """Return by how many steps the update left its band before `onset`, and its factor there."""
    end = update.index_at(onset)
    start = max(0, end - LEAD_POINTS)
    before = last_before(update.steps, update.values, float(update.steps[start]), LEAD_BEFORE)
    near = update.values[start:end]
    if end == 0 or before.size < LEAD_POINTS or float(before.min()) <= 0:
        return None
    level = float(np.median(before))
    band = level * max(LEAD_RATIO, math.exp(min(LEAD_SIGMAS * scatter(np.log(before)), EXP_MOST)))
    inside = np.flatnonzero(~(near > band))
    first = int(inside[-1]) + 1 if inside.size else 0
    if first == near.size:
        return 0, 1.0
    return onset - int(update.steps[start + first]), float(near[first:].max()) / level


def lr_moved(case: Case, step: int) -> bool:
    rate = case.run.get(Metric.LR)
    if rate is None:
        return False
    before = last_before(rate.steps, rate.values, step, 1)
    after = first_from(rate.steps, rate.values, step, 1)
    if before.size == 0 or after.size == 0 or before[0] <= 0:
        return False
    return float(after[0]) > LR_SAME * float(before[0])
