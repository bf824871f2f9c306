"""Loss scale and non-finite values."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.figures._lookup import plain, whole
from spikedoc.figures.base import Figure
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.signal.around import finite
from spikedoc.signal.broken import broken_before, broken_since
from spikedoc.signal.halvings import Chain, loss_scale
from spikedoc.text import FieldValue, Text

# A quarter of the scale at which overflow began leaves two doublings of room.
CAP_SHARE: Final = 0.25
# A chain belongs to the anomaly when it lies within this share of the run around it.
NEAR_SHARE: Final = 0.05
# Series whose order of becoming non-finite tells forward from backward, in the order of a step.
ORDERED: Final = (
    Metric.MAX_LOGIT,
    Metric.LOSS,
    Metric.GRAD_NORM,
    Metric.UPDATE_NORM,
    Metric.WEIGHT_NORM,
    Metric.VAL_LOSS,
)
# A scaler skips steps with infinite gradients every day; these are infinite in no healthy run.
NEVER_INFINITE: Final = (
    Metric.MAX_LOGIT,
    Metric.WEIGHT_NORM,
    Metric.EXP_AVG_NORM,
    Metric.EXP_AVG_SQ_NORM,
)


def _chain(run: Run, anomaly: Anomaly) -> Chain | None:
    """Return the longest chain of halvings near the anomaly."""
    series = run.get(Metric.LOSS_SCALE)
    scale = loss_scale(*finite(series.steps, series.values)) if series is not None else None
    if scale is None:
        return None
    reach = NEAR_SHARE * (run.last_step - run.first_step)
    first, last = anomaly.start_step - reach, anomaly.end_step + reach
    near = [c for c in scale.chains if c.last >= first and c.first <= last]
    return max(near, key=lambda c: c.halvings, default=None)


def _loss_scale_before(run: Run, anomaly: Anomaly) -> FieldValue | None:
    chain = _chain(run, anomaly)
    return None if chain is None else whole(chain.before)


def _loss_scale_last(run: Run, _anomaly: Anomaly) -> FieldValue | None:
    series = run.get(Metric.LOSS_SCALE)
    if series is None:
        return None
    _, values = finite(series.steps, series.values)
    return whole(float(values[-1])) if values.size else None


def _loss_scale_cap(run: Run, anomaly: Anomaly) -> FieldValue | None:
    chain = _chain(run, anomaly)
    return None if chain is None else plain(max(1.0, CAP_SHARE * chain.before))


def _halvings(run: Run, anomaly: Anomaly) -> FieldValue | None:
    chain = _chain(run, anomaly)
    return None if chain is None else chain.halvings


def becoming_nonfinite(run: Run, anomaly: Anomaly) -> list[tuple[int, str]]:
    """Return step and name of each series that became non-finite, earliest first.

    Quantities of the model are never infinite in health: their first such value counts, however
    long before.
    """
    found = overflows_before(run, anomaly.start_step)
    for metric in ORDERED:
        series = run.get(metric)
        if series is not None and series.name not in {name for _, name in found}:
            step = broken_since(series.steps, series.values, anomaly.start_step)
            found += [] if step is None else [(step, series.name)]
    return sorted(found, key=lambda pair: pair[0])


def overflows_before(run: Run, step: int) -> list[tuple[int, str]]:
    """Return step and name of quantities of the model that had been non-finite before `step`."""
    found = []
    for metric in NEVER_INFINITE:
        for series in run.all(metric):
            first = broken_before(series.steps, series.values, step)
            found += [] if first is None else [(first, series.name)]
    return found


def _first_nonfinite_step(run: Run, anomaly: Anomaly) -> FieldValue | None:
    found = becoming_nonfinite(run, anomaly)
    return found[0][0] if found else None


def _last_finite_step(run: Run, anomaly: Anomaly) -> FieldValue | None:
    found, loss = becoming_nonfinite(run, anomaly), run.main_loss
    if not found or loss is None:
        return None
    good = np.flatnonzero(np.isfinite(loss.values[: loss.index_at(found[0][0])]))
    return int(loss.steps[good[-1]]) if good.size else None


def _nonfinite_order(run: Run, anomaly: Anomaly) -> FieldValue | None:
    found = becoming_nonfinite(run, anomaly)
    if not found:
        return None
    groups: dict[int, list[str]] = {}
    for step, name in found:
        groups.setdefault(step, []).append(name)
    return " → ".join(" + ".join(names) for names in groups.values())


FIGURES: Final[tuple[Figure, ...]] = (
    Figure(
        "loss_scale_before",
        Text("loss scale before it was halved", "减半之前的损失缩放系数"),
        _loss_scale_before,
    ),
    Figure("loss_scale_last", Text("last loss scale", "最后的损失缩放系数"), _loss_scale_last),
    Figure(
        "loss_scale_cap",
        Text("loss scale to allow at most", "建议的损失缩放系数上限"),
        _loss_scale_cap,
    ),
    Figure("halvings", Text("halvings in a row", "连续减半次数"), _halvings),
    Figure(
        "first_nonfinite_step",
        Text("first non-finite step of any series", "最早出现非有限值的步数"),
        _first_nonfinite_step,
    ),
    Figure(
        "last_finite_step",
        Text("last step with a finite loss before it", "此前最后一个损失有限的步数"),
        _last_finite_step,
    ),
    Figure(
        "nonfinite_order",
        Text("order in which series became non-finite", "各序列变为非有限值的先后"),
        _nonfinite_order,
    ),
)
