"""How far a signal rose at a finding, measured in one way for findings, evidence and figures."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Form, Kind
from spikedoc.model.run import Run
from spikedoc.signal.around import jump

# Findings that say from where to where a signal rose.
PEAKS: Final = frozenset(
    {
        Kind.ISOLATED_SPIKE,
        Kind.SLOW_RECOVERY,
        Kind.GRADIENT_EXPLOSION,
        Kind.UPDATE_SPIKE,
    }
)
# Findings that say from which level to which other one.
LEVELS: Final = frozenset({Kind.LEVEL_SHIFT, Kind.DIVERGENCE})


def with_rise(run: Run, anomaly: Anomaly) -> Anomaly:
    """Return the anomaly with `before`, `peak` and `factor` as evidence and figures measure them.

    Detectors judge against baselines of their own; a reader must not meet two levels before one
    event.
    """
    series = run.named(anomaly.signal)
    lasting = anomaly.kind in LEVELS and anomaly.form is not Form.DOWN
    if series is None or not (lasting or anomaly.kind in PEAKS):
        return anomaly
    rise = jump(series.steps, series.values, anomaly.start_step, anomaly.peak_step)
    if rise is None or not math.isfinite(rise.peak) or rise.peak <= rise.before:
        return anomaly
    measures = {k: v for k, v in anomaly.measures.items() if k != "factor"}
    measures |= {"before": rise.before, "peak": rise.peak}
    reached = measures.get("after", math.nan) if lasting else rise.peak
    if math.isfinite(rise.factor) and math.isfinite(reached):
        measures["factor"] = reached / rise.before
    # The step that is named is the one at which the log holds the peak.
    end = max(anomaly.end_step, rise.step)
    return replace(anomaly, peak_step=rise.step, end_step=end, measures=measures)
