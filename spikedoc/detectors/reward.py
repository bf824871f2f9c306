"""Group-relative reinforcement learning in which no reward differs, so that nothing is learned."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.group_spread import ALIKE_TAG, SPREAD_TAG
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series

NAME: Final = "reward"
# Advantages of GRPO and its relatives are rewards minus the mean of their group: all alike is zero.
# Late: the last third of the log, where a task that is solved looks alike as well.
LATE_SHARE: Final = 3
# A reward this close to the best ever seen is a solved task, not a missing signal …
SOLVED: Final = 0.95
# … unless it never moved: fewer than so many records tell no course.
FEW: Final = 5


def detect(run: Run) -> tuple[Detection, ...]:
    """Return NO_SPREAD when every late group of samples got the same reward and no gradient."""
    found = next((s for s in run.series if len(s) and _is_alike(s)), None)
    gradient = run.get(Metric.GRAD_NORM)
    if found is None or gradient is None or len(gradient) == 0:
        return ()
    late = gradient.values[-max(1, len(gradient) // LATE_SHARE) :]
    if bool(np.any(late != 0.0)) or _is_solved(run):
        return ()
    whole = bool(np.all(gradient.values == 0.0))
    first = int(gradient.steps[0 if whole else -late.size])
    last = int(found.steps[-1])
    measures = {"points": float(late.size), "whole": float(whole)}
    return (Detection(NAME, Shape.NO_SPREAD, gradient.name, first, first, last, measures),)


def _is_alike(series: Series) -> bool:
    late = series.values[-max(1, len(series) // LATE_SHARE) :]
    if SPREAD_TAG.search(series.tag):
        return bool(np.all(late == 0.0))
    return bool(ALIKE_TAG.search(series.tag)) and bool(np.all(late == 1.0))


def _is_solved(run: Run) -> bool:
    """Return whether the reward rose to its best and stands there: then alike means right."""
    reward = run.get(Metric.REWARD)
    if reward is None:
        return False
    values = reward.finite()[1]
    if values.size < FEW:
        return False
    spread = float(np.ptp(values))
    return spread > 0 and float(values[-1]) >= float(values.min()) + SOLVED * spread


DETECTOR: Final = detect
