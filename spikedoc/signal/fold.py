"""Does a series repeat with a given period? Folding, judged by effect size and not by a p-value.

A periodogram's p-value is useless here: healthy shuffled runs show the epoch period at 1e-13.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.signal.baseline import median, rolling_median, scatter
from spikedoc.signal.memo import remembered
from spikedoc.signal.view import usual_distance

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Residuals are cut here before folding: one giant spike must not create a period.
WINSOR_LOW: Final = -4.0
WINSOR_HIGH: Final = 8.0
# The first quarter of a run is not folded: there everything moves.
DROP_SHARE: Final = 0.25
# The detrending window must be longer than the period, else it eats the pattern.
DETREND_PERIODS: Final = 1.5
DETREND_SHARE: Final = 20
DETREND_MIN: Final = 51
DETREND_MAX: Final = 2001
BINS_MAX: Final = 40
BINS_MIN: Final = 3
MIN_CYCLES: Final = 6
# A phase bin counts as hit in a cycle when it holds a value above the cycle's 85 % quantile.
HIT_QUANTILE: Final = 0.85
NEIGHBOUR_BINS: Final = 1
# A period that is off by p has moved by cycles * p at the end of a pattern: by this share of itself
# it has mostly lost it.
DRIFT: Final = 0.25
TINY: Final = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """A series folded at `period` (steps): how much of its scatter the phase explains.

    `eta2` is the noise-corrected share of variance between phases, `rho` the correlation of the
    profiles of odd and even cycles, `peak_gap` how far the highest bin stands out from the others
    (in their scatter), `consistency` the share of cycles with that bin among their highest;
    `peak_step` is the step of the highest point of that bin: the clearest single event.
    """

    period: float
    cycles: int
    eta2: float
    rho: float
    profile: FloatArray
    peak_phase: float  # steps after the start of a cycle
    peak_step: int
    peak_height: float  # in standard deviations of the residual
    peak_gap: float
    consistency: float


@remembered
def detrend(values: FloatArray, window: int) -> FloatArray:
    """Return residuals from the running median, in standard deviations, cut at both ends."""
    residual = values - rolling_median(values, window)
    residual /= scatter(residual) + TINY
    np.clip(residual, WINSOR_LOW, WINSOR_HIGH, out=residual)
    residual.setflags(write=False)
    return residual


def fold(
    values: FloatArray, steps: IntArray, period: float, least: int = MIN_CYCLES
) -> Fold | None:
    """Return the fold of a finite series (judging scale) at `period` steps; None if too short.

    `least` cycles must follow the first quarter of the series.
    """
    if values.size < BINS_MIN * MIN_CYCLES or period <= 0:
        return None
    points = period / usual_distance(steps)
    bins = int(min(BINS_MAX, np.floor(points + 1e-9)))
    window = int(
        np.clip(
            max(values.size // DETREND_SHARE, DETREND_PERIODS * points), DETREND_MIN, DETREND_MAX
        )
    )
    keep = int(DROP_SHARE * values.size)
    if bins < BINS_MIN or (steps[-1] - steps[keep]) / period < least:
        return None
    residual = detrend(values, window | 1)[keep:]
    return _folded(residual, steps[keep:].astype(np.float64), period, bins)


def _folded(residual: FloatArray, steps: FloatArray, period: float, bins: int) -> Fold:
    # One division for both: rounded apart, a point at a border could belong to neither cycle.
    whole, rest = np.divmod(steps, period)
    cycle = whole.astype(np.int64)
    position = np.minimum((rest / period * bins).astype(np.int64), bins - 1)
    profile, counts = _profile(residual, position, bins)
    within = float(np.sum((residual - profile[position]) ** 2) / max(1, residual.size - bins))
    between = float(np.sum(counts * (profile - residual.mean()) ** 2) / residual.size)
    eta2 = (between - within * (bins - 1) / residual.size) / (float(np.var(residual)) + TINY)
    peak = int(np.argmax(profile))
    excess = profile - median(profile)
    away = _away_from(peak, bins)
    gap = float(excess[peak] / (scatter(excess[away]) + TINY)) if away.any() else 0.0
    return Fold(
        period=period,
        cycles=int(np.count_nonzero(np.diff(cycle))) + 1,
        eta2=float(eta2),
        rho=_split_half(residual, position, cycle, bins),
        profile=profile,
        peak_phase=(peak + 0.5) / bins * period,
        peak_step=_highest_step(residual, steps, position == peak),
        peak_height=float(excess[peak]),
        peak_gap=gap,
        consistency=_consistency(residual, position, cycle, peak),
    )


def _highest_step(residual: FloatArray, steps: FloatArray, inside: NDArray[np.bool_]) -> int:
    there = np.flatnonzero(inside)
    if there.size == 0:  # a phase that no point falls on, where all others lie below zero
        there = np.arange(steps.size)
    return int(steps[there[np.argmax(residual[there])]])


def _profile(residual: FloatArray, position: IntArray, bins: int) -> tuple[FloatArray, FloatArray]:
    counts = np.bincount(position, minlength=bins).astype(np.float64)
    sums = np.bincount(position, weights=residual, minlength=bins)
    return sums / np.maximum(counts, 1.0), counts


def _away_from(peak: int, bins: int) -> NDArray[np.bool_]:
    distance = np.abs(np.arange(bins) - peak)
    return np.asarray(np.minimum(distance, bins - distance) > NEIGHBOUR_BINS)


def _split_half(residual: FloatArray, position: IntArray, cycle: IntArray, bins: int) -> float:
    """Return the correlation of two half profiles; pairs of cycles alternate.

    With a stride of 2 and an odd period, a single cycle only sees every other phase.
    """
    half = (cycle // 2) % 2 == 0
    if half.all() or not half.any():
        return 0.0
    one, _ = _profile(residual[half], position[half], bins)
    two, _ = _profile(residual[~half], position[~half], bins)
    if float(np.std(one)) < TINY or float(np.std(two)) < TINY:
        return 0.0
    return float(np.corrcoef(one, two)[0, 1])


def _consistency(residual: FloatArray, position: IntArray, cycle: IntArray, peak: int) -> float:
    """Return the share of cycles whose peak phase is among their highest points."""
    starts = np.concatenate(([0], np.flatnonzero(np.diff(cycle)) + 1))
    lengths = np.diff(np.append(starts, residual.size))
    at_peak = np.maximum.reduceat(np.where(position == peak, residual, -np.inf), starts)
    seen = (lengths > BINS_MIN) & (at_peak > -np.inf)
    hits = 0
    for length in np.unique(lengths[seen]).tolist():  # a few: cycles are nearly of one length
        mine = np.flatnonzero(seen & (lengths == length))
        rows = residual[starts[mine][:, None] + np.arange(length)]
        high = np.quantile(rows, HIT_QUANTILE, axis=1, overwrite_input=True)
        hits += int(np.count_nonzero(at_peak[mine] >= high))
    count = int(np.count_nonzero(seen))
    return hits / count if count else 0.0
