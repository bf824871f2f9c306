"""A series near a step: its level before, how high it went, how it scatters over the whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.signal.baseline import block_medians, median
from spikedoc.signal.transform import HUGE
from spikedoc.signal.trend import kendall_tau

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Points that make up "the level before" and the fewest of them that do (detection proposal, 15).
BEFORE_POINTS: Final = 100
BEFORE_FEWEST: Final = 5
# Early in a run, where the level still falls, only the last tenth of what there is, 20 at least.
BEFORE_SHARE: Final = 0.10
BEFORE_EARLY: Final = 20
# Ranks beyond this number of values are taken on evenly spaced ones: the answer does not change.
TREND_POINTS: Final = 60


@dataclass(frozen=True, slots=True)
class Jump:
    """How far a series left its level; `peak` and `factor` are inf when it became infinite."""

    before: float  # median of the level before
    peak: float
    factor: float  # peak / before; NaN when the level before is not positive
    step: int  # where the peak is


def finite(steps: IntArray, values: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the finite points, values limited so that squares do not overflow."""
    mask = np.isfinite(values)
    if not bool(mask.all()):
        steps, values = steps[mask], values[mask]
    if values.size and (float(values.max()) > HUGE or float(values.min()) < -HUGE):
        values = np.clip(values, -HUGE, HUGE)
    return steps, values


def finite_only(values: FloatArray) -> FloatArray:
    """Return the finite values alone, limited like those of `finite`."""
    return np.clip(values[np.isfinite(values)], -HUGE, HUGE)


def last_before(
    steps: IntArray, values: FloatArray, step: float, count: int = BEFORE_POINTS
) -> FloatArray:
    """Return the last `count` finite values logged before `step`, oldest first."""
    end = int(np.searchsorted(steps, step, side="left"))
    start = max(0, end - count)
    while True:
        _, found = finite(steps[start:end], values[start:end])
        if found.size >= count or start == 0:
            return found[-count:]
        start = max(0, end - 2 * (end - start))


def level_before(steps: IntArray, values: FloatArray, step: float) -> FloatArray:
    """Return the finite values that make up the level before `step`: the last 20 to 100."""
    index = int(np.searchsorted(steps, step, side="left"))
    count = int(np.clip(BEFORE_SHARE * index, BEFORE_EARLY, BEFORE_POINTS))
    return last_before(steps, values, step, count)


def first_from(
    steps: IntArray, values: FloatArray, step: float, count: int = BEFORE_POINTS
) -> FloatArray:
    """Return the first `count` finite values logged at or after `step`."""
    start = int(np.searchsorted(steps, step, side="left"))
    end = min(values.size, start + count)
    while True:
        _, found = finite(steps[start:end], values[start:end])
        if found.size >= count or end == values.size:
            return found[:count]
        end = min(values.size, start + 2 * (end - start))


def peak_between(
    steps: IntArray, values: FloatArray, first: float, last: float
) -> tuple[int, float] | None:
    """Return step and value of the highest point in [first, last] or the one logged after `last`.

    +inf counts as the highest; None when nothing but NaN was logged there.
    """
    lo = int(np.searchsorted(steps, first, side="left"))
    hi = int(np.searchsorted(steps, last, side="right")) + 1
    known = lo + np.flatnonzero(~np.isnan(values[lo:hi]))
    if known.size == 0:
        return None
    at = int(known[np.argmax(values[known])])  # nanargmax takes a NaN for -inf
    return int(steps[at]), float(values[at])


def jump(steps: IntArray, values: FloatArray, first: float, last: float) -> Jump | None:
    """Return how far the series rose within [first, last] over its level before `first`.

    None when fewer than five finite points lie before, or nothing was logged there.
    """
    before = level_before(steps, values, first)
    peak = peak_between(steps, values, first, last)
    if before.size < BEFORE_FEWEST or peak is None:
        return None
    level = float(np.median(before))
    factor = min(peak[1] / level, np.inf) if level > np.finfo(np.float64).tiny else float("nan")
    return Jump(level, peak[1], float(factor), peak[0])


def parts(values: FloatArray, count: int) -> list[FloatArray]:
    """Return `values` cut into at most `count` consecutive parts, equal but for one, none empty."""
    return [part for part in np.array_split(values, max(1, min(count, values.size))) if part.size]


def part_medians(values: FloatArray, count: int) -> FloatArray:
    """Return the medians of `count` consecutive parts; empty for no values."""
    return np.array([median(part) for part in parts(values, count)], dtype=np.float64)


def detrended(values: FloatArray, width: int) -> FloatArray:
    """Return finite `values` minus a line drawn through the medians of blocks of `width` points."""
    width = max(1, width)
    medians = block_medians(values, width)
    if medians.size <= 1:
        return values - median(values) if values.size else values.copy()
    middles = np.arange(medians.size) * width + (width - 1) / 2
    return np.asarray(values - np.interp(np.arange(values.size), middles, medians))


def aligned(
    first: tuple[IntArray, FloatArray], second: tuple[IntArray, FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Return the values of two series (steps, values) at the steps both have, finite in both."""
    if np.array_equal(first[0], second[0]):
        one, two = first[1], second[1]
    else:
        _, a, b = np.intersect1d(first[0], second[0], assume_unique=True, return_indices=True)
        one, two = first[1][a], second[1][b]
    both = np.isfinite(one) & np.isfinite(two)
    return np.clip(one[both], -HUGE, HUGE), np.clip(two[both], -HUGE, HUGE)


def lag_one(values: FloatArray) -> float:
    """Return the correlation of neighbouring values; 0.0 when they are constant or too few."""
    return correlation(values[:-1], values[1:]) if values.size > BEFORE_FEWEST else 0.0


def correlation(first: FloatArray, second: FloatArray) -> float:
    """Return Pearson's correlation of two finite arrays; 0.0 when one is constant."""
    if first.size < 2:
        return 0.0
    a, b = first - first.mean(), second - second.mean()
    top = max(float(np.abs(a).max()), np.finfo(np.float64).tiny)
    low = max(float(np.abs(b).max()), np.finfo(np.float64).tiny)
    a, b = a / top, b / low
    size = float(np.sqrt(np.dot(a, a) * np.dot(b, b)))
    return float(np.dot(a, b)) / size if size > 0 else 0.0


def ranks(values: FloatArray) -> FloatArray:
    """Return the rank of each value, ties in order of appearance."""
    order = np.argsort(values, kind="stable")
    out = np.empty(values.size, dtype=np.float64)
    out[order] = np.arange(values.size)
    return out


def trend(values: FloatArray) -> float:
    """Return Kendall's tau of finite values against their order: -1 falls, 1 rises, 0 neither."""
    if values.size > TREND_POINTS:
        values = values[np.linspace(0, values.size - 1, TREND_POINTS).astype(np.int64)]
    return kendall_tau(values)
