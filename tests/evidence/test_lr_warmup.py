"""A warm-up that outlasts the run."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
NAME = "lr_never_peaked"
STEPS = np.arange(1000)
RISING = 1e-3 * STEPS / 50_000


def asked(ask, falling, lr, config=None, kind=Kind.NON_CONVERGENCE):
    return ask(NAME, kind, 1, 1, 1000, loss=falling, lr=lr, config=config or {})


def test_a_warm_up_all_through(ask, falling) -> None:
    found = asked(ask, falling, RISING)
    assert found.verdict is YES
    assert (found.values["last"], found.values["step"]) == (pytest.approx(2e-5, rel=1e-2), 1000)


def test_the_declared_rate_is_named(ask, falling) -> None:
    found = asked(ask, falling, RISING, {"lr": 1e-3})
    assert found.verdict is YES
    assert found.values["declared"] == 1e-3
    assert "declared" in found.statement.en
    near = asked(ask, falling, RISING, {"lr": 3e-5})
    assert "declared" not in near.values


@pytest.mark.parametrize(
    "lr",
    [
        np.minimum(1e-3, 1e-5 * STEPS),  # reached its level
        1e-3 * np.minimum(1, STEPS / 100) * (1 - STEPS / 2000),  # peaked and decays
        np.full(1000, 1e-3),
        1e-3 * (1 + STEPS / 2000),  # hardly moves: no warm-up
    ],
)
def test_other_courses(ask, falling, lr) -> None:
    assert asked(ask, falling, lr).verdict is NO


def test_too_little_or_another_question(ask, falling) -> None:
    assert asked(ask, falling, RISING[:5]).verdict is UNKNOWN
    assert asked(ask, falling, np.zeros(1000)).verdict is UNKNOWN
    assert asked(ask, falling, RISING, kind=Kind.ISOLATED_SPIKE).verdict is UNKNOWN
