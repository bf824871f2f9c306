"""Running medians and the local noise of a series."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from spikedoc.signal.transform import MAD_TO_SIGMA

FloatArray = NDArray[np.float64]

# Above this many window elements a filter by numpy takes 40 ms and more: with a dozen filters a run
# the import of scipy.ndimage (0.2 to 0.5 CPU-s) pays for itself.
SCIPY_PAYS_FROM: Final = 4_000_000
# Rows of windows looked at in one go, to bound memory to a few MB.
WINDOW_CHUNK_ELEMENTS: Final = 2_000_000

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


def rolling_median(values: FloatArray, window: int) -> FloatArray:
    """Return the median of the `window` points centred on each point, mirrored at the ends.

    `window` is made odd and at most the length of `values`. Values must be finite.
    """
    n = values.size
    if n == 0:
        return values.copy()
    width = min(window | 1, n if n % 2 else n - 1) if n > 1 else 1
    if width <= 1:
        return values.astype(np.float64, copy=True)
    if _scipy_pays(n * width):
        from scipy.ndimage import median_filter

        return np.asarray(median_filter(values, size=width, mode="mirror"), dtype=np.float64)
    return _by_rank(values, width, width // 2)


def _scipy_pays(elements: int) -> bool:
    """Return whether to filter with scipy, whose results are the same: once loaded, always."""
    return elements > SCIPY_PAYS_FROM or "scipy.ndimage" in sys.modules


def _by_rank(values: FloatArray, width: int, rank: int) -> FloatArray:
    """Return the value of this rank (0 = lowest) in the odd window around each point."""
    windows = sliding_window_view(np.pad(values, width // 2, mode="reflect"), width)
    out = np.empty(values.size, dtype=np.float64)
    rows = max(1, WINDOW_CHUNK_ELEMENTS // width)
    for start in range(0, values.size, rows):
        part = np.partition(windows[start : start + rows], rank, axis=1)
        out[start : start + rows] = part[:, rank]
    return out


def rolling_quantile(values: FloatArray, window: int, quantile: float) -> FloatArray:
    """Return the `quantile` of the `window` points centred on each point, mirrored at the ends.

    It is the largest order statistic not above the quantile: no interpolation.
    """
    n = values.size
    width = min(window | 1, n if n % 2 else n - 1) if n > 1 else 1
    if width <= 1:
        return values.astype(np.float64, copy=True)
    rank = int(np.floor(quantile * (width - 1)))
    if _scipy_pays(n * width):
        from scipy.ndimage import rank_filter

        filtered = rank_filter(values, rank, size=width, mode="mirror")
        return np.asarray(filtered, dtype=np.float64)
    return _by_rank(values, width, rank)


def trailing_median(values: FloatArray, window: int) -> FloatArray:
    """Return the median of the up to `window` points before each point; NaN for the first."""
    n = values.size
    out = np.full(n, np.nan)
    if n < 2:
        return out
    width = min(window | 1, n if n % 2 else n - 1)
    centred = rolling_median(values, width)
    half = width // 2
    # The window of width points ending just before t is centred on t - 1 - half.
    out[width:] = centred[half : n - 1 - half]
    for t in range(1, min(width, n)):
        out[t] = np.median(values[:t])
    return out


@dataclass(frozen=True, slots=True, eq=False)
class Baseline:
    """Where each point is expected and how far points scatter there, both on the judging scale."""

    trailing: FloatArray  # median of the window before the point
    hampel: FloatArray  # median of the close neighbourhood
    centred: FloatArray  # median of a window around the point
    noise: FloatArray  # standard deviation, floored
    window: int


def baseline(values: FloatArray) -> Baseline:
    """Return the baseline of a finite series; `values` on the judging scale."""
    n = values.size
    window = int(np.clip(n // WINDOW_SHARE, WINDOW_MIN, WINDOW_MAX)) | 1
    centred = rolling_median(values, window)
    residual = np.abs(values - centred)
    wide = NOISE_WINDOWS * window + 1 if n > 2 * NOISE_WINDOWS * window else max(window, n // 2) | 1
    overall = MAD_TO_SIGMA * float(np.median(residual)) if n else 0.0
    local = MAD_TO_SIGMA * rolling_median(residual, wide)
    noise = np.maximum(np.maximum(local, NOISE_FLOOR_SHARE * overall), NOISE_FLOOR)
    return Baseline(
        trailing_median(values, window),
        rolling_median(values, HAMPEL_WINDOW),
        centred,
        noise,
        window,
    )


def scatter(values: NDArray[np.float64]) -> float:
    """Return the robust standard deviation (scaled MAD) of `values`; 0.0 for an empty array."""
    if values.size == 0:
        return 0.0
    return MAD_TO_SIGMA * float(np.median(np.abs(values - np.median(values))))


def block_medians(values: FloatArray, width: int) -> FloatArray:
    """Return the medians of consecutive blocks of `width` points, without an incomplete last."""
    count = values.size // max(1, width)
    if count == 0:
        return np.zeros(0)
    return np.asarray(np.median(values[: count * width].reshape(count, width), axis=1))
