"""A period that nobody told: sought in the autocorrelation, judged by what it explains."""

from __future__ import annotations

from typing import Final

from spikedoc.signal.fold import DRIFT, Fold, fold
from spikedoc.signal.periodicity import candidate_periods
from spikedoc.signal.view import View

# The whole profile repeats. Measured: .29 to .94 with rho 1.00 on real ones, eta2 up to .09 on
# healthy runs.
PROFILE_ETA2: Final = 0.15
PROFILE_RHO: Final = 0.90
# One phase sticks out in nearly every cycle although the profile as a whole is weak. Measured:
# consistency 1.0 and gap 8 to 12 on real ones, at most .55 with eta2 above .03 on healthy runs.
PEAK_ETA2: Final = 0.12
PEAK_RHO: Final = 0.5
PEAK_CONSISTENCY: Final = 0.85
PEAK_GAP: Final = 6.0
# Periods up to two drifts beside one are tried, in halves.
SHARPER: Final = 2
# By chance a neighbour explains some hundredths more.
SHARPENED: Final = 1.02
# Found periods must explain more: many were tried.
FOUND_ETA2: Final = 0.25
# A few points of each cycle explain little of the scatter. Of 94 small trainings and 73 public logs
# no healthy one had a found period with consistency .85 and gap 6.
COMB_ETA2: Final = 0.05
COMB_RHO: Final = 0.6
COMB_CYCLES: Final = 8
COMB_CONSISTENCY: Final = 0.95
COMB_GAP: Final = 8.0
DIVISORS: Final = (5, 4, 3, 2)
BASE_SHARE: Final = 0.8


def found_period(seen: View) -> Fold | None:
    """Return the fold of a view at the period that explains most, None when none explains enough.

    Of a period and its parts the smallest that explains nearly as much.
    """
    folds = [
        f
        for period in candidate_periods(seen.judged, seen.stride)
        if (f := fold(seen.judged, seen.steps, period)) is not None
        and ((repeats(f) and f.eta2 >= FOUND_ETA2) or is_comb(f))
    ]
    best = max(folds, key=lambda f: f.eta2, default=None)
    return None if best is None else sharpened(seen, _base_period(seen, sharpened(seen, best)))


def sharpened(seen: View, best: Fold) -> Fold:
    """Return the fold at the period beside this one that explains more, or this one.

    The autocorrelation knows a period to an eighth of a point; over a hundred cycles that is a
    quarter of a period and more.
    """
    apart = DRIFT * best.period / best.cycles / SHARPER
    near = [
        found
        for k in range(-2 * SHARPER, 2 * SHARPER + 1)
        if k and (found := fold(seen.judged, seen.steps, best.period + k * apart)) is not None
    ]
    better = [f for f in near if f.eta2 >= SHARPENED * best.eta2 and repeats(f)]
    return max(better, key=lambda f: f.eta2, default=best)


def _base_period(seen: View, best: Fold) -> Fold:
    """Return the fold at the smallest part of the period that explains nearly as much.

    A pattern repeats at every multiple of its period too.
    """
    for divisor in DIVISORS:
        shorter = fold(seen.judged, seen.steps, best.period / divisor)
        if shorter is not None and shorter.eta2 >= BASE_SHARE * best.eta2 and repeats(shorter):
            return shorter
    return best


def repeats(f: Fold) -> bool:
    """Return whether the whole course, or one high place of it, comes again in each cycle."""
    whole = f.eta2 >= PROFILE_ETA2 and f.rho >= PROFILE_RHO
    peak = (
        f.eta2 >= PEAK_ETA2
        and f.rho >= PEAK_RHO
        and f.consistency >= PEAK_CONSISTENCY
        and f.peak_gap >= PEAK_GAP
    )
    return whole or peak


def is_comb(f: Fold) -> bool:
    """Return whether one narrow phase sticks out in each cycle, however little of it that is."""
    return (
        f.eta2 >= COMB_ETA2
        and f.rho >= COMB_RHO
        and f.cycles >= COMB_CYCLES
        and f.consistency >= COMB_CONSISTENCY
        and f.peak_gap >= COMB_GAP
    )
