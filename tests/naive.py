"""Slow plain-loop versions of what `spikedoc.signal` computes, as one would write the definition.

Nothing here uses numpy arithmetic or a function of the package: lists of floats in, floats out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence


def median(values: Sequence[float]) -> float:
    """Return the middle value, or the mean of the two in the middle."""
    ordered = sorted(values)
    half = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[half]
    return (ordered[half - 1] + ordered[half]) / 2.0


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def odd_width(n: int, window: int) -> int:
    """Return the next odd window that is not longer than `n` points."""
    width = window if window % 2 else window + 1
    while width > max(n, 1):
        width -= 2
    return width


def mirrored(values: Sequence[float], index: int) -> float:
    """Return the value at `index`, reflected at the first and last point as often as needed."""
    n = len(values)
    while not 0 <= index < n:
        index = -index if index < 0 else 2 * (n - 1) - index
    return values[index]


def centred_windows(values: Sequence[float], window: int) -> list[list[float]]:
    half = odd_width(len(values), window) // 2
    return [[mirrored(values, i + k) for k in range(-half, half + 1)] for i in range(len(values))]


def rolling_median(values: Sequence[float], window: int) -> list[float]:
    return [median(part) for part in centred_windows(values, window)]


def rolling_quantile(values: Sequence[float], window: int, quantile: float) -> list[float]:
    """Return the largest order statistic that is not above the quantile, per window."""
    out = []
    for part in centred_windows(values, window):
        rank = 0
        while rank + 1 <= quantile * (len(part) - 1):
            rank += 1
        out.append(sorted(part)[rank])
    return out


def trailing_median(values: Sequence[float], window: int) -> list[float]:
    width = odd_width(len(values), window)
    out = []
    for i in range(len(values)):
        before = values[max(0, i - width) : i]
        out.append(median(before) if len(before) else math.nan)
    return out


def block_medians(values: Sequence[float], width: int) -> list[float]:
    out = []
    start = 0
    while start + width <= len(values):
        out.append(median(values[start : start + width]))
        start += width
    return out


def contrast(values: Sequence[float], span: int) -> list[float]:
    """Return the median after minus the median before each point, NaN near both ends.

    An even span takes one point more, on the far side; the windows mirror at the ends.
    """
    width = span if span % 2 else span + 1
    out = []
    for i in range(len(values)):
        if i < span or i + span > len(values):
            out.append(math.nan)
            continue
        after = [mirrored(values, i + k) for k in range(width)]
        before = [mirrored(values, i - 1 - k) for k in range(width)]
        out.append(median(after) - median(before))
    return out


def autocorrelation(values: Sequence[float]) -> list[float]:
    n = len(values)
    if not n:
        return []
    centre = mean(values)
    apart = [v - centre for v in values]
    variance = math.fsum(a * a for a in apart) / n
    if not variance:
        return [0.0] * (n // 2 + 1)
    return [
        math.fsum(apart[i] * apart[i + lag] for i in range(n - lag)) / (n - lag) / variance
        for lag in range(n // 2 + 1)
    ]


def kendall_tau(values: Sequence[float]) -> float:
    n = len(values)
    if n < 3:
        return 0.0
    agree = 0
    for i in range(n):
        for j in range(i + 1, n):
            agree += (values[j] > values[i]) - (values[j] < values[i])
    return agree / (n * (n - 1) / 2)


def theil_sen(values: Sequence[float]) -> float:
    n = len(values)
    if n < 2:
        return 0.0
    return median([(values[j] - values[i]) / (j - i) for i in range(n) for j in range(i + 1, n)])


def scatter(values: Sequence[float]) -> float:
    """Return 1.4826 times the median distance from the median."""
    if not values:
        return 0.0
    centre = median(values)
    return 1.4826 * median([abs(v - centre) for v in values])


def correlation(one: Sequence[float], two: Sequence[float]) -> float:
    first, second = mean(one), mean(two)
    both = math.fsum((a - first) * (b - second) for a, b in zip(one, two, strict=True))
    own = math.fsum((a - first) ** 2 for a in one), math.fsum((b - second) ** 2 for b in two)
    return both / math.sqrt(own[0] * own[1])


def phase_bin(step: float, period: float, bins: int) -> int:
    return min(int((step % period) / period * bins), bins - 1)


def profile(
    residual: Sequence[float], steps: Sequence[float], period: float, bins: int
) -> list[float]:
    """Return the mean residual per phase bin; 0.0 for a bin without points."""
    members: list[list[float]] = [[] for _ in range(bins)]
    for value, step in zip(residual, steps, strict=True):
        members[phase_bin(step, period, bins)].append(value)
    return [mean(part) if part else 0.0 for part in members]


def eta2(residual: Sequence[float], steps: Sequence[float], period: float, bins: int) -> float:
    """Return the share of variance between phase bins, less what noise alone puts there."""
    n = len(residual)
    means = profile(residual, steps, period, bins)
    centre = mean(residual)
    where = [phase_bin(step, period, bins) for step in steps]
    total = math.fsum((v - centre) ** 2 for v in residual) / n
    between = math.fsum((means[k] - centre) ** 2 for k in where) / n
    within = math.fsum((v - means[k]) ** 2 for v, k in zip(residual, where, strict=True))
    noise = within / (n - bins)
    return (between - noise * (bins - 1) / n) / total
