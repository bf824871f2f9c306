from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from spikedoc.model.evidence import Evidence, Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN


def asked(ask: Callable[..., Evidence], name: str, level: float, seed: int) -> Evidence:
    noise = 0.01 * np.random.default_rng(seed).standard_normal(400)
    return ask(name, Kind.NON_CONVERGENCE, 1, 1, 400, loss=level + noise)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("tokens", [65, 30522, 32000, 50257, 128256, 151936])
def test_tokens_have_frequencies_that_wrong_targets_still_teach(
    ask: Callable[..., Evidence], seed: int, tokens: int
) -> None:
    level = math.log(tokens)
    found = asked(ask, "guesses_among_classes", level, seed)
    assert found.verdict is NO
    assert float(found.values["chance"]) == pytest.approx(level, rel=2e-3)
    assert "vocabulary" in found.statement.en
    assert asked(ask, "guesses_among_tokens", level, seed).verdict is YES


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("classes", [2, 10, 100, 1000])
def test_equal_classes_have_none(ask: Callable[..., Evidence], seed: int, classes: int) -> None:
    level = math.log(classes)
    assert asked(ask, "guesses_among_classes", level, seed).verdict is YES
    assert asked(ask, "guesses_among_tokens", level, seed).verdict is UNKNOWN


def test_the_entropy_of_the_tokens_is_no_guess(ask: Callable[..., Evidence]) -> None:
    assert asked(ask, "guesses_among_tokens", 7.7, 1).verdict is UNKNOWN
    assert asked(ask, "guesses_among_classes", 7.7, 1).verdict is NO


def test_one_spike_has_no_level(ask: Callable[..., Evidence]) -> None:
    loss = np.full(400, math.log(50257))
    for name in ("guesses_among_classes", "guesses_among_tokens"):
        assert ask(name, Kind.ISOLATED_SPIKE, 9, loss=loss).verdict is UNKNOWN
