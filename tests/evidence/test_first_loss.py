from __future__ import annotations

import math

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
KIND = Kind.FIRST_LOSS_OFF


def starting_at(first: float) -> np.ndarray:
    return np.linspace(first, 0.1, 200)


@pytest.mark.parametrize(("factor", "verdict"), [(60.0, YES), (3.1, YES), (2.5, NO), (0.2, NO)])
def test_far_above_a_guess(ask, factor, verdict) -> None:
    parts = {"loss": starting_at(factor * math.log(10)), "config": {"num_classes": 10}}
    assert ask("first_loss_far_above", KIND, 1, **parts).verdict is verdict
    assert ask("first_loss_far_above", Kind.LEVEL_SHIFT, 1, **parts).verdict is UNKNOWN


def test_without_the_number_of_classes_nothing_is_known(ask) -> None:
    found = ask("first_loss_far_above", KIND, 1, loss=starting_at(100.0))
    assert (found.verdict, found.missing_config) == (UNKNOWN, ("num_classes",))


@pytest.mark.parametrize(
    ("first", "batch", "verdict"),
    [(32 * 2.35, 32, YES), (32 * 2.8, 32, NO), (60 * 2.3, 32, NO), (2 * 2.3, 2, UNKNOWN)],
)
def test_a_sum_over_the_batch(ask, first, batch, verdict) -> None:
    config = {"num_classes": 10, "batch_size": batch}
    found = ask("first_loss_is_batch_multiple", KIND, 1, loss=starting_at(first), config=config)
    assert found.verdict is verdict


@pytest.mark.parametrize(("first", "verdict"), [(1e6, YES), (1000.0, YES), (12.0, NO)])
def test_in_the_thousands(ask, first, verdict) -> None:
    loss = np.linspace(first, first / 2, 100)
    kind = Kind.NON_CONVERGENCE
    assert ask("first_loss_in_thousands", kind, 1, loss=loss).verdict is verdict
    assert ask("first_loss_in_thousands", Kind.OSCILLATION, 1, loss=loss).verdict is UNKNOWN


@pytest.mark.parametrize(("factor", "verdict"), [(2.99, NO), (3.01, YES)])
def test_three_times_a_guess_is_far(ask, factor: float, verdict: Verdict) -> None:
    parts = {"loss": starting_at(factor * math.log(7)), "config": {"num_classes": 7}}
    found = ask("first_loss_far_above", KIND, 1, **parts)
    assert found.verdict is verdict
    first = pytest.approx(factor * math.log(7))
    assert found.values == {"first": first, "chance": 1.9459, "factor": pytest.approx(factor)}


@pytest.mark.parametrize(("classes", "verdict"), [(1, UNKNOWN), (2, YES)])
def test_two_classes_are_needed_for_a_guess(ask, classes: int, verdict: Verdict) -> None:
    parts = {"loss": starting_at(9.0), "config": {"num_classes": classes}}
    assert ask("first_loss_far_above", KIND, 1, **parts).verdict is verdict


@pytest.mark.parametrize(
    ("batch", "off", "verdict"),
    [
        *((8, 0.099, YES), (8, 0.101, NO), (8, -0.099, YES), (8, -0.101, NO)),
        *((4, 0.0, YES), (3, 0.0, UNKNOWN)),
    ],
)
def test_the_batch_within_a_tenth_in_logs(ask, batch: int, off: float, verdict) -> None:
    loss = starting_at(batch * math.log(10) * math.exp(off))
    config = {"num_classes": 10, "batch_size": batch}
    found = ask("first_loss_is_batch_multiple", KIND, 1, loss=loss, config=config)
    assert found.verdict is verdict
    if verdict is not UNKNOWN:
        factor = pytest.approx(batch * math.exp(off), rel=5e-3)
        assert found.values == {"factor": factor, "batch": batch}


@pytest.mark.parametrize(("first", "verdict"), [(999.0, NO), (1000.0, YES)])
def test_a_thousand(ask, first: float, verdict: Verdict) -> None:
    found = ask("first_loss_in_thousands", KIND, 1, loss=[first, 1.0])
    assert (found.verdict, found.values) == (verdict, {"first": first})
