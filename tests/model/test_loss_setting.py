"""What counts as a setting of the loss, and how it changes."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.loss_setting import Part, setting_changes, setting_periods
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series

N = 400


def run_of(tag: str, values: np.ndarray, metric: Metric = Metric.OTHER) -> Run:
    steps = np.arange(10, 10 + len(values))
    return Run("made", "made", (Series(metric, tag, tag, steps, values.astype(float)),))


STEP = np.where(np.arange(N) < 100, 0.1, 0.5)


@pytest.mark.parametrize(
    ("tag", "part"),
    [
        ("label_smoothing", Part.FORMULA),
        ("train/kl_weight", Part.FORMULA),
        ("auxLossWeight", Part.FORMULA),
        ("beta", Part.FORMULA),
        ("contrastive_temperature", Part.FORMULA),
        ("dropout", Part.REGULARISER),
        ("sparsity", Part.REGULARISER),
        ("seq_len", Part.TASK),
        ("max_seq_length", Part.TASK),
        ("image_size", Part.TASK),
        ("curriculum/stage", Part.TASK),
        ("mask_ratio", Part.TASK),
    ],
)
def test_names_of_settings(tag: str, part: Part) -> None:
    assert [(c.tag, c.part) for c in setting_changes(run_of(tag, STEP))] == [(tag, part)]


@pytest.mark.parametrize(
    "tag",
    ["weight_decay", "gpu_temperature", "weight_norm", "step_time", "memory", "entropy", "world"],
)
def test_what_is_measured_or_of_the_machine_is_no_setting_of_the_loss(tag: str) -> None:
    assert setting_changes(run_of(tag, STEP)) == ()


def test_a_change_at_once_names_its_first_step() -> None:
    (change,) = setting_changes(run_of("margin", STEP))
    assert (change.first, change.last, change.before, change.after) == (110, 110, 0.1, 0.5)


def test_a_ramp_is_one_change_from_its_first_step_to_its_last() -> None:
    ramp = np.clip((np.arange(N) - 99) / 100, 0.0, 1.0)
    (change,) = setting_changes(run_of("beta", ramp))
    assert (change.first, change.last, change.before, change.after) == (110, 209, 0.0, 1.0)


@pytest.mark.parametrize(("rate", "last"), [(0.1, 57), (0.02, 239), (0.001, 409)])
def test_a_ramp_that_ends_by_and_by_ends_with_its_last_hundredth(rate: float, last: int) -> None:
    ramp = 1.0 - np.exp(-rate * np.arange(N))
    (change,) = setting_changes(run_of("lambda", ramp))
    where = change.first, change.last, change.before, change.after
    assert where == pytest.approx((11, last, 0.0, ramp[-1]))


def test_a_fall_and_the_ramp_that_follows_are_two_changes() -> None:
    beta = (np.arange(N) % 100) / 100
    changes = setting_changes(run_of("beta", beta))
    assert [(c.before < c.after) for c in changes] == [True, False] * 3 + [True]


def test_a_measured_quantity_of_that_name_is_none() -> None:
    noise = np.random.default_rng(0).random(N)
    assert setting_changes(run_of("margin", noise)) == ()


def test_the_period_of_a_smaller_last_batch() -> None:
    size = np.where(np.arange(N) % 40 == 39, 7, 64)
    run = run_of("batch_size", size, Metric.BATCH_SIZE)
    assert setting_periods(run) == (40.0,)
    assert setting_changes(run) == ()


def test_the_period_of_a_rate_that_restarts() -> None:
    lr = 1e-3 * (1.0 - (np.arange(400) % 80) / 80.0)
    assert setting_periods(run_of("lr", lr, Metric.LR)) == (80.0,)


def test_changes_at_random_have_no_period() -> None:
    at = np.random.default_rng(1).random(N) < 0.05
    run = run_of("batch_size", np.where(at, 7, 64), Metric.BATCH_SIZE)
    assert setting_periods(run) == ()
