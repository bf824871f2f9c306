"""Whether a change of level holds over whole cycles of a pattern, which the pattern cannot make."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Anomaly
from spikedoc.signal.baseline import scatter
from spikedoc.signal.view import FloatArray, View

# Whole cycles on either side whose levels are compared.
CYCLES: Final = 3
# The change must be six scatters of one cycle's level against the next, as rises are asked for six
# standard errors, and 10 %.
SCORE: Final = 6.0
CHANGE: Final = float(np.log(1.10))
# Half of the change must be left at the end of the log.
STAYS: Final = 0.5


def holds_over_cycles(seen: View, a: Anomaly, period: float) -> bool:
    """Return whether the level of whole cycles of `period` steps rises at `a` and stays up."""
    points = round(period / seen.stride)
    start = int(np.searchsorted(seen.steps, a.start_step))
    if points < 1 or start < CYCLES * points or len(seen) - start < CYCLES * points:
        return False
    before = _cycle_levels(seen.judged[start % points : start], points)
    after = _cycle_levels(seen.judged[start:], points)
    usual = float(np.median(before[-CYCLES:]))
    change = float(np.median(after[:CYCLES])) - usual
    left = float(np.median(after[-CYCLES:])) - usual
    noise = scatter(np.concatenate([np.diff(before[before.size // 4 :]), np.diff(after)]))
    return change >= max(CHANGE, SCORE * noise) and left >= STAYS * change


def _cycle_levels(values: FloatArray, points: int) -> FloatArray:
    """Return the mean of each whole cycle; what is left over at the end is not looked at."""
    cycles = values.size // points
    return np.asarray(values[: cycles * points].reshape(cycles, points).mean(axis=1))
