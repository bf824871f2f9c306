"""Guards that watch a training, replayed over a finished log.

A guard sees only what came before: no value below depends on a later point. Indices are positions
in the series; a firing is the point at which a guard that was quiet would have stopped the run.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from spikedoc.signal.transform import HUGE, MAD_TO_SIGMA

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

# The rule of thumb of many training guides: three times the lowest loss, ten values in a row; the
# alarm is over below one and a half times.
BEST_RATIO: Final = 3.0
BEST_STREAK: Final = 10
BEST_RECOVERED: Final = 1.5
# It is mended in two places: NaN counts (no comparison with NaN is ever true), and "lowest" is that
# of the median of so many values (the lowest single one is an accident of the noise).
BEST_SMOOTH: Final = 10

# The band: median and scatter of the last 128 values (the window of OLMo-core's skip-step), renewed
# every 16, which is as good as every step and keeps a million points cheap.
BLOCK: Final = 16
WINDOW_BLOCKS: Final = 8
# Six standard deviations, three values in a row – one outlier is a matter for clipping –, or three
# deviations, eight values of ten. The alarm is over after a block of values without either.
BAND_SCORE: Final = 6.0
BAND_STREAK: Final = 3
LASTING_SCORE: Final = 3.0
LASTING_POINTS: Final = 10
LASTING_FEWEST: Final = 8
# A slow climb drags the window along: the median of a block is compared with the lowest one of the
# last thousand values as well.
LEVEL_BLOCKS: Final = 64
# Nobody stops a run for less than this rise, however quiet it was.
LEAST_RISE: Final = float(np.log(1.1))
# Scatter below this share of the level is rounding of the log.
LEAST_SCATTER: Final = 1e-4


def best_ratio_firings(loss: FloatArray) -> IntArray:
    """Return where "three times the best, ten in a row" fires.

    A value that is not finite fires at once; a loss that is ever zero or below has no "three times
    the best", so that nothing else does.
    """
    finite = np.isfinite(loss)
    values = np.clip(loss[finite], -HUGE, HUGE)
    best = np.full(values.size, np.inf)
    if values.size > BEST_SMOOTH and float(values.min()) > 0.0:
        smooth = np.median(sliding_window_view(values, BEST_SMOOTH), axis=1)
        best[BEST_SMOOTH:] = np.minimum.accumulate(smooth)[:-1]
    above = np.zeros(loss.size, dtype=bool)
    above[finite] = _in_a_row(values > BEST_RATIO * best, BEST_STREAK)
    over = np.zeros(loss.size, dtype=bool)
    over[finite] = values < BEST_RECOVERED * best
    return _fired(above | ~finite, over)


def band_firings(loss: FloatArray, others: tuple[FloatArray, ...] = ()) -> tuple[IntArray, ...]:
    """Return where the band guard fires for the loss and for each other series, on its own index.

    The loss fires above its band for three values, when its level has climbed out of it, and at
    once when it is not finite; the others, say the gradient norm, above their band alone: a loss
    scaler makes them infinite in good health.
    """
    out, climbed, finite = _above(loss)
    bad = out | climbed | ~finite
    found = [_fired(bad, _in_a_row(~bad, BLOCK))]
    for other in others:
        out, _, finite = _above(other)
        found.append(_fired(out, _in_a_row(~out & finite, BLOCK)))
    return tuple(found)


def _above(series: FloatArray) -> tuple[BoolArray, BoolArray, BoolArray]:
    """Return where a series is above its band, where its level has climbed, where it is finite."""
    finite = np.isfinite(series)
    values = np.clip(series[finite], -HUGE, HUGE)
    out, climbed = np.zeros(series.size, dtype=bool), np.zeros(series.size, dtype=bool)
    blocks = values.size // BLOCK
    if blocks <= WINDOW_BLOCKS:
        return out, climbed, finite
    is_positive = float(values.min()) > 0.0
    judged = np.log(values) if is_positive else values
    least = LEAST_RISE if is_positive else 0.0
    whole = judged[: blocks * BLOCK].reshape(blocks, BLOCK)
    slow = np.zeros(values.size, dtype=bool)
    first = WINDOW_BLOCKS * BLOCK
    middle, spread = _band(whole)
    high = _in_a_row(_higher(judged, middle, spread, BAND_SCORE, least), BAND_STREAK)
    high |= _mostly(_higher(judged, middle, spread, LASTING_SCORE, least))
    level = np.median(whole, axis=1)
    lowest = _lowest_before(level)
    scatter = _scatter_within(whole, level)
    risen = level[WINDOW_BLOCKS:] > lowest + np.maximum(BAND_SCORE * scatter, least)
    # A block is known when its last value is there: it speaks for the block that follows.
    late = np.repeat(risen, BLOCK)
    start = first + BLOCK - 1
    slow[start : start + late.size] = late[: values.size - start]
    out[finite], climbed[finite] = high, slow
    return out, climbed, finite


def _higher(
    judged: FloatArray, middle: FloatArray, spread: FloatArray, score: float, least: float
) -> BoolArray:
    """Return where values lie above the band of the eight blocks before their own.

    What is left of a block at the end has a band too.
    """
    out = np.zeros(judged.size, dtype=bool)
    first = WINDOW_BLOCKS * BLOCK
    limit = middle + np.maximum(score * spread, least)
    out[first:] = judged[first:] > np.repeat(limit, BLOCK)[: judged.size - first]
    return out


def _band(whole: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return median and scatter of each eight blocks in a row, for the block that follows them."""
    blocks = whole.shape[0]
    windows = sliding_window_view(whole, WINDOW_BLOCKS, axis=0)
    flat = windows.reshape(blocks - WINDOW_BLOCKS + 1, BLOCK * WINDOW_BLOCKS)
    middle = np.median(flat, axis=1)
    spread = MAD_TO_SIGMA * np.median(np.abs(flat - middle[:, None]), axis=1)
    least = LEAST_SCATTER * np.maximum(1.0, np.abs(middle))
    return np.asarray(middle), np.asarray(np.maximum(spread, least))


def _lowest_before(level: FloatArray) -> FloatArray:
    """Return the lowest block median of the last 64 blocks before each block from the ninth on."""
    padded = np.concatenate((np.full(LEVEL_BLOCKS, np.inf), level))
    lowest = sliding_window_view(padded, LEVEL_BLOCKS).min(axis=1)
    return np.asarray(lowest[WINDOW_BLOCKS:-1], dtype=np.float64)


def _scatter_within(whole: FloatArray, level: FloatArray) -> FloatArray:
    """Return the scatter around the block medians in the eight blocks before each."""
    apart = np.median(np.abs(whole - level[:, None]), axis=1)
    spread = MAD_TO_SIGMA * np.median(sliding_window_view(apart, WINDOW_BLOCKS), axis=1)[:-1]
    least = LEAST_SCATTER * np.maximum(1.0, np.abs(level[WINDOW_BLOCKS:]))
    return np.asarray(np.maximum(spread, least), dtype=np.float64)


def _in_a_row(mask: BoolArray, count: int) -> BoolArray:
    """Return where this is at least the `count`-th True in a row."""
    if mask.size < count:
        return np.zeros(mask.size, dtype=bool)
    out = np.zeros(mask.size, dtype=bool)
    out[count - 1 :] = sliding_window_view(mask, count).all(axis=1)
    return out


def _mostly(mask: BoolArray) -> BoolArray:
    """Return where eight of the ten values that end here are True."""
    out = np.zeros(mask.size, dtype=bool)
    if mask.size >= LASTING_POINTS:
        counts = sliding_window_view(mask, LASTING_POINTS).sum(axis=1)
        out[LASTING_POINTS - 1 :] = counts >= LASTING_FEWEST
    return out & mask


def _fired(alarm: BoolArray, over: BoolArray) -> IntArray:
    """Return where an alarm begins, given that it lasts until `over`."""
    state = np.where(alarm, 1, np.where(over, -1, 0))
    known = np.flatnonzero(state)
    if known.size == 0:
        return np.zeros(0, dtype=np.int64)
    on = state[known] > 0
    begins = on & ~np.concatenate(([False], on[:-1]))
    return np.asarray(known[begins], dtype=np.int64)
