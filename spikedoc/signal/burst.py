"""Bursts of a smooth curve, as full-batch training makes them.

Where bursts are frequent they set the noise, and the ordinary band sees nothing: here the baseline
is a rolling lower quartile and the scale the scatter below it, which bursts do not touch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.signal.baseline import median, rolling_quantile
from spikedoc.signal.roughness import lag_one

FloatArray = NDArray[np.float64]

MIN_POINTS: Final = 200
WINDOW_SHARE: Final = 20
WINDOW_MIN: Final = 41
WINDOW_MAX: Final = 201
SKIP_SHARE: Final = 10
QUARTILE: Final = 0.25
# Downward deviations from the lower quartile times 2.1 are the Gaussian sigma; 1.48 alarmed on
# 33 to 83 % of healthy autocorrelated noise, 2.1 on none (simulated).
BELOW_TO_SIGMA: Final = 2.1
# A burst exceeds five sigma and a factor of two …
BURST_SIGMAS: Final = 5.0
BURST_RISE: Final = float(np.log(2.0))
# … and ends below two sigma or 20 %.
END_SIGMAS: Final = 2.0
END_RISE: Final = 0.2
# Healthy minibatch residuals have a lag-1 correlation up to .11, burst runs .68 and more.
MIN_LAG1: Final = 0.5
MIN_BURSTS: Final = 3
PARTS: Final = 4
# Upper against lower spread: a symmetric swing is an oscillation, not bursts.
MIN_ASYMMETRY: Final = 1.5
SPREAD: Final = 0.98
BEFORE_POINTS: Final = 10
TINY: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Burst:
    """One burst; indices into the series, `last` inclusive."""

    first: int
    peak: int
    last: int
    rise: float


def find_bursts(values: FloatArray) -> list[Burst]:
    """Return the bursts of a smooth series (judging scale); empty when it is not of that kind."""
    n = values.size
    if n < MIN_POINTS:
        return []
    window = int(np.clip(n // WINDOW_SHARE, WINDOW_MIN, WINDOW_MAX)) | 1
    skip = n // SKIP_SHARE
    above = (values - rolling_quantile(values, window, QUARTILE))[skip:]
    # Memory is asked of the quarters: one step of the level would lend it to the whole.
    parts = np.array_split(above, PARTS)
    if median(np.array([lag_one(part) for part in parts])) < MIN_LAG1:
        return []
    sigma = _scale_below(above)
    low = max(float(np.quantile(-above, SPREAD)), TINY)
    if float(np.quantile(above, SPREAD)) < MIN_ASYMMETRY * low:
        return []
    start = max(BURST_SIGMAS * sigma, BURST_RISE)
    bursts = _runs_above(above, start, max(END_SIGMAS * sigma, END_RISE), skip)
    bursts = [b for b in bursts if _goes_up(values, b)]
    return bursts if len(bursts) >= MIN_BURSTS else []


def _scale_below(values: FloatArray) -> float:
    """Return the Gaussian sigma that the deviations below the baseline stand for."""
    below = -values[values < 0]
    return BELOW_TO_SIGMA * median(below) + TINY if below.size else TINY


def _goes_up(values: FloatArray, burst: Burst) -> bool:
    """Return whether the peak lies a factor of two above the points before: on a steep descent
    the lower quartile of a window lies below everything that comes first in it."""
    before = values[max(0, burst.first - BEFORE_POINTS) : burst.first]
    return before.size > 0 and float(values[burst.peak] - median(before)) >= BURST_RISE


def _runs_above(above: FloatArray, start: float, end: float, offset: int) -> list[Burst]:
    out = []
    crossings = np.flatnonzero(above > start)
    low = np.flatnonzero(above < end)
    position = 0
    while position < crossings.size:
        first = int(crossings[position])
        after = int(np.searchsorted(low, first))
        last = int(low[after]) - 1 if after < low.size else above.size - 1
        peak = first + int(np.argmax(above[first : last + 1]))
        out.append(Burst(first + offset, peak + offset, last + offset, float(above[peak])))
        position = int(np.searchsorted(crossings, last + 1))
    return out
