"""Counters of rows that say 0 and of rows that say 1: do they pass the same steps?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from spikedoc.model.run import FloatArray
from spikedoc.readers._numbers import number

# Steps remembered for each of the two; of a longer log the first ones tell.
MOST_STEPS: Final = 100_000
# Share of the steps of one, that of the fewer steps, at which the other has rows as well. Two
# stages of a training that count on share at most the one step between them; held-out rows stand
# at steps of training rows, all but some that were lost.
LEAST_SHARED: Final = 0.5
# Steps that must be shared: one may be where two stages meet.
LEAST_STEPS: Final = 3

# The cells of each counter of a piece, by its name.
Counters = Mapping[str, Sequence[Any]]


class SharedSteps:
    """Where the rows of no and those of yes stand, by each counter of the table."""

    def __init__(self) -> None:
        """Start with no row seen."""
        self._seen: dict[str, tuple[set[float], set[float]]] = {}

    def see(self, at: Sequence[int], said: Sequence[bool], counters: Counters) -> None:
        """Look at the rows `at` of a piece; `said` is whether each of them says yes."""
        is_yes = np.array(said, dtype=bool)
        for name, cells in counters.items():
            steps = _numbers(cells)[np.array(at, dtype=np.int64)]
            for kind, known in enumerate(self._seen.setdefault(name, (set(), set()))):
                if len(known) < MOST_STEPS:
                    own = steps[is_yes == bool(kind)]
                    known.update(np.unique(own[np.isfinite(own)]).tolist())

    def are_shared(self) -> bool:
        """Return whether the two kinds of rows pass the same steps, as those of two data sets do.

        One counter must show it, and none may speak against it: the batches of an epoch come again
        in each of them.
        """
        found = [pair for pair in self._seen.values() if all(pair)]
        return any(map(_is_shared, found)) and all(map(_meet, found))


def _is_shared(pair: tuple[set[float], set[float]]) -> bool:
    shared = len(pair[0] & pair[1])
    return shared >= LEAST_STEPS and shared >= LEAST_SHARED * min(map(len, pair))


def _meet(pair: tuple[set[float], set[float]]) -> bool:
    """Whether one kind of rows begins before the other ends."""
    return max(map(min, pair)) < min(map(max, pair))


def _numbers(cells: Sequence[Any]) -> FloatArray:
    try:
        return np.asarray(cells, dtype=np.float64)
    except (TypeError, ValueError):
        found = (number(str(cell)) if cell is not None else None for cell in cells)
        return np.array([np.nan if one is None else one for one in found], dtype=np.float64)
