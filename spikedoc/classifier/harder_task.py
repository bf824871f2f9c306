"""A reward or quality that falls where a logged task becomes another one."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from spikedoc.classifier.context import Context
from spikedoc.classifier.settings import NEAR_SHARE_MAX, seen_change
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Severity
from spikedoc.model.loss_setting import Part, setting_changes
from spikedoc.model.run import Run

# A reward falls by half of what is lost within a fiftieth of the log on either side of the change
# of its task; where the fall begins is known to a twentieth.
FALL_SHARE: Final = 50
FALL_BEGINS: Final = 20
FALL_AT_ONCE: Final = 0.5


def fall_by_task(context: Context, a: Anomaly) -> Anomaly:
    """Return a quality that fell where its task changed, at once, as a remark.

    Of a harder task less can be won. A task that changes so often that every place is near to a
    change says nothing.
    """
    run = context.run
    tasks = [c for c in setting_changes(run) if c.part is Part.TASK and c.first == c.last]
    if 2 * len(tasks) > NEAR_SHARE_MAX * FALL_SHARE:
        return a
    near = (run.last_step - run.first_step) / FALL_BEGINS
    here = [c for c in tasks if abs(c.first - a.start_step) <= near]
    change = next((c for c in here if _falls_at_once(run, a, c.first)), None)
    if change is None:
        return a
    return replace(a, severity=Severity.INFO, detections=(*a.detections, seen_change(change)))


def _falls_at_once(run: Run, a: Anomaly, step: int) -> bool:
    series = next(s for s in run.series if s.name == a.signal)
    steps, values = series.finite()
    at, width = int(np.searchsorted(steps, step)), max(1, values.size // FALL_SHARE)
    before, after = values[max(0, at - width) : at], values[at : at + width]
    lost = a.measures["best"] - a.measures["after"]
    if before.size == 0 or after.size == 0 or lost == 0:
        return False
    return float(before.mean() - after.mean()) / lost >= FALL_AT_ONCE
