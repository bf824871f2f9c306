"""What the gradient norm did where the loss went up and came back: told beside it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.signal.around import jump

SPIKES: Final = (Kind.ISOLATED_SPIKE, Kind.SLOW_RECOVERY)
# Wrong labels move the gradient three to five times, bad inputs thirty times (measured on small
# trainings): from ten times on a reader should know without asking.
TOLD_FROM: Final = 10.0


def with_gradient(run: Run, a: Anomaly) -> Anomaly:
    """Return a spike of the loss with how far `grad_norm` jumped there, where that is far."""
    loss, grad = run.main_loss, run.get(Metric.GRAD_NORM)
    if a.kind not in SPIKES or loss is None or grad is None or a.signal != loss.name:
        return a
    rise = jump(grad.steps, grad.values, a.start_step, a.peak_step)
    if rise is None or not math.isfinite(rise.factor) or rise.factor < TOLD_FROM:
        return a
    told = {
        "grad_before": rise.before,
        "grad_peak": rise.peak,
        "grad_factor": rise.factor,
        "grad_step": float(rise.step),
    }
    return replace(a, measures={**a.measures, **told})
