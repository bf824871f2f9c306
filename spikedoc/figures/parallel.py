"""The rank or the loss term that stands out."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from spikedoc.figures.base import Figure
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.signal.around import aligned, correlation, jump
from spikedoc.text import FieldValue, Text

# Points a loss term must share with the total.
POINTS_FEWEST: Final = 30
COMPONENTS_FEWEST: Final = 2
RANKS_FEWEST: Final = 2


def _rank_id(run: Run, anomaly: Anomaly) -> FieldValue | None:
    named = run.named(anomaly.signal)
    if named is not None and named.rank is not None:
        return named.rank
    for metric in (Metric.GRAD_NORM, Metric.LOSS):
        best, factor = None, 0.0
        ranks = run.ranks(metric)
        for series in ranks if len(ranks) >= RANKS_FEWEST else ():
            rise = jump(series.steps, series.values, anomaly.start_step, anomaly.peak_step)
            if rise is not None and not math.isnan(rise.factor) and rise.factor > factor:
                best, factor = series.rank, rise.factor
        if best is not None:
            return best
    return None


def _component_name(run: Run, anomaly: Anomaly) -> FieldValue | None:
    named = run.named(anomaly.signal)
    if named is not None and named.metric is Metric.LOSS_COMPONENT:
        return named.spoken
    loss, parts = run.get(Metric.LOSS), run.all(Metric.LOSS_COMPONENT)
    if loss is None or len(parts) < COMPONENTS_FEWEST:
        return None
    best, together = None, 0.0
    for part in parts:
        total, own = aligned((loss.steps, loss.values), (part.steps, part.values))
        if total.size < POINTS_FEWEST:
            continue
        found = correlation(np.diff(total), np.diff(own))
        if found > together:
            best, together = part.spoken, found
    return best


FIGURES: Final[tuple[Figure, ...]] = (
    Figure("rank_id", Text("rank that stands out", "异常的 rank"), _rank_id),
    Figure(
        "component_name", Text("loss term that swings most", "波动最大的损失项"), _component_name
    ),
)
