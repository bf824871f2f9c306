"""Excursions that follow each other at equal distances are one pattern that repeats."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.classifier.context import Context
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Form, Kind, Severity

# Four events at equal distances: thrown at random among a hundred points, each distance within two
# points of the middle one, they are so once in five hundred.
FEWEST: Final = 4
POINTS: Final = 2.0
# The onset is known to a twentieth of the distance.
SHARE: Final = 0.05
SPIKES: Final = (Kind.ISOLATED_SPIKE, Kind.SLOW_RECOVERY)


def as_pattern(context: Context, found: list[Anomaly]) -> list[Anomaly]:
    """Return what was found, its excursions of the loss as one finding where they are regular.

    A profile needs six cycles to be believed; events that stand out by themselves need four.
    Remarks are looked at as well: one between the others would break the order.
    """
    events = [a for a in found if a.kind in SPIKES and a.signal == context.signal]
    alarms = [a for a in events if a.severity is not Severity.INFO]
    if len(alarms) < FEWEST or context.seen is None:
        return found
    if any(a.kind is Kind.PERIODIC_SPIKES for a in found):
        return found
    steps = np.array(sorted(a.start_step for a in events), dtype=np.float64)
    gaps = np.diff(steps)
    period = float(np.median(gaps))
    leeway = max(POINTS * context.seen.stride, SHARE * period)
    if float(np.abs(gaps - period).max()) > leeway or period <= 2.0 * leeway:
        return found
    highest = max(events, key=lambda a: a.measures.get("rise", 0.0))
    pattern = Anomaly(
        Kind.PERIODIC_SPIKES,
        max((a.severity for a in alarms), key=lambda severity: severity.rank),
        min(a.confidence for a in alarms),
        highest.signal,
        int(steps[0]),
        highest.peak_step,
        max(a.end_step for a in events),
        Form.FIXED_PERIOD,
        {"period": period, "count": float(len(events))},
        tuple(d for a in events for d in a.detections),
    )
    return [pattern, *(a for a in found if a not in events)]
