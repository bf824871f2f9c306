"""The learning rate near an anomaly and over the run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.evidence.base import Case
from spikedoc.model.label import Form, Kind
from spikedoc.model.metric import Metric
from spikedoc.model.run import Series
from spikedoc.signal.around import finite
from spikedoc.signal.memo import remembered_up_to

# A change between neighbouring points by more than 1.3 is a step in the schedule.
STEP_RATIO: Final = 1.3
# The loss answers a wrong learning rate after some steps: look this far back from the onset.
BACK_POINTS: Final = 30
BACK_SHARE: Final = 0.04
AHEAD_POINTS: Final = 2
# Forms of a finding about the rate that tell a jump up by `before` and `after`.
JUMPS: Final = (Form.JUMP, Form.RESET)
# Warm-up takes place within this share of a run, or rises from the start without a fall.
WARMUP_SHARE: Final = 0.05
# … which in a log of some epochs is less than a warm-up of three to five of them.
WARMUP_POINTS: Final = 5
# Turning points count when the rate moves by half of its range.
SWING_SHARE: Final = 0.5
CYCLES_FEWEST: Final = 3
# Cycles may stretch by a factor up to 3 (warm restarts double or triple).
CYCLE_STRETCH: Final = 3.0
# The schedule of long runs is read from so many evenly spaced points.
CYCLE_POINTS: Final = 20_000


@dataclass(frozen=True, slots=True)
class RateStep:
    """A step of the learning rate between two neighbouring logged points."""

    step: int
    before: float
    after: float
    index: int  # of the point after, among the finite ones

    @property
    def factor(self) -> float:
        """Return after / before, inf from zero."""
        return self.after / self.before if self.before > 0 else float("inf")


def rate(case: Case) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the finite learning rates; empty arrays without any."""
    series = case.run.get(Metric.LR)
    if series is None:
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    return finite(series.steps, series.values)


def rate_at(case: Case, step: float) -> float | None:
    """Return the last learning rate logged at or before `step` (the first one if none is)."""
    steps, values = rate(case)
    if values.size == 0:
        return None
    return float(values[max(0, int(np.searchsorted(steps, step, side="right")) - 1)])


def steps_near(case: Case) -> list[RateStep]:
    """Return the steps of the learning rate, up or down, shortly before the onset, in order."""
    steps, values = rate(case)
    if values.size < AHEAD_POINTS + 1:
        return []
    length = case.run.last_step - case.run.first_step
    onset = int(np.searchsorted(steps, case.anomaly.start_step, side="left"))
    back = int(np.searchsorted(steps, case.anomaly.start_step - BACK_SHARE * length, side="left"))
    first = max(1, min(back, onset - BACK_POINTS))
    last = min(values.size - 1, onset + AHEAD_POINTS)
    before, after = values[first - 1 : last], values[first : last + 1]
    high, low = np.maximum(before, after), np.minimum(before, after)
    moved = first + np.flatnonzero((high > STEP_RATIO * low) & (low >= 0))
    return [
        RateStep(int(steps[index]), float(values[index - 1]), float(values[index]), int(index))
        for index in moved
        if not _is_warm_up(case, steps, values, int(index))
    ]


def jump_up_near(case: Case) -> RateStep | None:
    """Return the largest upward step of the learning rate shortly before the onset, or None.

    A step up that only climbs back after a fall (a warm-up that was started again) is none.
    """
    steps, values = rate(case)
    told = _reported_jump(case, steps)
    if told is not None:
        return told
    ups = [
        one
        for one in steps_near(case)
        if one.after > STEP_RATIO * float(values[max(0, one.index - BACK_POINTS) : one.index].max())
    ]
    return max(ups, key=lambda one: one.factor, default=None)


def _reported_jump(case: Case, steps: NDArray[np.int64]) -> RateStep | None:
    """Return the jump up that a finding of the run tells, where it lies shortly before the onset.

    A jump of several points, the way an excursion of the schedule looks, is one jump to its top.
    """
    length = case.run.last_step - case.run.first_step
    onset = case.anomaly.start_step
    for a in case.anomalies:
        told = a.measures
        tells = {"before", "after"} <= told.keys() and told["after"] > told["before"] >= 0
        if a.kind is not Kind.LR_DISCONTINUITY or a.form not in JUMPS or not tells:
            continue
        index = int(np.searchsorted(steps, a.start_step))
        points = int(np.searchsorted(steps, onset)) - index
        near = points <= BACK_POINTS or onset - a.start_step <= BACK_SHARE * length
        if points >= -AHEAD_POINTS and near:
            return RateStep(a.start_step, told["before"], told["after"], index)
    return None


def _is_warm_up(
    case: Case, steps: NDArray[np.int64], values: NDArray[np.float64], index: int
) -> bool:
    length = case.run.last_step - case.run.first_step
    early = steps[index] - case.run.first_step <= WARMUP_SHARE * length
    if not early and index > WARMUP_POINTS:
        return False
    # Warm-up has not come down yet, and still rises.
    return bool(np.all(np.diff(values[: index + 1]) >= 0))


def highest(values: NDArray[np.float64]) -> float:
    """Return the largest value; 0.0 for none."""
    return float(values.max()) if values.size else 0.0


@dataclass(frozen=True, slots=True)
class Cycle:
    """A learning rate that goes up and down again and again."""

    count: int  # maxima
    period: float  # steps between maxima, median
    low: float
    high: float


def cycle(series: Series | None) -> Cycle | None:
    """Return the cycle of a learning rate, or None when it has fewer than three similar maxima."""
    return _cycle(series) if series is not None else None


@remembered_up_to(4)
def _cycle(series: Series) -> Cycle | None:
    steps, values = finite(series.steps, series.values)
    every = max(1, values.size // CYCLE_POINTS)
    steps, values = steps[::every], values[::every]
    if values.size < 2 * CYCLES_FEWEST:
        return None
    low, high = float(values.min()), float(values.max())
    tops = _tops(values, SWING_SHARE * (high - low)) if high > low else []
    if len(tops) < CYCLES_FEWEST:
        return None
    gaps = np.diff(steps[np.array(tops)])
    if gaps.max() > CYCLE_STRETCH * gaps.min() and not bool(np.all(np.diff(gaps) >= 0)):
        return None
    return Cycle(len(tops), float(np.median(gaps)), low, high)


def _tops(values: NDArray[np.float64], swing: float) -> list[int]:
    """Return the indices of the maxima between which the series falls by `swing` and rises."""
    tops: list[int] = []
    top, bottom, rising = 0, 0, True
    for index, value in enumerate(values.tolist()):
        if rising:
            if value > values[top]:
                top = index
            elif value < values[top] - swing:
                tops.append(top)
                bottom, rising = index, False
        elif value < values[bottom]:
            bottom = index
        elif value > values[bottom] + swing:
            top, rising = index, True
    if rising and values[top] > values[bottom] + swing:
        tops.append(top)
    return tops
