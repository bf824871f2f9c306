from __future__ import annotations

import numpy as np
import pytest
from levels import alike, pieces

from spikedoc.model.anomaly import Anomaly
from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind, Severity

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


def test_a_long_slow_rise_is_seen_from_where_it_begins(ask, falling) -> None:
    """By 9 % over the last twenty points, and to four times the rate in all."""
    rate = np.where(STEPS < 500, 1e-3, 1e-3 + (STEPS - 500) * 2e-5)
    found = ask("lr_rises_before", KIND, 700, loss=falling, lr=rate)
    assert found.verdict is YES
    assert found.values["first"] == pytest.approx(1e-3, rel=0.03)
    rate[:680] = rate[680]
    assert ask("lr_rises_before", KIND, 700, loss=falling, lr=rate).verdict is NO


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


N = 1001  # a span of 1000 steps: a twenty-fifth of it is 40, a twentieth 50


def near(ask, name: str, start: int, lr, *, kind: Kind = Kind.DIVERGENCE, others=()):
    parts = {"loss": np.ones(len(lr)), "lr": lr, "others": others}
    # What a finding told of the rate is not as large with it.
    scaled = () if others else ("lr",)
    return alike(ask, scaled, name, kind, start, **parts)


@pytest.mark.parametrize(
    ("points", "after_it", "verdict"),
    [
        *((N, 40, YES), (N, 41, NO), (N, -2, YES), (N, -3, NO)),
        *((101, 30, YES), (101, 31, NO), (101, -2, YES), (101, -3, NO)),  # thirty points
    ],
)
@pytest.mark.parametrize("reported", [False, True])
def test_how_near_a_jump_lies(ask, points: int, after_it: int, verdict, reported: bool) -> None:
    at = 500 if points == N else 60
    lr, others = pieces((at - 1, 1.0), (points - at + 1, 5.0)), []
    if reported:
        told = {"before": 1.0, "after": 5.0}
        lr, kind = np.ones(points), Kind.LR_DISCONTINUITY
        others = [Anomaly(kind, Severity.WARNING, 0.9, "lr", at, at, at, Form.JUMP, told)]
    found = near(ask, "lr_jumped_up", at + after_it, lr, others=others)
    assert found.verdict is verdict
    if verdict is YES:
        told = {"step": at, "before": 1.0, "after": 5.0, "factor": 5.0}
        assert found.values == told | {"onset": at + after_it}


@pytest.mark.parametrize(
    ("kind", "form", "before", "after", "verdict"),
    [
        *(
            (Kind.LR_DISCONTINUITY, Form.JUMP, 0.0, 5.0, YES),
            (Kind.LR_DISCONTINUITY, Form.RESET, 1.0, 5.0, YES),
        ),
        *(
            (Kind.LR_DISCONTINUITY, Form.JUMP, 1.0, 1.0, NO),
            (Kind.LR_DISCONTINUITY, Form.JUMP, -1.0, 5.0, NO),
        ),
        *(
            (Kind.LR_DISCONTINUITY, Form.DOWN, 1.0, 5.0, NO),
            (Kind.DIVERGENCE, Form.JUMP, 1.0, 5.0, NO),
        ),
        *(
            (Kind.LR_DISCONTINUITY, Form.JUMP, 5.0, 1.0, NO),
            (Kind.LR_DISCONTINUITY, None, 1.0, 5.0, NO),
        ),
    ],
)
def test_which_findings_tell_a_jump(ask, kind, form, before, after, verdict) -> None:
    told = {"before": before, "after": after}
    other = Anomaly(kind, Severity.WARNING, 0.9, "lr", 500, 500, 500, form, told)
    found = near(ask, "lr_jumped_up", 505, np.ones(N), others=[other])
    assert found.verdict is verdict
    bare = Anomaly(kind, Severity.WARNING, 0.9, "lr", 500, 500, 500, form, {"after": 5.0})
    assert near(ask, "lr_jumped_up", 505, np.ones(N), others=[bare]).verdict is NO


@pytest.mark.parametrize(
    ("before", "after", "factor", "verdict"),
    [(1.0, 1.3, None, NO), (1.0, 1.31, 1.31, YES), (0.0, 1.0, "inf", YES), (1.0, 0.1, None, NO)],
)
def test_a_jump_by_more_than_three_tenths(ask, before, after, factor, verdict) -> None:
    found = near(ask, "lr_jumped_up", 505, pieces((499, before), (502, after)))
    assert (found.verdict, found.values.get("factor")) == (verdict, factor)


@pytest.mark.parametrize(("points", "verdict"), [(30, NO), (31, YES)])
def test_what_climbs_back_to_a_rate_of_thirty_points_ago_is_no_jump(ask, points, verdict) -> None:
    lr = pieces((299, 1.0), (201 - points, 2.0), (points - 1, 1.0), (502, 2.0))
    assert near(ask, "lr_jumped_up", 505, lr).verdict is verdict


def test_the_largest_of_two_jumps(ask) -> None:
    lr = pieces((489, 1.0), (10, 3.0), (502, 4.5))
    assert near(ask, "lr_jumped_up", 505, lr).values["step"] == 490


@pytest.mark.parametrize(
    ("points", "at", "first", "verdict"),
    [
        *((N, 51, 1.0, NO), (N, 52, 1.0, YES)),  # a twentieth of the run
        (N, 51, 2.0, YES),  # it has come down already
        *((21, 6, 1.0, NO), (21, 7, 1.0, YES)),  # five points of a short log
    ],
)
def test_a_warm_up_is_early_and_only_rises(ask, points, at, first, verdict) -> None:
    lr = pieces((1, first), (at - 2, 1.0), (points - at + 1, 5.0))
    assert near(ask, "lr_jumped_up", at, lr).verdict is verdict


@pytest.mark.parametrize(("points", "verdict"), [(4, UNKNOWN), (5, NO)])
@pytest.mark.parametrize("name", ["lr_jumped_up", "lr_dropped"])
def test_five_points_make_a_schedule(ask, name: str, points: int, verdict: Verdict) -> None:
    assert near(ask, name, 3, np.ones(points)).verdict is verdict


@pytest.mark.parametrize(
    ("after_it", "after", "verdict"),
    [(5, 0.5, YES), (6, 0.5, NO), (-5, 0.5, YES), (-6, 0.5, NO), (0, 0.77, NO), (0, 0.76, YES)],
)
def test_a_drop_within_five_points(ask, after_it: int, after: float, verdict: Verdict) -> None:
    found = near(ask, "lr_dropped", 500 + after_it, pieces((499, 1.0), (502, after)))
    assert found.verdict is verdict
    told = {"step": 500, "before": 1.0, "after": after} if verdict is YES else None
    assert found.values == (told or {"step": 500 + after_it})


@pytest.mark.parametrize(("start", "verdict"), [(1, YES), (1000, NO)])
def test_a_drop_at_either_end(ask, start: int, verdict: Verdict) -> None:
    found = near(ask, "lr_dropped", start, pieces((1, 1.0), (999, 0.5)))
    assert found.verdict is verdict
    assert near(ask, "lr_dropped", 1000, pieces((999, 1.0), (1, 0.5))).verdict is YES


@pytest.mark.parametrize(
    ("back", "earlier", "verdict"),
    [
        *((0.9, 1.0, YES), (0.89, None, NO), (1.09, 1.0, YES), (1.11, None, NO)),  # the first rate
        *((2.7, 3.0, YES), (2.6, None, NO), (3.29, 3.0, YES), (3.31, None, NO)),  # the highest one
    ],
)
def test_a_rate_that_is_back_within_a_tenth(ask, back, earlier, verdict) -> None:
    lr = pieces((100, 1.0), (50, 3.0), (349, 0.1), (502, back))
    found = near(ask, "lr_returned_to_start", 505, lr)
    assert found.verdict is verdict
    told = {"step": 500, "earlier": earlier} if verdict is YES else {"first": 1.0, "peak": 3.0}
    assert found.values == told | {"after": pytest.approx(back)}


@pytest.mark.parametrize(("following", "verdict"), [(1.3, YES), (1.31, NO)])
def test_a_leap_that_goes_on_only_passed_by(ask, following: float, verdict: Verdict) -> None:
    lr = pieces((100, 1.0), (399, 0.1), (1, 1.0), (501, following))
    assert near(ask, "lr_returned_to_start", 500, lr).verdict is verdict


def test_the_last_point_goes_nowhere(ask) -> None:
    lr = pieces((100, 1.0), (399, 0.1), (1, 1.0))
    assert near(ask, "lr_returned_to_start", 500, lr).verdict is YES


@pytest.mark.parametrize(("later", "verdict"), [(1.1, YES), (1.11, NO), (0.5, YES), (3.85, NO)])
def test_a_jump_that_is_taken_back(ask, later: float, verdict: Verdict) -> None:
    # To the old rate or a tenth above it, at one step.
    found = near(ask, "lr_jump_reverted", 505, pieces((499, 1.0), (10, 5.0), (492, later)))
    assert found.verdict is verdict
    told = {"back": 510, "peak": 5.0, "before": 1.0} if verdict is YES else {"after": 5.0}
    assert found.values == told | {"step": 500}


def test_a_decay_to_the_old_rate_takes_nothing_back(ask) -> None:
    # Each step is more than .77 of the one before.
    lr = pieces((499, 1.0), *((1, 5 * 0.78**i) for i in range(7)), (495, 0.9))
    assert near(ask, "lr_jump_reverted", 505, lr).verdict is NO


@pytest.mark.parametrize(("points", "verdict"), [(5, NO), (4, UNKNOWN)])
def test_five_points_after_a_jump(ask, points: int, verdict: Verdict) -> None:
    lr = pieces((499, 1.0), (points, 5.0))
    assert near(ask, "lr_jump_reverted", 501, lr).verdict is verdict
    from_zero = pieces((499, 0.0), (points, 5.0))
    assert near(ask, "lr_jump_reverted", 501, from_zero).verdict is UNKNOWN


def rises(ask, recent: list[float], kind: Kind = KIND, first: int = 101):
    """Ask about rates of 9, then of 1, then these up to the onset; 0 after it."""
    rate = pieces((50, 9.0), (50, 1.0)).tolist() + recent + [0.0] * 50
    steps = first - 100 + np.arange(len(rate))
    onset = int(steps[99 + len(recent)])
    parts = {"loss": (steps, np.ones(steps.size)), "lr": (steps, rate)}
    return alike(ask, ("lr",), "lr_rises_before", kind, onset, **parts)


@pytest.mark.parametrize(("last", "verdict"), [(1.1, NO), (1.12, YES)])
def test_a_rise_by_a_tenth_over_twenty_points(ask, last: float, verdict: Verdict) -> None:
    found = rises(ask, np.linspace(1.0, last, 20).tolist())
    assert found.verdict is verdict
    assert found.values == {"first": 1.0, "last": last, "points": 20}


@pytest.mark.parametrize(("swaps", "verdict"), [(1, YES), (2, NO)])
def test_nearly_all_of_it_goes_up(ask, swaps: int, verdict: Verdict) -> None:
    # Of 190 pairs 15 fall in a reversed stretch of six, 3 in one of three, 1 in one of two:
    # tau is (171 - 19) / 190 = .8, and with one more pair below it.
    order = [*range(1, 2), *range(7, 1, -1), 10, 9, 8, 12, 11, 13, 14, *range(15, 21)]
    if swaps == 2:
        order[12], order[13] = order[13], order[12]
    assert rises(ask, [float(value) for value in order]).verdict is verdict


def short(ask, rates: list[float], last_step: int):
    steps = last_step - len(rates) + 1 + np.arange(len(rates))
    parts = {"loss": (steps, np.ones(steps.size)), "lr": (steps, rates)}
    return alike(ask, ("lr",), "lr_rises_before", Kind.NONFINITE, last_step, **parts)


@pytest.mark.parametrize(
    ("rates", "last_step", "verdict"),
    [
        *(([1.0, 1.02, 1.06], 50, YES), ([1.0, 1.02, 1.06], 49, UNKNOWN)),
        *(([1.0, 1.02, 1.05], 50, UNKNOWN), ([1.0, 1.06], 50, UNKNOWN)),
        ([1.0, 1.03, 1.02, 1.06], 50, UNKNOWN),  # not all of it goes up
        ([1.0 + 0.01 * i for i in range(19)], 50, YES),
    ],
)
def test_an_excerpt_of_three_points_that_all_go_up(ask, rates, last_step, verdict) -> None:
    assert short(ask, rates, last_step).verdict is verdict


@pytest.mark.parametrize("shrink", [1.0, 0.85])
def test_a_restart_of_a_cycle_that_goes_on_is_the_plan(ask, falling, shrink) -> None:
    at = np.arange(N)
    rate = 5e-4 * (1 + np.cos(np.pi * (at % 250) / 250)) * shrink ** (at // 250)
    for probe in ("lr_jumped_up", "lr_jump_reverted"):
        assert ask(probe, KIND, 502, loss=falling, lr=rate).verdict is UNKNOWN
    once = jumped(np.where(at < 250, rate, 1e-5), 500, 1e-3, 600)
    assert ask("lr_jumped_up", KIND, 502, loss=falling, lr=once).verdict is YES
    assert ask("lr_jump_reverted", KIND, 502, loss=falling, lr=once).verdict is YES
