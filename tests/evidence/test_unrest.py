from __future__ import annotations

import numpy as np

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
N, ONSET = 1000, 801


def loss(late: float) -> np.ndarray:
    """A falling loss with 5 % noise, `late` times as much over the last tenth before the onset."""
    noise = 0.05 * np.random.default_rng(5).standard_normal(N)
    noise[ONSET - 81 : ONSET - 1] *= late
    values = (0.2 + 2.0 * np.exp(-np.arange(N) / 200.0)) * np.exp(noise)
    values[ONSET - 1 :] *= 10.0
    return values


def test_a_loss_that_grows_restless_first(ask) -> None:
    name, kind = "unrest_before", Kind.DIVERGENCE
    found = ask(name, kind, ONSET, N, N, loss=loss(3.0))
    assert found.verdict is YES
    assert 2.0 < found.values["factor"] < 4.0
    assert ask(name, kind, ONSET, N, N, loss=loss(1.0)).verdict is NO


def test_what_cannot_be_judged(ask) -> None:
    name = "unrest_before"
    assert ask(name, Kind.DIVERGENCE, 50, N, N, loss=loss(3.0)).verdict is UNKNOWN
    assert ask(name, Kind.ISOLATED_SPIKE, ONSET, ONSET, ONSET, loss=loss(3.0)).verdict is UNKNOWN
    assert ask(name, Kind.DIVERGENCE, ONSET, N, N, loss=loss(3.0) - 5.0).verdict is UNKNOWN
