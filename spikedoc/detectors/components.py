"""Which term of the loss carries its noise."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, IntArray, Run, Series

NAME: Final = "components"
MIN_POINTS: Final = 100
MIN_COMPONENTS: Final = 2
# One term dominates with nine tenths of the point-to-point variance of all terms …
DOMINANT_SHARE: Final = 0.9
# … and noise as large as half of its own level: a term that is merely the largest is no finding.
RELATIVE_NOISE: Final = 0.5
# Differences beyond six times their median are events, not noise.
EVENT: Final = 6.0
# Squares beyond this do not fit a double, and a ratio beyond this says no more.
LARGEST: Final = 1e100
RELATIVE_MAX: Final = 1e6


def detect(run: Run) -> tuple[Detection, ...]:
    """Return OUTLIER for the loss term that holds nearly all the fast variance, if one does."""
    terms = run.all(Metric.LOSS_COMPONENT)
    if len(terms) < MIN_COMPONENTS:
        return ()
    shared = terms[0].steps
    for term in terms[1:]:
        shared = np.intersect1d(shared, term.steps, assume_unique=True)
    if shared.size < MIN_POINTS:
        return ()
    values = [_at(term, shared) for term in terms]
    usable = np.all(np.isfinite(np.array(values)), axis=0)
    if int(usable.sum()) < MIN_POINTS:
        return ()
    noise = np.array([_fast_variance(v[usable]) for v in values])
    total = float(noise.sum())
    best = int(np.argmax(noise))
    if total <= 0 or noise[best] < DOMINANT_SHARE * total:
        return ()
    level = abs(float(np.median(values[best][usable])))
    relative = float(np.sqrt(noise[best])) / level if level > 0 else float("inf")
    if relative < RELATIVE_NOISE:
        return ()
    return (_found(terms[best], shared, float(noise[best]) / total, min(relative, RELATIVE_MAX)),)


def _at(term: Series, steps: IntArray) -> FloatArray:
    return np.asarray(term.values[np.searchsorted(term.steps, steps)])


def _fast_variance(values: FloatArray) -> float:
    """Return half the mean squared difference of neighbours, each cut where an event begins."""
    steps = np.abs(np.diff(np.clip(values, -LARGEST, LARGEST)))
    limit = EVENT * float(np.median(steps))
    return float(np.mean(np.minimum(steps, limit) ** 2) / 2.0) if limit > 0 else 0.0


def _found(term: Series, steps: IntArray, share: float, relative: float) -> Detection:
    first, last = int(steps[0]), int(steps[-1])
    measures = {"share": share, "relative_noise": relative}
    return Detection(NAME, Shape.OUTLIER, term.name, first, first, last, measures)


DETECTOR: Final = detect
