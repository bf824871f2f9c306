"""Records whose step is out of line: one damaged digit must not look like a restart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from spikedoc.model.run import IntArray
from spikedoc.readers.base import RawSeries

# A lone record this many strides ahead of its neighbours was not logged at that step.
FAR_AHEAD_STRIDES: Final = 10
# In a shorter series the stride is not known well enough.
LEAST_POINTS: Final = 10


def order_of(series: RawSeries) -> IntArray:
    """Return the order in which the points were written."""
    return series.order if series.order is not None else np.arange(series.steps.size)


def find_strays(clock: RawSeries) -> list[tuple[int, int, int]]:
    """Return lone records far ahead of both neighbours, as a damaged digit makes them.

    Each as the order of the record before it and behind it, and its step.
    """
    steps, order = clock.steps, order_of(clock)
    if steps.size < LEAST_POINTS or not (steps[1:] < steps[:-1]).any():
        return []
    forward = np.diff(steps)[np.diff(steps) > 0]
    stride = float(np.median(forward)) if forward.size else 1.0
    jump = np.diff(steps).astype(np.float64)
    ahead = (jump[:-1] > FAR_AHEAD_STRIDES * stride) & (jump[1:] < 0) & (steps[2:] > steps[:-2])
    places = np.flatnonzero(ahead) + 1
    return [(int(order[p - 1]), int(order[p + 1]), int(steps[p])) for p in places]


def without_strays(series: RawSeries, strays: Sequence[tuple[int, int, int]]) -> RawSeries:
    """Return the series without the points of those records."""
    order = order_of(series)
    keep = np.ones(order.size, dtype=bool)
    for first, last, step in strays:
        keep &= ~((order > first) & (order < last) & (series.steps == step))
    if keep.all():
        return series
    walls = series.wall_times[keep] if series.wall_times is not None else None
    kept = series.steps[keep], series.values[keep]
    return RawSeries(series.tag, *kept, walls, series.rank, order[keep])
