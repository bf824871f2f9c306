"""Values that a loss cannot take in health: beyond any sum of squares, or below zero."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.detectors._answers import hardly_any_right
from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.objective import Objective, objective
from spikedoc.model.quality import is_accuracy, is_overlap
from spikedoc.model.run import Run, Series

NAME: Final = "impossible"
# Squared errors of raw Unix time stamps in seconds, about the largest targets anyone leaves
# unscaled, stay below 1e19.
BEYOND: Final = 1e20
# A mean cross-entropy of so many nats takes logits that no working classifier has.
BEYOND_CLASSIFIER: Final = 1e6
# The level of a guess among a million. A sum over a batch may lie above it, so the loss must have
# risen as well, to four times its first value in three records, with hardly an answer right, and no
# more of them than at first: what a training does whose first steps were far too long.
BEYOND_GUESS: Final = float(np.log(1e6))
RISEN: Final = 4.0
RISEN_RECORDS: Final = 3
HARDLY_ANY: Final = 0.1
# Below zero by more than a cosine similarity (at least -1) with a small extra term can be.
NEGATIVE: Final = -2.0
# Of segmentation the losses are cross-entropies, which are positive, and negated overlaps, of at
# least -1: a sum of those of twenty classes.
NEGATIVE_OVERLAP: Final = -20.0
# Names of losses that are log densities or bounds of them, and may be negative.
DENSITIES: Final = ("nll", "likelihood", "elbo", "logp", "density", "flow", "kl")
# A loss that began above zero and lies so many of its first levels below it has no lower bound.
# A density that is told ever more sharply falls below zero too, by a few times where it began.
BOTTOMLESS: Final = 100.0
BOTTOMLESS_LEAST: Final = 1e3
BEGINNING: Final = 10
# Fewer points may be a loss of either sign that jumps about.
BOTTOMLESS_POINTS: Final = 30
# Most of what was logged from there on.
SHARE: Final = 0.5


def detect(run: Run) -> tuple[Detection, ...]:
    """Return IMPOSSIBLE for a loss, training or validation, whose values cannot be right."""
    series = run.main_loss
    if series is None:
        return ()
    classifies = _classifies(run)
    limit = BEYOND_CLASSIFIER if classifies else BEYOND
    limit = BEYOND_GUESS if classifies and _worse_than_guess(run, series) else limit
    with np.errstate(invalid="ignore"):
        found = _lasting(series, np.abs(series.values) >= limit, limit)
        least = _least(run, classifies=classifies)
        if found is None and least is not None and not _is_density(series):
            found = _lasting(series, series.values <= least, 0.0)
        found = found or _bottomless(run, series)
    return () if found is None else (found,)


def _bottomless(run: Run, series: Series) -> Detection | None:
    """Return the stretch below any level that a loss which began above zero can have."""
    if objective(run) is not Objective.PLAIN or _is_density(series):
        return None
    values = series.finite()[1]
    first = values[:BEGINNING]
    if first.size < BEGINNING or float(first.min()) <= 0:
        return None
    limit = -max(BOTTOMLESS * float(np.median(first)), BOTTOMLESS_LEAST)
    if values.size < BOTTOMLESS_POINTS or float(np.median(values[-BEGINNING:])) > limit:
        return None
    return _lasting(series, series.values <= limit, limit)


def _classifies(run: Run) -> bool:
    """Return whether an accuracy is logged beside the loss: then the loss is a cross-entropy."""
    metrics = (*run.all(Metric.TRAIN_METRIC), *run.all(Metric.VAL_METRIC))
    return any(map(is_accuracy, metrics))


def _worse_than_guess(run: Run, series: Series) -> bool:
    """Return whether a loss that rose stands beyond any guess while hardly an answer is right."""
    values = series.finite()[1]
    if values.size == 0 or not hardly_any_right(run, HARDLY_ANY):
        return False
    first = float(values[0])
    return first > 0 and int(np.count_nonzero(values >= RISEN * first)) >= RISEN_RECORDS


def _least(run: Run, *, classifies: bool) -> float | None:
    """Return the level below which no loss is that goes with the quality logged beside it."""
    if classifies:
        return NEGATIVE
    metrics = (*run.all(Metric.TRAIN_METRIC), *run.all(Metric.VAL_METRIC))
    return NEGATIVE_OVERLAP if any(map(is_overlap, metrics)) else None


def _is_density(series: Series) -> bool:
    return any(word in series.tag.lower() for word in DENSITIES)


def _lasting(series: Series, bad: NDArray[np.bool_], limit: float) -> Detection | None:
    """Return the stretch from the first bad value on when most of it is bad; +-inf count as NaN."""
    bad = bad & series.is_finite
    where = np.flatnonzero(bad)
    if where.size == 0:
        return None
    first = int(where[0])
    finite = series.is_finite[first:]
    if float(np.count_nonzero(bad[first:])) <= SHARE * float(np.count_nonzero(finite)):
        return None
    value = float(series.values[where[-1]])
    measures = {"first": float(series.values[first]), "last": value, "limit": limit}
    measures["negative"] = float(value < 0 and limit == 0.0)
    measures |= {"guess": limit} if limit == BEYOND_GUESS else {}
    if first > 0 and np.isfinite(series.values[:first]).any():
        measures["before"] = float(np.nanmedian(series.values[:first][series.is_finite[:first]]))
    steps = series.steps
    begin, end = int(steps[first]), int(steps[-1])
    return Detection(NAME, Shape.IMPOSSIBLE, series.name, begin, begin, end, measures)


DETECTOR: Final = detect
