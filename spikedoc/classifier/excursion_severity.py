"""How bad an excursion of the loss is: what stays, what comes back, what is noise."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from spikedoc.classifier.settings import is_by_setting
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind, Severity

# A rise that stays and is at least 20 % is lost or harmed training, not a remark.
HARM_RISE: Final = float(np.log(1.2))
# Of a level that rose just before the log ends nobody knows whether it stays: a warning.
CONFIDENCE_OPEN: Final = 0.5
# A lone spike below tenfold is worth knowing, not an alarm.
REMARKABLE_FACTOR: Final = 10.0
MANY_SPIKES: Final = 3
# A level that rose by less than a third and came back is a remark: warm restarts of a schedule
# raise the loss by up to that in health (simulated).
HARMFUL_HUMP: Final = float(np.log(4.0 / 3.0))
# … and so is one as high as the points on either side scatter: noise swells in health. Measured:
# 2.2 to 30 times on real ones, half of the simulated healthy ones below 2.
HUMP_SIGMAS: Final = 2.0
# The scatter of single points says nothing against a level that stands out over eighty of them, by
# half as many standard errors again as a rise of the level needs.
WIDE_SPAN: Final = 80.0
WIDE_SCORE: Final = 9.0
# Dips half as many as spikes are the other tail of the same noise.
DIPS_SHARE: Final = 0.5


def with_severity(found: list[Anomaly], early: int) -> list[Anomaly]:
    """Return the excursions with their severity; what ends before step `early` is a remark."""
    spikes = [a for a in found if a.kind is Kind.ISOLATED_SPIKE]
    out = []
    for a in found:
        rise = max(a.measures.get("late", 0.0), 0.0)
        if is_by_setting(a):
            severity = Severity.INFO
        elif a.kind is Kind.DIVERGENCE:
            severity = Severity.CRITICAL
        elif a.kind is Kind.LEVEL_SHIFT:
            harmed = rise >= HARM_RISE and a.confidence > CONFIDENCE_OPEN
            severity = Severity.CRITICAL if harmed else Severity.WARNING
        elif _goes_both_ways(a, len(spikes)) or a.end_step < early:
            severity = Severity.INFO
        elif a.kind is Kind.SLOW_RECOVERY:
            around = 0.0 if _is_wide(a) else a.measures.get("around", 0.0)
            hump = a.measures.get("jump", 0.0) >= max(HARMFUL_HUMP, HUMP_SIGMAS * around)
            severity = Severity.WARNING if hump else Severity.INFO
        elif len(spikes) >= MANY_SPIKES:
            severity = Severity.WARNING
        else:
            remarkable = a.measures.get("factor", 0.0) >= REMARKABLE_FACTOR
            severity = Severity.WARNING if remarkable else Severity.INFO
        out.append(replace(a, severity=severity))
    return out


def _is_wide(a: Anomaly) -> bool:
    """Return whether the level was seen to rise over many points, not over a few."""
    return any(
        d.measures.get("span", 0.0) >= WIDE_SPAN and d.measures.get("z", 0.0) >= WIDE_SCORE
        for d in a.detections
    )


def _goes_both_ways(a: Anomaly, spikes: int) -> bool:
    """Return whether the log dips as far and nearly as often as it spikes: heavy-tailed noise."""
    dips = max((d.measures.get("dips", 0.0) for d in a.detections), default=0.0)
    return a.kind is Kind.ISOLATED_SPIKE and dips >= max(1.0, DIPS_SHARE * spikes)
