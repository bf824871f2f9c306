"""Do events fall on one phase of a period more often than chance allows?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

MIN_EVENTS: Final = 4
# One phase: 3 % of the period, or two logging strides where those are wider.
PHASE_WIDTH: Final = 0.03
PHASE_STRIDES: Final = 2.0
# Three in five events there, and less than one chance in 10,000 that it is an accident (binomial,
# times the number of phases tried).
MIN_SHARE: Final = 0.6
MAX_CHANCE: Final = 1e-4
# A window wider than this is no phase.
WIDEST: Final = 0.2


@dataclass(frozen=True, slots=True)
class Lattice:
    """Events at one phase (0..1 of the period): how many of how many, and the chance of that."""

    phase: float
    hits: int
    events: int
    chance: float


def on_lattice(steps: FloatArray, period: float, stride: float) -> Lattice | None:
    """Return the phase at which the events at `steps` gather, None when they do not."""
    count = steps.size
    width = max(PHASE_WIDTH, PHASE_STRIDES * stride / period) if period > 0 else 1.0
    if count < MIN_EVENTS or width > WIDEST:
        return None
    phases = np.sort((steps % period) / period)
    wrapped = np.concatenate([phases, phases + 1.0])
    inside = np.searchsorted(wrapped, phases + width, side="right") - np.arange(count)
    best = int(np.argmax(inside))
    hits = int(inside[best])
    chance = min(1.0, count * _upper_tail(hits - 1, count - 1, width))
    if hits < max(MIN_EVENTS, MIN_SHARE * count) or chance > MAX_CHANCE:
        return None
    middle = float(np.median(wrapped[best : best + hits])) % 1.0
    return Lattice(middle, hits, count, chance)


def _upper_tail(least: int, trials: int, probability: float) -> float:
    """Return the chance of `least` or more hits in `trials`."""
    return sum(
        math.comb(trials, k) * probability**k * (1 - probability) ** (trials - k)
        for k in range(max(0, least), trials + 1)
    )
