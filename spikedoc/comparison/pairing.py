"""Which series of two runs belong together, and which of their points."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from spikedoc.comparison.result import Alignment
from spikedoc.model.metric import MANY, Metric
from spikedoc.model.run import FloatArray, IntArray, Restart, Run, Series
from spikedoc.signal.transform import HUGE, Scale, transform

# What says nothing about learning, or is compared in words of its own.
LEFT_OUT: Final = frozenset(
    {Metric.EPOCH, Metric.THROUGHPUT, Metric.STEP_TIME, Metric.SKIPPED_STEPS, Metric.OTHER}
)
# Quantities of one kind (layers, components) compared at most; the others add length, no answer.
MOST_OF_A_KIND: Final = 12
# Steps that both logged are enough when they are this share of the sparser series.
COMMON_SHARE: Final = 0.5
FEWEST_COMMON: Final = 5
# So many equal values in a row are no accident: a replay that counts its steps from another start.
MATCHED_VALUES: Final = 5
# The same number of points over a range this many times as long: steps that count something else.
UNIT_FACTOR: Final = 8.0
POINTS_FACTOR: Final = 2.0
ORDER: Final = tuple(Metric)


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Two series at the same steps, on one judging scale, without non-finite points."""

    alignment: Alignment
    steps: IntArray
    a: FloatArray  # judging scale
    b: FloatArray
    raw_a: FloatArray
    raw_b: FloatArray
    relative: bool  # the scale is a logarithm


def matched(a: Run, b: Run) -> list[tuple[Series, Series]]:
    """Return the series that both runs have, the loss first."""
    found: list[tuple[Series, Series]] = []
    for metric in ORDER:
        if metric in LEFT_OUT:
            continue
        if metric not in MANY:
            one, two = a.get(metric), b.get(metric)
            if one is not None and two is not None:
                found.append((one, two))
            continue
        others = {series.name: series for series in b.all(metric)}
        both = [(one, others[one.name]) for one in a.all(metric) if one.name in others]
        found += both[:MOST_OF_A_KIND]
    return found


def common_steps(one: Series, two: Series) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the steps that both logged, with the values of each as logged."""
    steps, i, j = np.intersect1d(one.steps, two.steps, assume_unique=True, return_indices=True)
    return steps, one.values[i], two.values[j]


def paired(one: Series, two: Series) -> Pairs:
    """Return the finite points of both at the same steps.

    Where they have few steps in common, the denser one is taken on the line between its points.
    """
    steps_a, values_a = one.finite()
    steps_b, values_b = two.finite()
    steps, i, j = np.intersect1d(steps_a, steps_b, assume_unique=True, return_indices=True)
    alignment, raw_a, raw_b = Alignment.STEPS, values_a[i], values_b[j]
    inside_a, inside_b = _inside(steps_a, steps_b), _inside(steps_b, steps_a)
    fewest = min(inside_a.size, inside_b.size)
    if steps.size < FEWEST_COMMON or steps.size < COMMON_SHARE * fewest:
        if fewest >= FEWEST_COMMON:
            alignment = Alignment.INTERPOLATED
            steps = inside_a if inside_a.size <= inside_b.size else inside_b
            raw_a = np.interp(steps, steps_a, values_a)
            raw_b = np.interp(steps, steps_b, values_b)
        elif not steps.size:
            alignment = Alignment.NONE
    raw_a, raw_b = np.clip(raw_a, -HUGE, HUGE), np.clip(raw_b, -HUGE, HUGE)
    both = transform(np.concatenate([raw_a, raw_b]))
    a, b = both.values[: raw_a.size], both.values[raw_a.size :]
    return Pairs(alignment, steps, a, b, raw_a, raw_b, both.scale is Scale.LOG)


def _inside(steps: IntArray, others: IntArray) -> IntArray:
    """Return the steps within the range of the others."""
    if not others.size:
        return steps[:0]
    lo, hi = np.searchsorted(steps, others[0], "left"), np.searchsorted(steps, others[-1], "right")
    return steps[lo:hi]


def found_offset(a: Run, b: Run) -> int:
    """Return what B's steps lack: where its first losses stand in A, value for value, else 0."""
    one, two = a.main_loss, b.main_loss
    if one is None or two is None or len(two) < MATCHED_VALUES or one.metric is not two.metric:
        return 0
    begin = two.values[:MATCHED_VALUES]
    if not np.isfinite(begin).all() or np.unique(begin).size < MATCHED_VALUES:
        return 0
    for place in np.flatnonzero(one.values[: 1 - MATCHED_VALUES] == begin[0]):
        part = slice(int(place), int(place) + MATCHED_VALUES)
        shift = one.steps[part] - two.steps[:MATCHED_VALUES]
        if np.array_equal(one.values[part], begin) and np.unique(shift).size == 1:
            return int(shift[0])
    return 0


def shifted(run: Run, offset: int) -> Run:
    """Return the run with `offset` added to every step."""
    if offset == 0:
        return run
    series = tuple(replace(one, steps=one.steps + offset) for one in run.series)
    restarts = tuple(
        Restart(one.step + offset, one.last_step + offset, one.reason) for one in run.restarts
    )
    checkpoints = tuple(
        replace(one, step=None if one.step is None else one.step + offset)
        for one in run.checkpoints
    )
    events = tuple((None if s is None else s + offset, line) for s, line in run.events)
    return replace(run, series=series, restarts=restarts, checkpoints=checkpoints, events=events)


def counts_otherwise(a: Run, b: Run) -> bool:
    """Return whether the steps of the two seem to count different things (updates, samples …).

    They do when both begin at the beginning and log about as often over ranges of other lengths.
    """
    one, two = a.main_loss, b.main_loss
    if one is None or two is None or min(len(one), len(two)) < FEWEST_COMMON:
        return False
    if any(series.steps[0] > 2 * series.stride for series in (one, two)):
        return False
    lengths = sorted([int(one.steps[-1]), int(two.steps[-1])])
    points = sorted([len(one), len(two)])
    return lengths[1] >= UNIT_FACTOR * max(lengths[0], 1) and points[1] <= POINTS_FACTOR * points[0]
