"""Noise as large as what was learned, and swings that grow."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.run import Run, Series
from spikedoc.signal.level import levels
from spikedoc.signal.roughness import MIDDLE, SWING_PARTS, roughness, swing_growth, swings
from spikedoc.signal.trend import kendall_tau, trend
from spikedoc.signal.view import View, view

NAME: Final = "roughness"
MIN_POINTS: Final = 200
MIN_FALL: Final = 0.10
# A shorter log is judged when its noise is a fifth of its level and of what was learned.
SHORT_MIN_POINTS: Final = 50
SHORT_RATIO: Final = 0.2
SHORT_RELATIVE: Final = 0.2
# Means over whole epochs hardly scatter: a dozen of them that swing by two thirds of their level
# are enough (the scatter of healthy ones is .12 at most).
EPOCHS_MIN_POINTS: Final = 12
EPOCHS_RELATIVE: Final = 0.5
# Linear noise over the achieved fall. Measured: .13 to 2.2 on runs that oscillate, .13 at most on
# healthy ones; between .12 and .15 the noise must also be half of the level itself.
RATIO: Final = 0.15
RATIO_LOW: Final = 0.12
RELATIVE_NOISE: Final = 0.5
# Swings of the last parts at least three times those of the middle: healthy runs reach 1.7 because
# the log-noise grows while the loss falls.
GROWTH: Final = 3.0
# A middle without any swing leaves no ratio: beyond this only the bound is told.
GROWTH_MAX: Final = 1e6
# … and they grow steadily over the second half, unless tenfold: noise that swells once does not.
GROWTH_TAU: Final = 0.5
GROWTH_SURE: Final = 10.0
MIN_LATE_SWING: Final = 0.1
NOT_BELOW_BEST: Final = -0.01
SKIP_SHARE: Final = 4
# Growth begins after the first quarter: before it every curve is rough.
MIDDLE_PART: Final = SWING_PARTS // 4
TINY: Final = 1e-12


def detect(run: Run) -> tuple[Detection, ...]:
    """Return NOISE and GROWING detections of the loss."""
    series = run.main_loss
    if series is None:
        return ()
    seen = view(series.steps, series.values)
    if len(seen) < SHORT_MIN_POINTS:
        noise = _noise(series, seen) if _are_epochs(run, seen) else None
        return (noise,) if noise is not None and _swings(noise) else ()
    if len(seen) < MIN_POINTS:
        noise = _noise(series, seen)
        return (noise,) if noise is not None and _is_clear(noise) else ()
    found = (_noise(series, seen), _growing(series, seen))
    return tuple(d for d in found if d is not None)


def _are_epochs(run: Run, seen: View) -> bool:
    return run.counts_epochs and len(seen) >= EPOCHS_MIN_POINTS and float(seen.values.min()) > 0


def _swings(noise: Detection) -> bool:
    """Return whether means over epochs scatter by more than any course of them does in health."""
    return noise.measures["relative_noise"] >= EPOCHS_RELATIVE


def _is_clear(noise: Detection) -> bool:
    """Return whether noise is beyond doubt in a log of few points: against level and learning."""
    m = noise.measures
    return m["ratio"] >= SHORT_RATIO and m["relative_noise"] >= SHORT_RELATIVE


def _noise(series: Series, seen: View) -> Detection | None:
    level = levels(seen.values)
    if _log_ratio(level.start, level.best) < MIN_FALL:
        return None
    linear, relative = roughness(seen.values), roughness(seen.judged)
    learned = level.start - level.best
    ratio = linear.noise / learned
    if ratio < RATIO and not (ratio >= RATIO_LOW and relative.noise >= RELATIVE_NOISE):
        return None
    half = trend(seen.judged[len(seen) // 2 :])
    measures = {
        "noise": linear.noise,
        "learned": learned,
        "best": level.best,
        "ratio": ratio,
        "relative_noise": relative.noise,
        "fall": _log_ratio(level.start, max(level.end, TINY)),
        "lag1": linear.lag1,
        "late_tau": half.tau,
        "late_change": half.change,
    }
    first = int(seen.steps[len(seen) // SKIP_SHARE])
    last = int(seen.steps[-1])
    return Detection(NAME, Shape.NOISE, series.name, first, first, last, measures)


def _growing(series: Series, seen: View) -> Detection | None:
    spread = swings(seen.judged)
    growth = swing_growth(seen.judged)
    middle = float(np.median(spread[MIDDLE]))
    late = seen.judged[-len(seen) // SKIP_SHARE :]
    # Below the best level before them, larger swings are those of the logarithm near zero.
    best_before = levels(seen.values[: -len(seen) // SKIP_SHARE]).best
    above = _log_ratio(levels(seen.values).end, best_before) > NOT_BELOW_BEST
    steady = growth >= GROWTH_SURE or kendall_tau(spread[SWING_PARTS // 2 :]) >= GROWTH_TAU
    if growth < GROWTH or not above or not steady or float(spread[-3:].min()) <= middle:
        return None
    if float(np.std(late - np.median(late))) < MIN_LATE_SWING:
        return None
    grown = np.flatnonzero(spread[MIDDLE_PART:] >= GROWTH * max(middle, TINY))
    if grown.size == 0:
        return None
    first_part = MIDDLE_PART + int(grown[0])
    part_points = len(seen) / SWING_PARTS
    first = int(seen.steps[min(len(seen) - 1, int(first_part * part_points))])
    last = int(seen.steps[-1])
    told = {"growth": growth} if growth <= GROWTH_MAX else {"growth_above": GROWTH_MAX}
    measures = told | {"swing": float(np.median(spread[-3:]))}
    return Detection(NAME, Shape.GROWING, series.name, first, last, last, measures)


def _log_ratio(above: float, below: float) -> float:
    """Return ln(above / below); -inf where it does not exist."""
    return math.log(above) - math.log(below) if above > 0 and below > 0 else -math.inf


DETECTOR: Final = detect
