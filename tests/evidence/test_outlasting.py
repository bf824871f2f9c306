from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from spikedoc.model.evidence import Evidence, Verdict
from spikedoc.model.label import Form, Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
LENGTH, ONSET = 1000, 600
SINCE = np.maximum(0, np.arange(LENGTH) - ONSET)
HIGH = np.arange(LENGTH) >= ONSET


def asked(
    ask: Callable[..., Evidence], seed: int, rise: np.ndarray, **parts: np.ndarray
) -> Evidence:
    """Ask about a loss of 0.4 that goes up by `rise` at step 601."""
    noise = np.exp(0.03 * np.random.default_rng(seed).standard_normal(LENGTH))
    loss = 0.4 * noise + rise * HIGH
    return ask(
        "outlasts_a_batch", Kind.LEVEL_SHIFT, ONSET + 1, ONSET + 1, form=Form.UP, loss=loss, **parts
    )


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("height", [0.3, 2.0])
def test_a_level_that_stays_is_more_than_one_batch(
    ask: Callable[..., Evidence], seed: int, height: float
) -> None:
    found = asked(ask, seed, np.full(LENGTH, height))
    assert found.verdict is YES
    assert float(found.values["first"]) == pytest.approx(0.4 + height, rel=0.05)
    assert float(found.values["late"]) == pytest.approx(0.4 + height, rel=0.05)


@pytest.mark.parametrize("seed", range(5))
def test_what_is_learned_again_may_have_been_one(ask: Callable[..., Evidence], seed: int) -> None:
    assert asked(ask, seed, 0.4 + 1.0 * np.exp(-SINCE / 60.0)).verdict is not YES


def test_a_hundred_points_must_follow(ask: Callable[..., Evidence]) -> None:
    loss = 0.4 + 1.0 * HIGH[: ONSET + 60]
    found = ask("outlasts_a_batch", Kind.LEVEL_SHIFT, ONSET + 1, ONSET + 1, form=Form.UP, loss=loss)
    assert found.verdict is UNKNOWN


def test_where_gradients_are_logged_they_tell(ask: Callable[..., Evidence]) -> None:
    calm = np.exp(0.1 * np.random.default_rng(1).standard_normal(LENGTH))
    assert asked(ask, 1, np.ones(LENGTH), grad_norm=calm).verdict is UNKNOWN
    assert asked(ask, 1, np.ones(LENGTH), grad_norm=calm * (1 + 9 * HIGH)).verdict is YES
