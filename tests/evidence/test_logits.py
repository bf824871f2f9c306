from __future__ import annotations

import numpy as np
import pytest
from levels import pieces

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
KIND = Kind.DIVERGENCE
FIRST = 20.0


def logits(last: float) -> np.ndarray:
    """Exponential growth over a thousand steps, from 20 to `last`."""
    return FIRST * (last / FIRST) ** (np.arange(1000) / 999)


@pytest.mark.parametrize(
    ("last", "verdict"),
    [(5000.0, YES), (60.0, NO), (20.0, NO)],  # below 100 it has not run away
)
def test_growth(ask, falling, last, verdict) -> None:
    found = ask("max_logit_grows", KIND, 900, loss=falling, max_logit=logits(last))
    assert found.verdict is verdict


def test_large_from_the_start_is_no_growth(ask, falling) -> None:
    steady = np.full(1000, 400.0)
    found = ask("max_logit_grows", KIND, 900, loss=falling, max_logit=steady)
    assert (found.verdict, found.values["first"], found.values["last"]) == (NO, 400, 400)


def test_growth_is_measured_before_the_event(ask, falling) -> None:
    broken = np.where(np.arange(1000) < 899, FIRST, 1e5)
    assert ask("max_logit_grows", KIND, 900, loss=falling, max_logit=broken).verdict is NO


@pytest.mark.parametrize(
    ("peak", "verdict"), [(65504.0, YES), (40000.0, YES), (np.inf, YES), (30000.0, NO)]
)
def test_the_end_of_fp16(ask, falling, peak, verdict) -> None:
    values = np.full(1000, 50.0)
    values[899] = peak
    found = ask("max_logit_near_fp16_limit", KIND, 900, loss=falling, max_logit=values)
    assert (found.verdict, found.values["step"]) == (verdict, 900)


@pytest.mark.parametrize("probe", ["max_logit_grows", "max_logit_near_fp16_limit"])
def test_unknown_without_logits_or_onset(ask, falling, probe) -> None:
    assert ask(probe, KIND, 900, loss=falling).verdict is UNKNOWN
    stretch = ask(probe, Kind.OSCILLATION, 1, loss=falling, max_logit=logits(5000.0))
    assert stretch.verdict is UNKNOWN


@pytest.mark.parametrize(
    ("first", "last", "verdict"),
    [
        *((10.0, 100.0, YES), (10.0, 99.0, NO)),
        *((33.0, 100.0, YES), (34.0, 100.0, NO), (-50.0, 100.0, YES)),  # threefold
        *((40.0, 120.0, YES), (40.0, 119.0, NO)),
    ],
)
def test_a_hundred_and_three_times_the_first_tenth(ask, first, last, verdict) -> None:
    values = pieces((60, first), (40, 3000.0), (799, last), (101, 7.0))
    found = ask("max_logit_grows", KIND, 900, loss=np.ones(1000), max_logit=values)
    assert found.verdict is verdict
    assert found.values == {"first": first, "last": last, "step": 900}


@pytest.mark.parametrize(("points", "verdict"), [(21, NO), (20, UNKNOWN)])
def test_twenty_logits_before_the_onset(ask, points: int, verdict: Verdict) -> None:
    values = np.full(100, 5.0)
    found = ask("max_logit_grows", KIND, points, loss=np.ones(100), max_logit=values)
    assert found.verdict is verdict


@pytest.mark.parametrize(("peak", "verdict"), [(32752.0, YES), (32700.0, NO)])
@pytest.mark.parametrize(("at", "seen"), [(1, True), (901, True), (902, False)])
def test_half_of_the_largest_fp16_number(ask, peak, verdict, at: int, seen: bool) -> None:
    # Anywhere up to the point after the event.
    values = np.full(1000, 50.0)
    values[at - 1] = peak
    name = "max_logit_near_fp16_limit"
    found = ask(name, KIND, 890, 900, loss=np.ones(1000), max_logit=values)
    assert found.verdict is (verdict if seen else NO)
