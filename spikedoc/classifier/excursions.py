"""Points and rises of the loss become spikes, slow recoveries, level shifts and divergences.

Which of them an excursion is depends on what follows it, so the recovery clock decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from spikedoc.classifier.context import Context
from spikedoc.classifier.dips import without_dips
from spikedoc.classifier.excursion_severity import CONFIDENCE_OPEN, HARM_RISE, with_severity
from spikedoc.classifier.mixture import without_mixture
from spikedoc.classifier.settings import by_setting
from spikedoc.classifier.way_back import BEFORE_POINTS, back_at, way_back
from spikedoc.model.anomaly import Anomaly, Detection, Shape
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.signal.baseline import Baseline
from spikedoc.signal.level import levels
from spikedoc.signal.recovery import Recovery, recovery
from spikedoc.signal.transform import Scale, ratio
from spikedoc.signal.view import View

# Up and back within three logged points is isolated.
ISOLATED_POINTS: Final = 3
# A rise of the level this soon after a point belongs to it (a bad batch under Adam makes a
# one-step spike and then a hump).
LINK_POINTS: Final = 30
LINK_SHARE: Final = 0.02
# A log that begins within so many steps holds the loss of an untrained network; ten times that, and
# never less again, is no level a training steps up to.
FIRST_STEPS: Final = 100
BEYOND_START: Final = float(np.log(10.0))
# Diverged: the late level is a factor of two up, or half as much again as the early jump.
DIVERGED_RISE: Final = float(np.log(2.0))
DIVERGED_GROWTH: Final = 1.5
# … or the level still rises at the end: a step to another level does not.
STILL_RISING: Final = float(np.log(1.5))
# A bump that came and went within the first twentieth is the warm-up finding its feet.
EARLY_SHARE: Final = 0.05
# Too little after the onset to say whether the level comes back.
MIN_AFTER: Final = 10
# The level after in the report: the median of the last fifth that follows.
LATE_SHARE: Final = 5
LATE_MIN_POINTS: Final = 5
# A score of a line without noise says no more than this.
SCORE_MAX: Final = 1e6
CONFIDENCE_SURE: Final = 0.95
SCORE_FOR_HALF: Final = 4.0


@dataclass(frozen=True, slots=True)
class Rise:
    """Level rises at several spans that are one event."""

    index: int  # sharpest onset
    strongest: int  # onset at the span with the highest score
    span: int  # largest span
    score: float
    members: tuple[Detection, ...]


def label_excursions(context: Context) -> list[Anomaly]:
    """Return the labelled excursions of the main loss, in step order."""
    seen, base = context.seen, context.base
    if seen is None or base is None:
        return []
    rises = merge_rises(context.of(Shape.RISE, context.signal))
    reach = max(LINK_POINTS, int(LINK_SHARE * len(seen)))
    found: list[Anomaly] = []
    used: set[int] = set()
    for point in context.of(Shape.POINT, context.signal):
        index = int(point.measures["index"])
        linked = [r for r in rises if -max(ISOLATED_POINTS, r.span) <= r.index - index <= reach]
        if linked and used.issuperset(r.index for r in linked) and _covered(found, seen, index):
            continue  # a point of its own on the hump that follows another
        used.update(r.index for r in linked)
        found.append(_from_point(context, seen, base, point, linked))
    for rise in rises:
        if rise.index in used or _covered(found, seen, rise.index):
            continue
        found.append(_from_rise(context, seen, base, rise))
    # Before one rise hides another: what a setting brought about hides nothing.
    found = _one_lasting_shift([by_setting(context, a) for a in without_dips(seen, found)])
    ends = [by_setting(context, a) for a in _end_above_best(context, seen, found)]
    # What never came back all the way is told by the level at the end, where that is a finding.
    found = [a for a in found if not ("not_yet" in a.measures and ends)] + ends
    early = int(seen.steps[int(EARLY_SHARE * len(seen))])
    judged = with_severity(sorted(found, key=lambda a: a.start_step), early)
    return [without_mixture(seen, base, a) for a in judged]


def merge_rises(detections: list[Detection]) -> list[Rise]:
    """Return the rises, those within two spans of each other taken together."""
    out: list[Rise] = []
    for d in sorted(detections, key=lambda d: d.measures["span"]):
        index, span = int(d.measures["index"]), int(d.measures["span"])
        for i, rise in enumerate(out):
            if abs(index - rise.index) <= 2 * max(span, rise.span):
                better = d.measures["z"] > rise.score
                out[i] = Rise(
                    rise.index,
                    index if better else rise.strongest,
                    max(span, rise.span),
                    max(rise.score, d.measures["z"]),
                    (*rise.members, d),
                )
                break
        else:
            out.append(Rise(index, index, span, d.measures["z"], (d,)))
    return sorted(out, key=lambda r: r.index)


def _from_point(
    context: Context, seen: View, base: Baseline, point: Detection, linked: list[Rise]
) -> Anomaly:
    index = int(point.measures["index"])
    members = (point, *(d for r in linked for d in r.members))
    if not linked:
        length = seen.steps.searchsorted(point.last_step) - index + 1
        kind = Kind.ISOLATED_SPIKE if length <= ISOLATED_POINTS else Kind.SLOW_RECOVERY
        span = int(length)
        clock = recovery(
            seen.judged, index, max(1, span), base.window, float(base.noise[index - 1])
        )
        if kind is Kind.SLOW_RECOVERY and clock.points is None and clock.late >= HARM_RISE:
            return _lasting(context, seen, index, clock, members)  # a short log: no rise was judged
        return _anomaly(context, seen, kind, index, index + int(length), clock, members=members)
    span = max(r.span for r in linked)
    clock = recovery(seen.judged, index, span, base.window, float(base.noise[max(0, index - 1)]))
    if clock.points is None:
        start = max(r.strongest for r in linked)
        return _lasting(context, seen, start, clock, members)
    kind = Kind.SLOW_RECOVERY if clock.points > ISOLATED_POINTS else Kind.ISOLATED_SPIKE
    return _anomaly(context, seen, kind, index, index + clock.points, clock, members=members)


def _from_rise(context: Context, seen: View, base: Baseline, rise: Rise) -> Anomaly:
    noise = float(base.noise[max(0, rise.index - 1)])
    clock = recovery(seen.judged, rise.index, rise.span, base.window, noise)
    if clock.points is None:
        return _lasting(context, seen, rise.strongest, clock, rise.members)
    kind = Kind.SLOW_RECOVERY if clock.points > ISOLATED_POINTS else Kind.ISOLATED_SPIKE
    end = rise.index + clock.points
    return _anomaly(context, seen, kind, rise.index, end, clock, members=rise.members)


def _lasting(
    context: Context, seen: View, start: int, clock: Recovery, members: tuple[Detection, ...]
) -> Anomaly:
    diverged = clock.late > max(DIVERGED_RISE, DIVERGED_GROWTH * clock.jump)
    diverged = diverged or (clock.late > DIVERGED_RISE and _is_lost(seen, start, clock))
    kind = Kind.DIVERGENCE if diverged else Kind.LEVEL_SHIFT
    return _anomaly(context, seen, kind, start, len(seen) - 1, clock, members=members)


def _is_lost(seen: View, start: int, clock: Recovery) -> bool:
    """Return whether the level goes on rising, or is back where the run began: all is unlearned."""
    began = levels(seen.judged).start
    back = clock.before + clock.late >= began > clock.before
    return back or _still_rises(seen, start) or _beyond_start(seen, start)


def _beyond_start(seen: View, start: int) -> bool:
    """Return whether all that follows lies far above the first loss of an untrained network."""
    whole = seen.scale is Scale.LOG and int(seen.steps[0]) <= FIRST_STEPS
    return whole and float(seen.judged[start:].min()) >= float(seen.judged[0]) + BEYOND_START


def _still_rises(seen: View, start: int) -> bool:
    """Return whether the level goes on rising: the last fifth half as much again as the first."""
    after = seen.judged[start:]
    part = max(LATE_MIN_POINTS, after.size // LATE_SHARE)
    rise = float(np.median(after[-part:]) - np.median(after[:part]))
    return after.size >= 2 * part and rise >= STILL_RISING


def _anomaly(
    context: Context,
    seen: View,
    kind: Kind,
    start: int,
    end: int,
    clock: Recovery,
    *,
    members: tuple[Detection, ...],
) -> Anomaly:
    end = min(max(end, start), len(seen) - 1)
    back = back_at(seen, start, end) if kind is Kind.SLOW_RECOVERY else end
    end = end if back is None else back
    peak = start + int(np.argmax(seen.judged[start : end + 1]))
    score = max(d.measures["z"] for d in members)
    measures = {
        "z": min(score, SCORE_MAX),
        "rise": float(seen.judged[peak]) - clock.before,
        "late": clock.late,
        "jump": clock.jump,
        "around": _around(context, seen, start, end),
    }
    measures |= _levels(context, seen, kind, start, peak)
    if kind in (Kind.ISOLATED_SPIKE, Kind.SLOW_RECOVERY):
        measures |= way_back(context, kind, start, end, back)
    form = {Kind.LEVEL_SHIFT: Form.UP, Kind.DIVERGENCE: Form.FINITE}.get(kind)
    is_open = len(seen) - start < MIN_AFTER and kind is not Kind.ISOLATED_SPIKE
    return Anomaly(
        kind,
        Severity.INFO,
        CONFIDENCE_OPEN if is_open else _confidence(score),
        context.signal,
        int(seen.steps[start]),
        int(seen.steps[peak]),
        int(seen.steps[end]),
        form,
        measures,
        members,
    )


def _around(context: Context, seen: View, start: int, end: int) -> float:
    """Return the standard deviation of the points on either side of an excursion."""
    if context.base is None:
        return 0.0
    apart, width = seen.judged - context.base.centred, context.base.window
    near = np.concatenate([apart[max(0, start - width) : start], apart[end + 1 :][:width]])
    return float(np.std(near)) if near.size else 0.0


def _levels(context: Context, seen: View, kind: Kind, start: int, peak: int) -> dict[str, float]:
    """Return the logged levels before and at the event, or after it where it lasts."""
    measures: dict[str, float] = {}
    before = context.level(start - BEFORE_POINTS, start)
    if before is not None:
        measures |= {"before": before, "peak": float(seen.values[peak])}
        if context.is_log and before > 0:
            measures["factor"] = measures["peak"] / before
        elif seen.scale is Scale.SOFT:  # near zero a factor says nothing: above the unit it does
            measures["factor"] = ratio(float(seen.judged[peak] - seen.judged[max(0, start - 1)]))
    if kind in (Kind.LEVEL_SHIFT, Kind.DIVERGENCE):
        late = max(LATE_MIN_POINTS, (len(seen) - start) // LATE_SHARE)
        after = context.level(max(start, len(seen) - late), len(seen))
        measures["after"] = after if after is not None else float("nan")
        if context.is_log and before and after:
            measures["factor"] = after / before
    return measures


def _confidence(score: float) -> float:
    """Return how sure a score makes: a half at 4, close to one at 12."""
    return round(min(CONFIDENCE_SURE, 1.0 - 0.5 * SCORE_FOR_HALF / max(score, SCORE_FOR_HALF)), 2)


def _covered(found: list[Anomaly], seen: View, index: int) -> bool:
    """Return whether a point lies within an excursion that takes longer to come back."""
    step = int(seen.steps[index])
    return any(
        a.start_step <= step <= a.end_step for a in found if a.kind is not Kind.ISOLATED_SPIKE
    )


def _one_lasting_shift(found: list[Anomaly]) -> list[Anomaly]:
    """Keep one finding per onset – several points may lead to the same rise – and the first of
    several divergences, and drop what lies inside an unrecovered level."""
    onsets: dict[tuple[Kind, int], Anomaly] = {}
    for a in found:
        onsets.setdefault((a.kind, a.start_step), a)
    found = list(onsets.values())
    lasting = [a for a in found if a.kind in (Kind.LEVEL_SHIFT, Kind.DIVERGENCE)]
    # What seemed to come back just before the level was lost for good is its beginning.
    found = [
        a
        for a in found
        if a.kind is not Kind.SLOW_RECOVERY
        or not any(a.start_step < b.start_step <= 2 * a.end_step - a.start_step for b in lasting)
    ]
    diverged = [a for a in found if a.kind is Kind.DIVERGENCE]
    if not diverged:
        return found
    first = min(diverged, key=lambda a: a.start_step)
    return [a for a in found if a is first or a.start_step < first.start_step]


def _end_above_best(context: Context, seen: View, found: list[Anomaly]) -> list[Anomaly]:
    lasting = (Kind.LEVEL_SHIFT, Kind.DIVERGENCE)
    if any(a.kind in lasting for a in found):
        return []
    out = []
    for d in context.of(Shape.END_ABOVE_BEST, context.signal):
        rise = d.measures["rise"]
        kind = Kind.DIVERGENCE if rise > DIVERGED_RISE else Kind.LEVEL_SHIFT
        start = int(d.measures["index"])
        clock = Recovery(None, d.measures["best"], rise, rise)
        out.append(_anomaly(context, seen, kind, start, len(seen) - 1, clock, members=(d,)))
    return without_dips(seen, out)
