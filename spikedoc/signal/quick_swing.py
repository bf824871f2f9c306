"""A swing with a steady period of a few points, as an optimizer makes it across a valley."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.signal.fold import DROP_SHARE, detrend
from spikedoc.signal.transform import HUGE

FloatArray = NDArray[np.float64]

MIN_POINTS: Final = 200
# Below the shortest lag that periods are sought at, where only multiples of it would be found …
MOST_POINTS: Final = 8.0
# … and above a mere to and fro, which is told as the noise that it is.
LEAST_POINTS: Final = 2.2
# A line explains so much of the scatter, as a found period has to: of white noise the highest of
# n / 2 lines explains 2 ln n / n, a twentieth at most.
LINE_SHARE: Final = 0.25
# A longer pattern has lines at a half or a third of the frequency too: a tenth of this one at most.
LONGER: Final = (2, 3, 4, 5)
LONGER_SHARE: Final = 0.1
# Frequencies are looked at four times as closely as the length tells them apart.
FINER: Final = 4
WINDOW: Final = 51
# In the first quarter as well when half of its size is there.
THERE: Final = 0.5


@dataclass(frozen=True, slots=True)
class QuickSwing:
    """Period in points, share of the scatter, standard deviation, and the index it begins at."""

    period_points: float
    strength: float
    amplitude: float
    cycles: float
    first: int


def quick_swing(values: FloatArray) -> QuickSwing | None:
    """Return the swing of 2.2 to 8 points of a finite series on the judging scale, or None."""
    if values.size < MIN_POINTS:
        return None
    start = int(DROP_SHARE * values.size)
    residual = detrend(values, WINDOW)
    kept = residual[start:] - residual[start:].mean()
    size = FINER * kept.size
    power = np.abs(np.fft.rfft(kept, size)) ** 2
    top = int(np.argmax(power))
    if top == 0 or not LEAST_POINTS <= size / top < MOST_POINTS:
        return None
    strength = 2.0 * float(power[top]) / (kept.size * max(float(np.sum(kept**2)), 1e-12))
    longer = max(_near(power, top // part) for part in LONGER)
    if strength < LINE_SHARE or longer > LONGER_SHARE * float(power[top]):
        return None
    period = size / top
    sizes = _size(residual[:start], period), _size(kept, period)
    first = 0 if sizes[0] >= THERE * sizes[1] else start
    largest = float(np.abs(values).max())  # apart, for squares of the largest numbers are none
    amplitude = min(_size(values[start:] / largest, period) * largest, HUGE)
    return QuickSwing(period, strength, amplitude, (values.size - first) / period, first)


def _near(power: FloatArray, at: int) -> float:
    return float(power[max(1, at - FINER) : at + FINER + 1].max())


def _size(values: FloatArray, period: float) -> float:
    """Return the standard deviation of the part of `values` that swings with `period`."""
    turn = np.exp(-2j * np.pi * np.arange(values.size) / period)
    return float(np.sqrt(2.0) * np.abs(np.mean((values - values.mean()) * turn)))
