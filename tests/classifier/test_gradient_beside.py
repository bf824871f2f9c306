"""A gradient that jumps far beside a spike of the loss is told with it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import synth

from spikedoc.classifier.gradient_beside import with_gradient
from spikedoc.classifier.wording import summarise
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind, Severity
from spikedoc.model.metric import Metric

LOSS = np.full(1000, 3.07)
LOSS[500] = 5.16
SPIKE = Anomaly(
    Kind.ISOLATED_SPIKE, Severity.INFO, 0.9, "loss", 501, 501, 502,
    measures={"before": 3.07, "peak": 5.16, "factor": 1.68},
)  # fmt: skip


def beside(peak: float, a: Anomaly = SPIKE) -> Anomaly:
    grad = np.full(1000, 0.5)
    grad[500] = peak
    run = synth.run(synth.series(LOSS), synth.series(grad, Metric.GRAD_NORM))
    return with_gradient(run, a)


def test_sixty_times_the_norm_is_said_with_the_numbers_of_the_log() -> None:
    found = beside(30.0)
    assert found.measures["grad_factor"] == 60.0
    assert found.severity is Severity.INFO
    said = summarise(found)
    assert "grad_norm jumps as well, from 0.5 to 30 (60 times) at step 501." in said.en
    assert "梯度范数也在第 501 步从 0.5 跳到 30（60 倍）。" in said.zh


@pytest.mark.parametrize(("peak", "told"), [(5.0, True), (4.9, False), (np.inf, False)])
def test_from_ten_times_on(peak: float, told: bool) -> None:
    assert ("grad_factor" in beside(peak).measures) is told


def test_only_spikes_of_the_loss_are_asked() -> None:
    drift = replace(SPIKE, kind=Kind.SUSTAINED_DRIFT)
    assert beside(30.0, drift) == drift
    other = replace(SPIKE, signal="val_loss")
    assert beside(30.0, other) == other
    assert with_gradient(synth.loss_run(LOSS), SPIKE) == SPIKE
