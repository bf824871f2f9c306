"""Periods found in a series without being told: autocorrelation, confirmed by folding."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.signal.fold import DROP_SHARE, detrend

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

MIN_POINTS: Final = 200
# Shorter periods cannot be told from ordinary correlation of neighbours.
MIN_LAG: Final = 8
# At least six cycles must fit.
MAX_LAG_SHARE: Final = 8
# Candidates tried by folding.
MAX_CANDIDATES: Final = 6
# A peak of the autocorrelation must exceed this many standard errors of white noise.
PEAK_ERRORS: Final = 4.0
# Longer series are looked at on their first and last part only through block means of this many.
MAX_POINTS: Final = 65_536
DETREND_SHARE: Final = 6


def autocorrelation(values: FloatArray) -> FloatArray:
    """Return the autocorrelation at lags 0..n/2, by FFT."""
    n = values.size
    if n == 0:
        return np.zeros(0)
    centred = values - values.mean()
    size = 1 << (2 * n - 1).bit_length()
    spectrum = np.fft.rfft(centred, size)
    raw = np.fft.irfft(np.abs(spectrum) ** 2, size)[: n // 2 + 1]
    overlap = np.arange(n, n - raw.size, -1) / n
    return np.asarray(raw / overlap / raw[0]) if raw[0] > 0 else np.zeros(raw.size)


def candidate_periods(values: FloatArray, stride: float) -> list[float]:
    """Return likely periods in steps, strongest first; `values` on the judging scale."""
    if values.size < MIN_POINTS:
        return []
    tail = values[int(DROP_SHARE * values.size) :][:MAX_POINTS]
    window = max(MIN_LAG * 4, tail.size // DETREND_SHARE) | 1
    residual = detrend(tail, window)
    acf = autocorrelation(residual)
    limit = min(acf.size - 1, tail.size // MAX_LAG_SHARE)
    if limit <= MIN_LAG + 2:
        return []
    lags = np.arange(MIN_LAG, limit)
    is_peak = (acf[lags] >= acf[lags - 1]) & (acf[lags] > acf[lags + 1])
    error = PEAK_ERRORS / np.sqrt(tail.size)
    peaks = lags[is_peak & (acf[lags] > error)]
    best = peaks[np.argsort(-acf[peaks])][:MAX_CANDIDATES]
    return [_refined(acf, int(lag)) * stride for lag in best]


def _refined(acf: FloatArray, lag: int) -> float:
    """Return the lag of the peak, sharpened by the peaks near its multiples."""
    period = float(lag)
    for multiple in range(2, 9):
        centre = round(period * multiple)
        reach = max(1, round(period * 0.1))
        first, last = centre - reach, centre + reach + 1
        if last >= acf.size:
            break
        period = (first + int(np.argmax(acf[first:last]))) / multiple
    return period
