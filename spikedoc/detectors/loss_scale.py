"""Loss scale halved again and again, against the healthy sawtooth of a dynamic scaler."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run

NAME: Final = "loss_scale"
MIN_POINTS: Final = 5
# One halving per growth interval is normal; five without growth in between are not (a NaN forward
# pass takes torch's scaler from 65,536 to 1 in 16 steps).
CHAIN: Final = 5.0
# A chain that needs longer than this is a staircase.
CHAIN_POINTS: Final = 50
# Halvings further apart than this do not belong to one chain.
GAP_POINTS: Final = 10
# Searching for the first scale that fits is normal at the start.
SEARCH_SHARE: Final = 0.05
SEARCH_MIN_POINTS: Final = 30
FLOOR: Final = 1.0


def detect(run: Run) -> tuple[Detection, ...]:
    """Return the longest chain of halvings without growth, if it is one."""
    series = run.get(Metric.LOSS_SCALE)
    if series is None:
        return ()
    steps, values = series.finite()
    usable = values > 0
    steps, values = steps[usable], values[usable]
    if values.size < MIN_POINTS or float(np.ptp(values)) == 0.0:
        return ()
    level = np.log2(values)
    start, end = _longest_fall(level)
    halvings = float(level[start] - level[end])
    searching = start < max(SEARCH_MIN_POINTS, SEARCH_SHARE * values.size)
    ends_at_floor = values[end] <= FLOOR
    if halvings < CHAIN or (searching and not ends_at_floor):
        return ()
    measures = {
        "before": float(values[start]),
        "after": float(values[end]),
        "halvings": halvings,
        "points": float(end - start),
        "chain": float(end - start <= CHAIN_POINTS),
        "floor": float(ends_at_floor),
    }
    first = int(steps[min(start + 1, values.size - 1)])
    last = int(steps[end])
    return (Detection(NAME, Shape.HALVINGS, series.name, first, last, last, measures),)


def _longest_fall(level: np.ndarray[tuple[int], np.dtype[np.float64]]) -> tuple[int, int]:
    """Return (start, end) indices of the deepest stretch without a rise; the first value counts as
    start only where the fall begins."""
    rises = np.flatnonzero(np.diff(level) > 0) + 1
    borders = [0, *rises.tolist(), level.size]
    best = (0, 0)
    for first, stop in pairwise(borders):
        last = stop - 1
        if level[first] - level[last] > level[best[0]] - level[best[1]]:
            best = (first, last)
    falls = best[0] + np.flatnonzero(np.diff(level[best[0] : best[1] + 1]) < 0)
    if falls.size == 0:
        return best
    # A lone halving long before the chain is the scaler's daily work, not the chain's beginning.
    groups = np.split(falls, np.flatnonzero(np.diff(falls) > GAP_POINTS) + 1)
    deepest = max(groups, key=lambda g: level[g[0]] - level[g[-1] + 1])
    if level[deepest[0]] - level[deepest[-1] + 1] >= CHAIN:
        return int(deepest[0]), int(falls[-1]) + 1
    return int(falls[0]), int(falls[-1]) + 1


DETECTOR: Final = detect
