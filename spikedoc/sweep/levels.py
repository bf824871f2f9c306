"""How high the loss of a run stands at a step, how sure that is, and when two runs differ."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from spikedoc.model.run import FloatArray, Series

# The level is the median over the last fifth of the steps up to the common one: long enough for
# a mean of noisy batches, short enough to be the end of training.
WINDOW_SHARE: Final = 0.2
FEWEST_POINTS: Final = 5
# Standard error of a median over that of a mean, for normal noise.
MEDIAN_FACTOR: Final = 1.2533
# Neighbouring losses that are alike carry less than one value each; beyond this nothing is gained.
LARGEST_CORRELATION: Final = 0.9
# Without seeds: three standard errors, and 5 % of the loss. On the sweep of `tests/data/sweeps` two
# seeds of one value lie 1 to 7 % apart (median 4 %): less is not called a difference unseen.
SIGMAS: Final = 3.0
LEAST_UNSEEDED: Final = 0.05
# Two-sided 99 % points of Student's t by degrees of freedom, 1 to 30.
STUDENT: Final = (
    63.66, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250, 3.169,
    3.106, 3.055, 3.012, 2.977, 2.947, 2.921, 2.898, 2.878, 2.861, 2.845,
    2.831, 2.819, 2.807, 2.797, 2.787, 2.779, 2.771, 2.763, 2.756, 2.750,
)  # fmt: skip
NORMAL: Final = 2.576


@dataclass(frozen=True, slots=True)
class Level:
    """A level of the loss and its standard error, in the units of the loss."""

    value: float
    error: float


def level_at(series: Series, step: int) -> Level | None:
    """Return the level of the loss over the last fifth of the steps up to `step`."""
    steps, values = series.finite()
    stop = int(np.searchsorted(steps, step, side="right"))
    if stop < FEWEST_POINTS:
        return None
    begin = steps[stop - 1] - WINDOW_SHARE * (steps[stop - 1] - steps[0])
    start = min(int(np.searchsorted(steps, begin)), stop - FEWEST_POINTS)
    window = values[start:stop]
    return Level(float(np.median(window)), _error(window))


def _error(window: FloatArray) -> float:
    """Standard error of the median of a window, its straight trend aside."""
    place = np.arange(window.size) - (window.size - 1) / 2
    slope = float(place @ window) / float(place @ place)
    rest = window - window.mean() - slope * place
    power = float(rest @ rest)
    if power <= 0:
        return 0.0
    alike = float(np.clip(float(rest[1:] @ rest[:-1]) / power, 0.0, LARGEST_CORRELATION))
    spread = math.sqrt(power / max(1, window.size - 2))
    return MEDIAN_FACTOR * spread * math.sqrt((1 + alike) / (1 - alike) / window.size)


@dataclass(frozen=True, slots=True)
class Noise:
    """How far levels scatter by chance; `seeds` is None where no value was run twice."""

    log: bool  # differences are of logarithms, where all losses are positive
    seeds: float | None = None  # standard deviation among runs of one value
    freedom: int = 0

    def place(self, level: float) -> float:
        """Return the level on the scale on which differences are taken."""
        return math.log(level) if self.log else level

    def mean(self, levels: Sequence[float]) -> float:
        """Return the mean on that scale, as a loss."""
        mean = sum(map(self.place, levels)) / len(levels)
        return math.exp(mean) if self.log else mean

    def room(self, mine: Sequence[Level], theirs: Sequence[Level]) -> float:
        """Return the difference of two means that chance still explains, on that scale."""
        if self.seeds is not None:
            factor = STUDENT[self.freedom - 1] if self.freedom <= len(STUDENT) else NORMAL
            return factor * self.seeds * math.sqrt(1 / len(mine) + 1 / len(theirs))
        errors = [self._error(one) for one in (*mine, *theirs)]
        floor = LEAST_UNSEEDED if self.log else LEAST_UNSEEDED * abs(theirs[0].value)
        return max(SIGMAS * math.sqrt(sum(error**2 for error in errors)), floor)

    def is_worse(self, mine: Sequence[Level], theirs: Sequence[Level]) -> bool:
        """Return whether the first levels lie above the second by more than chance explains."""
        here = sum(self.place(one.value) for one in mine) / len(mine)
        there = sum(self.place(one.value) for one in theirs) / len(theirs)
        return here - there > self.room(mine, theirs)

    def _error(self, level: Level) -> float:
        return level.error / level.value if self.log else level.error


def noise_of(groups: Iterable[Sequence[Level]]) -> Noise:
    """Return the noise among levels, those of one value of the setting in a group each."""
    filled = [group for group in groups if group]
    log = all(one.value > 0 for group in filled for one in group)
    plain = Noise(log)
    total, freedom = 0.0, 0
    for group in filled:
        places = np.array([plain.place(one.value) for one in group])
        total += float(((places - places.mean()) ** 2).sum())
        freedom += places.size - 1
    if freedom == 0 or total <= 0:
        return plain
    return Noise(log, math.sqrt(total / freedom), freedom)
