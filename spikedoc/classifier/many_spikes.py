"""Spikes so many that one by one nobody reads them are one finding that counts them."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from spikedoc.classifier.context import Context
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind, Severity

# A screen of single findings; what a log holds more of is a property of it.
SINGLE_MOST: Final = 10
PERCENT: Final = 100


def as_one(context: Context, found: list[Anomaly]) -> list[Anomaly]:
    """Return what was found, more than ten isolated spikes of the loss as one finding.

    It stands at the first of them and has what was seen of each; `count`, `crowd_percent` (of the
    logged points) and `last_spike` (a step) tell of the rest. Alarms and remarks stay apart.
    """
    for severity in Severity:
        spikes = [a for a in found if _is_single(context, a) and a.severity is severity]
        if len(spikes) <= SINGLE_MOST or context.seen is None:
            continue
        first = min(spikes, key=lambda a: a.start_step)
        told = {
            "count": float(len(spikes)),
            "crowd_percent": PERCENT * len(spikes) / len(context.seen),
            "last_spike": float(max(a.peak_step for a in spikes)),
        }
        seen = tuple(d for a in spikes for d in a.detections)
        one = replace(first, measures={**first.measures, **told}, detections=seen)
        found = [one, *(a for a in found if a not in spikes)]
    return found


def _is_single(context: Context, a: Anomaly) -> bool:
    return (
        a.kind is Kind.ISOLATED_SPIKE and a.signal == context.signal and "count" not in a.measures
    )
