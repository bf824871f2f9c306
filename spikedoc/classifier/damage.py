"""Did a spike harm the model? The evaluation before against the evaluations after."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.classifier.context import Context
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.quality import HIGHER_IS_BETTER, direction
from spikedoc.model.run import Series
from spikedoc.signal.transform import HUGE

# Evaluations looked at on either side; fewer than this give no verdict.
EVALUATIONS: Final = 4
MIN_EVALUATIONS: Final = 3
# Damage exceeds three scatters of the metric before and 1 % of its value.
SIGMAS: Final = 3.0
RELATIVE: Final = 0.01
# Events from which the loss came back; where it did not, the metric needs no explanation.
DAMAGING: Final = (Kind.ISOLATED_SPIKE, Kind.SLOW_RECOVERY, Kind.UPDATE_SPIKE)


def label_damage(context: Context, found: list[Anomaly]) -> list[Anomaly]:
    """Return a finding per quality metric that stayed worse after an event, at most one each."""
    events = [a for a in found if a.kind in DAMAGING]
    out = []
    for series in context.run.all(Metric.VAL_METRIC):
        for event in events:
            damage = _damage(series, event)
            if damage is not None:
                out.append(damage)
                break
    return out


def _damage(series: Series, event: Anomaly) -> Anomaly | None:
    steps, values = series.finite()
    values = np.clip(values, -HUGE, HUGE)
    first = int(np.searchsorted(steps, event.start_step))
    before = values[max(0, first - EVALUATIONS) : first]
    after_event = values[first:]
    if before.size < MIN_EVALUATIONS or after_event.size < MIN_EVALUATIONS:
        return None
    late = after_event[-MIN_EVALUATIONS:]
    sign = direction(series) or HIGHER_IS_BETTER
    loss = sign * (float(np.median(before)) - float(np.median(late)))
    spread = float(np.std(before)) + float(np.std(late))
    least = max(SIGMAS * spread, RELATIVE * abs(float(np.median(before))))
    if loss < least or loss <= 0:  # a share that is 0 throughout has no scatter and loses nothing
        return None
    measures = {
        "before": float(np.median(before)),
        "after": float(np.median(late)),
        "event_step": float(event.start_step),
    }
    # Where the log ends before the loss is known to be back, nothing is said of it.
    measures |= {k: v for k, v in event.measures.items() if k == "log_end"}
    worst = first + int(np.argmin(sign * after_event))
    return Anomaly(
        Kind.METRIC_DAMAGE,
        Severity.WARNING,
        0.8,
        series.name,
        event.start_step,
        int(steps[worst]),
        int(steps[-1]),
        None,
        measures,
    )
