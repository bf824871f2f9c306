"""A dynamic loss scale as a sequence of halvings and growths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# On the binary logarithm: a fall to three quarters or less is one halving or several, the same
# upwards is growth.
MOVE: Final = 0.4
# Halvings further apart than this many logged points are separate overflows.
PAUSE_POINTS: Final = 10


@dataclass(frozen=True, slots=True)
class Chain:
    """Halvings in a row without growth between them."""

    first: int  # step of the first halving
    last: int
    halvings: int
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class LossScale:
    """What a loss scale did over the run."""

    chains: tuple[Chain, ...]
    growths: int
    first: float
    last: float
    at_last: int  # points since the last change


def loss_scale(steps: IntArray, values: FloatArray) -> LossScale | None:
    """Return the chains of halvings in finite values; None when none of them is positive.

    Halvings belong to one chain while they follow each other within ten logged points: a scale
    that holds for longer has recovered.
    """
    if values.size == 0 or float(values.max()) <= 0:
        return None
    # A scale that has underflowed to 0 counts as one more halving.
    # Half of the smallest number there is would be 0 again.
    least = max(float(values[values > 0].min()) / 2, float(np.nextafter(0.0, 1.0)))
    logs = np.log2(np.maximum(values, least))
    change = np.diff(logs)
    moved = np.flatnonzero(np.abs(change) > MOVE)
    chains = []
    for group in _groups(moved, change):
        lo, hi = group[0], group[-1] + 1
        count = round(float(logs[lo] - logs[hi]))
        first, last = int(steps[lo + 1]), int(steps[hi])
        chains.append(Chain(first, last, count, float(values[lo]), float(values[hi])))
    return LossScale(
        tuple(chain for chain in chains if chain.halvings > 0),
        int(np.count_nonzero(change > MOVE)),
        float(values[0]),
        float(values[-1]),
        values.size - (int(moved[-1]) + 1 if moved.size else 0),
    )


def _groups(moved: NDArray[np.intp], change: FloatArray) -> list[list[int]]:
    """Return the indices of falls, grouped into chains."""
    groups: list[list[int]] = []
    current: list[int] = []
    for index in moved.tolist():
        if change[index] > 0 or (current and index - current[-1] > PAUSE_POINTS):
            groups.append(current)
            current = []
        if change[index] < 0:
            current.append(index)
    groups.append(current)
    return [group for group in groups if group]
