"""A quantity that must stay up (codes, experts, features, actions in use) at its floor."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.diversity import Quantity, Variety, varieties
from spikedoc.model.group_spread import lost_its_spread
from spikedoc.model.label import Form
from spikedoc.model.run import FloatArray, Run
from spikedoc.model.standing import standing_since
from spikedoc.signal.baseline import rolling_median
from spikedoc.signal.leaving import leaving

NAME: Final = "collapse"
MIN_POINTS: Final = 20
# The best level is a median of a hundredth of the log, of three records at least: one high record
# is no level, and a codebook may collapse within the first records.
BEST_SHARE: Final = 100
BEST_POINTS: Final = 3
PARTS: Final = 20
# Collapsed for good: the last fifth of the log lies at the floor.
LATE_PARTS: Final = 4
# Half-way to a level of nothing.
FROM_NOTHING: Final = 0.1


def detect(run: Run) -> tuple[Detection, ...]:
    """Return a COLLAPSE for each form of variety that was lost without a gain to show for it.

    Variety that falls while reward, quality or loss go on improving is a network that makes up its
    mind. Of a policy less still is a fault: a reward that was won and kept may be all there is,
    unless each prompt has one answer left and not all of them are right.
    """
    out: dict[Form, Detection] = {}
    for variety in varieties(run):
        form = variety.quantity.form
        found = None if form in out else _collapse(variety)
        if found is not None and _is_harmed(run, form, found.first_step):
            out[form] = _from_onset(run, variety, found)
    return tuple(out.values())


def _collapse(variety: Variety) -> Detection | None:
    quantity, series = variety.quantity, variety.series
    steps, values = series.finite()
    if values.size < MIN_POINTS or float(values.min()) < 0:
        return None
    parts = np.array_split(values, PARTS)[-LATE_PARTS:]
    late = np.array([float(np.median(part)) for part in parts])
    early = values[: values.size - sum(part.size for part in parts)]
    levels = rolling_median(early, max(BEST_POINTS, values.size // BEST_SHARE))
    best = float(levels.min() if quantity.rises else levels.max())
    best = max(
        best, float(variety.experts)
    )  # the router may have collapsed before the first record
    if not _is_at_floor(quantity, best, late):
        return None
    after = float(np.median(late))
    first = _onset(values, best, after)
    names = ("number_before", "number_after") if variety.experts else ("before", "after")
    logged = (variety.sign * best, variety.sign * after)
    measures = dict(zip(names, logged, strict=True))
    begin, end = int(steps[first]), int(steps[-1])
    return Detection(NAME, Shape.COLLAPSE, series.name, begin, begin, end, measures)


def _is_at_floor(quantity: Quantity, best: float, late: FloatArray) -> bool:
    if best < quantity.least:
        return False
    if quantity.rises:
        bound = max(best / quantity.floor, quantity.bound)
        return bool(np.all(late >= bound)) and float(late.min()) > 0
    return best > 0 and bool(np.all(late <= quantity.floor * best))


def _onset(values: FloatArray, best: float, after: float) -> int:
    """Return the index after the last value on the side of `best` of the way to `after`.

    Half-way is the geometric mean, as variety is counted in factors; where one level is nothing it
    is a tenth of the other.
    """
    some = min(best, after) > 0
    half = float(np.sqrt(best) * np.sqrt(after)) if some else FROM_NOTHING * max(best, after)
    still = np.flatnonzero(values > half if best > after else values < half)
    return min(int(still[-1]) + 1, values.size - 1) if still.size else 0


def _from_onset(run: Run, variety: Variety, found: Detection) -> Detection:
    """Return the collapse from where the variety first left its course, if harm began there.

    Exploration that is spent while the reward rises is none: then the collapse is told from
    half-way on.
    """
    steps, values = variety.series.finite()
    falls = np.log(np.maximum(values, np.finfo(np.float64).tiny))
    course = falls if variety.quantity.rises else -falls
    step = int(steps[leaving(course, int(steps.searchsorted(found.first_step)))])
    if step == found.first_step or not _is_harmed(run, variety.quantity.form, step):
        return found
    between = standing_since(run, step, until=found.first_step)
    if between is not None and not between.stands:
        return found  # what was lost in the end was won while the variety fell
    return replace(found, first_step=step)


def _is_harmed(run: Run, form: Form, step: int) -> bool:
    standing = standing_since(run, step)
    if standing is None:
        return False
    kept = form is Form.POLICY and not standing.nothing_won and not lost_its_spread(run)
    return standing.stands and not kept


DETECTOR: Final = detect
