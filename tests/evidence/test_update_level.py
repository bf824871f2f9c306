from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
FLAT = Kind.NON_CONVERGENCE


@pytest.mark.parametrize(
    ("level", "zero", "tiny", "usual"),
    [(0.0, YES, NO, NO), (1e-7, NO, YES, NO), (0.02, NO, NO, YES), (1e5, NO, NO, NO)],
)
def test_levels(ask, steady, level, zero, tiny, usual) -> None:
    names = ("update_is_zero", "update_is_tiny", "update_is_usual")
    found = [ask(n, FLAT, 1, 1, 1000, update_norm=level * steady).verdict for n in names]
    assert found == [zero, tiny, usual]


def test_the_weight_norm_sets_the_measure_when_logged(ask, steady) -> None:
    parts = {"update_norm": 1e-4 * steady, "weight_norm": np.full(1000, 1e3)}
    assert ask("update_is_tiny", FLAT, 1, 1, 1000, **parts).verdict is YES


def test_few_parameters(ask, steady) -> None:
    parts = {"config": {"optimizer": "adam"}, "lr": np.full(1000, 1e-3)}
    # Ten coordinates at .229 learning rates each: norm .72 lr. A million: 229 lr.
    few = ask("update_reaches_few", FLAT, 1, 1, 1000, update_norm=7.2e-4 * steady, **parts)
    assert (few.verdict, few.values["count"]) == (YES, 10)
    many = ask("update_reaches_few", FLAT, 1, 1, 1000, update_norm=0.229 * steady, **parts)
    assert many.verdict is NO
    sgd = {**parts, "config": {"optimizer": "sgd"}}
    found = ask("update_reaches_few", FLAT, 1, 1, 1000, update_norm=7.2e-4 * steady, **sgd)
    assert found.verdict is UNKNOWN
