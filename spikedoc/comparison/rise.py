"""How far a series stands above its level before a step, and what counts as the same event."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from spikedoc.model.run import Series
from spikedoc.signal.baseline import median, scatter
from spikedoc.signal.transform import transform

# The same event: at least half as high (on the judging scale), and five scatters above what was.
SAME_SHARE: Final = 0.5
SAME_UNITS: Final = 5.0
# What no quantity reaches in health, as `impossible` says of losses: as good as an overflow, which
# a log in double precision goes beyond and one in single precision does not.
BROKEN: Final = 1e20
# Points that make the level before an event, and the fewest that do.
BEFORE_POINTS: Final = 60
FEWEST_BEFORE: Final = 5


@dataclass(frozen=True, slots=True)
class Rise:
    """How far a series stands above its level before a step; not finite: it broke."""

    rise: float  # judging scale
    units: float
    step: int


def rise_at(series: Series, step: int, tolerance: int) -> Rise:
    """Return how far the highest point within `tolerance` of `step` stands above what was before.

    An infinite rise where a point there is not finite or beyond all measure; NaN where nothing was
    logged there or before.
    """
    lo, hi = series.index_at(step - tolerance), series.index_at(step + tolerance + 1)
    if lo >= hi:
        return Rise(float("nan"), 0.0, step)
    broken = np.flatnonzero(~(np.abs(series.values[lo:hi]) < BROKEN))
    if broken.size:
        return Rise(float("inf"), float("inf"), int(series.steps[lo + int(broken[0])]))
    window = series.values[max(0, lo - BEFORE_POINTS) : hi]
    finite = window[np.abs(window) < BROKEN]
    judged = transform(finite).values
    split = finite.size - (hi - lo)
    if split < FEWEST_BEFORE:
        return Rise(float("nan"), 0.0, step)
    level = median(judged[:split])
    noise = scatter(np.diff(judged[:split])) / np.sqrt(2.0)
    peak = split + int(np.argmax(judged[split:]))
    rise = float(judged[peak] - level)
    return Rise(rise, rise / max(float(noise), 1e-9), int(series.steps[lo + peak - split]))


def is_same(wanted: Rise, found: Rise) -> bool:
    """Return whether `found` is an event like `wanted`: both broke, or at least half as high."""
    if np.isinf(wanted.rise) or np.isinf(found.rise):
        return bool(np.isinf(found.rise) and not np.isnan(wanted.rise))
    if np.isnan(wanted.rise) or np.isnan(found.rise):
        return False
    return found.rise >= SAME_SHARE * wanted.rise and found.units >= SAME_UNITS
