"""Running medians and the local noise of a series."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from spikedoc.signal.memo import remembered
from spikedoc.signal.transform import MAD_TO_SIGMA

FloatArray = NDArray[np.float64]

# Rows of windows looked at in one go, to bound memory to a few MB.
WINDOW_CHUNK_ELEMENTS: Final = 200_000
# From this many points on, wide windows are looked at every quarter of their width, and between two
# of them the result is interpolated: medians of neighbouring windows share three quarters of their
# points, so the line misses by 0.04 standard deviations of the noise (measured), at a quarter of
# the time.
GRID_FROM: Final = 131_072
GRID_SHARE: Final = 4
GRID_MIN_WINDOW: Final = 65

# Width of the trailing window: n/40 points within these bounds (detection proposal, section 0.2).
WINDOW_SHARE: Final = 40
WINDOW_MIN: Final = 21
WINDOW_MAX: Final = 101
# Half-width 5: short enough to follow a steep descent.
HAMPEL_WINDOW: Final = 11
# Noise is taken over four trailing windows.
NOISE_WINDOWS: Final = 4
# The local noise is not trusted below this share of the global one: quiet initial plateaus gave the
# highest scores of healthy runs (measured on real trainings).
NOISE_FLOOR_SHARE: Final = 0.25
NOISE_FLOOR: Final = 1e-6
# Where a fifth of the points lie exactly on their median – zeros of a hinge, a log of few digits –
# the median of the distances says too little of those that do not.
TIED_SHARE: Final = 0.2
CUT: Final = 5.0
CUTS: Final = 4


def rolling_median(values: FloatArray, window: int) -> FloatArray:
    """Return the median of the `window` points centred on each point, mirrored at the ends.

    `window` is made odd and at most the length of `values`. Values must be finite.
    """
    width = _width(values.size, window)
    if width <= 1:
        return values.astype(np.float64, copy=True)
    if _is_long(values.size, width):
        return _on_grid(values, width, width // 2)
    return _moving_median(_mirrored(values, width), width)[width - 1 :]


def rolling_quantile(values: FloatArray, window: int, quantile: float) -> FloatArray:
    """Return the `quantile` of the `window` points centred on each point, mirrored at the ends.

    It is the largest order statistic not above the quantile: no interpolation.
    """
    width = _width(values.size, window)
    if width <= 1:
        return values.astype(np.float64, copy=True)
    rank = int(np.floor(quantile * (width - 1)))
    if _is_long(values.size, width):
        return _on_grid(values, width, rank)
    if width % 4 == 1 and rank == width // 4:
        return _lower_quartile(values, width)
    return _ranked(_mirrored(values, width), width, rank, 1)


def _lower_quartile(values: FloatArray, width: int) -> FloatArray:
    """Return the lower quartile of windows of 4k + 1 points, as a moving median.

    With something lower than everything behind every second value, a window that begins with a
    value holds k fillers on either side of the quartile and the 2k it needs: half again as wide,
    its median is the quartile. Seven times faster than looking into each window.
    """
    padded = _mirrored(values, width)
    place = np.arange(padded.size)
    place += place // 2
    filled = np.full(int(place[-1]) + 1, np.finfo(np.float64).min)
    filled[place] = padded
    wide = width + width // 2
    return _moving_median(filled, wide)[place[: values.size] + wide - 1]


def _width(n: int, window: int) -> int:
    """Return the odd width that a window has in a series of `n` points."""
    return min(window | 1, n if n % 2 else n - 1) if n > 1 else 1


def _is_long(n: int, width: int) -> bool:
    return n >= GRID_FROM and width >= GRID_MIN_WINDOW


def _mirrored(values: FloatArray, width: int) -> FloatArray:
    """Return the values with half a window before and behind them, mirrored at the end points."""
    half = width // 2
    return np.concatenate((values[half:0:-1], values, values[-2 : -half - 2 : -1]))


def _moving_median(values: FloatArray, width: int, fewest: int | None = None) -> FloatArray:
    """Return the median of the `width` points up to each one, of `fewest` at the beginning."""
    import bottleneck  # where used: a short log needs none of it

    return np.asarray(bottleneck.move_median(values, width, min_count=fewest))


def _ranked(padded: FloatArray, width: int, rank: int, stride: int) -> FloatArray:
    """Return the value of this rank (0 = lowest) in every `stride`-th window."""
    windows = sliding_window_view(padded, width)[::stride]
    out = np.empty(len(windows), dtype=np.float64)
    rows = max(1, WINDOW_CHUNK_ELEMENTS // width)
    for start in range(0, out.size, rows):
        part = np.partition(windows[start : start + rows], rank, axis=1)
        out[start : start + rows] = part[:, rank]
    return out


def _on_grid(values: FloatArray, width: int, rank: int) -> FloatArray:
    """Return the value of this rank at every quarter of a window, interpolated between."""
    stride = width // GRID_SHARE
    found = _ranked(_mirrored(values, width), width, rank, stride)
    out = np.empty(values.size, dtype=np.float64)
    whole = (found.size - 1) * stride
    between = np.arange(stride) / stride
    lines = out[:whole].reshape(-1, stride)
    np.multiply(np.diff(found)[:, None], between, out=lines)
    lines += found[:-1, None]
    out[whole:] = found[-1]
    return out


def trailing_median(values: FloatArray, centred: FloatArray, width: int) -> FloatArray:
    """Return the median of the up to `width` points before each point; NaN for the first.

    `centred` is the rolling median of the same, odd width, of which most is taken.
    """
    n, half = values.size, width // 2
    out = np.full(n, np.nan)
    if n < 2:
        return out
    # The window of width points ending just before t is centred on t - 1 - half.
    out[width:] = centred[half : n - 1 - half]
    out[1 : min(width, n)] = expanding_median(values[: min(width, n)])[:-1]
    return out


def expanding_median(values: FloatArray) -> FloatArray:
    """Return the median of all values up to and including each one."""
    return _moving_median(values, values.size, 1) if values.size else np.zeros(0)


@dataclass(frozen=True, slots=True, eq=False)
class Baseline:
    """Where each point is expected and how far points scatter there, both on the judging scale."""

    trailing: FloatArray  # median of the window before the point
    hampel: FloatArray  # median of the close neighbourhood
    centred: FloatArray  # median of a window around the point
    noise: FloatArray  # standard deviation, floored
    window: int


@remembered
def baseline(values: FloatArray) -> Baseline:
    """Return the baseline of a finite series; `values` on the judging scale."""
    n = values.size
    window = int(np.clip(n // WINDOW_SHARE, WINDOW_MIN, WINDOW_MAX)) | 1
    centred = rolling_median(values, window)
    residual = np.abs(values - centred)
    wide = NOISE_WINDOWS * window + 1 if n > 2 * NOISE_WINDOWS * window else max(window, n // 2) | 1
    overall = MAD_TO_SIGMA * median(residual) if n else 0.0
    local = MAD_TO_SIGMA * rolling_median(residual, wide)
    again = np.diff(values, prepend=np.nan) == 0.0  # a smooth curve lies on its median as well
    still = (residual <= 0.0) & (again | np.append(again[1:], False))
    if n and float(still.mean()) >= TIED_SHARE:
        # Many points do not move at all: those that do are the noise, not only half of them.
        tied = (local <= 0.0) | (_rolling_mean(still.astype(np.float64), wide) >= TIED_SHARE)
        local = np.where(tied, np.maximum(local, _rolling_rms(residual, wide)), local)
    noise = np.maximum(np.maximum(local, NOISE_FLOOR_SHARE * overall), NOISE_FLOOR)
    trailing = trailing_median(values, centred, _width(n, window))
    hampel = rolling_median(values, HAMPEL_WINDOW)
    for array in (trailing, hampel, centred, noise):
        array.setflags(write=False)
    return Baseline(trailing, hampel, centred, noise, window)


def _rolling_rms(residual: FloatArray, window: int) -> FloatArray:
    """Return the root mean square of the window around each point, without a few far-off points.

    What lies beyond five of it counts as five, again and again: one spike is no noise, one point in
    twenty-five is.
    """
    rms = np.sqrt(_rolling_mean(residual**2, window))
    for _ in range(CUTS):
        rms = np.sqrt(_rolling_mean(np.minimum(residual, CUT * rms) ** 2, window))
    return np.asarray(rms)


def _rolling_mean(values: FloatArray, window: int) -> FloatArray:
    """Return the mean of the `window` points centred on each point; values are not negative."""
    import bottleneck  # where used: a short log needs none of it

    width = _width(values.size, window)
    if width <= 1:
        return values
    mean = bottleneck.move_mean(_mirrored(values, width), width)[width - 1 :]
    return np.asarray(np.maximum(mean, 0.0))


def median(values: FloatArray | NDArray[np.int64]) -> float:
    """Return the median, as numpy's does; several times faster, since it looks for one rank only.

    NaN for no values, and where one of them is NaN.
    """
    n = values.size
    if n == 0 or bool(np.isnan(values).any()):
        return float("nan")
    parts = np.partition(values, n // 2)
    upper = float(parts[n // 2])
    return upper if n % 2 else (float(parts[: n // 2].max()) + upper) / 2


def scatter(values: FloatArray) -> float:
    """Return the robust standard deviation (scaled MAD) of `values`; 0.0 for an empty array."""
    if values.size == 0:
        return 0.0
    return MAD_TO_SIGMA * median(np.abs(values - median(values)))


def block_medians(values: FloatArray, width: int) -> FloatArray:
    """Return the medians of consecutive blocks of `width` points, without an incomplete last.

    NaN for a block that holds one.
    """
    count = values.size // max(1, width)
    if count == 0:
        return np.zeros(0)
    blocks = values[: count * width].reshape(count, width)
    if bool(np.isnan(blocks).any()):
        return np.asarray(np.median(blocks, axis=1))
    parts = np.partition(blocks, width // 2, axis=1)
    upper = parts[:, width // 2]
    return upper.copy() if width % 2 else (parts[:, : width // 2].max(axis=1) + upper) / 2
