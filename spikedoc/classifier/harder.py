"""A training loss that rose because what it is measured on got harder, not the model worse."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from spikedoc.classifier.context import Context
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.quality import LOWER_IS_BETTER, direction, is_accuracy
from spikedoc.model.run import Series
from spikedoc.signal.baseline import scatter
from spikedoc.signal.transform import HUGE

# Evaluations that make a level on either side: with fewer one lucky evaluation decides.
SIDE_MOST: Final = 4
SIDE_FEWEST: Final = 2
# Better or worse: by a twentieth, and by twice the scatter from one evaluation to the next. One
# evaluation in a hump may lie a tenth off: that is little beside a hump of a third and more.
CHANGE: Final = 0.05
CHANGE_IN_HUMP: Final = 0.10
SIGMAS: Final = 2.0
# Differences of neighbours scatter by sqrt(2) more than the values themselves.
DIFFERENCE: Final = float(np.sqrt(2.0))
# A loss may rise while some more answers are right, if the others are ever more wrong. With
# a quarter of all answers more it learns.
ANSWERS_MORE: Final = 0.25
PERCENT: Final = 100.0
RISES: Final = (Kind.LEVEL_SHIFT, Kind.DIVERGENCE, Kind.SLOW_RECOVERY)


def without_harm(context: Context, a: Anomaly) -> Anomaly:
    """Return a rise of the training loss that validation shows to be harmless as a remark.

    A stage of a curriculum, stronger augmentation or a heavier penalty raises the training loss at
    once; validation, measured as before, says whether the model got worse. A rise that lasts is a
    remark where validation ends better than before it; a hump where no evaluation within it was
    worse. Without validation the answers to the training batches judge: the loss of a contrastive
    training grows with its queue while more and more of them are right.
    """
    if a.kind not in RISES or a.form is Form.DOWN or a.signal != context.signal:
        return a
    if a.kind is Kind.DIVERGENCE and _is_as_good(context, a):
        a = replace(a, kind=Kind.LEVEL_SHIFT, form=Form.UP)
    hump = a.kind is Kind.SLOW_RECOVERY
    changes = [c for series in _judges(context) if (c := change_over(series, a)) is not None]
    if not changes and answers_more(context, a):
        changes = [1]
    if not changes or min(changes) < 0 or (not hump and max(changes) == 0):
        return a
    if hump:
        return replace(a, severity=Severity.INFO)
    return replace(a, kind=Kind.LEVEL_SHIFT, form=Form.UP, severity=Severity.INFO)


def _is_as_good(context: Context, a: Anomaly) -> bool:
    """Return whether all that is measured beside the loss is no worse: no model is lost like that.

    The validation loss rises as well where the loss was defined anew.
    """
    quality = [s for s in _judges(context) if s.metric is Metric.VAL_METRIC]
    changes = [c for series in quality if (c := change_over(series, a)) is not None]
    return bool(changes) and min(changes) >= 0


def _judges(context: Context) -> Iterator[Series]:
    """Yield the series of validation that say which way is better."""
    for metric in (Metric.VAL_LOSS, Metric.VAL_METRIC):
        for series in context.run.all(metric):
            if series.name != context.signal and direction(series) is not None:
                yield series


def answers_more(context: Context, a: Anomaly) -> bool:
    """Return whether a quarter more of the answers on training batches are right after a rise.

    Of one that is there from the first records on, these make the level before.
    """
    told = [s for s in context.run.all(Metric.TRAIN_METRIC) if is_accuracy(s)]
    return bool(told) and all(_gains(series, a) for series in told)


def _gains(series: Series, a: Anomaly) -> bool:
    steps, values = series.finite()
    first = int(np.searchsorted(steps, a.start_step, side="left"))
    stop = int(np.searchsorted(steps, a.end_step, side="right"))
    first = max(first, min(SIDE_MOST, stop)) if first < SIDE_FEWEST else first
    before, after = values[max(0, first - SIDE_MOST) : first], values[first:stop][-SIDE_MOST:]
    if min(before.size, after.size) < SIDE_FEWEST:
        return False
    whole = 1.0 if float(values.max()) <= 1.0 else PERCENT
    least = max(ANSWERS_MORE * whole, SIGMAS * scatter(np.diff(values)) / DIFFERENCE)
    return float(np.median(after) - np.median(before)) >= least


def change_over(series: Series, a: Anomaly) -> int | None:
    """Return 1 when validation got better over a rise, -1 when worse, 0 for neither.

    After a lasting rise its last evaluations count; of a hump the worst one within it and the next
    one after. None without one within, or without two evaluations on either side.
    """
    hump = a.kind is Kind.SLOW_RECOVERY
    steps, values = series.finite()
    values = (direction(series) or LOWER_IS_BETTER) * np.clip(values, -HUGE, HUGE)
    first = int(np.searchsorted(steps, a.start_step, side="left"))
    stop = int(np.searchsorted(steps, a.end_step, side="right"))
    if stop == first:
        return None  # no evaluation saw it
    stop += int(hump)
    before, during = values[max(0, first - SIDE_MOST) : first], values[first:stop]
    if before.size < SIDE_FEWEST or during.size < SIDE_FEWEST:
        return None
    level = float(np.median(before))
    usual = scatter(np.diff(values[:stop])) / DIFFERENCE
    least = max((CHANGE_IN_HUMP if hump else CHANGE) * abs(level), SIGMAS * usual)
    reached = float(during.min() if hump else np.median(during[-SIDE_MOST:]))
    return int(reached > level + least) - int(reached < level - least)
