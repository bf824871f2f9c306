"""A validation accuracy that never rose."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
RISING = np.linspace(0.3, 0.98, 20)
CHANCE = np.full(20, 0.1)


@pytest.mark.parametrize(
    ("train", "val", "verdict"),
    [
        (RISING, CHANCE, YES),
        (100 * RISING, 100 * CHANCE, YES),
        (RISING, np.linspace(0.12, 0.09, 20), YES),
        (RISING, np.r_[np.linspace(0.2, 0.5, 10), np.full(10, 0.5)], NO),  # learned, then apart
        (RISING, np.full(20, 0.9), UNKNOWN),  # known before
        (np.linspace(0.3, 0.7, 20), np.full(20, 0.45), UNKNOWN),  # neither rose nor left behind
        (np.linspace(0.1, 0.4, 20), CHANCE, UNKNOWN),  # nothing was learned at all
        (RISING, CHANCE[:2], UNKNOWN),
        (RISING, None, UNKNOWN),
    ],
)
def test_accuracies(ask, falling, train, val, verdict) -> None:
    extra = {"train_metric": train} | ({} if val is None else {"val_metric": val})
    tags = {"train_metric": "acc", "val_metric": "val_acc"}
    found = ask(
        "val_accuracy_never_rose", Kind.OVERFITTING, 1, 1, 20, loss=falling, tags=tags, **extra
    )
    assert found.verdict is verdict


def test_other_metrics_are_no_accuracies(ask, falling) -> None:
    tags = {"train_metric": "f1", "val_metric": "val_f1"}
    found = ask(
        "val_accuracy_never_rose", Kind.OVERFITTING, 1, 1, 20,
        loss=falling, tags=tags, train_metric=RISING, val_metric=CHANCE,
    )  # fmt: skip
    assert found.verdict is UNKNOWN
    assert Metric.VAL_METRIC not in found.missing


def test_one_training_accuracy_is_enough_and_none_that_is_a_number_is_not(ask, falling) -> None:
    def verdict(train: float, tag: str = "acc") -> Verdict:
        parts = {"train_metric": (np.array([1000]), np.array([train])), "val_metric": CHANCE}
        return ask(
            "val_accuracy_never_rose", Kind.OVERFITTING, 1, 1, 20,
            loss=falling, tags={"train_metric": tag, "val_metric": "val_acc"}, **parts,
        ).verdict  # fmt: skip

    assert verdict(0.98) is YES
    assert verdict(98.0) is YES
    assert verdict(np.nan) is UNKNOWN


@pytest.mark.parametrize(
    ("train", "val", "verdict"),
    [
        (RISING, np.zeros(20), YES),
        (RISING, np.r_[0.0, 0.0, 0.07, 0.0, 0.01], YES),
        (RISING, CHANCE, NO),
        (np.linspace(0.1, 0.4, 20), np.zeros(20), UNKNOWN),  # nothing was learned at all
        (RISING, np.zeros(2), UNKNOWN),
        (RISING, None, UNKNOWN),
    ],
)
def test_fewer_right_answers_than_a_guess(ask, falling, train, val, verdict) -> None:
    extra = {"train_metric": train} | ({} if val is None else {"val_metric": val})
    tags = {"train_metric": "acc", "val_metric": "val_acc"}
    found = ask("val_is_below_guess", Kind.OVERFITTING, 1, 1, 20, loss=falling, tags=tags, **extra)
    assert found.verdict is verdict
