"""How far a series moved at the anomaly, at its one moment or at each of its recurring events."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from spikedoc.evidence._answers import has_onset, is_nonfinite_form, is_recurring
from spikedoc.evidence._facts import spacing
from spikedoc.evidence.base import Case
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.model.run import Series
from spikedoc.signal.around import Jump, detrended, finite, jump
from spikedoc.signal.arrival import arrival
from spikedoc.signal.baseline import scatter
from spikedoc.signal.fold import fold
from spikedoc.signal.memo import remembered_up_to
from spikedoc.signal.view import view

# An event of a recurring anomaly stands this many robust deviations above the local trend ...
EVENT_SCORE: Final = 4.0
# ... and this far above it in log units: nobody looks for a bump of less than 10 %.
EVENT_RISE: Final = math.log(1.10)
# Events closer than this number of logged points are one.
EVENT_GAP: Final = 3
# So many events tell as much as all of them.
EVENTS_MOST: Final = 200
# The typical jump is taken from so many of them, evenly spaced.
EVENTS_TYPICAL: Final = 40
# Width of the trend block in points: holds an event, follows a descent.
EVENT_TREND: Final = 25
# A profile has a peak when the same phase is high in most cycles and stands out from the others.
PEAK_CONSISTENCY: Final = 0.6
PEAK_GAP: Final = 4.0
# Events that make a recurring anomaly's own list believable.
EVENTS_FEWEST: Final = 3
# Logged points after the start in which the loss may react when the anomaly is in another series.
REACTION_POINTS: Final = 20
# A series logged this many times more sparsely than the anomaly lasts may have missed it.
SPARSE: Final = 2.0
# Steps before a non-finite value in which finite companions are still looked at, in logged points.
LEAD_POINTS: Final = 3


def signal(case: Case) -> Series | None:
    """Return the series the anomaly was seen in, the loss when that is not known."""
    return case.run.named(case.anomaly.signal) or case.run.get(Metric.LOSS)


def event_steps(case: Case) -> tuple[int, ...]:
    """Return the steps of the highest points of a recurring anomaly's events, ascending."""
    anomaly = case.anomaly
    listed = {d.peak_step for d in anomaly.detections if d.signal == anomaly.signal}
    if len(listed) >= EVENTS_FEWEST:
        return tuple(sorted(listed))[:EVENTS_MOST]
    series = signal(case)
    if series is None:
        return ()
    period = known_period(case)
    if period is not None:
        regular = _regular_events(series, period, anomaly.start_step, anomaly.end_step)
        if regular:
            return regular
    return _find_events(series, anomaly.start_step, anomaly.end_step)


def known_period(case: Case) -> float | None:
    """Return the period the detector measured, in steps."""
    known = case.anomaly.measures.get("period")
    return float(known) if known is not None and math.isfinite(known) and known > 0 else None


@remembered_up_to(4)
def _regular_events(series: Series, period: float, first: int, last: int) -> tuple[int, ...]:
    """Return the highest point near the profile's peak in each cycle; none when it has no peak."""
    seen = view(series.steps, series.values)
    found = fold(seen.judged, seen.steps, period)
    if found is None or found.consistency < PEAK_CONSISTENCY or found.peak_gap < PEAK_GAP:
        return ()
    half = max(period / found.profile.size, spacing(series))
    begin = first - math.fmod(first - found.peak_phase, period) - period
    centres = np.arange(begin, last + period, period)
    low = np.searchsorted(seen.steps, np.maximum(centres - half, first), "left")
    high = np.searchsorted(seen.steps, np.minimum(centres + half, last), "right")
    peaks = [
        int(seen.steps[lo + int(np.argmax(seen.judged[lo:hi]))])
        for lo, hi in zip(low.tolist(), high.tolist(), strict=True)
        if hi > lo
    ]
    return tuple(sorted(set(peaks)))[:EVENTS_MOST]


@remembered_up_to(4)
def _find_events(series: Series, first: int, last: int) -> tuple[int, ...]:
    steps, values = finite(series.steps, series.values)
    lo, hi = np.searchsorted(steps, first, "left"), np.searchsorted(steps, last, "right")
    steps, values = steps[lo:hi], values[lo:hi]
    if values.size < EVENT_TREND:
        return ()
    positive = bool((values > 0).all())
    residual = detrended(np.log(values) if positive else values, EVENT_TREND)
    spread = scatter(residual)
    rise = EVENT_RISE if positive else 0.0
    high = np.flatnonzero((residual > EVENT_SCORE * spread) & (residual > rise))
    if high.size == 0:
        return ()
    groups = np.split(high, np.flatnonzero(np.diff(high) > EVENT_GAP) + 1)
    peaks = [int(steps[group[np.argmax(residual[group])]]) for group in groups]
    return tuple(peaks[:EVENTS_MOST])


def _is_masked(case: Case) -> bool:
    """Tell whether companions are non-finite because of the anomaly, and say nothing there."""
    return is_nonfinite_form(case) or case.anomaly.kind is Kind.LOSS_SCALE_COLLAPSE


def is_too_sparse(case: Case, series: Series) -> bool:
    """Tell whether `series` is logged so rarely that it may have missed the event."""
    own = signal(case)
    if own is None or own is series or spacing(series) <= spacing(own):
        return False
    lasted = max(case.anomaly.end_step - case.anomaly.start_step, spacing(own))
    return spacing(series) > SPARSE * spacing(own) and spacing(series) > lasted


def jump_of(case: Case, series: Series | None) -> Jump | None:
    """Return how far `series` rose at the anomaly over its level before; None when unknown.

    For a recurring anomaly the event with the median factor stands for all of them.
    """
    if series is None or not has_onset(case) or is_too_sparse(case, series):
        return None
    if is_recurring(case):
        return _typical_jump(series, event_steps(case))
    reported = _reported_jump(case, series)
    if reported is not None:
        return reported
    if _is_masked(case):
        return _jump_before_nonfinite(case, series)
    first, last = span(case, series)
    if case.anomaly.kind in STAYS and series.name != case.anomaly.signal:
        last = _arrived(series, first, last)
    return jump(series.steps, series.values, first, last)


def _arrived(series: Series, first: float, last: float) -> float:
    """Return the step just before the one at which a companion of a lasting rise is up.

    A jump is looked for up to the point after a step: what the noise of the new level reaches later
    is no part of it.
    """
    lo, hi = np.searchsorted(series.steps, [first, last + 1])
    values = series.values[lo : hi + 1]
    if values.size == 0 or not bool((np.isfinite(values) & (values > 0)).all()):
        return last
    at = int(lo) + arrival(values)
    return float(series.steps[max(int(lo), at - 1)])


def _reported_jump(case: Case, series: Series) -> Jump | None:
    """Return the rise that a finding in this very series already tells, if one does.

    The anomaly's own first, else that of another finding whose rise meets it.
    """
    first, last = span(case, series)
    if _is_masked(case):  # what it showed just before is looked at
        first -= LEAD_POINTS * spacing(series)
    met = (
        a
        for a in case.anomalies
        if a.start_step <= last and max(a.peak_step, a.start_step) >= first
    )
    for anomaly in (case.anomaly, *met):
        told = anomaly.measures
        tells = anomaly.kind in TELLS_RISE and {"before", "peak"} <= told.keys()
        if anomaly.signal == series.name and tells:
            factor = told["peak"] / told["before"] if told["before"] > 0 else math.nan
            return Jump(told["before"], told["peak"], factor, anomaly.peak_step)
    return None


def loss_event(case: Case) -> Case:
    """Return the case of the finding in the loss that this one came with, else `case` itself.

    When the loss was back is told by that finding, not measured once more from another moment.
    """
    loss, anomaly = case.run.get(Metric.LOSS), case.anomaly
    if loss is None or anomaly.signal == loss.name:
        return case
    beside = [
        a
        for a in case.anomalies
        if a.signal == loss.name
        and a.kind in TELLS_RISE
        and a.start_step <= anomaly.end_step
        and a.end_step >= anomaly.start_step
    ]
    if not beside:
        return case
    nearest = min(beside, key=lambda a: abs(a.start_step - anomaly.start_step))
    return Case(case.run, nearest, case.anomalies)


def span(case: Case, series: Series) -> tuple[float, float]:
    """Return the steps between which the anomaly's rise lies in `series`."""
    anomaly = case.anomaly
    last = float(max(anomaly.peak_step, anomaly.start_step))
    if series.name != anomaly.signal and anomaly.kind not in SEEN_IN_ALL:
        last = max(last, anomaly.start_step + REACTION_POINTS * spacing(series))
    return float(anomaly.start_step), last


# Findings that tell from where to where their signal rose (`before` and `peak`).
TELLS_RISE: Final = frozenset(
    {
        Kind.ISOLATED_SPIKE,
        Kind.SLOW_RECOVERY,
        Kind.DIVERGENCE,
        Kind.LEVEL_SHIFT,
        Kind.GRADIENT_EXPLOSION,
        Kind.UPDATE_SPIKE,
    }
)
# Kinds whose companions may stay up as well.
STAYS: Final = frozenset({Kind.LEVEL_SHIFT, Kind.DIVERGENCE})
# Kinds for which a companion series moves at the same moment; for others it may react later.
SEEN_IN_ALL: Final = frozenset(
    {
        Kind.ISOLATED_SPIKE,
        Kind.SLOW_RECOVERY,
        Kind.DIVERGENCE,
        Kind.LEVEL_SHIFT,
        Kind.GRADIENT_EXPLOSION,
        Kind.RANK_OUTLIER,
        Kind.METRIC_DAMAGE,
    }
)


def _jump_before_nonfinite(case: Case, series: Series) -> Jump | None:
    # What a series shows once the loss is NaN says nothing: look at the finite points just before.
    anomaly = case.anomaly
    first = anomaly.start_step - LEAD_POINTS * spacing(series)
    steps, values = finite(series.steps, series.values)
    return jump(steps, values, first, max(anomaly.start_step, first))


def _typical_jump(series: Series, events: tuple[int, ...]) -> Jump | None:
    found = []
    thin = max(1, len(events) // EVENTS_TYPICAL)
    for step in events[::thin]:
        one = jump(series.steps, series.values, step - spacing(series), step)
        if one is not None and not math.isnan(one.factor):
            found.append(one)
    if len(found) < EVENTS_FEWEST:
        return None
    return sorted(found, key=lambda one: one.factor)[len(found) // 2]


def loss_jump(case: Case) -> Jump | None:
    """Return how far the loss rose at the anomaly."""
    return jump_of(case, case.run.get(Metric.LOSS))
