"""One rank whose level leaves that of the others for good, or whose values stop being finite."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, IntArray, Run, Series
from spikedoc.signal.baseline import block_medians, scatter
from spikedoc.signal.transform import ratio

NAME: Final = "rank_level"
LOOKED_AT: Final = (Metric.LOSS, Metric.GRAD_NORM)
# Of two ranks it cannot be told which is the odd one.
MIN_RANKS: Final = 3
MIN_POINTS: Final = 60
# Points that a level needs on either side of the place.
MIN_SIDE: Final = 20
# A lasting difference of a fifth: shards differ by some per cent, and all along.
MIN_RISE: Final = float(np.log(1.2))
# In standard errors of block medians, which carry what neighbouring points have in common; half
# again as much as a single excursion needs, since the place is picked out of all.
MIN_SCORE: Final = 8.0
BLOCKS: Final = 40
# The others stay: none of them moves by more than a third as much at that place.
OTHERS_SHARE: Final = 1 / 3
# It stays: nine of ten blocks on either side lie on their side of the middle.
STAYS_SHARE: Final = 0.9
# Non-finite values of one rank alone, in a row, before they are called so.
MIN_NONFINITE: Final = 3
# Among so many ranks one has no say in the median, and leaving out each in turn takes minutes.
MANY_RANKS: Final = 64


def detect(run: Run) -> tuple[Detection, ...]:
    """Return the ranks that leave the others at some step and do not come back."""
    found: list[Detection] = []
    for metric in LOOKED_AT:
        ranks = run.ranks(metric)
        if len(ranks) >= MIN_RANKS:
            steps, values = _together(ranks)
            found += _nonfinite(ranks, steps, values)
            found += _lasting(ranks, steps, values)
    return tuple(sorted(found, key=lambda one: one.first_step))


def _together(ranks: tuple[Series, ...]) -> tuple[IntArray, FloatArray]:
    """The values of all ranks at the steps that they share, a row each."""
    steps = ranks[0].steps
    for other in ranks[1:]:
        steps = np.intersect1d(steps, other.steps, assume_unique=True)
    rows = [one.values[np.searchsorted(one.steps, steps)] for one in ranks]
    return steps, np.array(rows, dtype=np.float64).reshape(len(ranks), steps.size)


def _nonfinite(ranks: tuple[Series, ...], steps: IntArray, values: FloatArray) -> list[Detection]:
    """Ranks that are not finite while all others are."""
    bad = ~np.isfinite(values)
    found = []
    for row, series in enumerate(ranks):
        alone = bad[row] & (bad.sum(axis=0) == 1)
        first, length = _longest(alone)
        if length >= MIN_NONFINITE:
            last = int(steps[first + length - 1])
            measures = {"rank": _number(series), "nonfinite_points": float(length), "factor": 1.0}
            begin = int(steps[first])
            found.append(Detection(NAME, Shape.OUTLIER, series.name, begin, begin, last, measures))
    return found


def _longest(mask: NDArray[np.bool_]) -> tuple[int, int]:
    """Where the longest stretch of True begins, and its length."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], mask.astype(np.int8), [0]))))
    begins, ends = edges[::2], edges[1::2]
    if not begins.size:
        return 0, 0
    at = int(np.argmax(ends - begins))
    return int(begins[at]), int(ends[at] - begins[at])


def _lasting(ranks: tuple[Series, ...], steps: IntArray, values: FloatArray) -> list[Detection]:
    usable = np.all(np.isfinite(values) & (values > 0), axis=0)
    if int(usable.sum()) < MIN_POINTS:
        return []
    levels, steps = np.log(values[:, usable]), steps[usable]
    apart = _apart(levels)
    places = [_place(row) for row in apart]
    found = []
    for row, place in enumerate(places):
        shift = _shift(apart[row], place)
        if not _stands_out(apart[row], place, shift):
            continue
        others = np.abs(np.delete(_shifts(apart, place), row))
        if float(others.max()) > OTHERS_SHARE * abs(shift):
            continue
        series = ranks[row]
        factor = ratio(shift)
        measures = {
            "rank": _number(series),
            "lasting_factor": factor,
            "factor": max(factor, 1 / factor),
        }
        if _are_equal(apart[row], place):
            measures["equal_points"] = float(place)
        first, last = int(steps[place]), int(steps[-1])
        found.append(Detection(NAME, Shape.OUTLIER, series.name, first, first, last, measures))
    return found


def _apart(levels: FloatArray) -> FloatArray:
    """How far each rank is from the median of the others; among many, from that of all."""
    if len(levels) > MANY_RANKS:
        return levels - np.median(levels, axis=0)
    return np.array(
        [row - np.median(np.delete(levels, at, axis=0), axis=0) for at, row in enumerate(levels)]
    )


def _place(apart: FloatArray) -> int:
    """The index at which two levels, one before and one from there on, fit best."""
    n = apart.size
    sums = np.cumsum(apart - apart.mean())[:-1]
    before = np.arange(1, n)
    weight = np.sqrt(before * (n - before))
    score = np.abs(sums) / weight
    score[: MIN_SIDE - 1] = score[n - MIN_SIDE :] = -1.0
    return int(np.argmax(score)) + 1


def _shift(apart: FloatArray, place: int) -> float:
    return float(np.median(apart[place:]) - np.median(apart[:place]))


def _shifts(apart: FloatArray, place: int) -> FloatArray:
    """How far the level of each rank moves at one place."""
    after: FloatArray = np.median(apart[:, place:], axis=1)
    return after - np.median(apart[:, :place], axis=1)


def _stands_out(apart: FloatArray, place: int, shift: float) -> bool:
    """Whether the level moves beyond chance, by enough, and stays."""
    before, after = apart[:place], apart[place:]
    was_equal = _are_equal(apart, place)
    if not was_equal and abs(shift) < MIN_RISE:
        return False
    if was_equal and float(np.mean(after != 0.0)) < STAYS_SHARE:
        return False
    width = max(1, apart.size // BLOCKS)
    blocks = [block_medians(side, width) for side in (before, after)]
    middle = float(np.median(before)) + shift / 2
    side = np.sign(shift)
    stays = [
        float(np.mean(side * (blocks[0] - middle) < 0)),
        float(np.mean(side * (blocks[1] - middle) > 0)),
    ]
    if min(stays) < STAYS_SHARE:
        return False
    error = np.sqrt(sum(scatter(one) ** 2 / max(1, one.size) for one in blocks))
    return shift != 0.0 and abs(shift) >= MIN_SCORE * error


def _are_equal(apart: FloatArray, place: int) -> bool:
    """Whether the rank logged the very values of the others up to the place."""
    return bool(np.all(apart[:place] == 0.0))


def _number(series: Series) -> float:
    return float(series.rank if series.rank is not None else -1)


DETECTOR: Final = detect
