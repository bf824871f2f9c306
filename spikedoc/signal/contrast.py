"""Changes of level: the median after a point against the median before it, at several spans."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.signal.baseline import block_medians, median, rolling_median, scatter
from spikedoc.signal.memo import remembered
from spikedoc.signal.transform import MAD_TO_SIGMA

FloatArray = NDArray[np.float64]

# Spans in points; a tenth of the series is added, and none may exceed an eighth of it.
SPANS: Final = (10, 20, 40, 80)
SPAN_SHARE: Final = 10
SPAN_MAX_SHARE: Final = 8
SPAN_MIN: Final = 10
# Longer series are thinned to about this many block medians first: time stays linear.
MAX_POINTS: Final = 8_000
# Standard error of a median against that of a mean, Gaussian.
MEDIAN_FACTOR: Final = 1.2533
# The ordinary slope of the curve at a span is its median over eight spans on either side.
SLOPE_SPANS: Final = 8
# The slope moves slowly: it is taken at every quarter of a span and interpolated.
GRID_SHARE: Final = 4
# No verdict in the first twentieth: there a curve still falls steeply.
SKIP_SHARE: Final = 20
# Block medians needed before their scatter says anything about slow wander.
MIN_BLOCKS: Final = 8
# … and the changes at a span are their own measure of it: six standard errors must be four of their
# scatters (with equal weight a real rise is lost, without any smooth noise in a short log is one).
OWN_SHARE: Final = 2.0 / 3.0
# Points at either end of a window in which its best split is not sought.
SPLIT_MARGIN: Final = 3


@dataclass(frozen=True, slots=True)
class Contrast:
    """A change of level: `index` is the first point of the new level."""

    index: int
    score: float
    change: float  # judging scale, positive upwards
    span: int  # in points of the original series


def level_changes(
    values: FloatArray, noise: FloatArray, sign: int, threshold: float, min_change: float
) -> list[Contrast]:
    """Return the level changes in direction `sign` (+1 up, -1 down), one per span and place.

    A change counts when it exceeds both `threshold` standard errors – white noise inflated by the
    scatter the series' own block medians show at that span, at least the scatter of the changes
    themselves: noise with a long memory makes neighbouring blocks alike – and `min_change`, after
    the ordinary slope of the curve at that span is taken off.
    """
    step = max(1, values.size // MAX_POINTS)
    if step > 1:
        values, noise = _thinned(values, noise, step)
    n = values.size
    found: list[Contrast] = []
    for span in sorted(
        {k for k in (*SPANS, n // SPAN_SHARE) if SPAN_MIN <= k <= n // SPAN_MAX_SHARE}
    ):
        found += _at_span(values, noise, span, sign, threshold, min_change)
    if step == 1:
        return found
    return [Contrast(c.index * step, c.score, c.change, c.span * step) for c in found]


def _at_span(
    values: FloatArray, noise: FloatArray, span: int, sign: int, threshold: float, min_change: float
) -> list[Contrast]:
    n = values.size
    # Both are odd: those of the falls are those of the rises turned round.
    up, usual_up, error = _course(values, noise, span)
    change, usual = sign * up, sign * usual_up
    with np.errstate(invalid="ignore"):
        score = np.fmin(change, change - usual) / error
        hot = (score >= threshold) & (change >= min_change)
    hot[: max(span, n // SKIP_SHARE)] = False
    index = np.flatnonzero(hot)
    if index.size == 0:
        return []
    out = []
    for members in np.split(index, np.flatnonzero(np.diff(index) > span) + 1):
        best = int(members[np.argmax(score[members])])
        out.append(Contrast(best, float(score[best]), sign * float(change[best]), span))
    return out


@remembered
def _course(
    values: FloatArray, noise: FloatArray, span: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the change at each point, the usual one there, and the standard error of a change."""
    change = contrast(values, span)
    error = MEDIAN_FACTOR * noise / np.sqrt(span) * np.sqrt(2.0) * _inflation(values, noise, span)
    usual = _usual_slope(change, span)
    error = np.maximum(error, OWN_SHARE * _own_scatter(change - usual))
    for array in (change, usual, error):
        array.setflags(write=False)
    return change, usual, error


@remembered
def _thinned(values: FloatArray, noise: FloatArray, step: int) -> tuple[FloatArray, FloatArray]:
    """Return block medians of `step` points, and the noise of one."""
    level = block_medians(values, step)
    error = block_medians(noise, step) / np.sqrt(step) * MEDIAN_FACTOR
    for array in (level, error):
        array.setflags(write=False)
    return level, error


def contrast(values: FloatArray, span: int) -> FloatArray:
    """Return median of [t, t+span) minus median of [t-span, t); NaN where a window is cut off."""
    n = values.size
    out = np.full(n, np.nan)
    if n < 2 * span:
        return out
    # Even spans: the centred filter needs an odd width, so the window is one point wider.
    width = span | 1
    centred = rolling_median(values, width)
    half = width // 2
    t = np.arange(span, n - span + 1)
    out[t] = centred[np.minimum(t + half, n - 1)] - centred[t - 1 - half]
    return out


def _usual_slope(change: FloatArray, span: int) -> FloatArray:
    """Return the median change over eight spans on either side, on a grid of quarter spans."""
    inside = np.flatnonzero(np.isfinite(change))
    out = np.full(change.size, np.nan)
    if inside.size:
        grid = inside[:: max(1, span // GRID_SHARE)]
        window = SLOPE_SPANS * span // max(1, span // GRID_SHARE) + 1
        out[inside] = np.interp(inside, grid, rolling_median(change[grid], window))
    return out


def _own_scatter(change: FloatArray) -> float:
    """Return the robust standard deviation of the changes at a span; 0.0 without any."""
    return scatter(change[np.isfinite(change)])


def _inflation(values: FloatArray, noise: FloatArray, span: int) -> float:
    """Return how much more block medians scatter than white noise would make them."""
    medians = block_medians(values, span)
    if medians.size < MIN_BLOCKS:
        return 1.0
    bend = medians[1:-1] - 0.5 * (medians[:-2] + medians[2:])
    seen = MAD_TO_SIGMA * median(np.abs(bend - median(bend))) / np.sqrt(1.5)
    white = MEDIAN_FACTOR * median(noise) / np.sqrt(span)
    return max(1.0, seen / white) if white > 0 else 1.0


def best_split(values: FloatArray, index: int, span: int, sign: int = 1) -> int:
    """Return the index near `index` (within ±span) where means before and after differ most."""
    first, last = max(0, index - span), min(values.size, index + span)
    part = values[first:last]
    length = part.size
    k = np.arange(SPLIT_MARGIN, length - SPLIT_MARGIN)
    if k.size == 0:
        return index
    total = np.cumsum(part)
    gain = (total[-1] - total[k - 1]) / (length - k) - total[k - 1] / k
    weighted = sign * gain * np.sqrt(k * (length - k) / length)
    return first + int(k[np.argmax(weighted)])
