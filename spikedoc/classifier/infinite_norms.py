"""Gradient norms that are not finite too often to be a loss scaler's search for its scale."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series

# A dynamic scaler looks for its first scale in some twenty steps, halving after each overflow:
# from 65536 (PyTorch) there are 16 halvings to 1.
SEARCH_STEPS: Final = 20
# … and then tries twice the scale after 2000 clean steps (PyTorch), 1000 (DeepSpeed), one overflow
# each. One in twenty is fifty times as often.
OFTEN_SHARE: Final = 0.05
# As often as this, with finite ones between: no single breakdown.
STRETCHES: Final = 3
# A column that is NaN more often than not was left blank where no norm was taken.
BLANK_SHARE: Final = 0.5


def is_often_broken(run: Run, gradient: Series) -> bool:
    """Return whether norms that are not finite stand among others more often than a scaler's do.

    A logged loss scale tells of a scaler itself and is judged by what it does.
    """
    if run.get(Metric.LOSS_SCALE) is not None:
        return False
    later = gradient.values[gradient.steps > run.first_step + SEARCH_STEPS]
    bad = ~np.isfinite(later)
    if not np.isinf(later).any() and float(bad.mean() if bad.size else 0.0) > BLANK_SHARE:
        return False
    stretches = int(np.count_nonzero(np.diff(bad.astype(np.int8)) == 1)) + int(bad[:1].sum())
    return stretches >= STRETCHES and float(bad.mean()) >= OFTEN_SHARE


def skipped_among(run: Run, gradient: Series) -> int:
    """Return at how many infinite norms the update was exactly 0, as far as updates are logged."""
    update = run.get(Metric.UPDATE_NORM)
    if update is None:
        return 0
    infinite = gradient.steps[np.isinf(gradient.values)]
    return int(np.count_nonzero(np.isin(update.steps[update.values == 0.0], infinite)))
