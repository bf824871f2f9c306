"""A rise of the loss that comes with a change of a setting, as large and as fast as it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from spikedoc.classifier.context import Context
from spikedoc.classifier.harder import change_over
from spikedoc.model.anomaly import Anomaly, Detection, Shape
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.loss_setting import Change, Part, setting_at, setting_changes
from spikedoc.model.metric import Metric
from spikedoc.model.quality import direction
from spikedoc.model.run import FloatArray, IntArray
from spikedoc.signal.view import View

NAME: Final = "settings"
RISES: Final = (Kind.LEVEL_SHIFT, Kind.DIVERGENCE, Kind.SLOW_RECOVERY, Kind.SUSTAINED_DRIFT)
WORSE: Final = -1
# The onset of a rise is known to so many points, in a short log to a fiftieth of it.
NEAR_POINTS: Final = 10
NEAR_FEWEST: Final = 3
NEAR_SHARE: Final = 50
# Where more than a quarter of the log is that near to a change, nearness says nothing.
NEAR_SHARE_MAX: Final = 0.25
# Level before and after: the median of so many points.
LEVEL_POINTS: Final = 50
LEVEL_FEWEST: Final = 5
# Where the setting stands still the level does too: it goes on by a quarter of the rise at most,
# and by no more than a tenth: the smallest rise that is ever told.
GOES_ON_SHARE: Final = 0.25
GOES_ON: Final = float(np.log(1.1))
# On a ramp, no part of the rise runs half of the way ahead of the setting.
AHEAD: Final = 0.5
# A slow rise along a ramp follows it, over a quarter of the ramp at least.
FOLLOWS: Final = 0.9
RAMP_LEAST: Final = 0.25
PARTS: Final = 20
PARTS_FEWEST: Final = 5
# A short log that climbs from end to end: every point is looked at.
PARTS_SHORT: Final = 8
# A weight multiplies its term, a temperature enters squared, and twice that is still believed: what
# changes by a hundredth does not make the loss nine times as large.
POWER: Final = 4.0
POINTS_PER_PART: Final = 10


def by_setting(context: Context, a: Anomaly) -> Anomaly:
    """Return a rise that a logged setting of the loss brought about as a remark.

    The change and the rise begin together; where the setting stands still the loss climbs no
    further, and along a ramp it does not run ahead. A rise that goes on is no effect of the new
    formula or task but a training that does not stand it, and stays what it was.
    """
    seen = context.seen
    if seen is None or a.kind not in RISES or a.form is Form.DOWN or a.signal != context.signal:
        return a
    change = _cause(context, seen, a)
    if change is None or _makes_worse(context, a, change) or _is_too_large(context, a, change):
        return a
    if a.kind is Kind.DIVERGENCE:
        a = replace(a, kind=Kind.LEVEL_SHIFT, form=Form.UP)
    return replace(a, severity=Severity.INFO, detections=(*a.detections, seen_change(change)))


def drift_by_setting(context: Context, a: Anomaly) -> Anomaly:
    """Return a loss that rose from its first point on as a drift along a setting, if it is one."""
    told = by_setting(context, replace(a, kind=Kind.SUSTAINED_DRIFT, form=None))
    return told if is_by_setting(told) else a


def is_by_setting(a: Anomaly) -> bool:
    """Return whether `by_setting` found the setting that brought a rise about."""
    return a.seen_as(Shape.SETTING) is not None


def seen_change(change: Change) -> Detection:
    """Return the change as a sentence needs it: when, from what, to what."""
    measures = {"setting_before": change.before, "setting_after": change.after}
    if change.last > change.first:
        measures |= {"setting_first": float(change.first), "setting_last": float(change.last)}
    else:
        measures["setting_step"] = float(change.first)
    where = change.first, change.last, change.last
    return Detection(NAME, Shape.SETTING, change.tag, *where, measures)


def _cause(context: Context, seen: View, a: Anomaly) -> Change | None:
    changes = setting_changes(context.run)
    for change in changes:
        if a.kind is Kind.SUSTAINED_DRIFT:
            if _drifts_along(context, seen, a, change) or (
                _is_within(seen, a, change) and _comes_with(context, seen, a, change, changes)
            ):
                return change
            continue
        ramp = change.first < change.last
        if ramp and _runs_ahead(context, seen, a, change):
            continue
        if _is_near(seen, a, change, changes) and _comes_with(context, seen, a, change, changes):
            return change
        if ramp and _drifts_along(context, seen, a, change):
            return change
    return None


def _makes_worse(context: Context, a: Anomaly, change: Change) -> bool:
    """Return whether validation shows that the model got worse, not only its loss.

    A validation loss may have the same weights and margins in its formula.
    """
    judges = list(context.run.all(Metric.VAL_METRIC))
    if change.part is not Part.FORMULA:
        judges += context.run.all(Metric.VAL_LOSS)
    return any(
        change_over(s, a) == WORSE
        for s in judges
        if s.name != context.signal and direction(s) is not None
    )


def _is_too_large(context: Context, a: Anomaly, change: Change) -> bool:
    """Return whether the loss rose by more than a setting that moved so little can account for.

    What counts the parts of a task has no ratio, what was off before neither. Of a share, that of
    the rest counts as well: from 99 % to 98 % is twice as much left.
    """
    factor = a.measures.get("factor", float("nan"))
    before, after = change.before, change.after
    if change.part is Part.TASK or not (factor > 1 and context.is_log and before * after > 0):
        return False
    moved = abs(float(np.log(after / before)))
    if 0 < max(before, after) <= 1:
        if max(before, after) == 1:
            return False
        moved = max(moved, abs(float(np.log((1 - after) / (1 - before)))))
    return float(np.log(factor)) > max(POWER * moved, GOES_ON)


def _is_within(seen: View, a: Anomaly, change: Change) -> bool:
    """Return whether a slow rise holds the end of the change and does not begin before it."""
    if not a.start_step <= change.last <= a.end_step:
        return False
    if a.start_step >= change.first:
        return int(np.sum(seen.steps > change.last)) >= LEVEL_FEWEST
    start, first = np.searchsorted(seen.steps, [a.start_step, change.first])
    earlier = seen.judged[max(0, start - LEVEL_POINTS) : start]
    just_before = seen.judged[max(0, first - LEVEL_POINTS) : first]
    if min(earlier.size, just_before.size) < LEVEL_FEWEST:
        return False
    return float(np.median(just_before) - np.median(earlier)) <= GOES_ON


def _is_near(seen: View, a: Anomaly, change: Change, changes: tuple[Change, ...]) -> bool:
    """Return whether the rise begins where the setting changes, and that is a rare place."""
    points = _near(seen)
    width = points * seen.stride
    if not change.first - width <= a.start_step <= change.last + width:
        return False
    at_once = [c for c in changes if c.tag == change.tag and c.first == c.last]
    return len(at_once) * (2 * points + 1) <= NEAR_SHARE_MAX * len(seen) or len(at_once) == 1


def _near(seen: View) -> int:
    return int(np.clip(len(seen) // NEAR_SHARE, NEAR_FEWEST, NEAR_POINTS))


def _comes_with(
    context: Context, seen: View, a: Anomaly, change: Change, changes: tuple[Change, ...]
) -> bool:
    """Return whether the level moves with the setting and stands still with it."""
    y = seen.judged
    drift = a.kind is Kind.SUSTAINED_DRIFT
    onset = max(change.first, a.start_step) if drift else min(change.first, a.start_step)
    first = int(np.searchsorted(seen.steps, onset))
    stop = min(len(seen), int(np.searchsorted(seen.steps, change.last, side="left")) + 1)
    stop = max(stop, int(np.searchsorted(seen.steps, onset)) + 1)
    end = _until(context, seen, change, changes, stop)
    before, after = y[max(0, first - LEVEL_POINTS) : first], y[stop : min(end, stop + LEVEL_POINTS)]
    if before.size < LEVEL_FEWEST:
        return False
    rest = y[stop + after.size : end]
    level = float(np.median(before))
    if after.size >= LEVEL_FEWEST and rest.size >= LEVEL_FEWEST:
        rise = float(np.median(after)) - level
        late = float(np.median(rest[-max(LEVEL_FEWEST, rest.size // LEVEL_FEWEST) :])) - level
        if late - max(0.0, rise) > max(GOES_ON, GOES_ON_SHARE * rise):
            return False
    return True


def _until(
    context: Context, seen: View, change: Change, changes: tuple[Change, ...], stop: int
) -> int:
    """Return the index at which the next thing begins: a change of a setting, or a rise."""
    nexts = [int(np.searchsorted(seen.steps, c.first)) for c in changes if c.first > change.last]
    for d in context.of(Shape.RISE, context.signal):
        index = int(d.measures["index"])
        if index > stop + max(LEVEL_POINTS, int(d.measures["span"])):
            nexts.append(index)
    return min([len(seen), *(i for i in nexts if i > stop)])


def _runs_ahead(context: Context, seen: View, a: Anomaly, change: Change) -> bool:
    """Return whether the loss rose at once where the setting took its time."""
    setting = setting_at(context.run, change.tag)
    if setting is None:
        return True
    y, points = seen.judged, _near(seen)
    at = int(np.searchsorted(seen.steps, a.start_step))
    first, stop = max(0, at - points), min(len(seen) - 1, at + points)
    left = float(np.median(y[max(0, first - points) : first + 1]))
    right = float(np.median(y[stop : stop + points]))
    first_move, last_move = np.searchsorted(seen.steps, [change.first, change.last])
    if first_move == last_move:  # all of it between two records: the loss cannot have been ahead
        return False
    whole = float(np.ptp([left, *(np.median(part) for part in _parts(y[first_move:last_move]))]))
    value = _along(setting.steps, setting.values, seen.steps)
    moved = abs(float(value[stop] - value[first])) / abs(change.after - change.before)
    return right - left > (moved + AHEAD) * whole


def _drifts_along(context: Context, seen: View, a: Anomaly, change: Change) -> bool:
    """Return whether a slow rise follows a setting that moves all along it."""
    setting = setting_at(context.run, change.tag)
    if setting is None or change.first > a.end_step or change.last < a.start_step:
        return False
    inside = (seen.steps >= a.start_step) & (seen.steps <= a.end_step)
    y, value = seen.judged[inside], _along(setting.steps, setting.values, seen.steps)[inside]
    if y.size < PARTS_SHORT or float(np.ptp(value)) < RAMP_LEAST * float(
        np.ptp(setting.finite()[1])
    ):
        return False
    levels = np.array([np.median(part) for part in _parts(y)])
    means = np.array([np.mean(part) for part in _parts(value)])
    if float(np.ptp(levels)) <= 0 or float(np.ptp(means)) <= 0:
        return False
    return abs(float(np.corrcoef(levels, means)[0, 1])) >= FOLLOWS


def _parts(values: FloatArray) -> list[FloatArray]:
    fewest = values.size if values.size < PARTS else PARTS_FEWEST
    count = int(np.clip(values.size // POINTS_PER_PART, fewest, PARTS))
    return [part for part in np.array_split(values, count) if part.size]


def _along(steps: IntArray, values: FloatArray, at: IntArray) -> FloatArray:
    """Return the value last logged at each of the steps `at`."""
    good = np.isfinite(values)
    steps, values = steps[good], values[good]
    return np.asarray(values[np.clip(np.searchsorted(steps, at, side="right") - 1, 0, None)])
