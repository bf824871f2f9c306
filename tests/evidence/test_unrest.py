from __future__ import annotations

import numpy as np
import pytest

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


def restless(ask, late: float, points: int = 800):
    """Ask about logs that go up and down, and `late` times as far before the onset."""
    width = max(20, points // 10)
    wiggle = 0.01 * np.tile([0.0, 2.0, 1.0, 2.0], points)
    logs = np.r_[wiggle[: points - width], late * wiggle[:width], np.ones(50)]
    return ask("unrest_before", Kind.DIVERGENCE, points + 1, loss=np.exp(logs))


@pytest.mark.parametrize(("late", "verdict"), [(1.62, YES), (1.58, NO)])
@pytest.mark.parametrize(("points", "width"), [(800, 80), (100, 20)])
def test_swings_that_grow_by_three_fifths(ask, late, verdict, points: int, width: int) -> None:
    found = restless(ask, late, points)
    assert found.verdict is verdict
    assert found.values == {"factor": pytest.approx(late, abs=0.01), "points": width}


@pytest.mark.parametrize(("points", "verdict"), [(80, YES), (79, UNKNOWN)])
def test_four_parts_of_twenty_points(ask, points: int, verdict: Verdict) -> None:
    assert restless(ask, 3.0, points).verdict is verdict


def test_a_loss_without_noise_or_at_zero(ask) -> None:
    name, kind = "unrest_before", Kind.DIVERGENCE
    assert ask(name, kind, 801, loss=np.ones(900)).verdict is UNKNOWN
    assert ask(name, kind, 801, loss=1 - np.arange(900) % 2).verdict is UNKNOWN
