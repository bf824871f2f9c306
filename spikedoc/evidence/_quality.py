"""Quality metrics: which way is better, and how they moved around a step."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from spikedoc.model.metric import Metric
from spikedoc.model.quality import direction
from spikedoc.model.run import Run, Series
from spikedoc.signal.around import finite
from spikedoc.signal.baseline import scatter

# Evaluations on each side of a step: enough for a level, near enough to be the same phase.
SIDE_MOST: Final = 5
SIDE_FEWEST: Final = 2
# A move counts beyond three times the scatter from one evaluation to the next, and half a percent.
SIGMAS: Final = 3.0
LEAST: Final = 0.005
# Evaluations on each side that must all lie apart before their order alone tells a change: with
# four on each side chance does that once in 70 times, and all that follow count.
APART_FEWEST: Final = 4
# Differences of neighbours scatter by sqrt(2) more than the values themselves.
DIFFERENCE: Final = 2**0.5


def first_directed(run: Run, metrics: Iterable[Metric]) -> tuple[Series, int] | None:
    """Return the first series of these roles whose better direction is known, with it."""
    for metric in metrics:
        for series in run.all(metric):
            sign = direction(series)
            if sign is not None and len(series):
                return series, sign
    return None


@dataclass(frozen=True, slots=True)
class Change:
    """Levels of a series on both sides of a step; `gain` > 0 is better."""

    before: float
    after: float
    gain: float
    noise: float  # what it usually changes by

    @property
    def is_worse(self) -> bool:
        """Tell whether it got worse beyond its scatter."""
        return self.gain < -self.noise

    @property
    def is_better(self) -> bool:
        """Tell whether it got better beyond its scatter."""
        return self.gain > self.noise


def change_at(series: Series, sign: int, first: float, last: float) -> Change | None:
    """Return how the level changed from before `first` to after `last`; None with too few points.

    Before: up to five evaluations before `first`. After: up to five from `last` on.
    """
    steps, values = finite(series.steps, series.values)
    lo = int(np.searchsorted(steps, first, side="left"))
    hi = int(np.searchsorted(steps, last, side="left"))
    before, after = values[max(0, lo - SIDE_MOST) : lo], values[hi : hi + SIDE_MOST]
    if before.size < SIDE_FEWEST or after.size < SIDE_FEWEST:
        return None
    usual = scatter(np.diff(values[: max(lo, SIDE_FEWEST)][-4 * SIDE_MOST :])) / DIFFERENCE
    level, later = float(np.median(before)), float(np.median(after))
    noise = max(SIGMAS * usual, LEAST * abs(level))
    return Change(level, later, sign * (later - level), noise)


def all_worse(series: Series, sign: int, first: float) -> bool:
    """Return whether every evaluation from `first` on is worse than each of the last ones before.

    This needs no measure of scatter, which a validation that still falls fast does not have.
    """
    steps, values = finite(series.steps, series.values)
    lo = int(np.searchsorted(steps, first, side="left"))
    before, after = sign * values[max(0, lo - SIDE_MOST) : lo], sign * values[lo:]
    if min(before.size, after.size) < APART_FEWEST:
        return False
    return bool(after.max() < before.min())
