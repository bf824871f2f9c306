"""The values of a series over the steps an anomaly covers."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.evidence._answers import UNKNOWN, answer, percent, short
from spikedoc.evidence.base import Answer, Case
from spikedoc.model.metric import Metric
from spikedoc.model.run import Series
from spikedoc.signal.around import finite_only

# Below this a norm is zero up to rounding; for nine points in ten it is no accident.
ZERO: Final = 1e-12
ZERO_SHARE: Final = 0.90
STRETCH_FEWEST: Final = 10


def stretch(case: Case, series: Series | None) -> NDArray[np.float64]:
    """Return the finite values of `series` within the anomaly; empty without enough of them."""
    if series is None:
        return np.zeros(0)
    values = series.window(case.anomaly.start_step, case.anomaly.end_step)
    values = finite_only(values)
    return values if values.size >= STRETCH_FEWEST else np.zeros(0)


def is_zero(case: Case, metric: Metric) -> Answer:
    """Answer whether a norm is zero over the stretch: share of zeros, level, place."""
    values = stretch(case, case.run.get(metric))
    if values.size == 0:
        return UNKNOWN
    share = float(np.mean(np.abs(values) < ZERO))
    return answer(
        share >= ZERO_SHARE,
        percent=percent(share),
        first=case.anomaly.start_step,
        last=case.anomaly.end_step,
        level=short(float(np.median(values))),
    )
