"""Does the loss go down at all?"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.constants import chance_loss
from spikedoc.model.loss_terms import is_sum_of_terms
from spikedoc.model.run import FloatArray, Run, Series
from spikedoc.signal.baseline import block_medians
from spikedoc.signal.contrast import MEDIAN_FACTOR
from spikedoc.signal.level import LEVEL_MIN_POINTS, is_printed_away, levels
from spikedoc.signal.roughness import roughness
from spikedoc.signal.trend import kendall_tau, theil_sen, trend
from spikedoc.signal.view import View, view

NAME: Final = "progress"
MIN_POINTS: Final = 30
# Start against the best block. Measured: at most .06 nats on runs that learn nothing, at least .57
# on healthy ones.
FLAT_FALL: Final = 0.10
SKIP_SHARE: Final = 10
# Thrown at the start: a peak among the first points, a quarter above the first one, half as much
# again as all that follows the first tenth and six times its noise, while that is flat and no
# better than the first point: within 15 % of it, which noise must leave to be told.
THROWN_POINTS: Final = 20
THROWN: Final = float(np.log(1.5))
THROWN_UP: Final = 1.25
THROWN_SIGMAS: Final = 6.0
THROWN_NOISE: Final = 0.15
THROWN_BACK: Final = 0.15
# A line: thirty block medians in order but for a few, 98 % of their variance in a straight line,
# and the last third as fast as the first. A loss that approaches anything slows down: by 13 % on
# the way to a level a fifth below, more where it gets further.
EVEN_MIN_POINTS: Final = 200
EVEN_BLOCKS: Final = 30
EVEN_TAU: Final = -0.9
EVEN_REST: Final = 0.02
EVEN_PACE: Final = 0.95
# … which fell by a fifth, so that the pace can be told, and has not got to half of its first level.
EVEN_LEAST: Final = float(np.log(1.25))
EVEN_MOST: Final = float(np.log(2.0))
# At the level of a guess from the first tenth on, after a start that cost half as much again: a
# blow-up at the very first steps is over before it is seen. Outputs that tell no sample from
# another leave little noise (measured: .8 and 2 %), and cost a guess or a little more, never less:
# from the first to the last of these parts, for a loss on its way down passes there as well.
GUESS_PARTS: Final = 10
# Four errors of a part, for there are ten on two sides.
GUESS_ERRORS: Final = 4.0
GUESS_NOISE: Final = 0.025
GUESS_BELOW: Final = 0.003
GUESS_ABOVE: Final = 0.015
GUESSES: Final = (10, 100, 1000)
TINY: Final = 1e-12


def detect(run: Run) -> tuple[Detection, ...]:
    """Return FLAT when the best level is hardly below the first one, SLOW when the loss falls at
    the end as fast as at the beginning."""
    series = run.main_loss
    if series is None:
        return ()
    seen = view(series.steps, series.values)
    if len(seen) < MIN_POINTS:
        return ()
    level = levels(seen.values)
    if level.start <= 0 or level.best <= 0:
        return ()
    fall = float(np.log(level.start / level.best))
    thrown = _thrown(seen)
    if thrown and _is_back(seen):  # a blow-up is no level to have learned from
        level = replace(level, start=float(seen.values[0]))
        fall = float(np.log(level.start) - np.log(level.best))
    guess = None if fall < FLAT_FALL else _guess(run, seen)
    if guess is not None:
        thrown, fall = True, float(np.log(guess / min(level.best, guess)))
        level = replace(level, start=guess)
    if fall >= FLAT_FALL:
        slow = _even_fall(series, seen)
        return () if slow is None else (slow,)
    course = trend(seen.judged[len(seen) // SKIP_SHARE :])
    noise = roughness(seen.judged).noise
    measures = {
        "first": level.start,
        "best": level.best,
        "last": level.end,
        "fall": fall,
        "tau": course.tau,
        "relative_noise": noise,
        "fall_score": _fall_score(seen.judged, noise),
        "points": float(len(seen)),
        "thrown": float(thrown),
    }
    if is_printed_away(seen.values):
        measures["printed_away"] = 1.0
    first, last = int(seen.steps[0]), int(seen.steps[-1])
    return (Detection(NAME, Shape.FLAT, series.name, first, first, last, measures),)


def _thrown(seen: View) -> bool:
    """Return whether the run blew up at once, and stays where that left it."""
    rest = seen.values[len(seen) // SKIP_SHARE :]
    first = float(seen.values[0])
    if rest.size < MIN_POINTS or float(rest.min()) <= 0 or first <= 0:
        return False
    level = levels(rest)
    noise = roughness(np.log(rest)).noise
    peak = float(np.max(seen.values[: max(LEVEL_MIN_POINTS, len(seen) // THROWN_POINTS)]))
    if peak < THROWN_UP * first:
        return False
    high = float(np.log(peak) - np.log(np.median(rest)))
    flat = float(np.log(level.start) - np.log(level.best)) < FLAT_FALL
    return high >= max(THROWN, THROWN_SIGMAS * noise) and flat and noise <= THROWN_NOISE


def _guess(run: Run, seen: View) -> float | None:
    """Return ln C when the run stands there from its first tenth on, far below its start."""
    rest = seen.values[len(seen) // SKIP_SHARE :]
    if rest.size < MIN_POINTS or float(rest.min()) <= 0 or is_sum_of_terms(run):
        return None
    level, noise = float(np.median(rest)), roughness(np.log(rest)).noise
    known = run.config.get("num_classes")
    classes = (known,) if isinstance(known, int) and known > 1 else GUESSES
    chance = min(map(chance_loss, classes), key=lambda guess: abs(guess - level))
    peak = float(np.max(seen.values[: max(1, len(seen) // THROWN_POINTS)]))
    # Logarithms apart: a quotient of the largest and the smallest numbers is none.
    at_guess = -GUESS_BELOW <= float(np.log(level) - np.log(chance)) <= GUESS_ABOVE
    at_guess = at_guess and _stands_at(chance, rest, noise)
    high = float(np.log(peak) - np.log(level)) if peak > 0 else -np.inf
    course = levels(rest)
    flat = float(np.log(course.start / course.best)) < FLAT_FALL
    return chance if at_guess and high >= THROWN and flat and noise <= GUESS_NOISE else None


def _stands_at(chance: float, rest: FloatArray, noise: float) -> bool:
    """Return whether no part of `rest` lies elsewhere than at a guess."""
    parts = np.log(block_medians(rest, rest.size // GUESS_PARTS)) - np.log(chance)
    room = GUESS_ERRORS * noise * float(np.sqrt(GUESS_PARTS / rest.size))
    low, high = float(parts.min()), float(parts.max())
    return low >= -GUESS_BELOW - room and high <= GUESS_ABOVE + room


def _is_back(seen: View) -> bool:
    """Return whether what follows the first tenth is no better than the first point."""
    first, rest = float(seen.values[0]), float(np.median(seen.values[len(seen) // SKIP_SHARE :]))
    return abs(float(np.log(rest) - np.log(first))) <= THROWN_BACK


def _even_fall(series: Series, seen: View) -> Detection | None:
    """Return the whole run when the loss falls along a line: training that learns slows down."""
    if len(seen) < EVEN_MIN_POINTS or float(seen.values.min()) <= 0:
        return None
    level = block_medians(seen.values, len(seen) // EVEN_BLOCKS)
    third = level.size // 3
    early, late = theil_sen(level[:third]), theil_sen(level[-third:])
    if kendall_tau(level) > EVEN_TAU or early >= 0 or late > EVEN_PACE * early:
        return None
    place = np.linspace(-1.0, 1.0, level.size)
    apart = level - np.polyval(np.polyfit(place, level, 1), place)
    fall = float(np.log(level[0] / level[-1]))
    straight = float(np.var(apart)) <= EVEN_REST * float(np.var(level))
    if not straight or not EVEN_LEAST <= fall <= EVEN_MOST:
        return None
    measures = {
        "first": float(level[0]),
        "best": float(level.min()),
        "last": float(level[-1]),
        "fall": fall,
        "pace": late / early,
    }
    first, last = int(seen.steps[0]), int(seen.steps[-1])
    return Detection(NAME, Shape.SLOW, series.name, first, first, last, measures)


def _fall_score(values: FloatArray, noise: float) -> float:
    """Return how many standard errors the last third lies below the first."""
    third = values.size // 3
    drop = float(np.median(values[:third]) - np.median(values[-third:]))
    error = MEDIAN_FACTOR * noise * float(np.sqrt(2.0 / third))
    return drop / error if error > 0 else (np.inf if drop > 0 else 0.0)


DETECTOR: Final = detect
