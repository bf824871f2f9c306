"""Loss scale halved again and again, against the healthy sawtooth of a dynamic scaler."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series

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
# Multiplying by so little makes gradients underflow, not fit: icefall warns below .01.
USELESS: Final = 0.01
# So small a scale means gradients of 16,000 and more: halvings down to it need no long chain.
HOPELESS: Final = 4.0
SHORT_CHAIN: Final = 3.0
# What fairseq and DeepSpeed say when they give up.
GIVES_UP: Final = ("minimum loss scale reached", "loss scale already at minimum")
# A run that trains without scaling logs a scale of 1, or of 0, from beginning to end.
OVERFLOW: Final = "overflow"
OVERFLOWS: Final = 2
# Overflows so many steps apart are what a scaler at work meets when it tries a higher scale.
OVERFLOWS_APART: Final = 50
# Writers that log the scale only where there is one: 0.000 is a small one, rounded.
LOGS_SCALED_ONLY: Final = frozenset({"fairseq"})


def detect(run: Run) -> tuple[Detection, ...]:
    """Return the longest chain of halvings without growth, or a scale that ends at its floor."""
    series = run.get(Metric.LOSS_SCALE)
    if series is None:
        return ()
    found = _chain(series) or _floor(run, series) or _short_chain(run, series)
    return () if found is None else (found,)


def _chain(series: Series) -> Detection | None:
    steps, values = series.finite()
    usable = values > 0
    steps, values = steps[usable], values[usable]
    if values.size < MIN_POINTS or float(np.ptp(values)) == 0.0:
        return None
    level = np.log2(values)
    start, end = _longest_fall(level)
    halvings = float(level[start] - level[end])
    searching = start < max(SEARCH_MIN_POINTS, SEARCH_SHARE * values.size)
    ends_at_floor = values[end] <= FLOOR
    if halvings < CHAIN or (searching and not ends_at_floor):
        return None
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
    return Detection(NAME, Shape.HALVINGS, series.name, first, last, last, measures)


def _floor(run: Run, series: Series) -> Detection | None:
    """Return the stretch at the end in which the scale is too small to be of use.

    One line is enough: a scale of 1e-5 was reached by halving, wherever the log begins.
    """
    steps, values = series.finite()
    if values.size == 0 or float(values.min()) < 0:
        return None
    limit = FLOOR if _overflows_on(run) else USELESS
    if float(values[-1]) > limit or (float(values.max()) == 0.0 and _is_unscaled(run)):
        return None
    above = np.flatnonzero(values > limit)
    start = int(above[-1]) + 1 if above.size else 0
    measures = {"after": float(values[-1]), "chain": 0.0, "floor": 1.0}
    measures["points"] = float(values.size - start)
    if start > 0:
        measures["before"] = float(values[start - 1])
    first, last = int(steps[start]), int(steps[-1])
    return Detection(NAME, Shape.HALVINGS, series.name, first, last, last, measures)


def _short_chain(run: Run, series: Series) -> Detection | None:
    """Return halvings that end a log at a hopeless scale, or at the message of giving up."""
    steps, values = series.finite()
    if values.size == 0 or float(values.min()) < 0:
        return None
    falls = np.flatnonzero(np.diff(values) > 0)
    start = int(falls[-1]) + 1 if falls.size else 0
    gave_up = any(words in line.lower() for _, line in run.events for words in GIVES_UP)
    last = float(values[-1])
    halvings = float(np.log2(values[start] / last)) if last > 0 else 0.0
    hopeless = 0 < last <= HOPELESS and halvings >= SHORT_CHAIN
    if not gave_up and not (hopeless and _overflows(run) > OVERFLOWS):
        return None
    measures = {"before": float(values[start]), "after": last, "halvings": halvings}
    measures |= {"points": float(values.size - 1 - start), "chain": 1.0, "floor": 1.0}
    first, end = int(steps[min(start + 1, steps.size - 1)]), int(steps[-1])
    return Detection(NAME, Shape.HALVINGS, series.name, first, end, end, measures)


def _overflows(run: Run) -> int:
    """Return how many lines of the log report an overflow."""
    return sum(OVERFLOW in line.lower() for _, line in run.events)


def _overflows_on(run: Run) -> bool:
    """Return whether one step after the other overflows, not one now and then."""
    if _overflows(run) < OVERFLOWS:
        return False
    told = [step for step, line in run.events if OVERFLOW in line.lower() and step is not None]
    return len(told) < OVERFLOWS or float(np.median(np.diff(told))) < OVERFLOWS_APART


def _is_unscaled(run: Run) -> bool:
    return run.config.get("framework") not in LOGS_SCALED_ONLY and _learns(run)


def _learns(run: Run) -> bool:
    """Return whether the loss is finite and falls: then a scale of 0 means that none is used."""
    loss = run.get(Metric.LOSS)
    return loss is not None and len(loss) > 0 and bool(loss.is_finite.all())


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
