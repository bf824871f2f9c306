"""The course of the loss after evaluations, all of them laid over one another."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.evidence._facts import evaluations
from spikedoc.evidence.base import Case
from spikedoc.model.label import Form
from spikedoc.model.metric import Metric
from spikedoc.model.run import Series
from spikedoc.signal.after_events import AfterEvents, after_events
from spikedoc.signal.around import finite
from spikedoc.signal.baseline import scatter
from spikedoc.signal.memo import remembered_up_to
from spikedoc.signal.view import view

# Fewest evaluations that are laid over one another, and points that are looked at after each:
# weights that were swapped settle within some tens of steps, a mode lasts as long as it is left.
EVALUATIONS_FEWEST: Final = 4
POINTS_MOST: Final = 40
POINTS_FEWEST: Final = 6
# The rise begins within so many points after the evaluation.
FIRST_POINTS: Final = 3
# A rise worth the name: 5 %, and four standard errors of what is laid over one another.
RISE: Final = math.log(1.05)
RISE_ERRORS: Final = 4.0
# On its way back it stands between four fifths and one fifth of its height for three points and
# more. What is switched off, as a mode is, passes there within one or two.
WAY_HIGH: Final = 0.8
WAY_LOW: Final = 0.2
WAY_FEWEST: Final = 3


@dataclass(frozen=True, slots=True)
class Rise:
    """How the loss stands above its level after evaluations: at its top, and on its way back."""

    factor: float
    points: int  # on the way back
    count: int  # evaluations
    decays: bool  # rather than being switched off

    @property
    def settles(self) -> bool:
        """Whether it comes back little by little rather than at one point."""
        return self.decays and self.points >= WAY_FEWEST


def is_of_evaluations(case: Case) -> bool:
    """Return whether the finding is that the loss stands off its level after evaluations."""
    return case.anomaly.form is Form.AFTER_EVALUATION and "off" in case.anomaly.measures


def off_after_evaluation(case: Case) -> AfterEvents | None:
    """Return how the loss stands off both sides right after evaluations, None where it does not."""
    loss, evals = case.run.get(Metric.LOSS), evaluations(case.run)
    if loss is None or evals.size < EVALUATIONS_FEWEST:
        return None
    return _off(loss, tuple(evals.tolist()))


@remembered_up_to(4)
def _off(loss: Series, evals: tuple[int, ...]) -> AfterEvents | None:
    seen = view(loss.steps, loss.values)
    return after_events(seen.judged, np.searchsorted(seen.steps, np.array(evals), side="right"))


def rise_after_evaluation(case: Case) -> Rise | None:
    """Return the rise of the loss after the evaluations of the run, None where there is none."""
    loss, evals = case.run.get(Metric.LOSS), evaluations(case.run)
    if loss is None or evals.size < EVALUATIONS_FEWEST:
        return None
    off = off_after_evaluation(case)
    # A rise that fades is gone from the later ones, and with it from the middle of all.
    seen = evals if off is None or off.size < 0 else evals[: off.count + 1]
    return _rise(loss, tuple(seen.tolist()))


@remembered_up_to(4)
def _rise(loss: Series, evals: tuple[int, ...]) -> Rise | None:
    steps, values = finite(loss.steps, loss.values)
    starts = np.searchsorted(steps, np.array(evals), side="right")
    every = int(np.median(np.diff(starts)))
    length = min(POINTS_MOST, every // 2)
    starts = starts[starts + every <= values.size]
    if length < POINTS_FEWEST or starts.size < EVALUATIONS_FEWEST or float(values.min()) <= 0:
        return None
    logs = np.log(values)
    rows = logs[starts[:, None] + np.arange(every)[None, :]]
    above = rows[:, :length] - np.median(rows[:, length:], axis=1)[:, None]
    return _told(np.median(above, axis=0), scatter(rows[:, length:].ravel()), int(starts.size))


def _told(course: NDArray[np.float64], noise: float, count: int) -> Rise | None:
    first = int(np.argmax(course[:FIRST_POINTS]))
    top = float(course[first])
    if top < max(RISE, RISE_ERRORS * noise / math.sqrt(count)):
        return None
    way = course[first:]
    below = np.flatnonzero(way <= WAY_LOW * top)
    way = way[: int(below[0])] if below.size else way
    points = int(np.count_nonzero(way < WAY_HIGH * top))
    return Rise(math.exp(top), points, count, _decays(course[first:]))


def _decays(course: NDArray[np.float64]) -> bool:
    """Return whether an exponential that dies away fits better than a level that is switched off.

    Each is tried at every length.
    """
    at = np.arange(course.size, dtype=np.float64)
    lengths = np.arange(1, course.size)
    dying = np.exp(-at[None, :] / lengths[:, None])
    switched = (at[None, :] < lengths[:, None]).astype(np.float64)
    return _misfit(course, dying) < _misfit(course, switched)


def _misfit(course: NDArray[np.float64], shapes: NDArray[np.float64]) -> float:
    """Return the least sum of squares that a multiple of one of the shapes leaves."""
    heights = (shapes @ course) / np.sum(shapes**2, axis=1)
    return float(np.min(np.sum((course - heights[:, None] * shapes) ** 2, axis=1)))
