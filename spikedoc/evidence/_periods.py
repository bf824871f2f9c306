"""The period of a recurring anomaly, and the loss folded at a period."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.evidence._events import event_steps
from spikedoc.evidence.base import Case
from spikedoc.model.metric import Metric
from spikedoc.model.run import Series
from spikedoc.signal.around import correlation, detrended, finite
from spikedoc.signal.baseline import scatter

# Gaps between events are a period when their spread is below a tenth of their median.
GAPS_FEWEST: Final = 3
GAPS_SPREAD: Final = 0.10
# Folding, as measured on real trainings: first quarter dropped, at most 40 phases, residuals
# limited so that one giant spike is no period, trend over one and a half periods.
DROPPED_SHARE: Final = 0.25
PHASES_MOST: Final = 40
PHASES_FEWEST: Final = 4
LIMIT_LOW: Final = -4.0
LIMIT_HIGH: Final = 8.0
TREND_PERIODS: Final = 1.5
CYCLES_FEWEST: Final = 4
CYCLE_POINTS: Final = 4.0


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """The loss against the phase of a period, in robust standard deviations of its residual."""

    period: float
    cycles: float
    eta2: float  # share of variance that the phase explains, corrected for noise
    rho: float  # correlation of the profiles of odd and even cycles
    profile: NDArray[np.float64]  # mean residual per phase
    noise: float  # standard error of one phase

    @property
    def peak_phase(self) -> float:
        """Return the phase of the highest point as a share of the period."""
        return (int(np.argmax(self.profile)) + 0.5) / self.profile.size


def period_of(case: Case) -> float | None:
    """Return the anomaly's period in steps, measured by the detector or from its events' gaps."""
    known = case.anomaly.measures.get("period")
    if known is not None and math.isfinite(known) and known > 0:
        return float(known)
    gaps = np.diff(np.array(event_steps(case), dtype=np.float64))
    if gaps.size < GAPS_FEWEST:
        return None
    middle = float(np.median(gaps))
    return middle if scatter(gaps) <= GAPS_SPREAD * middle else None


def epoch_fold(case: Case) -> Fold | None:
    """Return the loss folded at the length of an epoch."""
    loss, period = case.run.get(Metric.LOSS), case.run.steps_per_epoch
    if loss is None or period is None or not math.isfinite(period):
        return None
    return fold(loss, float(period))


@lru_cache(maxsize=8)
def fold(series: Series, period: float) -> Fold | None:
    """Return `series` folded at `period` steps; None for fewer than four cycles or points each."""
    steps, values = finite(series.steps, series.values)
    drop = int(values.size * DROPPED_SHARE)
    steps, values = steps[drop:], values[drop:]
    per_cycle = period / series.stride
    if per_cycle < CYCLE_POINTS or values.size < CYCLES_FEWEST * per_cycle:
        return None
    judged = np.log(values) if float(values.min()) > 0 else values
    residual = detrended(judged, round(TREND_PERIODS * per_cycle))
    spread = scatter(residual)
    if spread <= 0:
        return None
    residual = np.clip((residual - np.median(residual)) / spread, LIMIT_LOW, LIMIT_HIGH)
    count = int(np.clip(per_cycle, PHASES_FEWEST, PHASES_MOST))
    phases = np.minimum((np.mod(steps, period) / period * count).astype(np.int64), count - 1)
    number = np.bincount(phases, minlength=count)
    if int(number.min()) < CYCLES_FEWEST // 2:
        return None
    profile = np.bincount(phases, residual, count) / number
    within = residual - profile[phases]
    total, free = float(np.var(residual)), values.size - count
    left = float(np.sum(np.square(within))) / max(free, 1)
    eta2 = (
        max(0.0, 1.0 - left / (total * values.size / max(values.size - 1, 1))) if total > 0 else 0.0
    )
    return Fold(
        period=period,
        cycles=float(values.size / per_cycle),
        eta2=eta2,
        rho=_halves(np.floor_divide(steps, period), phases, residual, count),
        profile=profile,
        noise=math.sqrt(left / float(np.median(number))),
    )


def _halves(
    cycles: NDArray[np.float64],
    phases: NDArray[np.int64],
    residual: NDArray[np.float64],
    count: int,
) -> float:
    """Return the correlation between the profiles of odd and of even cycles."""
    odd = np.mod(cycles, 2) == 1
    sides = []
    for mask in (odd, ~odd):
        number = np.bincount(phases[mask], minlength=count)
        sides.append((np.bincount(phases[mask], residual[mask], count), number))
    both = (sides[0][1] > 0) & (sides[1][1] > 0)
    if np.count_nonzero(both) < PHASES_FEWEST:
        return 0.0
    first, second = (total[both] / number[both] for total, number in sides)
    return correlation(first, second)
