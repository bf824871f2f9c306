"""A discriminator that is always right, or always wrong: the generator learns nothing from it."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.objective import tag_words
from spikedoc.model.run import Run, Series

NAME: Final = "adversary"
# A cross-entropy of the discriminator below a thousandth: it errs on nothing.
RIGHT: Final = 1e-3
# A generator's non-saturating loss of 10 means that the discriminator gives its samples a chance of
# e^-10. Hinge and least-squares losses stay far below.
LOST: Final = 10.0
# The same way round: a generator's loss of exactly 0 is that of samples which pass for real without
# a doubt, and a discriminator's loss of 10 says the same. One record may be an accident.
FOOLED_POINTS: Final = 5
# The last tenth of the log, at least this many records where there are so many.
LATE_SHARE: Final = 10
LATE_POINTS: Final = 20
DISCRIMINATOR: Final = frozenset({"d", "disc", "dis", "discriminator", "netd", "critic"})
GENERATOR: Final = frozenset({"g", "gen", "generator", "netg"})
# Where both halves of a discriminator's loss are logged, and beside them what it makes of the
# generator's samples, the last is one term of the generator's loss.
HALVES: Final = (frozenset({"real"}), frozenset({"fake"}))
FOOLED: Final = frozenset({"gan"})
# Words that tell nothing of the side.
SAID_OF_ALL: Final = frozenset({"loss", "train", "l", ""})


def detect(run: Run) -> tuple[Detection, ...]:
    """Return SATURATED when the discriminator errs on nothing and the generator's loss is huge.

    Or when it takes everything for real: its own loss is huge and the generator's exactly 0.
    """
    right, lost = _sides(run)
    if not right or lost is None:
        return ()
    if len(right) == 1 and _is_fooled(right[0], lost):
        return (_fooled(right[0], lost),)
    low, high = [_late(series) for series in right], _late(lost)
    if high is None or high < LOST or not all(v is not None and 0 <= v <= RIGHT for v in low):
        return ()
    first = int(right[0].steps[-min(len(right[0]), _late_points(right[0]))])
    last = int(right[0].steps[-1])
    measures = {"discriminator": max(v for v in low if v is not None), "generator": high}
    return (Detection(NAME, Shape.SATURATED, lost.name, first, last, last, measures),)


def _is_fooled(discriminator: Series, generator: Series) -> bool:
    points = _late_points(generator)
    if len(generator) < FOOLED_POINTS or bool(np.any(generator.values[-points:] != 0.0)):
        return False
    high = _late(discriminator)
    return high is not None and high >= LOST


def _fooled(discriminator: Series, generator: Series) -> Detection:
    zero_since = np.flatnonzero(generator.values != 0.0)
    first = int(generator.steps[int(zero_since[-1]) + 1 if zero_since.size else 0])
    last = int(generator.steps[-1])
    high = _late(discriminator) or 0.0
    return Detection(NAME, Shape.SATURATED, generator.name, first, first, last, {"fooled": high})


def _sides(run: Run) -> tuple[tuple[Series, ...], Series | None]:
    """Return the discriminator's loss, or its two halves, and the generator's beside it."""
    whole = _named(run, DISCRIMINATOR)
    if whole is not None:
        return (whole,), _named(run, GENERATOR)
    halves = [_named(run, DISCRIMINATOR, half) for half in HALVES]
    both = tuple(series for series in halves if series is not None)
    return (both if len(both) == len(HALVES) else ()), _named(run, GENERATOR, FOOLED)


def _named(run: Run, words: frozenset[str], term: frozenset[str] = frozenset()) -> Series | None:
    """Return the loss of one side: a tag of that word and `loss`, and of no term but `term`."""
    kinds = (Metric.LOSS, Metric.LOSS_COMPONENT)
    for series in run.series:
        if series.metric in kinds and series.rank is None and len(series):
            said = tag_words(series.tag) - SAID_OF_ALL
            if said - term and said - term <= words and term <= said:
                return series
    return None


def _late_points(series: Series) -> int:
    return max(LATE_POINTS, len(series) // LATE_SHARE)


def _late(series: Series) -> float | None:
    values = series.values[-_late_points(series) :]
    values = values[np.isfinite(values)]
    return float(np.median(values)) if values.size else None


DETECTOR: Final = detect
