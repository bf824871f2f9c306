"""High points that are as frequent all over the log: a mixture of data, drawn at random."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.signal.baseline import Baseline
from spikedoc.signal.view import View

# A point is as high as an event when it reaches half of its height.
HALF: Final = 0.5
# The descent of the first tenth makes no level to be above.
EARLY_SHARE: Final = 10
# Of real bad batches at most .6 % of the points were as high (measured); where it is 3 %, that is
# how the log is.
USUAL_SHARE: Final = 0.03
# Spikes twenty deviations out of the band of all other points are told up to 5 %: a source of data
# that is drawn so seldom and lies so far apart is rarer than a fault.
CLEAR_SCORE: Final = 20.0
CLEAR_SHARE: Final = 0.05
# A hump that chance makes once in twenty logs of this length, from points as frequent as elsewhere.
CHANCE: Final = 0.05
# Where a tenth of the log is as high, a source may be drawn for up to so many steps at a time.
BLOCKS_SHARE: Final = 0.1
TOGETHER_MAX: Final = 5.0
HUMPS: Final = (Kind.SLOW_RECOVERY, Kind.LEVEL_SHIFT, Kind.DIVERGENCE)


def without_mixture(seen: View, base: Baseline, a: Anomaly) -> Anomaly:
    """Return an excursion that the usual high points of the log explain as a remark.

    Batches that come from several sets of data, drawn at random, lie on several levels; now and
    then some high ones follow each other. A lone event, or one that lasts longer than its points
    are frequent elsewhere, is none of that.
    """
    first, last = np.searchsorted(seen.steps, [a.start_step, a.end_step])
    stop = min(len(seen), int(last) + 1)
    height = HALF * _height(a)
    if height <= 0.0 or a.form is Form.DOWN or first == 0:
        return a
    elsewhere = seen.judged - base.centred >= height
    elsewhere[first:stop] = False
    early = len(seen) // EARLY_SHARE
    others = max(1, len(seen) - early - (stop - int(first)))
    share = float(np.count_nonzero(elsewhere[early:])) / others
    if a.kind in HUMPS:
        high = seen.judged[first:stop] - base.trailing[first] >= height
        drawn = _drawn_together(elsewhere[early:]) if share >= BLOCKS_SHARE else 1.0
        chance = _at_least(float(np.count_nonzero(high)) / drawn, high.size / drawn, share)
        usual = len(seen) / drawn * chance >= CHANCE
    else:
        most = CLEAR_SHARE if a.measures.get("z", 0.0) >= CLEAR_SCORE else USUAL_SHARE
        usual = a.kind is Kind.ISOLATED_SPIKE and share >= most
    return replace(a, severity=Severity.INFO) if usual else a


def _height(a: Anomaly) -> float:
    """Return how high an event lies above the level before, on the judging scale."""
    if a.kind in HUMPS and "jump" in a.measures:
        return max(a.measures["jump"], a.measures.get("late", 0.0))
    return a.measures.get("rise", 0.0)


def _drawn_together(high: NDArray[np.bool_]) -> float:
    """Return how many points in a row are high, on average: sources may be drawn for a few steps.

    High points that follow each other by chance are taken off.
    """
    stretches = int(np.count_nonzero(np.diff(high.astype(np.int8)) == 1)) + int(high[0])
    by_chance = 1.0 / (1.0 - min(0.5, float(high.mean())))
    return float(np.clip(high.sum() / max(1, stretches) / by_chance, 1.0, TOGETHER_MAX))


def _at_least(count: float, points: float, share: float) -> float:
    """Return a bound on the chance that `count` of `points` are high (Chernoff)."""
    if share <= 0.0 or points == 0:
        return 0.0
    found = count / points
    if found <= share:
        return 1.0
    apart = found * math.log(found / share)
    if found < 1.0:
        apart += (1.0 - found) * math.log((1.0 - found) / (1.0 - share))
    return math.exp(-points * apart)
