"""The loss of a run whose ranks print: a mean, which one rank alone can move."""

from __future__ import annotations

from typing import Final

from spikedoc.classifier.context import Context
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind

# So many logged points between the mean and the rank are one event.
NEAR_POINTS: Final = 5
COMES_BACK: Final = (Kind.SLOW_RECOVERY, Kind.ISOLATED_SPIKE)


def without_rank_means(context: Context, found: list[Anomaly]) -> list[Anomaly]:
    """Drop rises of the mean that seem to come back where one rank left the others for good.

    The mean falls on with the other ranks; the one that left is where it went, and says so itself.
    """
    series = context.run.main_loss
    if series is None or series.rank is not None or context.seen is None:
        return found
    near = NEAR_POINTS * context.seen.stride
    ranks = {s.name for s in context.run.series if s.rank is not None and s.metric is series.metric}
    left = [
        a.start_step
        for a in found
        if a.kind is Kind.RANK_OUTLIER and a.signal in ranks and "lasting_factor" in a.measures
    ]
    return [
        a
        for a in found
        if a.kind not in COMES_BACK
        or a.signal != series.name
        or not any(abs(a.start_step - step) <= near for step in left)
    ]
