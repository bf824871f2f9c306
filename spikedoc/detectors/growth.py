"""Sizes inside the network that grow without bound, however quiet the loss is."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, Run, Series
from spikedoc.signal.baseline import block_medians
from spikedoc.signal.trend import kendall_tau

NAME: Final = "growth"
MIN_POINTS: Final = 40
BLOCKS: Final = 20
# Logits of healthy transformers level off below about 100 (soft caps stand at 30 to 50,
# arXiv:2408.00118); those that broke had gone on to thousands (arXiv:2302.05442).
LARGE_LOGIT: Final = 100.0
# The learned scale of a contrastive loss is held at 100 (arXiv:2103.00020): beyond it the
# temperature is below a hundredth.
LARGE_SCALE: Final = 110.0
# The norm of weights depends on their number: any may be right.
NO_BOUND: Final = 0.0
SCALE_TAG: Final = re.compile(r"(^|[/_.])logit_scale$")
# Ten times what it was, and not done: half as much again within the last third, steadily. The
# weights of small networks grow to three or four times their start in health, ever more slowly.
GROWN: Final = 10.0
STILL: Final = 1.5
STEADY: Final = 0.8
# What starts at zero, as an adapter does, is soon many times its start. As a power of the step,
# whichever it is, it grows in the last third by .58 of the factor (log) of the third before; what
# runs away does not slow down.
SLOWS: Final = 0.75


def detect(run: Run) -> tuple[Detection, ...]:
    """Return a RAMP for each of the sizes that ends large, far above its start, and growing."""
    out = []
    for series in run.series:
        bound = _bound(series)
        found = None if bound is None else _growth(series, bound)
        if found is not None:
            out.append(found)
    return tuple(out)


def _bound(series: Series) -> float | None:
    """Return what the size has to exceed to be worth a word; None for other series."""
    if series.metric is Metric.MAX_LOGIT:
        return LARGE_LOGIT
    if SCALE_TAG.search(series.tag.lower()):
        return LARGE_SCALE
    return NO_BOUND if series.metric is Metric.WEIGHT_NORM and series.rank is None else None


def _growth(series: Series, bound: float) -> Detection | None:
    steps, values = series.finite()
    if values.size < MIN_POINTS or float(values.min()) <= 0:
        return None
    level = block_medians(np.log(values), values.size // BLOCKS)
    third = level[-(level.size // 3) :]
    large = float(np.exp(level[-1])) > bound
    grown = float(level[-1] - level[: level.size // 2].min()) >= np.log(GROWN)
    rising = float(level[-1] - third[0]) >= np.log(STILL) and kendall_tau(third) >= STEADY
    if not (large and grown and rising) or (bound == NO_BOUND and _slows_down(level)):
        return None
    first = _onset(level, values.size)
    before, after = float(np.exp(level.min())), float(np.exp(level[-1]))
    measures = {"before": before, "after": after, "factor": after / before, "grows": 1.0}
    last = int(steps[-1])
    return Detection(NAME, Shape.RAMP, series.name, int(steps[first]), last, last, measures)


def _slows_down(level: FloatArray) -> bool:
    """Return whether the last third grows by a smaller factor than the third before."""
    third = level.size // 3
    before = float(level[-third - 1] - level[-2 * third - 1])
    return float(level[-1] - level[-third - 1]) < SLOWS * before


def _onset(level: FloatArray, points: int) -> int:
    """Return the index of the last point whose level is no more than twice the lowest."""
    low = np.flatnonzero(level <= float(level.min()) + np.log(2.0))
    return min(points - 1, int(low[-1] + 1) * (points // BLOCKS))


DETECTOR: Final = detect
