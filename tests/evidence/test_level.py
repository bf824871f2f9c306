from __future__ import annotations

import math

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN


def flat(level: float, noise: float = 0.01, n: int = 400) -> np.ndarray:
    return level * np.exp(np.random.default_rng(3).normal(0, noise, n))


@pytest.mark.parametrize(
    ("level", "classes", "verdict"),
    [
        (math.log(12), 12, YES),
        (math.log(12) * 1.02, 12, YES),
        (math.log(12) * 1.1, 12, NO),
        (math.log(10), None, YES),
        (math.log(50257), None, YES),
        (1.99, None, NO),
        (7.4, None, NO),
    ],
)
def test_chance(ask, level, classes, verdict) -> None:
    config = {} if classes is None else {"num_classes": classes}
    found = ask("level_at_chance", Kind.NON_CONVERGENCE, 1, 1, 400, loss=flat(level), config=config)
    assert found.verdict is verdict


def test_chance_is_unknown_for_a_spike_and_for_a_short_log(ask) -> None:
    assert ask("level_at_chance", Kind.ISOLATED_SPIKE, 9, loss=flat(2.3)).verdict is UNKNOWN
    assert ask("level_at_chance", Kind.NON_CONVERGENCE, 9, loss=flat(2.3, n=20)).verdict is UNKNOWN


def test_double_softmax(ask) -> None:
    floor = math.log(1 + 9 / math.e)  # 1.461
    stuck = np.maximum(2.3 * np.exp(-np.arange(400) / 60), floor * 1.05) * flat(1.0)
    kind = Kind.NON_CONVERGENCE
    config = {"num_classes": 10}
    ask_it = lambda loss: ask("level_at_double_softmax", kind, 1, 1, 400, loss=loss, config=config)  # noqa: E731
    found = ask_it(stuck)
    assert found.verdict is YES
    assert found.values["floor"] == pytest.approx(1.4612, abs=1e-4)
    # Below the floor, and never moved.
    assert ask_it(2.3 * np.exp(-np.arange(400) / 60) + 0.5).verdict is NO
    assert ask_it(flat(1.5)).verdict is NO


def test_learned_something(ask, falling) -> None:
    found = ask("learned_something", Kind.OSCILLATION, 300, 300, 1000, loss=falling)
    assert found.verdict is YES
    assert ask("learned_something", Kind.NON_CONVERGENCE, 1, 1, 400, loss=flat(2.3)).verdict is NO
    assert ask("learned_something", Kind.NON_CONVERGENCE, 1, loss=flat(2.3, n=9)).verdict is UNKNOWN


def test_a_run_that_diverged_had_learned(ask, falling) -> None:
    loss = falling.copy()
    loss[700:] = 9.0
    assert ask("learned_something", Kind.DIVERGENCE, 700, loss=loss).verdict is YES


def test_still_falling(ask, falling) -> None:
    slow = 3.0 * np.exp(-np.arange(1000) / 700) * np.exp(0.05 * np.sin(np.arange(1000)))
    assert ask("still_falling", Kind.NON_CONVERGENCE, 1, 1, 1000, loss=slow).verdict is YES
    assert ask("still_falling", Kind.NON_CONVERGENCE, 1, 1, 1000, loss=flat(1.0)).verdict is NO
    assert ask("still_falling", Kind.NON_CONVERGENCE, 1, loss=np.ones(5)).verdict is UNKNOWN


def test_went_to_zero(ask, falling) -> None:
    loss = falling.copy()
    loss[500:] = 0.0
    found = ask("loss_went_to_zero", Kind.NONFINITE, 501, 501, 1000, loss=loss)
    assert (found.verdict, found.values["zeros"]) == (YES, 500)
    assert ask("loss_went_to_zero", Kind.NONFINITE, 501, 501, 1000, loss=falling).verdict is NO
    assert ask("loss_went_to_zero", Kind.NONFINITE, 2000, loss=falling).verdict is UNKNOWN


def test_a_loss_that_began_at_a_guess_names_the_classes(ask) -> None:
    # ln 10 at the start, ln 8 at the end: it has learned something, and has ten classes.
    name, kind = "level_at_chance", Kind.NON_CONVERGENCE
    noise = np.exp(np.random.default_rng(3).normal(0, 0.005, 1000))
    level = np.full(1000, np.log(8))
    begun = level.copy()
    begun[:10] = np.log(10)
    assert ask(name, kind, 1, 1, 1000, loss=level * noise).verdict is YES
    assert ask(name, kind, 1, 1, 1000, loss=begun * noise).verdict is NO
    eight = {"loss": begun * noise, "config": {"num_classes": 8}}
    assert ask(name, kind, 1, 1, 1000, **eight).verdict is YES
