from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
KIND = Kind.LEVEL_SHIFT
AT = np.arange(50, 1001, 50)


@pytest.mark.parametrize(
    ("probe", "config", "verdict"),
    [
        ("label_smoothing_is_on", {"label_smoothing": 0.1}, YES),
        ("label_smoothing_is_on", {"label_smoothing": 0.0}, NO),
        ("label_smoothing_is_on", {}, UNKNOWN),
        ("augmentation_in_config", {"mixup": 0.2}, YES),
        ("augmentation_in_config", {"transform": "RandAugment"}, YES),
        ("augmentation_in_config", {"mixup": 0.0}, UNKNOWN),
        ("augmentation_in_config", {}, UNKNOWN),
    ],
)
def test_config(ask, falling, probe, config, verdict) -> None:
    assert ask(probe, KIND, 600, loss=falling, config=config).verdict is verdict


def test_speed(ask, falling, steady) -> None:
    slower = 1000 * np.where(np.arange(1000) < 599, 1.0, 0.7)
    name = "throughput_changed"
    assert ask(name, KIND, 600, loss=falling, throughput=slower).verdict is YES
    assert ask(name, KIND, 600, loss=falling, throughput=1000 + steady).verdict is NO
    assert ask(name, KIND, 600, loss=falling, step_time=1 / slower).verdict is YES
    assert ask(name, KIND, 600, loss=falling).verdict is UNKNOWN


@pytest.mark.parametrize(("kind", "said"), [(KIND, YES), (Kind.OVERFITTING, UNKNOWN)])
def test_the_training_metric_says_nothing_of_overfitting(ask, falling, kind, said) -> None:
    better = (AT, 1 - np.exp(-AT / 200))
    parts = {"loss": falling, "train_metric": better, "tags": {"train_metric": "train_acc"}}
    assert ask("quality_metric_improves", kind, 600, **parts).verdict is said


@pytest.mark.parametrize(("last", "said"), [(0.5049, NO), (0.5051, YES)])
def test_a_hundredth_is_the_least_that_counts(ask, falling, last, said) -> None:
    # All of its spread, yet next to nothing.
    metric = np.concatenate([np.full(200, 0.5), np.full(800, last)])
    parts = {"loss": falling, "val_metric": metric, "tags": {"val_metric": "val_acc"}}
    assert ask("quality_metric_improves", KIND, 600, **parts).verdict is said


@pytest.mark.parametrize(
    ("tag", "verdict"),
    [
        ("train/policy_gradient_loss", YES),
        ("loss/G_loss", YES),
        ("rewards/margins", YES),
        ("loss", NO),
    ],
)
def test_moving_targets(ask, falling, tag, verdict) -> None:
    found = ask("rl_or_gan_loss", KIND, 600, loss=falling, tags={"loss": tag})
    assert found.verdict is verdict


def test_quality(ask, falling) -> None:
    name, tags = "quality_metric_improves", {"val_metric": "accuracy"}
    better = (AT, 1 - np.exp(-AT / 200))
    assert ask(name, KIND, 600, loss=falling, val_metric=better, tags=tags).verdict is YES
    level = (AT, 0.5 + 0.01 * (-1.0) ** (AT // 50))
    assert ask(name, KIND, 600, loss=falling, val_metric=level, tags=tags).verdict is NO
    reward = np.linspace(-200, 100, 1000)
    assert ask(name, KIND, 600, loss=falling, reward=reward).verdict is YES
    assert ask(name, KIND, 600, loss=falling).verdict is UNKNOWN
