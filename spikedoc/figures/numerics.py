"""Loss scale and non-finite values."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.figures._lookup import plain, whole
from spikedoc.figures.base import Figure
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series
from spikedoc.signal.around import finite
from spikedoc.signal.halvings import Chain, loss_scale
from spikedoc.text import FieldValue, Text

# A quarter of the scale at which overflow began leaves two doublings of room.
CAP_SHARE: Final = 0.25
# A chain belongs to the anomaly when it lies within this share of the run around it.
NEAR_SHARE: Final = 0.05
# Series whose order of becoming non-finite tells forward from backward, in the order of a step.
ORDERED: Final = (Metric.LOSS, Metric.GRAD_NORM, Metric.UPDATE_NORM, Metric.VAL_LOSS)
# Non-finite points up to so many before the onset belong to it.
BEFORE_POINTS: Final = 20


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


def _first_bad(series: Series | None, onset: int) -> int | None:
    """Return the first non-finite step that belongs to the anomaly."""
    if series is None:
        return None
    start = max(0, series.index_at(onset) - BEFORE_POINTS)
    bad = np.flatnonzero(~np.isfinite(series.values[start:]))
    return int(series.steps[start + bad[0]]) if bad.size else None


def becoming_nonfinite(run: Run, anomaly: Anomaly) -> list[tuple[int, str]]:
    """Return step and name of each series that became non-finite, earliest first."""
    found = []
    for metric in ORDERED:
        step = _first_bad(run.get(metric), anomaly.start_step)
        if step is not None:
            found.append((step, metric.value))
    return sorted(found, key=lambda pair: pair[0])


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
        Text("loss scale before it was halved", "减半之前的 loss scale"),
        _loss_scale_before,
    ),
    Figure("loss_scale_last", Text("last loss scale", "最后的 loss scale"), _loss_scale_last),
    Figure(
        "loss_scale_cap",
        Text("loss scale to allow at most", "建议的 loss scale 上限"),
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
