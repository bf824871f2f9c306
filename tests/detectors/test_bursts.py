"""Bursts of the loss as detections: one each, at their steps."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.detectors.bursts import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric


def test_each_burst_is_a_detection() -> None:
    made = synth.bursts(8)
    found = detect(made.run)
    assert len(found) == made.facts["count"]
    assert {d.shape for d in found} == {Shape.BURSTS}
    for d in found:
        assert d.first_step <= d.peak_step <= d.last_step
        assert d.measures["rise"] == pytest.approx(np.log(10.0), abs=0.2)
        assert d.measures["points"] == d.last_step - d.first_step + 1
        assert d.measures["index"] == d.first_step - 1


def test_steps_are_those_of_the_log() -> None:
    values = synth.bursts(8).run.series[0].values
    dense = detect(synth.loss_run(values))
    sparse = detect(synth.run(synth.series(values, stride=20, first=100)))
    assert [d.first_step for d in sparse] == [100 + 20 * (d.first_step - 1) for d in dense]


def test_nan_between_is_left_out() -> None:
    values = np.array(synth.bursts(8).run.series[0].values)
    values[[300, 400, 1900]] = np.nan
    assert len(detect(synth.loss_run(values))) == 8


def test_only_the_loss_is_looked_at() -> None:
    values = synth.bursts(8).run.series[0].values
    assert detect(synth.run(synth.series(values, Metric.GRAD_NORM))) == ()
