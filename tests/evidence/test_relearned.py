from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
NAME, KIND = "val_stays_lost", Kind.SLOW_RECOVERY
STEP = 500
AT = np.arange(50, 1001, 50)
NOISE = np.exp(0.05 * np.random.default_rng(8).standard_normal(1000))
# A hump that dies away within a hundred steps.
HUMP = 0.2 * NOISE * (1 + 20 * np.exp(-np.maximum(0, np.arange(1000) - STEP) / 20.0))
HUMP[:STEP] = 0.2 * NOISE[:STEP]


@pytest.mark.parametrize(
    ("late", "verdict"), [(0.3, YES), (0.6, YES), (0.8, UNKNOWN), (0.9, NO), (0.95, NO)]
)
def test_training_came_back_and_accuracy_did_not(ask, late: float, verdict: Verdict) -> None:
    accuracy = np.where(AT <= STEP, 0.9, late)
    tags = {"val_metric": "val_acc"}
    series = {"loss": HUMP, "val_metric": (AT, accuracy), "tags": tags}
    found = ask(NAME, KIND, STEP + 1, STEP + 1, STEP + 150, **series)
    assert found.verdict is verdict


def test_an_error_has_to_double(ask) -> None:
    tags = {"val_metric": "val_mae"}
    for late, verdict in ((2.1, YES), (1.5, UNKNOWN), (1.0, NO)):
        error = np.where(AT <= STEP, 1.0, late)
        series = {"loss": HUMP, "val_metric": (AT, error), "tags": tags}
        assert ask(NAME, KIND, STEP + 1, STEP + 1, STEP + 150, **series).verdict is verdict


def test_a_loss_that_stays_up_or_few_evaluations_tell_nothing(ask) -> None:
    tags = {"val_metric": "val_acc"}
    stays = np.where(np.arange(1000) < STEP, 0.2, 4.0) * NOISE
    lost = (AT, np.where(AT <= STEP, 0.9, 0.1))
    found = ask(NAME, Kind.LEVEL_SHIFT, 501, 501, 1000, loss=stays, val_metric=lost, tags=tags)
    assert found.verdict is UNKNOWN
    few = (AT[-4:], np.full(4, 0.1))
    assert ask(NAME, KIND, 501, 501, 650, loss=HUMP, val_metric=few, tags=tags).verdict is UNKNOWN


def lost(ask, tag: str, before: float, late: float, *, first: int = 10, last: int = 10):
    at = np.r_[STEP - 10 * np.arange(first, 0, -1), STEP + 10 * np.arange(1, last + 1)]
    values = np.r_[
        np.full(first, before), np.full(max(0, last - 3), 77.0), np.full(min(3, last), late)
    ]
    parts = {"val_metric": (at, values), "tags": {"val_metric": tag}, "loss": HUMP}
    measures = {"recovered_after_steps": 100.0}
    return ask(NAME, KIND, STEP, STEP, STEP + 100, measures=measures, **parts)


@pytest.mark.parametrize(
    ("tag", "before", "late", "percent", "verdict"),
    [
        *(("val_acc", 0.8, 0.6, 25.0, YES), ("val_acc", 0.8, 0.61, None, UNKNOWN)),
        *(("val_acc", 0.8, 0.755, None, UNKNOWN), ("val_acc", 0.8, 0.765, 4.37, NO)),
        *(("val_mae", 1.0, 2.0, 100.0, YES), ("val_mae", 1.0, 1.99, None, UNKNOWN)),
        *(("val_mae", 1.0, 1.06, None, UNKNOWN), ("val_mae", 1.0, 1.04, 4.0, NO)),
        *(("val_thing", 1.0, 2.0, None, UNKNOWN), ("val_acc", 0.0, 0.0, None, UNKNOWN)),
    ],
)
def test_a_quarter_lost_or_an_error_doubled(ask, tag, before, late, percent, verdict) -> None:
    found = lost(ask, tag, before, late)
    assert found.verdict is verdict
    if percent is not None:
        told = {"before": before, "after": late, "percent": pytest.approx(percent, rel=5e-3)}
        assert found.values == {"name": tag} | told


@pytest.mark.parametrize(
    ("first", "last", "verdict"), [(3, 3, YES), (2, 3, UNKNOWN), (3, 2, UNKNOWN)]
)
def test_three_evaluations_on_either_side(ask, first: int, last: int, verdict) -> None:
    assert lost(ask, "val_acc", 0.8, 0.4, first=first, last=last).verdict is verdict
