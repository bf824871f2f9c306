"""Whether a run gained anything after a step: by its reward, its quality or its loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from spikedoc.model.metric import Metric
from spikedoc.model.quality import HIGHER_IS_BETTER, direction
from spikedoc.model.run import FloatArray, Run, Series
from spikedoc.signal.baseline import scatter
from spikedoc.signal.transform import HUGE

# Levels: the median of a fifth of what follows the step, at its beginning and at its end.
FIFTH: Final = 5
FEWEST: Final = 5
# Standing still: less than a tenth of all that was ever gained, or within twice the error of the
# two levels.
SHARE: Final = 0.1
SIGMAS: Final = 2.0
# Won and lost: half of the gain is gone.
LOST: Final = 0.5
# The start: the first records, of those before the step.
START_POINTS: Final = 5
LONG: Final = 100
FIRST_OF_LONG: Final = 3
# The whole course in medians of a twentieth.
PARTS: Final = 20
# Differences of neighbours scatter by sqrt(2) more than the values themselves.
DIFFERENCE: Final = float(np.sqrt(2.0))
# At its maximum: less than a hundredth below the best record, as a loss that fell by less did not.
AT_BEST: Final = 0.01
JUDGES: Final = (Metric.VAL_METRIC, Metric.VAL_LOSS, Metric.TRAIN_METRIC, Metric.LOSS)


@dataclass(frozen=True, slots=True)
class Standing:
    """Levels of the series that judges a run: at its start, after a step, and at its end."""

    series: Series
    start: float
    after: float
    end: float
    stands: bool  # no gain since the step
    nothing_won: bool  # no gain since the start, or half of it lost again


def standing_since(run: Run, step: int, until: float = np.inf) -> Standing | None:
    """Return how the run fared after `step`, and before `until`; None when no series can tell.

    The reward judges where there is one (none that stood at its maximum throughout), else quality
    on held-out data, its loss, quality on training data, the training loss: the first that holds
    five points after the step.
    """
    for series, sign in _judges(run):
        found = _standing(series, sign, step, until)
        if found is not None:
            return found
    return None


def _judges(run: Run) -> list[tuple[Series, int]]:
    reward = run.get(Metric.REWARD)
    if reward is not None:
        return [(reward, HIGHER_IS_BETTER)]
    told = []
    for metric in JUDGES:
        for series in run.all(metric):
            sign = direction(series)
            if sign is not None:
                told.append((series, sign))
    return told


def _standing(series: Series, sign: int, step: int, until: float) -> Standing | None:
    steps, values = series.finite()
    early = steps < until
    steps, values = steps[early], values[early]
    clipped: FloatArray = sign * np.clip(values, -HUGE, HUGE)
    at = int(np.searchsorted(steps, step, side="left"))
    since = clipped[at:]
    if since.size < FEWEST:
        return None
    size = max(1, since.size // FIFTH)
    after, end = float(np.median(since[:size])), float(np.median(since[-size:]))
    noise = scatter(np.diff(clipped)) / DIFFERENCE
    first = clipped[: max(1, min(at, START_POINTS))]
    start = float(np.median(first))
    # A quick learner has won all by the second record: then the first one is the start. Rewards
    # scatter: in a long log one low record, a hundredth of it, is no level.
    is_one_of_many = series.metric is Metric.REWARD and clipped.size >= LONG
    begun = float(np.median(clipped[: FIRST_OF_LONG if is_one_of_many else 1]))
    if start - begun > SIGMAS * noise:
        start = begun
    if series.metric is Metric.REWARD and _is_at_its_best(clipped, start):
        return None
    parts = [float(np.median(p)) for p in np.array_split(clipped, PARTS) if p.size]
    course: FloatArray = np.array([start, *parts])
    error = SIGMAS * scatter(np.diff(since)) / float(np.sqrt(size))
    least, best = max(SHARE * float(np.ptp(course)), error), float(course.max())
    gained = end - start > max(least, SIGMAS * noise / float(np.sqrt(first.size)))
    # The best of twenty medians lies two of their scatters too high by chance alone.
    lost = best - end - SIGMAS * scatter(np.diff(course)) / DIFFERENCE
    won = gained and lost < LOST * (best - start)
    return Standing(series, sign * start, sign * after, sign * end, end - after <= least, not won)


def _is_at_its_best(reward: FloatArray, start: float) -> bool:
    """Return whether a reward stood at its maximum from first to last: no more was to be won.

    By the medians of fifths, as single episodes may fall short, and means of them nearly always do.
    One that was never above 0 was never won.
    """
    best = float(reward.max())
    levels = [start, *(float(np.median(p)) for p in np.array_split(reward, FIFTH) if p.size)]
    return best > 0 and min(levels) >= (1.0 - AT_BEST) * best
