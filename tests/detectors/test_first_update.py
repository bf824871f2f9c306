"""One update at next to no learning rate that changes everything."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import synth

from spikedoc.detectors.first_update import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run


def run(loss: list[float], lr: list[float], steps: list[int] | None = None) -> Run:
    at = np.arange(1, len(loss) + 1) if steps is None else np.array(steps)
    return synth.run(
        replace(synth.series(np.array(loss), Metric.LOSS), steps=at),
        replace(synth.series(np.array(lr), Metric.LR), steps=at.copy()),
    )


def test_from_a_trained_loss_to_a_guess() -> None:
    (found,) = detect(run([2.28, 11.05, 11.04], [1.2e-9, 2.4e-9, 3.6e-9]))
    assert found.shape is Shape.LEAP
    assert (found.first_step, found.last_step) == (2, 3)
    assert found.measures["before"] == 2.28
    assert found.measures["factor"] == pytest.approx(11.05 / 2.28)
    assert found.measures["lr"] == 2.4e-9


@pytest.mark.parametrize(
    ("loss", "lr"),
    [
        ([2.28, 11.05], [1e-4, 1e-4]),  # such a rate can do that
        ([2.28, 11.05], [0.0, 0.0]),  # rounded by the log: unknown
        ([0.01, 1.5], [1e-9, 1e-9]),  # a single hard batch
        ([2.28, 4.2], [1e-9, 1e-9]),
        ([2.28, 11.05, 2.3], [1e-9, 1e-9, 1e-9]),  # one bad batch
        ([-1.0, 11.0], [1e-9, 1e-9]),
        ([np.nan, 11.0], [1e-9, 1e-9]),
        ([2.28], [1e-9]),
    ],
)
def test_what_a_learning_rate_or_a_batch_can_do(loss: list[float], lr: list[float]) -> None:
    assert detect(run(loss, lr)) == ()


def test_many_updates_between_two_lines() -> None:
    assert detect(run([2.28, 11.05], [1e-9, 1e-9], [10, 20])) == ()
    assert len(detect(run([2.28, 11.05], [1e-9, 1e-9], [10, 12]))) == 1


def test_only_the_first_updates() -> None:
    loss = [2.0] * 11 + [11.0] * 3
    assert detect(run(loss, [1e-9] * 14)) == ()
    assert len(detect(run(loss[1:], [1e-9] * 13))) == 1


def test_without_a_learning_rate_nothing_is_known() -> None:
    assert detect(synth.loss_run(np.array([2.28, 11.05]))) == ()
