"""The loss against its own band: points above it, changes of level, an end above the best."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.run import Run, Series
from spikedoc.signal.contrast import Contrast, best_split, level_changes
from spikedoc.signal.excursion import Excursions, find_excursions
from spikedoc.signal.level import end_above_best
from spikedoc.signal.view import View, view

NAME: Final = "excursions"
# Fewer points give no verdict on spikes or levels (detection proposal, section 20).
MIN_POINTS: Final = 60
# Rises: 6 standard errors and 10 %. Measured: 7 loses a real one, 4 alarms on a healthy run.
RISE_SCORE: Final = 6.0
FALL_SCORE: Final = 7.0
# Longer logs hold more places to look at: half a standard error per e-fold beyond 2,000 points.
LENGTH_PRICE: Final = 0.5
PRICED_FROM: Final = 2_000
MIN_CHANGE: Final = float(np.log(1.10))
# A fall is abrupt when 60 % of it lies within two points and the curve was flat before.
ABRUPT_SHARE: Final = 0.6
FLAT_BEFORE_SHARE: Final = 0.25
FALL_SPAN_MAX: Final = 40
FALL_SKIP_SHARE: Final = 0.1
NEAR: Final = 1
REACH: Final = 6


def detect(run: Run) -> tuple[Detection, ...]:
    """Return points, rises, falls and end-above-best of the loss, in step order."""
    series = run.main_loss
    if series is None:
        return ()
    seen = view(series.steps, series.values)
    if len(seen) < MIN_POINTS:
        return ()
    excursions = find_excursions(seen.judged)
    found = [*_points(series, seen, excursions), *_rises(series, seen, excursions)]
    found += _falls(series, seen, excursions)
    found += _end(series, seen, excursions)
    return tuple(sorted(found, key=lambda d: (d.first_step, d.shape)))


def _points(series: Series, seen: View, excursions: Excursions) -> list[Detection]:
    out = []
    dips = float(_dips(seen, excursions))
    for e in excursions.accepted:
        measures = {
            "z": e.score,
            "threshold": e.threshold,
            "rise": e.rise,
            "index": float(e.first),
            "dips": dips,
        }
        steps = seen.steps[[e.first, e.peak, e.last]]
        out.append(_detection(series, Shape.POINT, steps.tolist(), measures))
    return out


def _dips(seen: View, excursions: Excursions) -> int:
    """Return how many groups of points lie as far below the band as the spikes lie above it.

    Spikes go up; noise with heavy tails goes both ways.
    """
    base = excursions.base
    scores = (seen.judged - base.hampel) / base.noise
    low = np.flatnonzero(scores < -excursions.threshold)
    return int(np.sum(np.diff(low) > 1)) + 1 if low.size else 0


def _rises(series: Series, seen: View, excursions: Excursions) -> list[Detection]:
    threshold = RISE_SCORE + LENGTH_PRICE * max(0.0, float(np.log(len(seen) / PRICED_FROM)))
    changes = level_changes(seen.judged, excursions.base.noise, 1, threshold, MIN_CHANGE)
    out = []
    for c in changes:
        index = best_split(seen.judged, c.index, c.span)
        last = min(len(seen) - 1, index + c.span)
        steps = [int(seen.steps[index]), int(seen.steps[index]), int(seen.steps[last])]
        out.append(_detection(series, Shape.RISE, steps, _measures(c, index)))
    return out


def _falls(series: Series, seen: View, excursions: Excursions) -> list[Detection]:
    """Return abrupt falls from a flat curve; the ordinary descent is neither."""
    changes = level_changes(seen.judged, excursions.base.noise, -1, FALL_SCORE, MIN_CHANGE)
    out: list[Detection] = []
    for c in sorted(changes, key=lambda c: -c.score):
        index = best_split(seen.judged, c.index, c.span, sign=-1)
        early = index < max(MIN_POINTS, FALL_SKIP_SHARE * len(seen))
        if c.span > FALL_SPAN_MAX or early or not _is_abrupt(seen, index, c):
            continue
        if any(abs(d.measures["index"] - index) <= c.span for d in out):
            continue
        steps = [int(seen.steps[index])] * 2 + [int(seen.steps[min(len(seen) - 1, index + c.span)])]
        out.append(_detection(series, Shape.FALL, steps, _measures(c, index)))
    return out


def _is_abrupt(seen: View, index: int, change: Contrast) -> bool:
    y = seen.judged
    drop = float(
        np.median(y[max(0, index - REACH) : index - NEAR])
        - np.median(y[index + NEAR : index + REACH])
    )
    far = np.median(y[max(0, index - 2 * change.span) : index - change.span])
    near = np.median(y[index - change.span : index])
    return bool(
        drop >= ABRUPT_SHARE * -change.change and far - near < FLAT_BEFORE_SHARE * -change.change
    )


def _end(series: Series, seen: View, excursions: Excursions) -> list[Detection]:
    end = end_above_best(seen.judged, excursions.base.noise)
    if end is None:
        return []
    steps = [int(seen.steps[end.index]), int(seen.steps[-1]), int(seen.steps[-1])]
    measures = {"z": end.score, "rise": end.rise, "best": end.best, "index": float(end.index)}
    return [_detection(series, Shape.END_ABOVE_BEST, steps, measures)]


def _measures(change: Contrast, index: int) -> dict[str, float]:
    return {
        "z": change.score,
        "rise": change.change,
        "span": float(change.span),
        "index": float(index),
    }


def _detection(
    series: Series, shape: Shape, steps: list[int], measures: dict[str, float]
) -> Detection:
    return Detection(NAME, shape, series.name, steps[0], steps[1], steps[2], measures)


DETECTOR: Final = detect
