"""Which signal gave the first sign of an anomaly: often not the one that is lost in the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from spikedoc.figures.first_deviation import SIGN_OF, first_lead
from spikedoc.figures.numerics import becoming_nonfinite, overflows_before
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import LEADING, Form, Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.model.sign import FIRST_SIGN, first_sign

# A change of the schedule acts within 30 logged points or 4 % of the run (resumed trainings whose
# schedule was lost: 5 to 50 steps).
SCHEDULE_POINTS: Final = 30
SCHEDULE_SHARE: Final = 0.04
# Anything else must still be there, or have ended at most so many logged points before.
GAP_POINTS: Final = 10
# Numbers that leave their range; a quantity of the model that did so before led up to them.
BREAKING: Final = frozenset({Kind.NONFINITE, Kind.LOSS_SCALE_COLLAPSE})


@dataclass(frozen=True, slots=True)
class Sign:
    """The step at which the first signal left its normal band, and the name of that signal."""

    step: int
    signal: str


def with_first_sign(run: Run, anomaly: Anomaly, anomalies: Sequence[Anomaly]) -> Anomaly:
    """Return the anomaly with the first sign in its measures, where another signal was earlier."""
    sign = find_first_sign(run, anomaly, anomalies)
    if sign.step >= anomaly.start_step:
        return anomaly
    told = {FIRST_SIGN: float(sign.step), SIGN_OF + sign.signal: float(sign.step)}
    return replace(anomaly, measures={**anomaly.measures, **told})


def find_first_sign(run: Run, anomaly: Anomaly, anomalies: Sequence[Anomaly]) -> Sign:
    """Return the earliest sign in the chain of anomalies that leads up to `anomaly`."""
    best = _own_sign(run, anomaly)
    if anomaly.kind not in LEADING:
        return best
    rest = [a for a in anomalies if a.kind in LEADING and a.severity is not Severity.INFO]
    left = [(a, _felt_until(run, a)) for a in rest if a.start_step < best.step]
    while True:
        near = [a for a, until in left if a.start_step < best.step <= until]
        earliest = min((_own_sign(run, a) for a in near), key=_by_step, default=best)
        if earliest.step >= best.step:
            return best
        # Those that were near have been weighed: none of them is earlier than the earliest.
        left = [(a, until) for a, until in left if a.start_step < earliest.step]
        best = earliest


def _by_step(sign: Sign) -> int:
    return sign.step


def _own_sign(run: Run, anomaly: Anomaly) -> Sign:
    signs = [Sign(anomaly.start_step, anomaly.signal)]
    if anomaly.kind in BREAKING or anomaly.form is Form.TO_NONFINITE:
        signs += [Sign(step, name) for step, name in overflows_before(run, anomaly.start_step)]
    if anomaly.kind in BREAKING:
        signs += [Sign(step, name) for step, name in becoming_nonfinite(run, anomaly)]
    signs.append(Sign(first_sign(run, anomaly), Metric.GRAD_NORM.value))
    lead = first_lead(run, anomaly.start_step) if anomaly.kind in LEADING else None
    if lead is not None:
        signs.append(Sign(lead.step, lead.signal))
    return min(signs, key=lambda sign: sign.step)


def _felt_until(run: Run, anomaly: Anomaly) -> float:
    """Return the last step at which what began with `anomaly` may have been led up to by it."""
    series = run.named(anomaly.signal)
    stride = series.stride if series is not None else 1.0
    if anomaly.kind is Kind.LR_DISCONTINUITY:
        share = SCHEDULE_SHARE * (run.last_step - run.first_step)
        return anomaly.start_step + max(share, SCHEDULE_POINTS * stride)
    return anomaly.end_step + GAP_POINTS * stride
