from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
N, AT = 1000, 500
QUIET = 0.5 + 0.01 * np.random.default_rng(5).standard_normal(N)


def asked(ask, *, loss_up: int, rate_up: int, kind: Kind = Kind.LEVEL_SHIFT):
    loss, lr = QUIET.copy(), np.full(N, 1e-3)
    loss[AT + 1 : AT + 1 + loss_up] *= 4.0
    lr[AT : AT + rate_up] *= 100.0
    form = Form.UP if kind is Kind.LEVEL_SHIFT else None
    end = min(N, AT + 1 + loss_up)
    return ask("harm_outlasts_the_leap", kind, AT + 2, AT + 2, end, form=form, loss=loss, lr=lr)


@pytest.mark.parametrize("rate_up", [1, 5])
def test_the_rate_is_back_and_the_loss_is_not(ask, rate_up: int) -> None:
    found = asked(ask, loss_up=N, rate_up=rate_up)
    assert (found.verdict, found.values["back"]) == (YES, AT + 1 + rate_up)


def test_the_loss_comes_back_too(ask) -> None:
    found = asked(ask, loss_up=30, rate_up=1, kind=Kind.SLOW_RECOVERY)
    assert found.verdict is NO


@pytest.mark.parametrize("rate_up", [0, N])
def test_without_a_leap_that_ended(ask, rate_up: int) -> None:
    assert asked(ask, loss_up=N, rate_up=rate_up).verdict is UNKNOWN
