"""A loss that begins its course a second time, as weights do that were never trained."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.evidence.base import Case
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.model.run import Series
from spikedoc.signal.around import finite
from spikedoc.signal.memo import remembered_up_to

KINDS: Final = frozenset({Kind.SLOW_RECOVERY, Kind.LEVEL_SHIFT, Kind.DIVERGENCE})
# The two courses are compared over so many parts, of so many points each at least; the parts get
# longer from the start on, since a loss falls fastest there.
PARTS: Final = 8
POINTS_FEWEST: Final = 40
# Of the way that the loss had fallen: so much was lost again …
LOST_SHARE: Final = 0.8
# … and so far apart the two courses may lie anywhere: a bad batch, or a new set of data, meets
# weights that have learned, and does not fall the same way once more.
APART_SHARE: Final = 0.15
# There must have been a way: to half of the first values or below.
FELL_TO: Final = 0.5
LEVEL_POINTS: Final = 5
# Where the second beginning is looked for around the onset, in points.
NEAR_POINTS: Final = 5


@dataclass(frozen=True, slots=True)
class Anew:
    """Where a loss begins its course again."""

    step: int
    first: float
    before: float
    again: float
    points: int  # over which the two courses are alike


def begins_anew(case: Case) -> Anew | None:
    """Return where the loss begins its course again at the onset, None when it does not."""
    loss = case.run.get(Metric.LOSS)
    if loss is None or case.anomaly.kind not in KINDS:
        return None
    return _begins_anew(loss, case.anomaly.start_step)


@remembered_up_to(8)
def _begins_anew(loss: Series, onset: int) -> Anew | None:
    steps, values = finite(loss.steps, loss.values)
    near = int(np.searchsorted(steps, onset))
    span = range(max(POINTS_FEWEST, near - NEAR_POINTS), min(near + NEAR_POINTS, values.size))
    leaps = [(float(values[i] - values[i - 1]), i) for i in span]
    if not leaps:
        return None
    at = max(leaps)[1]
    points = min(at, values.size - at)
    if points < POINTS_FEWEST:
        return None
    first, again = (float(np.median(v[:LEVEL_POINTS])) for v in (values, values[at:]))
    before = float(np.median(values[at - LEVEL_POINTS : at]))
    if before > FELL_TO * first or again - before < LOST_SHARE * (first - before):
        return None
    apart = np.abs(_course(values[:points]) - _course(values[at : at + points]))
    if float(apart.max()) > APART_SHARE * (first - before):
        return None
    return Anew(int(steps[at]), first, before, again, points)


def _course(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the medians of parts that double in length, the last the longest."""
    whole = values.size
    edges = [0, *(max(LEVEL_POINTS, whole >> k) for k in range(PARTS - 1, -1, -1))]
    parts = [values[a:b] for a, b in pairwise(edges) if b > a]
    return np.array([float(np.median(part)) for part in parts])
