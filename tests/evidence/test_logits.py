from __future__ import annotations

import numpy as np
import pytest

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
