"""A slow one-way rise of the loss, and the plain climb of a short log."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.run import Run, Series
from spikedoc.signal.baseline import block_medians, rolling_median, scatter
from spikedoc.signal.trend import kendall_tau
from spikedoc.signal.view import View, view

NAME: Final = "drift"
MIN_POINTS: Final = 200
BLOCKS: Final = 60
# The highest of sixty blocks against the lowest before it: noise alone reaches 7.1 in two of a
# thousand simulated healthy runs; a rise of 30 % in noise of 2 % has 15.
MIN_SCORE: Final = 8.0
MIN_RISE: Final = float(np.log(1.05))
MIN_LENGTH: Final = 0.08
MIN_TAU: Final = 0.6
# One block holding more of the rise is a step, not a drift.
MAX_BLOCK_SHARE: Final = 0.6
LAG_WIDE: Final = 4
LAG_WIDE_FACTOR: Final = 1.5
SLOPE_BLOCKS: Final = 15
UNRESOLVED: Final = 0.5
# Blocks within this share of the rise above the lowest one are still before it.
ONSET_SHARE: Final = 0.1
# Short logs: nothing but a clear climb to twice the best level counts.
SHORT_MIN_POINTS: Final = 8
SHORT_RISE: Final = float(np.log(2.0))
SHORT_TAU: Final = 0.6
SHORT_LATEST_BEST: Final = 0.6


def detect(run: Run) -> tuple[Detection, ...]:
    """Return the largest unresolved slow rise of the loss, if any."""
    series = run.main_loss
    if series is None:
        return ()
    seen = view(series.steps, series.values)
    if len(seen) < SHORT_MIN_POINTS:
        return ()
    found = _climb(series, seen) if len(seen) < MIN_POINTS else _drift(series, seen)
    return () if found is None else (found,)


def _drift(series: Series, seen: View) -> Detection | None:
    width = len(seen) // BLOCKS
    level = block_medians(seen.judged, width)
    lowest = np.minimum.accumulate(level)
    top = int(np.argmax(level - lowest))
    bottom = int(np.argmin(level[: top + 1]))
    rise = float(level[top] - level[bottom])
    # Without their own course: the slope of a descent, or of the drift itself, is no noise.
    wide = level[LAG_WIDE:] - level[:-LAG_WIDE]
    noise = max(
        scatter(np.diff(level)) / float(np.sqrt(2)),
        scatter(wide - rolling_median(wide, SLOPE_BLOCKS)) / float(np.sqrt(2)) / LAG_WIDE_FACTOR,
    )
    part = level[bottom : top + 1]
    long_enough = part.size >= MIN_LENGTH * level.size and part.size > 2
    if rise < MIN_RISE or not long_enough or rise < MIN_SCORE * noise:
        return None
    steady = kendall_tau(part) > MIN_TAU and float(np.diff(part).max()) <= MAX_BLOCK_SHARE * rise
    resolved = level[-1] - level[bottom] <= UNRESOLVED * rise
    if not steady or resolved:
        return None
    # The lowest block may lie anywhere on a flat stretch: the rise begins at the last one near it.
    near = np.flatnonzero(part <= part[0] + ONSET_SHARE * rise)
    begin = bottom + int(near[-1])
    first, peak = int(seen.steps[begin * width]), int(seen.steps[top * width])
    measures = {
        "rise": rise,
        "z": rise / noise if noise > 0 else float("inf"),
        "tau": kendall_tau(part),
        "index": float(begin * width),
    }
    return Detection(NAME, Shape.RAMP, series.name, first, peak, int(seen.steps[-1]), measures)


def _climb(series: Series, seen: View) -> Detection | None:
    n = len(seen)
    y = seen.judged
    best = int(np.argmin(y))
    end = float(np.median(y[-3:]))
    rise = end - float(y[best])
    if rise < SHORT_RISE or best > SHORT_LATEST_BEST * n or n - best < 4:
        return None
    if float(y[0]) + SHORT_RISE > end or kendall_tau(y[best:]) < SHORT_TAU:
        return None
    first, last = int(seen.steps[min(best + 1, n - 1)]), int(seen.steps[-1])
    measures = {"rise": rise, "z": float("inf"), "tau": 1.0, "index": float(best)}
    return Detection(NAME, Shape.RAMP, series.name, first, last, last, measures)


DETECTOR: Final = detect
