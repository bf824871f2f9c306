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


STUCK = Kind.NON_CONVERGENCE


def level(ask, name: str, update: float, weights: float | None = None, **config: object):
    parts = {"update_norm": np.full(10, update), "config": config}
    if weights is not None:
        parts["weight_norm"] = np.full(10, weights)
    return ask(name, STUCK, 1, 1, 10, **parts)


@pytest.mark.parametrize(
    ("update", "weights", "tiny", "usual"),
    [
        *((9e-13, None, NO, NO), (1e-12, None, YES, NO), (9.9e-6, None, YES, NO)),
        *((1e-5, None, NO, YES), (1e3, None, NO, YES), (1001.0, None, NO, NO)),
        *((1.0, 1e6, NO, YES), (1.0, 1.01e6, YES, NO), (1.0, 10.0, NO, YES), (1.01, 10.0, NO, NO)),
        (1e-4, 0.0, NO, YES),  # weights of nothing have no share
    ],
)
def test_the_size_of_updates(ask, update, weights, tiny: Verdict, usual: Verdict) -> None:
    found = level(ask, "update_is_tiny", update, weights)
    assert found.verdict is tiny
    assert found.values["level"] == pytest.approx(update, rel=5e-3)
    assert level(ask, "update_is_usual", update, weights).verdict is usual


@pytest.mark.parametrize(
    ("update", "count", "verdict"),
    [(2.28, 99, YES), (2.3, 101, NO), (0.01, 1, YES), (0.4, 3, YES)],
)
def test_how_many_weights_an_update_can_reach(ask, update, count: int, verdict: Verdict) -> None:
    # (2.28 / .229)^2 = 99.1; half a rate is (.4 / .229)^2 = 3.05.
    found = level(ask, "update_reaches_few", update / 1000, optimizer="adamw", lr=1e-3)
    assert found.verdict is verdict
    assert found.values == {"count": count, "ratio": pytest.approx(update, rel=5e-3)}


@pytest.mark.parametrize(
    ("config", "missing"),
    [
        *(({"optimizer": "adam"}, ("lr",)), ({"lr": 1e-3}, ("optimizer",))),
        *(({"optimizer": "sgd", "lr": 1e-3}, ()), ({"optimizer": "adam", "lr": 0.0}, ())),
    ],
)
def test_of_what_the_reach_is_not_known(ask, config: dict[str, object], missing) -> None:
    found = level(ask, "update_reaches_few", 1.0, **config)
    assert (found.verdict, found.missing_config) == (Verdict.UNKNOWN, missing)
