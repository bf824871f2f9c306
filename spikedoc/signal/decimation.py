"""Fewer points of a long series: an even grid, and every point that stands out of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Points that are compared with each other: as many as the baselines of the detectors look at.
BLOCK: Final = 128
# Robust standard deviations from the median of the block. Of normal noise one point in 500 million
# is that far out, so that noise keeps its spread: a grid of it with its own tails added would look
# wilder than it was.
STANDS_OUT: Final = 6.0
# Standard deviations of normal noise for each unit of its median, and of its mean, deviation.
_OF_MEDIAN: Final = 1.4826
_OF_MEAN: Final = 1.2533
# Share of the points that the grid takes at least; what stands out may take the others.
GRID_SHARE: Final = 0.5
# Lowest and highest come first, then the borders of what is not finite, then the rest of that.
FIRST: Final = float("inf")
_BORDER: Final = 1e301
_NOT_FINITE: Final = 1e300


def kept(curves: Sequence[FloatArray], most: int, always: Iterable[int] = ()) -> IntArray:
    """Return the indices of at most `most` points to keep of equally long curves, ascending.

    See `chosen`; the indices `always` are among them.
    """
    n = curves[0].size
    if n <= most:
        return np.arange(n, dtype=np.int64)
    score = np.zeros(n)
    for values in curves:
        np.maximum(score, prominence(values), out=score)
    score[[index for index in always if 0 <= index < n]] = FIRST
    return chosen(score, most)


def chosen(score: FloatArray, most: int) -> IntArray:
    """Return the indices of at most `most` points to keep, ascending: `score` is their prominence.

    Those are the ends, every k-th point, and what stands out most: lowest and highest, what is not
    finite, then the points that are farthest from the 128 around them.
    """
    n = score.size
    out = np.flatnonzero(score > STANDS_OUT)
    room = int(most * (1.0 - GRID_SHARE))
    if out.size > room:
        out = out[np.argsort(-score[out], kind="stable")[:room]]
    # An even stride, though it uses less of the room: detectors look at distances.
    stride = -(-(n - 1) // max(1, most - out.size - 1))
    grid = np.append(np.arange(0, n - 1, stride, dtype=np.int64), n - 1)
    return np.union1d(grid, out)


def prominence(values: FloatArray) -> FloatArray:
    """Return how far each point is from those around it, in robust standard deviations.

    It is largest for the lowest and the highest, then for the borders of what is not finite, then
    for all else that is not finite.
    """
    finite = np.isfinite(values)
    rows = -(-values.size // BLOCK)
    padded = np.full(rows * BLOCK, np.nan)
    padded[: values.size] = np.where(finite, values, np.nan)
    blocks = padded.reshape(rows, BLOCK)
    filled = ~np.isnan(blocks).all(axis=1)
    found = np.zeros((rows, BLOCK))
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        found[filled] = _deviations(blocks[filled])
    score = np.nan_to_num(found.reshape(-1)[: values.size], nan=0.0, posinf=_NOT_FINITE / 2)
    score[~finite] = _NOT_FINITE
    borders = np.flatnonzero(finite[1:] != finite[:-1])
    score[borders] = score[borders + 1] = _BORDER
    if finite.any():
        ends = np.flatnonzero(finite)
        score[[ends[values[ends].argmin()], ends[values[ends].argmax()]]] = FIRST
    return score


def _deviations(blocks: FloatArray) -> FloatArray:
    middle = np.median if np.isfinite(blocks).all() else np.nanmedian
    away = np.abs(blocks - middle(blocks, axis=1, keepdims=True))
    spread = _OF_MEDIAN * middle(away, axis=1, keepdims=True)
    # More than half of the block is one number: a threshold, a schedule, a counter.
    flat = spread == 0
    spread = np.where(flat, _OF_MEAN * np.nanmean(away, axis=1, keepdims=True), spread)
    return np.divide(away, spread, out=np.zeros_like(away), where=spread > 0)
