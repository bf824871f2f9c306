"""Bursts of a smooth loss: each a spike or a slow recovery that ends where the level is back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from spikedoc.classifier.context import Context
from spikedoc.classifier.way_back import back_at, way_back
from spikedoc.model.anomaly import Anomaly, Detection, Shape
from spikedoc.model.label import Kind, Severity
from spikedoc.signal.view import View

# Back within three logged points is a spike, later a slow recovery.
ISOLATED_POINTS: Final = 3
# Bursts follow each other closely: the level before one is the median of the points since the one
# before, twenty at most, and five where it has only just gone.
BEFORE_POINTS: Final = 20
BEFORE_LEAST: Final = 5
# Never more single findings than a reader can take in.
BURSTS_MAX: Final = 40


def label_bursts(context: Context) -> list[Anomaly]:
    """Return each burst of a smooth curve as a spike or slow recovery, in step order.

    One that is not back when the next begins has the step of that as `next_step`, and ends right
    before it.
    """
    seen = context.seen
    if seen is None:
        return []
    bursts = sorted(context.of(Shape.BURSTS, context.signal), key=lambda d: d.measures["index"])
    largest = sorted(range(len(bursts)), key=lambda i: -bursts[i].measures["rise"])[:BURSTS_MAX]
    return [_burst(context, seen, bursts, i) for i in sorted(largest)]


def _burst(context: Context, seen: View, bursts: Sequence[Detection], place: int) -> Anomaly:
    d = bursts[place]
    start = int(d.measures["index"])
    gone = _stop(bursts[place - 1]) if place else 0
    since = max(0, min(max(gone, start - BEFORE_POINTS), start - BEFORE_LEAST))
    following = bursts[place + 1] if place + 1 < len(bursts) else None
    until = len(seen) if following is None else int(following.measures["index"])
    last = min(_stop(d), until - 1, len(seen) - 1)
    back = back_at(seen, start, last, since=since, until=until)
    end = last if back is None else back
    is_quick = back is not None and back - start <= ISOLATED_POINTS
    kind = Kind.ISOLATED_SPIKE if is_quick else Kind.SLOW_RECOVERY
    measures = {"rise": d.measures["rise"], "bursts": 1.0}
    measures |= _levels(context, seen, since, start, int(seen.steps.searchsorted(d.peak_step)))
    if back is None and following is not None:
        end = until - 1
        measures["next_step"] = float(following.first_step)
    else:
        measures |= way_back(context, kind, start, end, back)
    step = int(seen.steps[end])
    return Anomaly.of(d, kind, Severity.WARNING, 0.8, measures=measures, end_step=step)


def _stop(d: Detection) -> int:
    """Return the index of the first point after a burst."""
    return int(d.measures["index"] + d.measures["points"])


def _levels(context: Context, seen: View, since: int, start: int, peak: int) -> dict[str, float]:
    before = context.level(since, start)
    if before is None:
        return {}
    measures = {"before": before, "peak": float(seen.values[peak])}
    if before > 0:
        measures["factor"] = measures["peak"] / before
    return measures
