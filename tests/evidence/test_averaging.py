from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
AT = np.arange(50, 1001, 50)
# Twenty evaluations that stand for six and then come down to a third.
LATE = 2.3 * np.concatenate([np.ones(6), np.geomspace(0.97, 0.33, 14)])


@pytest.mark.parametrize(
    ("config", "verdict"),
    [
        ({"ema_decay": 0.9999}, YES),
        ({"model.use_ema": True}, YES),
        ({"swa_lrs": 0.05}, YES),
        ({"ema_decay": 0.0}, UNKNOWN),
        ({"use_ema": False}, UNKNOWN),
        ({"schema": 3, "semantic_weight": 1.0}, UNKNOWN),  # words that hold the letters
        ({}, UNKNOWN),
    ],
)
def test_averaging_in_the_config(ask, falling, config, verdict) -> None:
    found = ask("ema_in_config", Kind.OVERFITTING, 50, 50, 1000, loss=falling, config=config)
    assert found.verdict is verdict


def test_validation_that_follows_late(ask, falling) -> None:
    name, kind = "val_follows_late", Kind.OVERFITTING
    loss = 2.3 * np.exp(-np.arange(1000) / 150.0)
    found = ask(name, kind, 50, 50, 1000, loss=loss, val_loss=(AT, LATE))
    assert found.verdict is YES
    for val in (
        2.3 * np.ones(20),
        LATE[::-1],
        2.3 * np.exp(-AT / 150.0),
        2.3 * 1.02 ** np.arange(20),
    ):
        assert ask(name, kind, 50, 50, 1000, loss=loss, val_loss=(AT, val)).verdict is NO
    few = ask(name, kind, 50, 50, 1000, loss=loss, val_loss=(AT[:4], LATE[:4]))
    assert few.verdict is UNKNOWN
