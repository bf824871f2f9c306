"""One rank that leaves the others."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series
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


def detect(run: Run) -> tuple[Detection, ...]:
    """Return the excursions of single ranks against the median of the others."""
    found: list[Detection] = []
    if not any(len(run.ranks(metric)) >= MIN_RANKS for metric in LOOKED_AT):
        return ()
    spikes = _loss_spikes(run)
    for metric in LOOKED_AT:
        ranks = run.ranks(metric)
        if len(ranks) >= MIN_RANKS:
            for series in ranks:
                found += _outliers(series, [r for r in ranks if r is not series], spikes)
    return tuple(sorted(found, key=lambda d: d.first_step))


def _loss_spikes(run: Run) -> list[int]:
    """Return the steps at which the loss spikes: there one look is taken, not thousands."""
    loss = run.get(Metric.LOSS)
    seen = None if loss is None else view(loss.steps, loss.values)
    if seen is None or len(seen) < MIN_POINTS:
        return []
    return [int(seen.steps[e.peak]) for e in find_excursions(seen.judged).accepted]


def _outliers(series: Series, others: list[Series], spikes: list[int]) -> list[Detection]:
    shared = series.steps
    for other in others:
        shared = np.intersect1d(shared, other.steps, assume_unique=True)
    if shared.size < MIN_POINTS:
        return []
    own = series.values[np.searchsorted(series.steps, shared)]
    rest = np.array([o.values[np.searchsorted(o.steps, shared)] for o in others])
    usable = np.isfinite(own) & (own > 0) & np.all(np.isfinite(rest) & (rest > 0), axis=0)
    if int(usable.sum()) < MIN_POINTS:
        return []
    level = np.log(own[usable])
    apart = level - np.median(np.log(rest[:, usable]), axis=0)
    # Above its own past and above the others at once: the smaller of the two has the calmer tail.
    apart = np.minimum(apart, level - np.median(level))
    steps = shared[usable]
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
