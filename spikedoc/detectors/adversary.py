"""A discriminator that is always right, so that the generator gets nothing to learn from."""

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
# The last tenth of the log, at least this many records where there are so many.
LATE_SHARE: Final = 10
LATE_POINTS: Final = 20
DISCRIMINATOR: Final = frozenset({"d", "disc", "dis", "discriminator", "netd", "critic"})
GENERATOR: Final = frozenset({"g", "gen", "generator", "netg"})


def detect(run: Run) -> tuple[Detection, ...]:
    """Return SATURATED when the discriminator errs on nothing and the generator's loss is huge."""
    right = _named(run, DISCRIMINATOR)
    lost = _named(run, GENERATOR)
    if right is None or lost is None:
        return ()
    low, high = _late(right), _late(lost)
    if low is None or high is None or not (0 <= low <= RIGHT and high >= LOST):
        return ()
    first = int(right.steps[-min(len(right), _late_points(right))])
    last = int(right.steps[-1])
    measures = {"discriminator": low, "generator": high}
    return (Detection(NAME, Shape.SATURATED, lost.name, first, last, last, measures),)


def _named(run: Run, words: frozenset[str]) -> Series | None:
    """Return the loss of one side: a tag of that word and `loss`, and no further term of it."""
    kinds = (Metric.LOSS, Metric.LOSS_COMPONENT)
    for series in run.series:
        if series.metric in kinds and series.rank is None and len(series):
            said = tag_words(series.tag) - {"loss", "train", ""}
            if said and said <= words:
                return series
    return None


def _late_points(series: Series) -> int:
    return max(LATE_POINTS, len(series) // LATE_SHARE)


def _late(series: Series) -> float | None:
    values = series.values[-_late_points(series) :]
    values = values[np.isfinite(values)]
    return float(np.median(values)) if values.size else None


DETECTOR: Final = detect
