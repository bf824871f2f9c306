from __future__ import annotations

import numpy as np
import pytest
from levels import alike, pieces

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
KIND = Kind.SLOW_RECOVERY
STEPS = np.arange(1000)
COSINE = 1e-3 * 0.5 * (1 + np.cos(np.pi * STEPS / 1000)) * np.minimum(1, (STEPS + 1) / 40)
CONSTANT = np.full(1000, 1e-3)


def test_peak_and_low(ask, falling) -> None:
    assert ask("lr_at_peak", KIND, 60, loss=falling, lr=COSINE).verdict is YES
    assert ask("lr_at_peak", KIND, 700, loss=falling, lr=COSINE).verdict is NO
    assert ask("lr_at_peak", KIND, 700, loss=falling, lr=CONSTANT).verdict is UNKNOWN
    assert ask("lr_is_low_at_onset", KIND, 950, loss=falling, lr=COSINE).verdict is YES
    assert ask("lr_is_low_at_onset", KIND, 300, loss=falling, lr=COSINE).verdict is NO
    stretch = Kind.OSCILLATION
    assert ask("lr_is_low_at_onset", stretch, 950, loss=falling, lr=COSINE).verdict is UNKNOWN


def test_peak_over_a_stretch(ask, falling) -> None:
    held = np.where(STEPS < 800, 1e-3, 1e-4)
    kind = Kind.OSCILLATION
    assert ask("lr_at_peak", kind, 200, 200, 790, loss=falling, lr=held).verdict is YES
    assert ask("lr_at_peak", kind, 810, 810, 1000, loss=falling, lr=held).verdict is NO


def test_constant(ask, falling) -> None:
    assert ask("lr_is_constant", KIND, 700, loss=falling, lr=CONSTANT).verdict is YES
    assert ask("lr_is_constant", KIND, 700, loss=falling, lr=COSINE).verdict is NO
    assert ask("lr_is_constant", KIND, 700, loss=falling, lr=CONSTANT[:3]).verdict is UNKNOWN


def test_warm_up(ask, falling) -> None:
    decay = 1e-3 * np.exp(-STEPS / 300)
    assert ask("lr_starts_at_peak", KIND, 700, loss=falling, lr=decay).verdict is YES
    assert ask("lr_starts_at_peak", KIND, 700, loss=falling, lr=COSINE).verdict is NO
    assert ask("lr_starts_at_peak", KIND, 700, loss=falling, lr=CONSTANT).verdict is UNKNOWN
    known = {"warmup_steps": 0}
    found = ask("lr_starts_at_peak", KIND, 700, loss=falling, lr=CONSTANT, config=known)
    assert found.verdict is YES


def test_zero(ask, falling) -> None:
    kind = Kind.NON_CONVERGENCE
    zero = ask("lr_is_zero", kind, 1, 1, 1000, loss=falling, lr=np.zeros(1000))
    assert zero.verdict is YES
    assert ask("lr_is_zero", kind, 1, 1, 1000, loss=falling, lr=COSINE).verdict is NO
    assert ask("lr_is_zero", KIND, 1, 1, 1000, loss=falling, lr=np.zeros(1000)).verdict is UNKNOWN


def test_next_to_zero(ask, falling) -> None:
    """A rate that was switched off to a remnant says so itself; a low one is none."""
    kind = Kind.NON_CONVERGENCE
    off = np.where(STEPS < 300, 1e-3, 1e-9)
    found = ask("lr_is_zero", kind, 301, 301, 1000, loss=falling, lr=off)
    assert found.verdict is YES
    assert found.values == {"level": 1e-9, "points": 700, "top": 1e-3}
    low = np.where(STEPS < 300, 1e-3, 1e-6)
    assert ask("lr_is_zero", kind, 301, 301, 1000, loss=falling, lr=low).verdict is NO
    assert ask("lr_is_zero", kind, 1, 1, 1000, loss=falling, lr=CONSTANT).verdict is NO


def test_spent_for_most_of_the_run(ask, falling) -> None:
    name = "lr_is_spent_mostly"
    early = np.where(np.arange(1000) < 200, 1e-3, 1e-6)
    found = ask(name, Kind.OSCILLATION, 300, 300, 1000, loss=falling, lr=early)
    assert (found.verdict, found.values["since"], found.values["percent"]) == (YES, 201, 80)
    late = np.where(np.arange(1000) < 700, 1e-3, 1e-6)
    cosine = 1e-3 * (1 + np.cos(np.pi * np.arange(1000) / 1000)) / 2
    warm_up = np.where(np.arange(1000) < 700, 1e-6, 1e-3)
    for rate in (late, cosine, warm_up):
        assert ask(name, Kind.OSCILLATION, 300, loss=falling, lr=rate).verdict is NO
    assert ask(name, Kind.OSCILLATION, 300, loss=falling).verdict is UNKNOWN


def test_a_few_values_have_no_peak(ask) -> None:
    rising = [1e-9, 2e-9, 3e-9, 4e-9]
    assert ask("lr_at_peak", KIND, 4, loss=[1.0] * 4, lr=rising).verdict is UNKNOWN
    assert ask("lr_at_peak", KIND, 5, loss=[1.0] * 5, lr=[*rising, 5e-9]).verdict is YES


N = 1000


def asked(
    ask,
    name: str,
    lr,
    kind: Kind = Kind.DIVERGENCE,
    start: int = 600,
    end: int | None = None,
    **config,
):
    parts = {"loss": np.ones(N), "lr": lr, "config": config}
    return alike(ask, ("lr",), name, kind, start, start, end, **parts)


@pytest.mark.parametrize(
    ("now", "peak", "low"),
    [(90.0, YES, NO), (89.9, NO, NO), (10.0, NO, YES), (10.1, NO, NO)],
)
def test_near_the_maximum_and_a_tenth_of_it(ask, now: float, peak: Verdict, low: Verdict) -> None:
    lr = pieces((300, 100.0), (299, 50.0), (1, now), (400, 50.0))
    found = asked(ask, "lr_at_peak", lr)
    assert (found.verdict, found.values) == (peak, {"now": now, "top": 100.0})
    found = asked(ask, "lr_is_low_at_onset", lr)
    assert (found.verdict, found.values) == (low, {"now": now, "percent": now})


@pytest.mark.parametrize(("low", "constant", "peak"), [(99.0, YES, UNKNOWN), (98.9, NO, YES)])
def test_constant_within_a_hundredth(ask, low: float, constant: Verdict, peak: Verdict) -> None:
    lr = pieces((599, low), (401, 100.0))
    found = asked(ask, "lr_is_constant", lr)
    assert (found.verdict, found.values) == (constant, {"low": low, "high": 100.0})
    assert asked(ask, "lr_at_peak", lr).verdict is peak


def test_between_two_records_the_last_one_holds(ask) -> None:
    steps = np.array([100, 200, 300, 400, 500])
    lr = (steps, [100.0, 80.0, 60.0, 40.0, 20.0])
    for start, now in ((50, 100.0), (100, 100.0), (299, 80.0), (300, 60.0), (900, 20.0)):
        assert asked(ask, "lr_at_peak", lr, start=start).values["now"] == now


def test_a_stretch_has_the_median_of_its_rates(ask) -> None:
    lr = pieces((300, 100.0), (700, 50.0))
    found = asked(ask, "lr_at_peak", lr, Kind.OSCILLATION, 201, 400)
    assert found.values["now"] == 75.0


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("lr_at_peak", NO),
        ("lr_is_constant", NO),
        ("lr_is_spent_mostly", YES),
        ("lr_starts_at_peak", NO),
    ],
)
def test_five_points_make_a_schedule(ask, name: str, verdict: Verdict) -> None:
    steps, rates = np.array([1, 100, 101, 102, 400]), [1.0, 100.0, 100.0, 100.0, 0.5]
    assert asked(ask, name, (steps, rates)).verdict is verdict
    assert asked(ask, name, (steps[:4], rates[:4])).verdict is UNKNOWN


@pytest.mark.parametrize(
    ("since", "value", "percent", "verdict"),
    [
        *((501, 1.0, 50.0, NO), (500, 1.0, 50.1, YES), (401, 0.5, 60.0, YES)),
        (401, 1.01, 0.0, NO),  # a hundredth of the peak
    ],
)
def test_more_than_half_of_the_run_at_a_hundredth(ask, since, value, percent, verdict) -> None:
    found = asked(ask, "lr_is_spent_mostly", pieces((since - 1, 100.0), (N + 1 - since, value)))
    assert found.verdict is verdict
    told = {"percent": percent, "top": 100.0}
    assert found.values == told | ({"since": since} if value <= 1 else {})


def test_a_rate_over_steps_at_the_end_of_all_steps(ask) -> None:
    steps, rates = 2**63 - 20 + np.arange(20), pieces((10, 100.0), (10, 0.5))
    found = asked(ask, "lr_is_spent_mostly", (steps, rates))
    # Neighbours are one number there; what is left is the last step alone.
    assert (found.verdict, found.values["percent"]) == (YES, 100.0)


def test_a_rate_that_is_low_before_its_peak_is_not_spent(ask) -> None:
    found = asked(ask, "lr_is_spent_mostly", pieces((900, 0.5), (100, 100.0)))
    assert (found.verdict, found.values) == (NO, {"percent": 90.0, "top": 100.0})


def test_a_rate_that_is_logged_where_it_changes_holds_until_the_next_change(ask) -> None:
    steps = np.array([1, 2, 3, 4, 401])
    found = asked(ask, "lr_is_spent_mostly", (steps, [100.0] * 4 + [0.5]))
    assert found.values == {"percent": 60.0, "top": 100.0, "since": 401}


@pytest.mark.parametrize(
    ("first", "config", "verdict"),
    [
        *((90.0, {}, YES), (89.9, {}, NO), (100.0, {}, UNKNOWN)),
        *((100.0, {"warmup_steps": 0}, YES), (100.0, {"warmup_steps": 5}, UNKNOWN)),
    ],
)
def test_a_schedule_that_starts_at_its_peak(ask, first: float, config, verdict: Verdict) -> None:
    found = asked(ask, "lr_starts_at_peak", pieces((1, first), (999, 100.0)), **config)
    assert found.verdict is verdict


@pytest.mark.parametrize(
    "name", ["lr_at_peak", "lr_is_low_at_onset", "lr_is_spent_mostly", "lr_starts_at_peak"]
)
def test_a_rate_of_zero_has_no_peak(ask, name: str) -> None:
    assert asked(ask, name, np.zeros(N)).verdict is UNKNOWN


@pytest.mark.parametrize(
    ("kind", "zeros", "verdict"),
    [
        *((Kind.NON_CONVERGENCE, 10, YES), (Kind.NON_CONVERGENCE, 9, NO), (Kind.NONFINITE, 9, NO)),
        *((Kind.GRADIENT_VANISHING, 6, YES), (Kind.GRADIENT_VANISHING, 4, NO)),
    ],
)
def test_a_rate_that_is_zero(ask, kind: Kind, zeros: int, verdict: Verdict) -> None:
    lr = pieces((100, 1.0), (zeros, 0.0), (10 - zeros, 1.0), (100, 1.0))
    found = asked(ask, "lr_is_zero", lr, kind, 101, 110)
    assert (found.verdict, found.values["points"]) == (verdict, 10)
