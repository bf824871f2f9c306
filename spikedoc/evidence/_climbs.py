"""A loss that climbs little by little as it diverges, and what climbs along with it."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.evidence.base import Case
from spikedoc.model.label import Form, Kind
from spikedoc.model.metric import Metric
from spikedoc.model.run import Series
from spikedoc.signal.around import Jump, finite
from spikedoc.signal.memo import remembered_up_to
from spikedoc.signal.ramp import Ramp, steady_rise
from spikedoc.signal.transform import ratio

CLIMBING: Final = frozenset({Kind.DIVERGENCE, Kind.SUSTAINED_DRIFT})
# A loss that leaves its level rises by more than its noise: half as much again.
LOSS_RISE: Final = math.log(1.5)
# The factor at which a gradient counts as grown, here as in a ramp that comes before.
GRAD_RISE: Final = math.log(2.0)
# One batch is felt within tens of records (ten to thirty until the loss is highest, measured): a
# gradient that takes more than that from twice its level to half of its height has grown.
GROWS_POINTS: Final = 30
NEAR_LEVEL: Final = 2.0
NEAR_TOP: Final = 0.5


def slow_climb(case: Case) -> Ramp | None:
    """Return the climb of a loss that diverges over many records, None for a jump or too few.

    One batch is felt within tens of steps (measured: 10 to 30 of them until the loss is at its
    highest); what takes sixty records and more, with no jump that makes up most of the way, is
    enlarged by every batch that follows.
    """
    anomaly = case.anomaly
    if anomaly.kind not in CLIMBING or anomaly.form is Form.TO_NONFINITE:
        return None
    loss = case.run.named(anomaly.signal) or case.run.get(Metric.LOSS)
    return None if loss is None else _climb(loss, anomaly.start_step, anomaly.peak_step, LOSS_RISE)


def grad_climb(case: Case) -> Ramp | None:
    """Return how grad_norm climbs along with a loss that does, None when either does not."""
    grad, climb = case.run.get(Metric.GRAD_NORM), slow_climb(case)
    if grad is None or climb is None:
        return None
    return _climb(grad, climb.first_step, climb.last_step, GRAD_RISE)


def grown_into(series: Series | None, rise: Jump | None) -> Ramp | None:
    """Return the climb by which a series came to the height of `rise`; None where it jumped there.

    From the last record within twice its level to the first at half of its height.
    """
    if series is None or rise is None or not math.isfinite(rise.peak):
        return None
    steps, values = finite(series.steps, series.values)
    stop = int(np.searchsorted(steps, rise.step, side="right"))
    low = np.flatnonzero(values[:stop] <= NEAR_LEVEL * rise.before)
    if low.size == 0:
        return None
    first = int(low[-1])
    points = int(np.argmax(values[first:stop] >= NEAR_TOP * rise.peak))
    if points <= GROWS_POINTS:
        return None
    return Ramp(rise.factor, int(steps[first]), rise.step, stop - first)


@remembered_up_to(16)
def _climb(series: Series, first: int, last: int, least: float) -> Ramp | None:
    steps, values = _between(series, first, last)
    rise = steady_rise(values)
    if rise < least:
        return None
    return Ramp(ratio(rise), int(steps[0]), int(steps[-1]), int(values.size))


def _between(
    series: Series, first: int, last: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    lo, hi = (
        np.searchsorted(series.steps, first, "left"),
        np.searchsorted(series.steps, last, "right"),
    )
    steps, values = series.steps[lo:hi], series.values[lo:hi]
    keep = np.isfinite(values)
    return steps[keep], values[keep]
