"""How well scores tell how often one is right: bins, intervals, distances, fitted odds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

FloatArray = NDArray[np.float64]

BORDERS: Final = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
ERROR_BINS: Final = 10
# Two standard deviations, rounded as usual: 95 % of a normal distribution.
WILSON_Z: Final = 1.96
# Odds between 1:20 and 400:1 of those given; nothing sensible lies outside.
LOG_ODDS_RANGE: Final = (-3.0, 6.0)


@dataclass(frozen=True, slots=True)
class Bin:
    """The answers with a score in one range: how many, their mean score, how many were right."""

    low: float
    high: float
    count: int
    mean: float
    right: float
    interval: tuple[float, float]


def binned(scores: FloatArray, is_right: FloatArray) -> list[Bin]:
    """Return the bins that hold anything."""
    found = []
    places = np.clip(np.searchsorted(BORDERS, scores, side="right") - 1, 0, len(BORDERS) - 2)
    for place in range(len(BORDERS) - 1):
        inside = places == place
        count = int(inside.sum())
        if count:
            right = float(is_right[inside].mean())
            mean = float(scores[inside].mean())
            ends = wilson(right, count)
            found.append(Bin(BORDERS[place], BORDERS[place + 1], count, mean, right, ends))
    return found


def wilson(share: float, count: int) -> tuple[float, float]:
    """Return the Wilson interval of a share among `count`."""
    squared = WILSON_Z**2
    middle = share + squared / (2 * count)
    half = WILSON_Z * np.sqrt(share * (1 - share) / count + squared / (4 * count**2))
    whole = 1 + squared / count
    return max(float((middle - half) / whole), 0.0), min(float((middle + half) / whole), 1.0)


def brier(scores: FloatArray, is_right: FloatArray) -> float:
    """Return the mean squared distance between score and outcome; 0 is perfect."""
    return float(np.mean((scores - is_right) ** 2))


def calibration_error(scores: FloatArray, is_right: FloatArray) -> float:
    """Return the mean distance, over ten equal bins, between mean score and share of right ones."""
    places = np.minimum((scores * ERROR_BINS).astype(int), ERROR_BINS - 1)
    total = 0.0
    for place in np.unique(places):
        inside = places == place
        total += inside.sum() * abs(scores[inside].mean() - is_right[inside].mean())
    return float(total / scores.size)


def scaled(shares: FloatArray, odds: float) -> FloatArray:
    """Return the shares with their odds multiplied."""
    return odds * shares / (1.0 + (odds - 1.0) * shares)


def fitted_odds(shares: FloatArray, is_right: FloatArray) -> float:
    """Return the factor on the odds that makes what was right likeliest."""
    logits = np.log(shares / (1.0 - shares))

    def loss(shift: float) -> float:
        margin = np.where(is_right > 0, 1.0, -1.0) * (logits + shift)
        return float(np.mean(np.logaddexp(0.0, -margin)))

    best = minimize_scalar(loss, bounds=LOG_ODDS_RANGE, method="bounded")
    return float(np.exp(best.x))


def cross_validated(shares: FloatArray, is_right: FloatArray, groups: Sequence[str]) -> FloatArray:
    """Return the scaled shares of each group with the odds fitted to all other groups."""
    names, out = np.asarray(groups), np.empty_like(shares)
    for name in np.unique(names):
        held = names == name
        out[held] = scaled(shares[held], fitted_odds(shares[~held], is_right[~held]))
    return out


def resampled_odds(
    shares: FloatArray, is_right: FloatArray, groups: Sequence[str], *, draws: int = 1000
) -> tuple[float, float]:
    """Return the range that holds nine of ten fits when whole groups are drawn with repetition."""
    names = np.asarray(groups)
    members = [np.flatnonzero(names == name) for name in np.unique(names)]
    generator = np.random.default_rng(0)
    fits = []
    for _ in range(draws):
        drawn = generator.integers(0, len(members), len(members))
        rows = np.concatenate([members[number] for number in drawn])
        fits.append(fitted_odds(shares[rows], is_right[rows]))
    low, high = np.percentile(fits, (5.0, 95.0))
    return float(low), float(high)
