"""Numbers of a run by name: `val_loss.final`, `nan.count`, `spikes_per_10k_steps`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series
from spikedoc.signal.statistic import statistic

SPIKES_STEPS: Final = 10_000
SPIKES: Final = "spikes_per_10k_steps"
NAN_COUNT: Final = "nan.count"
STEPS: Final = "steps.last"
OF_THE_RUN: Final = (SPIKES, NAN_COUNT, STEPS)
SPIKE_KINDS: Final = (Kind.ISOLATED_SPIKE, Kind.SLOW_RECOVERY)
# Where a value that is not finite is damage; the scaler of fp16 makes gradients infinite in health.
JUDGED: Final = (Metric.LOSS, Metric.VAL_LOSS, Metric.LOSS_COMPONENT, Metric.VAL_LOSS_COMPONENT)


def measure(key: str, run: Run, anomalies: Sequence[Anomaly]) -> float | None:
    """Return the number called `key` of a run; None when its signal was not logged."""
    if key == NAN_COUNT:
        return float(sum(int((~s.is_finite).sum()) for s in run.series if s.metric in JUDGED))
    if key == STEPS:
        return float(run.last_step)
    if key == SPIKES:
        return spike_count(anomalies) * SPIKES_STEPS / length(run)
    name, _, wanted = key.rpartition(".")
    series = series_of(run, name)
    return None if series is None else statistic(series.values, wanted)


def numbers_of(run: Run, anomalies: Sequence[Anomaly]) -> dict[str, float]:
    """Return the numbers of a run as a whole, by name: what a reference keeps of healthy ones."""
    found = {key: measure(key, run, anomalies) for key in OF_THE_RUN}
    return {key: value for key, value in found.items() if value is not None}


def spike_count(anomalies: Sequence[Anomaly]) -> int:
    """Return how many spikes the findings hold."""
    return sum(int(a.measures.get("count", 1)) for a in anomalies if a.kind in SPIKE_KINDS)


def length(run: Run) -> int:
    """Return the steps that a run has gone, at least one."""
    return max(1, run.last_step - run.first_step)


def series_of(run: Run, name: str) -> Series | None:
    """Return the series of a role, a name of the report, or a tag of the log."""
    if name in {metric.value for metric in Metric}:
        found = run.get(Metric(name))
        if found is not None:
            return found
    return run.named(name) or next((s for s in run.series if s.tag == name), None)
