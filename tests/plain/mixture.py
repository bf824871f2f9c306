"""Which excursions the usual high points of a log explain, as plain loops over the definition."""

from __future__ import annotations

from collections.abc import Sequence

EARLY, HIGHEST = 10, 5.0


def explained(judged: Sequence[float], first: int, last: int, height: float) -> bool:
    """Return whether a hump over the points `first` to `last` is one that chance makes.

    The level before and around is 0; `height` is what makes a point as high as the hump.
    """
    n, length = len(judged), last - first + 1
    behind = range(n // EARLY, n)
    high = [judged[k] >= height and not first <= k <= last for k in behind]
    share = sum(high) / max(1, n - n // EARLY - length)
    at_a_time = mean_stretch(high) if share >= 0.1 else 1.0
    inside = sum(1 for k in range(first, last + 1) if judged[k] >= height)
    return n / at_a_time * bound(inside / at_a_time, length / at_a_time, share) >= 0.05


def mean_stretch(high: Sequence[bool]) -> float:
    """Return how long high points last, over what they last by chance: 1 / (1 - share)."""
    stretches: list[int] = []
    for k, one in enumerate(high):
        if one and k > 0 and high[k - 1]:
            stretches[-1] += 1
        elif one:
            stretches.append(1)
    by_chance = 1 / (1 - min(0.5, sum(high) / len(high)))
    return min(HIGHEST, max(1.0, sum(stretches) / len(stretches) / by_chance))


def bound(count: float, points: float, share: float) -> float:
    """Return Chernoff's bound of at least `count` of `points` with the probability `share`."""
    found = count / points
    if share == 0:
        return 0.0
    if found <= share:
        return 1.0
    ratio = (share / found) ** found
    if found < 1:
        ratio *= ((1 - share) / (1 - found)) ** (1 - found)
    return float(ratio**points)
