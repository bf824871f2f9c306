"""Groups of samples of one prompt: whether their rewards still differ, and the task is solved."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series
from spikedoc.signal.baseline import rolling_median

# The tags are those of TRL, ms-swift and verl.
SPREAD_TAG: Final = re.compile(r"(^|[/_.])reward_std$")
ALIKE_TAG: Final = re.compile(r"(^|[/_.])frac_reward_zero_std$")
# Late: the last fifth. Alike: nine groups of ten have no spread at all, or the mean spread is a
# twentieth of the largest level that it had, of five records.
LATE_SHARE: Final = 5
ALIKE_GROUPS: Final = 0.9
SPREAD_FLOOR: Final = 0.05
LEVEL_POINTS: Final = 5
# A solved task pays all it can at nearly every prompt: the usual batch is as good as the best one.
# Where each prompt has one answer left and some of them are wrong, a batch gets what its prompts
# happen to pay.
SOLVED: Final = 0.95


def lost_its_spread(run: Run) -> bool:
    """Return whether rewards of one group are alike in the end although the task is not solved.

    Advantages are rewards minus the mean of their group (arXiv:2402.03300): alike, nothing more is
    learned. False where neither reward nor spread is logged, or no reward was above 0.
    """
    reward = run.get(Metric.REWARD)
    if reward is None or not any(_is_alike(series) for series in run.series):
        return False
    late = _late(reward)
    best = float(late.max()) if late.size else 0.0
    return best > 0 and float(np.median(late)) < SOLVED * best


def _is_alike(series: Series) -> bool:
    late = _late(series)
    if late.size == 0:
        return False
    if ALIKE_TAG.search(series.tag):
        return bool(np.median(late) >= ALIKE_GROUPS)
    if not SPREAD_TAG.search(series.tag):
        return False
    best = float(rolling_median(series.finite()[1], LEVEL_POINTS).max())
    return 0 <= float(np.median(late)) <= SPREAD_FLOOR * best


def _late(series: Series) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    values = series.finite()[1]
    return values[-max(1, values.size // LATE_SHARE) :] if values.size else values
