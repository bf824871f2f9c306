"""A gradient norm that has died away while the loss stands still."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.signal.level import levels
from spikedoc.signal.vanished import (
    LEVEL_SHARE,
    VANISHED,
    VANISHED_ABSOLUTE,
    early_level,
    is_vanished,
)
from spikedoc.signal.view import view

NAME: Final = "vanishing"
MIN_POINTS: Final = 50
# A loss still above a tenth of its start: a converged model has small gradients too.
LEARNED: Final = 0.1


def detect(run: Run) -> tuple[Detection, ...]:
    """Return VANISHING for a gradient norm near zero beside a loss that is not."""
    series, loss = run.get(Metric.GRAD_NORM), run.get(Metric.LOSS)
    if series is None or loss is None:
        return ()
    seen, course = view(series.steps, series.values), view(loss.steps, loss.values)
    if len(seen) < MIN_POINTS or len(course) < MIN_POINTS:
        return ()
    if float(seen.values.min()) < 0:
        return ()  # no norm is negative: a sentinel, a logarithm, or another quantity
    part = len(seen) // LEVEL_SHARE
    early, late = early_level(seen.values), float(np.median(seen.values[-part:]))
    level = levels(course.values)
    if not is_vanished(late, early) or level.end <= LEARNED * level.start:
        return ()
    index = _since(seen.values, max(VANISHED * early, VANISHED_ABSOLUTE))
    first, last = int(seen.steps[index]), int(seen.steps[-1])
    measures = {"before": early, "after": late, "factor": late / early if early > 0 else 0.0}
    return (Detection(NAME, Shape.VANISHING, series.name, first, last, last, measures),)


def _since(values: np.ndarray[tuple[int], np.dtype[np.float64]], limit: float) -> int:
    """Return the index after the last value above `limit`, at most the last one."""
    above = np.flatnonzero(values > limit)
    return min(int(above[-1]) + 1, values.size - 1) if above.size else 0


DETECTOR: Final = detect
