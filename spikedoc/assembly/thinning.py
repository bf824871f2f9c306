"""Which points of a long series a picture needs: extremes, every marked one, what is not finite."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from spikedoc.model.charts import Stretch
from spikedoc.model.run import FloatArray, IntArray


def extremes(values: FloatArray, buckets: int) -> IntArray:
    """Return the indices of the lowest and highest finite value of each of `buckets` stretches.

    Short series are kept whole. Ascending, each index once; non-finite points are never among them.
    """
    finite = np.isfinite(values)
    n = values.size
    if n <= 2 * buckets:
        return np.asarray(np.flatnonzero(finite), dtype=np.int64)
    width = -(-n // buckets)
    rows = -(-n // width)
    low = np.full(rows * width, np.inf)
    high = np.full(rows * width, -np.inf)
    low[:n] = np.where(finite, values, np.inf)
    high[:n] = np.where(finite, values, -np.inf)
    first = np.arange(rows, dtype=np.int64) * width
    found = np.concatenate(
        [
            first + low.reshape(rows, width).argmin(axis=1),
            first + high.reshape(rows, width).argmax(axis=1),
        ]
    )
    found = found[found < n]
    return np.unique(found[finite[found]])


def kept_points(
    values: FloatArray,
    marked: IntArray,
    windows: Iterable[tuple[int, int]],
    buckets: int,
    window_buckets: int,
) -> IntArray:
    """Return the indices of the finite points to draw, ascending, each once.

    Those are the first and the last, the extremes of the whole, the `marked` ones, and the extremes
    of each window (half-open, in indices), which is kept whole when it is short.
    """
    finite = np.isfinite(values)
    inside = np.flatnonzero(finite)
    parts = [inside[:1], inside[-1:], extremes(values, buckets), marked[finite[marked]]]
    for first, last in windows:
        parts.append(first + extremes(values[first:last], window_buckets))
    return np.unique(np.concatenate(parts).astype(np.int64))


def nonfinite_stretches(steps: IntArray, values: FloatArray, most: int) -> tuple[Stretch, ...]:
    """Return at most `most` stretches of non-finite points: the closest ones are merged.

    A merged stretch says how many of its points are non-finite.
    """
    index = np.flatnonzero(~np.isfinite(values))
    if index.size == 0:
        return ()
    gaps = np.diff(index)
    borders = np.flatnonzero(gaps > _bridged(gaps, most))
    firsts = index[np.concatenate([[0], borders + 1])]
    lasts = index[np.concatenate([borders, [index.size - 1]])]
    before = np.concatenate([[-1], borders, [index.size - 1]])
    return tuple(
        Stretch(int(steps[a]), int(steps[b]), int(count), int(b - a + 1))
        for a, b, count in zip(firsts, lasts, np.diff(before), strict=True)
    )


def _bridged(gaps: NDArray[np.int64], most: int) -> int:
    """Return the longest distance of two non-finite points that are still told as one stretch."""
    wide = np.sort(gaps[gaps > 1])
    return 1 if wide.size < most else int(wide[wide.size - most])
