from __future__ import annotations

import numpy as np
import pytest
from levels import alike

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
KIND = Kind.LEVEL_SHIFT
# A norm that grows from 100 to 110 over a thousand steps.
GROWING = 100 + 0.01 * np.arange(1000)


@pytest.mark.parametrize(
    ("move", "verdict"),
    [(5.0, YES), (-5.0, YES), (0.6, NO), (0.0, NO)],  # .6 is less than one per cent
)
def test_a_jump_of_the_weights(ask, falling, move, verdict) -> None:
    norm = GROWING + move * (np.arange(1000) >= 599)
    assert ask("weights_jump", KIND, 600, loss=falling, weight_norm=norm).verdict is verdict


def test_the_size_is_told(ask, falling) -> None:
    norm = GROWING + 5.0 * (np.arange(1000) >= 599)
    found = ask("weights_jump", KIND, 600, loss=falling, weight_norm=norm)
    assert found.values["percent"] == pytest.approx(4.8, abs=0.1)


def test_fast_growth_is_no_jump(ask, falling) -> None:
    fast = 10 * np.exp(np.arange(1000) / 300)  # .3 % a step all along
    assert ask("weights_jump", KIND, 600, loss=falling, weight_norm=fast).verdict is NO


def test_too_little_before_it_is_unknown(ask, falling) -> None:
    assert ask("weights_jump", KIND, 10, loss=falling, weight_norm=GROWING).verdict is UNKNOWN
    stretch = ask("weights_jump", Kind.OSCILLATION, 600, loss=falling, weight_norm=GROWING)
    assert stretch.verdict is UNKNOWN


@pytest.mark.parametrize(
    ("norm", "verdict"),
    [
        (np.full(1000, 12.25), YES),
        (12.25 * (1 + 5e-8 * (np.arange(1000) % 3)), YES),  # rounding of fp32
        (12.25 * (1 + 1e-5 * (np.arange(1000) % 3)), NO),
        (GROWING, NO),
        (np.zeros(1000), UNKNOWN),
    ],
)
def test_weights_that_stand_still(ask, falling, norm, verdict) -> None:
    kind = Kind.NON_CONVERGENCE
    found = ask("weights_stand_still", kind, 1, 1, 1000, loss=falling, weight_norm=norm)
    assert found.verdict is verdict


def test_of_a_spike_that_is_not_asked(ask, falling) -> None:
    still = np.full(1000, 12.25)
    found = ask("weights_stand_still", Kind.ISOLATED_SPIKE, 1, loss=falling, weight_norm=still)
    assert found.verdict is UNKNOWN


def moved(ask, by: float, pace: float = 0.0, *, before: int = 100, after: int = 100):
    """Ask about a norm that alternates between 100 and 100 + pace, and then stands `by` higher."""
    norm = np.r_[100 + pace * (np.arange(before) % 2), np.full(after, 100 + by)]
    norm[before - 1] = 100.0
    parts = {"loss": np.ones(norm.size), "weight_norm": norm}
    return alike(ask, ("weight_norm",), "weights_jump", KIND, before + 1, **parts)


@pytest.mark.parametrize(
    ("by", "pace", "verdict"),
    [
        *((1.0, 0.0, YES), (0.99, 0.0, NO), (-1.0, 0.0, YES)),  # one per cent
        *((1.51, 0.03, YES), (1.49, 0.03, NO)),  # ten times its pace over five points
    ],
)
def test_how_far_a_norm_has_to_move(ask, by: float, pace: float, verdict: Verdict) -> None:
    found = moved(ask, by, pace)
    assert found.verdict is verdict
    assert (found.values["before"], found.values["percent"]) == (100.0, pytest.approx(abs(by)))
    assert found.values["after"] == pytest.approx(100 + by, rel=5e-3)


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [(20, 5, YES), (19, 5, UNKNOWN), (20, 4, UNKNOWN)],
)
def test_twenty_points_before_and_five_after(ask, before: int, after: int, verdict) -> None:
    assert moved(ask, 5.0, before=before, after=after).verdict is verdict


@pytest.mark.parametrize(("by", "verdict"), [(9e-7, YES), (1.1e-6, NO)])
def test_equal_in_six_digits(ask, by: float, verdict: Verdict) -> None:
    norm = np.r_[np.ones(9), 1 + by]
    kind, scaled = Kind.NON_CONVERGENCE, ("weight_norm",)
    found = alike(ask, scaled, "weights_stand_still", kind, 1, 1, 10, weight_norm=norm)
    assert found.verdict is verdict


def test_the_norm_just_before_a_jump_and_at_its_end_is_told(ask, falling) -> None:
    norm = np.r_[np.full(597, 1.0), 2.0, 3.0, np.full(401, 8.0)]
    found = ask("weights_jump", KIND, 600, loss=falling, weight_norm=norm)
    assert found.verdict is YES
    assert (found.values["before"], found.values["after"]) == (3.0, 8.0)
