"""Events against a period: how many share a phase, and the interval of regular steps."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

INTERVAL_FEWEST: Final = 3


def alignment(events: NDArray[np.float64], period: float, window: float) -> tuple[float, float]:
    """Return the largest share of events within `window` steps of one phase, and that phase."""
    phases = np.sort(np.mod(events, period))
    wrapped = np.concatenate([phases, phases + period])
    ends = np.searchsorted(wrapped, phases + 2 * window, side="right")
    counts = ends - np.arange(phases.size)
    best = int(np.argmax(counts))
    middle = float(np.mean(wrapped[best : ends[best]])) % period
    return min(1.0, float(counts[best]) / phases.size), middle


def interval(steps: NDArray[np.int64]) -> float | None:
    """Return the median distance of regular steps, or None for fewer than three."""
    return float(np.median(np.diff(steps))) if steps.size >= INTERVAL_FEWEST else None
