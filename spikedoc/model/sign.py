"""The first sign of an anomaly, and the ordinary gradients before it: one answer for all."""

from __future__ import annotations

from typing import Final

from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import LASTING
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, IntArray, Run, Series
from spikedoc.signal.habit import NOTHING, stretch_before
from spikedoc.signal.memo import remembered_up_to
from spikedoc.signal.ramp import climb

# Measure under which an anomaly carries the step at which another signal gave the first sign.
FIRST_SIGN: Final = "first_sign"
# Answers kept: one for each onset of a run, which are small.
ONSETS_KEPT: Final = 1024


def first_sign(run: Run, anomaly: Anomaly) -> int:
    """Return the step of the first sign: the onset, or what another signal showed before it.

    Earlier signs are those that the anomaly's measure `first_sign` tells, and a climb of the
    gradient norm that leads up to the onset.
    """
    known = anomaly.measures.get(FIRST_SIGN, anomaly.start_step)
    first = min(anomaly.start_step, int(known))
    grad = run.get(Metric.GRAD_NORM)
    since = None if grad is None else _climbs_since(grad, anomaly.start_step)
    return first if since is None else min(first, since)


@remembered_up_to(ONSETS_KEPT)
def _climbs_since(grad: Series, until: int) -> int | None:
    """Return where the growth of `grad` that ends at step `until` began; None without one."""
    ramp = climb(grad.steps, grad.values, until)
    return None if ramp is None else ramp.first_step


def ordinary_gradients(run: Run, anomaly: Anomaly, fewest: int) -> tuple[IntArray, FloatArray]:
    """Return steps and norms of the last stretch before the first sign, outliers left out.

    For kinds that last or recur it is the end of the log. Empty below `fewest` values.
    """
    grad = run.get(Metric.GRAD_NORM)
    if grad is None:
        return NOTHING
    end = len(grad) if anomaly.kind in LASTING else grad.index_at(first_sign(run, anomaly))
    return stretch_before(grad.steps, grad.values, end, fewest)
