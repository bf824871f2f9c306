"""A loss scale as a sequence of halvings and growths."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from spikedoc.model.run import Series
from spikedoc.signal.around import finite

# A fall to three quarters or less is a halving or several; the same upwards is growth.
FALL: Final = -0.4
RISE: Final = 0.4


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


@lru_cache(maxsize=4)
def loss_scale(series: Series) -> LossScale | None:
    """Return the chains of halvings of a loss scale; None when it has no positive values.

    Halvings belong to one chain while no logged point between them keeps the scale for longer than
    the usual pause: a scale that holds for many points has recovered.
    """
    steps, values = finite(series.steps, series.values)
    if values.size == 0 or float(values.max()) <= 0:
        return None
    # A scale that has underflowed to 0 counts as one more halving.
    logs = np.log2(np.maximum(values, float(values[values > 0].min()) / 2))
    change = np.diff(logs)
    moved = np.flatnonzero((change < FALL) | (change > RISE))
    chains: list[Chain] = []
    for group in _groups(moved, change):
        lo, hi = int(group[0]), int(group[-1]) + 1
        chains.append(
            Chain(
                int(steps[lo + 1]),
                int(steps[hi]),
                round(float(logs[lo] - logs[hi])),
                float(values[lo]),
                float(values[hi]),
            )
        )
    last = int(moved[-1]) + 1 if moved.size else 0
    return LossScale(
        tuple(chain for chain in chains if chain.halvings > 0),
        int(np.count_nonzero(change > RISE)),
        float(values[0]),
        float(values[-1]),
        values.size - last,
    )


# Halvings further apart than this many logged points are separate overflows.
PAUSE_POINTS: Final = 10


def _groups(
    moved: np.ndarray[tuple[int], np.dtype[np.int64]],
    change: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> list[list[int]]:
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
