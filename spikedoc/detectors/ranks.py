"""One rank that leaves the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, IntArray, Run, Series
from spikedoc.signal.baseline import scatter
from spikedoc.signal.excursion import find_excursions
from spikedoc.signal.transform import ratio
from spikedoc.signal.view import view

NAME: Final = "ranks"
LOOKED_AT: Final = (Metric.GRAD_NORM, Metric.LOSS)
MIN_RANKS: Final = 2
MIN_POINTS: Final = 60
# A rank must stand out threefold: ranks see different data and scatter by tens of per cent.
MIN_RISE: Final = float(np.log(3.0))
# At a spike of the loss the place is given, so four scatters and a factor of five suffice.
MIN_RISE_AT_SPIKE: Final = float(np.log(5.0))
SCORE_AT_SPIKE: Final = 4.0


@dataclass(frozen=True, slots=True)
class _Ranks:
    """The ranks of one quantity at the steps that all of them logged with a usable value."""

    series: Sequence[Series]
    steps: IntArray
    levels: FloatArray  # logarithms, a row a rank


def detect(run: Run) -> tuple[Detection, ...]:
    """Return the excursions of single ranks against the median of the others."""
    found: list[Detection] = []
    if not any(len(run.ranks(metric)) >= MIN_RANKS for metric in LOOKED_AT):
        return ()
    spikes = _loss_spikes(run)
    for metric in LOOKED_AT:
        ranks = _side_by_side(run.ranks(metric))
        if ranks is not None:
            others = _medians_of_others(ranks.levels)
            for series, level, median in zip(ranks.series, ranks.levels, others, strict=True):
                found += _outliers(series, ranks.steps, level, median, spikes)
    return tuple(sorted(found, key=lambda d: d.first_step))


def _loss_spikes(run: Run) -> list[int]:
    """Return the steps at which the loss spikes: there one look is taken, not thousands."""
    loss = run.get(Metric.LOSS)
    seen = None if loss is None else view(loss.steps, loss.values)
    if seen is None or len(seen) < MIN_POINTS:
        return []
    return [int(seen.steps[e.peak]) for e in find_excursions(seen.judged).accepted]


def _side_by_side(series: Sequence[Series]) -> _Ranks | None:
    """The ranks where they can be compared, None where they have too little in common."""
    if len(series) < MIN_RANKS:
        return None
    steps = series[0].steps
    for other in series[1:]:
        if not np.array_equal(steps, other.steps):
            steps = np.intersect1d(steps, other.steps, assume_unique=True)
    if steps.size < MIN_POINTS:
        return None
    values = np.array([one.values[np.searchsorted(one.steps, steps)] for one in series])
    usable = np.all(np.isfinite(values) & (values > 0), axis=0)
    if int(usable.sum()) < MIN_POINTS:
        return None
    return _Ranks(series, steps[usable], np.log(values[:, usable]))


def _medians_of_others(levels: FloatArray) -> Iterator[FloatArray]:
    """Yield for each row the medians of all other rows.

    They stand in the sorted column at most one place from its middle, so that the columns are
    sorted once and not once a row.
    """
    left = len(levels) - 1
    middle = sorted({(left - 1) // 2, left // 2})
    wanted = [*middle, middle[-1] + 1]
    ordered = np.partition(levels, wanted, axis=0)
    for level in levels:
        met = [np.where(level > ordered[k], ordered[k], ordered[k + 1]) for k in middle]
        yield np.mean(met, axis=0)


def _outliers(
    series: Series, steps: IntArray, level: FloatArray, median: FloatArray, spikes: Sequence[int]
) -> list[Detection]:
    apart = level - median
    # Above its own past and above the others at once: the smaller of the two has the calmer tail.
    apart = np.minimum(apart, level - np.median(level))
    accepted = {e.peak: e.rise for e in find_excursions(apart).accepted if e.rise >= MIN_RISE}
    spread = scatter(apart)
    for index in np.flatnonzero(np.isin(steps, spikes)):
        height = float(apart[index] - np.median(apart))
        if height >= max(MIN_RISE_AT_SPIKE, SCORE_AT_SPIKE * spread):
            accepted.setdefault(int(index), height)
    return [_outlier(series, int(steps[index]), rise) for index, rise in sorted(accepted.items())]


def _outlier(series: Series, step: int, rise: float) -> Detection:
    measures = {
        "factor": ratio(rise),
        "rank": float(series.rank if series.rank is not None else -1),
    }
    return Detection(NAME, Shape.OUTLIER, series.name, step, step, step, measures)


DETECTOR: Final = detect
