from __future__ import annotations

import numpy as np

from spikedoc.model.anomaly import Anomaly
from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind, Severity

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


def test_a_single_event_is_no_evidence(ask, falling) -> None:
    name, kind = "follows_evaluation", Kind.ISOLATED_SPIKE
    alone = {"loss": falling, "val_loss": EVALS}
    assert ask(name, kind, 332, **alone).verdict is UNKNOWN
    assert ask(name, kind, 400, **alone).verdict is UNKNOWN
    # Evaluations at 110, 220, 330 ...: three events just after one, then three elsewhere.
    assert ask(name, kind, 332, others=spikes(111, 662), **alone).verdict is YES
    assert ask(name, kind, 400, others=spikes(150, 600), **alone).verdict is NO
    assert ask(name, kind, 332, others=spikes(111), **alone).verdict is UNKNOWN


def spikes(*steps: int) -> list[Anomaly]:
    return [
        Anomaly(Kind.ISOLATED_SPIKE, Severity.WARNING, 0.9, "loss", s, s, s, None, {})
        for s in steps
    ]


def test_at_the_very_step_is_not_after(ask, falling) -> None:
    at = {"loss": after_evals(falling, 0, 4.0, 1), "val_loss": EVALS}
    assert ask("follows_evaluation", KIND, 110, 110, 1000, **at).verdict is UNKNOWN
    assert ask("at_evaluations", KIND, 110, 110, 1000, **at).verdict is YES
    after = {"loss": after_evals(falling, 1, 4.0, 1), "val_loss": EVALS}
    assert ask("at_evaluations", KIND, 111, 111, 1000, **after).verdict is NO
    assert ask("at_evaluations", Kind.ISOLATED_SPIKE, 110, **at).verdict is UNKNOWN
    assert ask("at_evaluations", KIND, 110, 110, 1000, loss=falling).verdict is UNKNOWN


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
