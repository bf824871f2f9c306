from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
KIND = Kind.OVERFITTING
AT = np.arange(50, 1001, 50)


def test_scissors(ask, falling) -> None:
    name = "val_rises_while_train_falls"
    train = falling * np.exp(-np.arange(1000) / 800)
    rising = (AT, 1.0 + np.abs(AT - 300) / 1000)
    found = ask(name, KIND, 300, 300, 1000, loss=train, val_loss=rising)
    assert (found.verdict, found.values["step"]) == (YES, 300)
    level = (AT, np.maximum(1.0, 2 - AT / 300))
    assert ask(name, KIND, 300, 300, 1000, loss=train, val_loss=level).verdict is NO
    both = np.concatenate([train[:300], train[300] * np.linspace(1, 5, 700)])
    assert ask(name, KIND, 300, 300, 1000, loss=both, val_loss=rising).verdict is NO
    few = (AT[:2], np.ones(2))
    assert ask(name, KIND, 300, loss=train, val_loss=few).verdict is UNKNOWN


def test_never_learned(ask, falling) -> None:
    name = "val_never_learned"
    flat = (AT, np.full(AT.size, 2.3))
    assert ask(name, KIND, 300, loss=falling, val_loss=flat).verdict is YES
    fell = (AT, np.linspace(2.3, 1.0, AT.size))
    assert ask(name, KIND, 300, loss=falling, val_loss=fell).verdict is NO
    stuck = np.full(1000, 2.3)
    assert ask(name, KIND, 300, loss=stuck, val_loss=flat).verdict is NO


@pytest.mark.parametrize(
    ("values", "classes", "verdict"),
    [
        (np.linspace(0.09, 0.12, 20), 10, YES),
        (np.linspace(0.1, 0.8, 20), 10, NO),
        (np.linspace(9, 12, 20), 10, YES),
        (np.full(20, 0.31), None, YES),
        (np.linspace(0.09, 0.12, 20), None, YES),
        (np.linspace(0.1, 0.8, 20), None, NO),
    ],
)
def test_metric_at_chance(ask, values, classes, verdict) -> None:
    parts = {
        "loss": np.full(1000, np.log(10)),
        "val_metric": (AT, values),
        "tags": {"val_metric": "val_acc"},
        "config": {} if classes is None else {"num_classes": classes},
    }
    found = ask("val_metric_at_chance", Kind.NON_CONVERGENCE, 1, 1, 1000, **parts)
    assert found.verdict is verdict


def test_an_error_rate_is_no_accuracy(ask, falling) -> None:
    parts = {
        "loss": falling,
        "val_metric": (AT, np.full(20, 0.3)),
        "tags": {"val_metric": "val_mae"},
    }
    assert ask("val_metric_at_chance", Kind.NON_CONVERGENCE, 1, **parts).verdict is UNKNOWN


def test_gap_from_the_start(ask, falling) -> None:
    name = "val_gap_from_start"
    far = (AT, 2.0 * falling[AT - 1])
    assert ask(name, KIND, 300, loss=falling, val_loss=far).verdict is YES
    grows = (AT, falling[AT - 1] * np.linspace(1, 4, AT.size))
    assert ask(name, KIND, 300, loss=falling, val_loss=grows).verdict is NO
    assert ask(name, KIND, 300, loss=-falling, val_loss=grows).verdict is UNKNOWN
