from __future__ import annotations

import numpy as np

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
AT = np.arange(50, 1001, 50)


def test_training_data_that_are_harder(ask, falling) -> None:
    name = "train_harder_than_val"
    easy = (AT, 0.5 * falling[AT - 1])
    assert ask(name, Kind.OSCILLATION, 300, 300, 1000, loss=falling, val_loss=easy).verdict is YES
    same = (AT, falling[AT - 1])
    assert ask(name, Kind.OSCILLATION, 300, 300, 1000, loss=falling, val_loss=same).verdict is NO
    few = (AT[-5:], 0.5 * falling[AT[-5:] - 1])
    found = ask(name, Kind.OSCILLATION, 300, 300, 1000, loss=falling, val_loss=few)
    assert found.verdict is UNKNOWN


def test_held_back_alike_on_both(ask, steady) -> None:
    name, kind = "underfits", Kind.NON_CONVERGENCE
    high, low = 1.5 + np.exp(-np.arange(1000) / 50), 0.1 + 2.4 * np.exp(-np.arange(1000) / 50)
    for loss, factor, verdict in ((high, 1.02, YES), (high, 1.3, NO), (low, 1.0, NO)):
        parts = {"loss": loss * steady**0.1, "val_loss": (AT, factor * loss[AT - 1])}
        assert ask(name, kind, 300, 300, 1000, **parts).verdict is verdict
    assert ask(name, kind, 300, 300, 1000, loss=high).verdict is UNKNOWN
