"""Whether the loss of a run is the sum of several logged terms, and so no single cross-entropy."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series

# As logged the terms make up the total to a tenth, and none of them nine tenths of it: what ln C or
# another constant of one term says of the total is then an accident.
OF_TOTAL: Final = 0.1
NEARLY_ALL: Final = 0.9
FEWEST: Final = 2


def is_sum_of_terms(run: Run) -> bool:
    """Return whether the logged terms add up to the training loss and none is nearly all of it."""
    loss, terms = run.get(Metric.LOSS), run.all(Metric.LOSS_COMPONENT)
    if loss is None or len(terms) < FEWEST:
        return False
    total, levels = _level(loss), [_level(term) for term in terms]
    if not total > 0 or not all(level >= 0 for level in levels):
        return False
    whole = sum(levels)
    return abs(whole / total - 1.0) <= OF_TOTAL and max(levels) < NEARLY_ALL * whole


def _level(series: Series) -> float:
    """Return the median of the finite values; NaN without any."""
    values = series.finite()[1]
    return float(np.median(values)) if values.size else float("nan")
