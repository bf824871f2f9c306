"""Steps per epoch from a staircase of epochs."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.ingest.epochs import steps_per_epoch
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series


def run(steps: np.ndarray, epochs: np.ndarray, evaluations: list[int] | None = None) -> Run:
    steps = steps.astype(np.int64)
    series = [
        Series(Metric.LOSS, "loss", "loss", steps, np.ones(steps.size)),
        Series(Metric.EPOCH, "epoch", "epoch", steps.copy(), epochs.astype(float)),
    ]
    if evaluations:
        at = np.array(evaluations, dtype=np.int64)
        series.append(Series(Metric.VAL_LOSS, "val_loss", "val_loss", at, np.ones(at.size)))
    return Run("r", "r", tuple(series))


@pytest.mark.parametrize("length", [22, 287, 1000])
def test_every_step_from_zero(length: int) -> None:
    steps = np.arange(3 * length + 5)
    assert steps_per_epoch(run(steps, steps // length)) == length


def test_every_step_from_one_with_epochs_from_one() -> None:
    steps = np.arange(1, 95)
    assert steps_per_epoch(run(steps, (steps - 1) // 30 + 1)) == 30


def test_every_fifth_step_and_evaluations() -> None:
    steps = np.arange(4, 80, 5)
    assert steps_per_epoch(run(steps, steps // 20, [19, 39, 59])) == 20


def test_one_border_and_one_evaluation() -> None:
    steps = np.arange(4, 40, 5)
    assert steps_per_epoch(run(steps, steps // 20, [19])) == 20


def test_many_epochs_leave_one_whole_number() -> None:
    steps = np.arange(49, 20_000, 50)
    assert steps_per_epoch(run(steps, steps // 287)) == 287


def test_sparse_steps_and_few_epochs_leave_it_open() -> None:
    steps = np.arange(49, 700, 50)
    assert steps_per_epoch(run(steps, steps // 330)) is None


def test_nothing_to_go_by() -> None:
    steps = np.arange(100)
    assert steps_per_epoch(run(steps, np.zeros(100))) is None
    assert steps_per_epoch(run(steps, steps / 20)) is None
    assert steps_per_epoch(run(steps, 50 + steps // 20)) is None  # fine-tuned from epoch 50
    assert steps_per_epoch(run(steps[:1], np.zeros(1))) is None
    assert steps_per_epoch(Run("r", "r", run(steps, np.zeros(100)).series[:1])) is None
