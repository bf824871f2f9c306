"""One number for a whole series: where it began and ended, its range, its quantiles."""

from __future__ import annotations

import re
from typing import Final

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

# The end of a series is the median of its last twentieth, of fifty points at most: one lucky batch
# is no result.
FINAL_SHARE: Final = 20
FINAL_POINTS: Final = 50
# Levels, in the unit of the series …
LEVELS: Final = ("final", "first", "min", "max", "mean", "median")
# … and counts of points.
COUNTS: Final = ("count", "nonfinite")
# Quantiles that are kept of healthy runs; p50 is the median.
QUANTILES: Final = ("p1", "p5", "p10", "p25", "p75", "p90", "p95", "p99")
QUANTILE: Final = re.compile(r"p(\d{1,2}(?:\.\d+)?)$")


def is_statistic(name: str) -> bool:
    """Return whether `statistic` knows the name."""
    return name in LEVELS or name in COUNTS or QUANTILE.match(name) is not None


def statistic(values: FloatArray, name: str) -> float | None:
    """Return the number called `name`; None where there is nothing to take it from.

    `first` is the first value as it is, `final` NaN when most of the end is not finite; the others
    are of the finite values.
    """
    if name == "count":
        return float(values.size)
    if name == "nonfinite":
        return float((~np.isfinite(values)).sum())
    if name == "final":
        return _final(values)
    if name == "first":
        return float(values[0]) if values.size else None
    finite = values[np.isfinite(values)]
    if finite.size == 0:
        return None
    found = QUANTILE.match(name)
    if found:
        return float(np.percentile(finite, float(found.group(1))))
    return float(getattr(np, name)(finite))


def _final(values: FloatArray) -> float | None:
    if values.size == 0:
        return None
    end = values[-max(1, min(FINAL_POINTS, values.size // FINAL_SHARE)) :]
    good = end[np.isfinite(end)]
    return float(np.median(good)) if good.size * 2 > end.size else float("nan")
