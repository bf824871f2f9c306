"""What breaks in a learning-rate range test, which is made to find where it breaks."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from spikedoc.classifier.context import Context
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.range_test import swept_rates

# A decade of rates was tried before: what breaks earlier is broken at any rate.
TRIED: Final = 10.0
# What too high a rate does, to the loss and to what is logged beside it.
BREAKS: Final = (
    Kind.LEVEL_SHIFT,
    Kind.DIVERGENCE,
    Kind.SUSTAINED_DRIFT,
    Kind.SLOW_RECOVERY,
    Kind.ISOLATED_SPIKE,
    Kind.OSCILLATION,
    Kind.NONFINITE,
    Kind.METRIC_DAMAGE,
    Kind.QUALITY_LOSS,
    Kind.GRADIENT_RAMP,
    Kind.GRADIENT_EXPLOSION,
    Kind.UNBOUNDED_GROWTH,
)


def as_tried(context: Context, found: list[Anomaly]) -> list[Anomaly]:
    """Return the findings, with what a range test came upon at its higher rates as remarks.

    A rate that rises exponentially from end to end (arXiv:1506.01186 raises it linearly, most tools
    by a factor) is raised until the loss is lost; where that happens is the answer, not a fault.
    """
    lr = context.run.get(Metric.LR)
    if lr is None or swept_rates(context.run) is None:
        return found
    tried = lr.steps[lr.values >= TRIED * lr.values[0]]
    return [
        replace(a, severity=Severity.INFO)
        if a.kind in BREAKS and a.start_step >= int(tried[0])
        else a
        for a in found
    ]
