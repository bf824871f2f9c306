from __future__ import annotations

import numpy as np

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
EVALS = (np.arange(110, 1000, 110), np.ones(9))
KIND = Kind.PERIODIC_SPIKES


def after_evals(falling: np.ndarray, lag: int, factor: float, width: int = 3) -> np.ndarray:
    loss = falling.copy()
    for step in EVALS[0]:
        loss[step + lag - 1 : step + lag - 1 + width] *= factor
    return loss


def test_follows(ask, falling) -> None:
    name = "follows_evaluation"
    parts = {"val_loss": EVALS, "form": Form.AFTER_EVALUATION}
    soon = ask(name, KIND, 111, 111, 1000, loss=after_evals(falling, 1, 4.0, 1), **parts)
    assert soon.verdict is YES
    late = ask(name, KIND, 111, 111, 1000, loss=after_evals(falling, 50, 4.0, 1), **parts)
    assert late.verdict is NO
    assert ask(name, KIND, 111, 111, 1000, loss=falling).verdict is UNKNOWN


def test_a_single_event(ask, falling) -> None:
    name, kind = "follows_evaluation", Kind.ISOLATED_SPIKE
    assert ask(name, kind, 332, loss=falling, val_loss=EVALS).verdict is YES
    assert ask(name, kind, 400, loss=falling, val_loss=EVALS).verdict is NO
    dense = (np.arange(10, 1000, 10), np.ones(99))
    assert ask(name, kind, 332, loss=falling, val_loss=dense).verdict is UNKNOWN


def test_lower_after(ask, falling) -> None:
    name = "lower_after_evaluation"
    low = after_evals(falling, 1, 0.7)
    assert ask(name, KIND, 111, 111, 1000, loss=low, val_loss=EVALS).verdict is YES
    high = after_evals(falling, 1, 1.5)
    assert ask(name, KIND, 111, 111, 1000, loss=high, val_loss=EVALS).verdict is NO
    assert ask(name, KIND, 111, 111, 1000, loss=falling, val_loss=EVALS).verdict is NO
    assert ask(name, KIND, 111, 111, 1000, loss=low).verdict is UNKNOWN


def test_evaluations_at_epoch_ends_cannot_be_told_apart(ask, falling) -> None:
    low = after_evals(falling, 1, 0.7)
    at_ends = {"loss": low, "val_loss": EVALS, "config": {"steps_per_epoch": 110}}
    between = {"loss": low, "val_loss": EVALS, "config": {"steps_per_epoch": 71}}
    assert ask("lower_after_evaluation", KIND, 111, 111, 1000, **at_ends).verdict is UNKNOWN
    assert ask("lower_after_evaluation", KIND, 111, 111, 1000, **between).verdict is YES
    assert ask("eval_apart_from_epoch", KIND, 111, **at_ends).verdict is NO
    assert ask("eval_apart_from_epoch", KIND, 111, **between).verdict is YES
    assert ask("eval_apart_from_epoch", KIND, 111, loss=low).verdict is UNKNOWN
