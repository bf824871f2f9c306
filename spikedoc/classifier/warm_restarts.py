"""A rise of the loss that the restart of a cyclic learning rate brought about."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from spikedoc.classifier.context import Context
from spikedoc.model.anomaly import Anomaly, Shape
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, IntArray, Series
from spikedoc.signal.view import View

# A hump and the restart of a schedule this many logged points apart are one event.
RESTART_STRIDES: Final = 10
# A restart: the rate goes up by a third and more from one record to the next (as in the detector).
JUMP: Final = 1.3
# A level that stays up is one of the schedule while the cycle that raised it goes on: it begins in
# the first quarter, where a cosine still has 85 % of its rate.
BEGINS_BY: Final = 0.25
# Its end is held against the cycle before, at the same rates: a tenth above is the smallest rise
# that is ever told.
LATE_SHARE: Final = 5
LATE_FEWEST: Final = 5
ABOVE: Final = float(np.log(1.1))
LASTING: Final = (Kind.LEVEL_SHIFT, Kind.SUSTAINED_DRIFT)


def of_schedule(context: Context, a: Anomaly) -> Anomaly:
    """Return a rise that begins where a cyclic learning rate restarts as a remark.

    A hump comes back by itself. A level that is still up where the log ends is none of a fault as
    long as the loss is no higher than in the cycle before at the same rates: it comes down with the
    rate. Where no such record was seen, it stays an alarm.
    """
    lr, seen = context.run.get(Metric.LR), context.seen
    if lr is None or seen is None or a.form is Form.DOWN or a.severity is Severity.INFO:
        return a
    if a.kind is Kind.SLOW_RECOVERY:
        reach = RESTART_STRIDES * max(lr.stride, seen.stride)
        jumps = [d for d in context.of(Shape.JUMP, lr.name) if d.measures.get("cyclic")]
        near = any(abs(d.first_step - a.start_step) <= reach for d in jumps)
        return replace(a, severity=Severity.INFO) if near else a
    if a.kind not in LASTING or a.signal != context.signal or not _is_cyclic(context, lr):
        return a
    return replace(a, severity=Severity.INFO) if _is_of_cycle(seen, lr, a) else a


def _is_cyclic(context: Context, lr: Series) -> bool:
    jumps = context.of(Shape.JUMP, lr.name)
    return bool(jumps) and all(d.measures.get("cyclic") for d in jumps)


def _is_of_cycle(seen: View, lr: Series, a: Anomaly) -> bool:
    """Return whether a level rose with the last restart, to what its rates cost one cycle ago."""
    steps, rates = lr.finite()
    restarts = steps[1:][rates[1:] > JUMP * rates[:-1]]
    early = RESTART_STRIDES * max(lr.stride, seen.stride)
    # A drift begins at the foot of a cycle, and is up with one that follows.
    up = a.end_step if a.kind is Kind.SUSTAINED_DRIFT else a.start_step
    before = restarts[restarts <= up + early]
    if before.size == 0:
        return False
    restart = int(before[-1])
    earlier = restarts[restarts < restart]
    begin = int(earlier[-1]) if earlier.size else int(steps[0])
    later = restarts[restarts > restart]
    end = int(later[0]) if later.size else restart + (restart - begin)
    if a.start_step > restart + max(BEGINS_BY * (end - restart), early) or later.size:
        return False
    rate = _rate_at(steps, rates, seen.steps)
    late = _late(seen.steps >= restart)
    high = (seen.steps >= begin) & (seen.steps < restart) & (rate >= rate[late].min())
    same = high & (rate <= rate[late].max())
    if int(same.sum()) < LATE_FEWEST:
        same = high  # a log that ends near the top of a longer cycle: few records stood there
    if int(same.sum()) < LATE_FEWEST:
        return False
    return float(np.median(seen.judged[late]) - np.median(seen.judged[same])) <= ABOVE


def _rate_at(steps: IntArray, rates: FloatArray, at: IntArray) -> FloatArray:
    """Return the rate last logged at each of the steps `at`."""
    return np.asarray(rates[np.clip(np.searchsorted(steps, at, side="right") - 1, 0, None)])


def _late(inside: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> slice:
    """Return the last fifth of the points that are inside, five at least."""
    points = int(inside.sum())
    return slice(inside.size - min(points, max(LATE_FEWEST, points // LATE_SHARE)), inside.size)
