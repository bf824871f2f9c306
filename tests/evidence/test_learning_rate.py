from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
KIND = Kind.SLOW_RECOVERY
STEPS = np.arange(1000)
COSINE = 1e-3 * 0.5 * (1 + np.cos(np.pi * STEPS / 1000)) * np.minimum(1, (STEPS + 1) / 40)


def jumped(rate: np.ndarray, first: int, value: float, last: int = 1000) -> np.ndarray:
    out = rate.copy()
    out[first - 1 : last] = value
    return out


def verdicts(ask, rate: np.ndarray, at: int, falling: np.ndarray) -> list[Verdict]:
    names = ("lr_jumped_up", "lr_returned_to_start", "lr_jump_reverted", "lr_dropped")
    return [ask(n, KIND, at, loss=falling, lr=rate).verdict for n in names]


def test_a_smooth_schedule(ask, falling) -> None:
    assert verdicts(ask, COSINE, 700, falling) == [NO, UNKNOWN, UNKNOWN, NO]


def test_an_excursion(ask, falling) -> None:
    assert verdicts(ask, jumped(COSINE, 690, 8e-3, 720), 700, falling) == [YES, NO, YES, NO]


def test_a_reset_to_the_peak(ask, falling) -> None:
    assert verdicts(ask, jumped(COSINE, 690, COSINE.max()), 700, falling) == [YES, YES, NO, NO]


def test_a_second_warm_up_is_a_return_and_no_jump(ask, falling) -> None:
    again = COSINE.copy()
    again[689:] = COSINE[:311]
    assert verdicts(ask, again, 691, falling) == [NO, YES, UNKNOWN, YES]


def test_warm_up_is_no_jump(ask, falling) -> None:
    assert ask("lr_jumped_up", KIND, 5, loss=falling, lr=COSINE).verdict is NO


def test_a_drop(ask, falling) -> None:
    rate = np.where(STEPS < 600, 0.1, 0.01)
    found = ask("lr_dropped", Kind.LEVEL_SHIFT, 601, loss=falling, lr=rate)
    assert (found.verdict, found.values["before"], found.values["after"]) == (YES, 0.1, 0.01)


def test_long_after_the_jump_it_is_not_the_reason(ask, falling) -> None:
    rate = jumped(COSINE, 690, 8e-3, 720)
    assert ask("lr_jumped_up", KIND, 900, loss=falling, lr=rate).verdict is NO


def test_rising(ask, falling) -> None:
    rising = 1e-3 * (STEPS + 1) / 1000
    assert ask("lr_rises_before", KIND, 30, loss=falling, lr=rising).verdict is YES
    assert ask("lr_rises_before", KIND, 700, loss=falling, lr=COSINE).verdict is NO
    assert ask("lr_rises_before", KIND, 10, loss=falling, lr=rising).verdict is UNKNOWN


@pytest.mark.parametrize("probe", ["lr_jumped_up", "lr_dropped", "lr_rises_before"])
def test_unknown_without_lr_or_onset(ask, falling, probe) -> None:
    assert ask(probe, KIND, 700, loss=falling).verdict is UNKNOWN
    assert ask(probe, Kind.OSCILLATION, 700, loss=falling, lr=COSINE).verdict is UNKNOWN


def test_a_leap_that_passes_by_an_old_value_has_not_returned_to_it(ask, falling) -> None:
    lr = np.full(1000, 1e-3)
    lr[500:] = 1e-4
    there = lr.copy()
    there[600:] = 1e-3
    by = lr.copy()
    by[600], by[601:] = 1e-3, 2e-2
    for values, said in ((there, YES), (by, NO)):
        found = ask("lr_returned_to_start", Kind.DIVERGENCE, 603, loss=falling, lr=values)
        assert found.verdict is said


def test_the_warm_up_of_a_log_of_epochs_is_no_jump(ask) -> None:
    lr = [0.0007, 0.0013, 0.0018, *np.linspace(0.0017, 0.0002, 17)]
    loss = [2.0] * 20
    assert ask("lr_jumped_up", Kind.ISOLATED_SPIKE, 8, loss=loss, lr=lr).verdict is not YES
    late = [0.0002] * 10 + [0.002] * 10
    assert ask("lr_jumped_up", Kind.ISOLATED_SPIKE, 11, loss=loss, lr=late).verdict is YES


def test_an_excerpt_that_breaks_while_the_rate_rises(ask) -> None:
    steps, rate = np.array([100, 120, 140, 160]), np.array([2e-3, 2.2e-3, 2.4e-3, 2.6e-3])
    loss = (steps, np.array([1.7, 1.7, 1.6, np.nan]))

    def verdict(kind: Kind, rates: np.ndarray, at: np.ndarray = steps):
        return ask("lr_rises_before", kind, int(at[-1]), loss=loss, lr=(at, rates)).verdict

    assert verdict(Kind.NONFINITE, rate) is YES
    assert verdict(Kind.NONFINITE, rate[::-1].copy()) is UNKNOWN
    assert verdict(Kind.SLOW_RECOVERY, rate) is UNKNOWN
    assert verdict(Kind.NONFINITE, rate, np.arange(4)) is UNKNOWN  # the first rates are tiny
