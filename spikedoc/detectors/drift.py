"""A slow one-way rise of the loss, and the plain climb of a short log."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.run import FloatArray, Run, Series
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
# Its steepest quarter against all of it: 1 for an even slope; drifts of 15 % to 150 % in noise of
# 5 % had at most 1.7, divergences that begin slowly and then jump 2.5 and more.
STEEPEST: Final = 2.0
LAG_WIDE: Final = 4
LAG_WIDE_FACTOR: Final = 1.5
SLOPE_BLOCKS: Final = 15
UNRESOLVED: Final = 0.5
# Blocks within this share of the rise from the lowest or the highest one are before or after it.
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
    if rise < MIN_RISE or rise < MIN_SCORE * noise:
        return None
    begin, reached = _slope(level[bottom : top + 1], rise)
    part = level[bottom + begin : bottom + reached + 1]
    if part.size < MIN_LENGTH * level.size or part.size <= 2:
        return None
    steady = kendall_tau(part) > MIN_TAU and float(np.diff(part).max()) <= MAX_BLOCK_SHARE * rise
    resolved = level[-1] - level[bottom] <= UNRESOLVED * rise
    if not steady or resolved:
        return None
    at = (bottom + begin) * width
    first, peak = int(seen.steps[at]), int(seen.steps[top * width])
    measures = {
        "rise": rise,
        "z": rise / noise if noise > 0 else float("inf"),
        "tau": kendall_tau(part),
        "index": float(at),
        "before": float(np.median(seen.values[at : at + width])),
        "after": float(np.median(seen.values[-width:])),
    }
    if _steepest(part) <= STEEPEST:
        # The block after the last low one is the first that is up for sure.
        measures["left"] = float(seen.steps[at + width])
        measures["reached"] = float(seen.steps[(bottom + reached) * width])
    return Detection(NAME, Shape.RAMP, series.name, first, peak, int(seen.steps[-1]), measures)


def _slope(part: FloatArray, rise: float) -> tuple[int, int]:
    """Return the last block near the lowest, and the first near the highest one.

    Lowest and highest block may lie anywhere on a flat stretch before and after the rise.
    """
    near = np.flatnonzero(part <= part[0] + ONSET_SHARE * rise)
    there = np.flatnonzero(part >= part[-1] - ONSET_SHARE * rise)
    return int(near[-1]), int(there[there > near[-1]][0])


def _steepest(part: FloatArray) -> float:
    """Return how many times faster than all of a slope its steepest quarter rises."""
    quarter = max(1, (part.size - 1) // 4)
    whole = float(part[-1] - part[0]) * quarter / (part.size - 1)
    return float((part[quarter:] - part[:-quarter]).max()) / whole


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
