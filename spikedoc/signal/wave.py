"""A smooth swing of the level with a steady period of many points, as a cyclic lr makes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.signal.baseline import block_medians, scatter
from spikedoc.signal.periodicity import autocorrelation

FloatArray = NDArray[np.float64]

MIN_POINTS: Final = 200
SKIP_SHARE: Final = 5
BLOCKS: Final = 120
# A cubic takes off the course of training; more would eat a slow wave.
DEGREE: Final = 3
CUT: Final = 5.0
MIN_LAG: Final = 6
MIN_CYCLES: Final = 5
# Autocorrelation at one period, minus that at half a period, and at two periods. Measured: .61 and
# more on the two real waves, .24 at most on healthy runs without a cyclic schedule.
MIN_STRENGTH: Final = 0.5
MIN_SECOND: Final = 0.4


@dataclass(frozen=True, slots=True)
class Wave:
    """Period and amplitude (standard deviation on the judging scale) of a swing."""

    period_points: float
    strength: float
    amplitude: float
    cycles: float


def find_wave(values: FloatArray) -> Wave | None:
    """Return the slow wave of a finite series on the judging scale, or None."""
    n = values.size
    if n < MIN_POINTS:
        return None
    kept = values[n // SKIP_SHARE :]
    width = max(1, kept.size // BLOCKS)
    level = block_medians(kept, width)
    centred = level - np.median(level)
    spread = scatter(level)
    if spread <= 0:
        return None
    position = np.linspace(-1.0, 1.0, level.size)
    cut = np.clip(centred, -CUT * spread, CUT * spread)
    swing = cut - np.polyval(np.polyfit(position, cut, DEGREE), position)
    best = _strongest(autocorrelation(swing), level.size // MIN_CYCLES)
    if best is None:
        return None
    lag, strength = best
    return Wave(float(lag * width), strength, float(np.std(swing)), level.size / lag)


def _strongest(acf: FloatArray, longest: int) -> tuple[int, float] | None:
    best: tuple[int, float] | None = None
    for lag in range(MIN_LAG, longest + 1):
        if acf[lag] < acf[lag - 1] or acf[lag] < acf[lag + 1]:
            continue
        trough = -float(acf[lag // 2 - 1 : lag // 2 + 2].min())
        second = float(acf[2 * lag - 1 : 2 * lag + 2].max())
        strength = min(float(acf[lag]), trough)
        if strength >= MIN_STRENGTH and second >= MIN_SECOND and (not best or strength > best[1]):
            best = (lag, strength)
    return best
