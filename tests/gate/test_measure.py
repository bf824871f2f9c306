"""Numbers of a run, against sums done by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import synth

from spikedoc.gate.measure import measure
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run

LOSS = [4.0, 3.0, float("nan"), 2.0, 1.0]
RUN = synth.run(
    synth.series(np.array(LOSS), Metric.LOSS),
    synth.series(np.arange(1.0, 101.0), Metric.VAL_METRIC, tag="acc", name="val_metric:acc"),
    synth.series(np.array([math.inf, 1.0]), Metric.GRAD_NORM),
)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("loss.final", 1.0),
        ("loss.first", 4.0),
        ("loss.min", 1.0),
        ("loss.max", 4.0),
        ("loss.mean", 2.5),
        ("loss.median", 2.5),
        ("loss.p50", 2.5),
        ("loss.count", 5.0),
        ("loss.nonfinite", 1.0),
        ("val_metric:acc.final", 98.0),  # the median of the last five of a hundred
        ("acc.p90", 90.1),
        ("nan.count", 1.0),  # the scaler's infinite gradient is no damage
        ("steps.last", 100.0),
        ("lr.final", None),
    ],
)
def test_numbers(key: str, value: float | None) -> None:
    found = measure(key, RUN, ())
    assert found == (None if value is None else pytest.approx(value))


def test_spikes_per_ten_thousand_steps() -> None:
    spike = Anomaly(Kind.ISOLATED_SPIKE, Severity.WARNING, 1.0, "loss", 5, 5, 5, None, {"count": 3})
    drift = Anomaly(Kind.SUSTAINED_DRIFT, Severity.WARNING, 1.0, "loss", 5, 5, 5)
    assert measure("spikes_per_10k_steps", RUN, (spike, drift)) == pytest.approx(3 * 10_000 / 99)
    assert measure("spikes_per_10k_steps", Run("empty", "empty", ()), ()) == 0.0


def test_the_end_is_lost_when_most_of_it_is() -> None:
    values = np.ones(100)
    values[-3:] = np.nan
    run = synth.run(synth.series(values, Metric.LOSS))
    assert math.isnan(measure("loss.final", run, ()) or 0.0)
    values[-3] = 1.0
    run = synth.run(synth.series(values, Metric.LOSS))
    assert measure("loss.final", run, ()) == 1.0
