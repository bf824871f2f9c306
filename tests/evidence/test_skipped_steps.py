from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind
from spikedoc.model.metric import Metric

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
PROBE = "update_is_zero_where_infinite"
N = 300
INFINITE = np.arange(100, N, 7)
GRAD = np.ones(N)
GRAD[INFINITE] = np.inf


def asked(ask, update: np.ndarray | None, loss: np.ndarray | None = None):
    parts = {"loss": np.ones(N) if loss is None else loss, "grad_norm": GRAD}
    if update is not None:
        parts["update_norm"] = update
    form = Form.TRANSIENT
    return ask(PROBE, Kind.NONFINITE, 101, 101, N, form=form, signal="grad_norm", **parts)


def updates(zeros: np.ndarray | slice) -> np.ndarray:
    update = np.full(N, 0.02)
    update[zeros] = 0.0
    return update


def test_steps_that_change_nothing(ask) -> None:
    found = asked(ask, updates(INFINITE))
    assert (found.verdict, found.values["count"], found.values["points"]) == (YES, 29, 29)


def test_steps_that_were_taken_all_the_same(ask) -> None:
    assert asked(ask, updates(INFINITE[:10])).verdict is NO


@pytest.mark.parametrize("case", ["nothing ever moves", "the loss broke as well"])
def test_another_reason(ask, case: str) -> None:
    update = updates(slice(0, N) if case == "nothing ever moves" else INFINITE)
    loss = np.where(np.arange(N) == 150, np.nan, 1.0) if "loss" in case else None
    assert asked(ask, update, loss).verdict is UNKNOWN


def test_updates_that_are_not_logged_are_asked_for(ask) -> None:
    found = asked(ask, None)
    assert found.verdict is UNKNOWN
    assert Metric.UPDATE_NORM in found.missing
