from __future__ import annotations

import numpy as np
import pytest
from levels import alike, pieces

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN


def spiked(falling: np.ndarray, at: int, factor: float, tau: float = 0.0) -> np.ndarray:
    """Return a loss multiplied by `factor` at step `at`, dying away over `tau` points."""
    out = falling.copy()
    after = np.arange(out.size - (at - 1))
    decay = np.exp(-after / tau) if tau else (after == 0).astype(float)
    out[at - 1 :] *= 1 + (factor - 1) * decay
    return out


def stepped(falling: np.ndarray, at: int, factor: float) -> np.ndarray:
    out = falling.copy()
    out[at - 1 :] *= factor
    return out


@pytest.mark.parametrize(
    ("tau", "at_once", "slowly", "off"),
    [(0.0, YES, NO, NO), (40.0, NO, YES, NO), (1e9, NO, NO, YES)],
)
def test_the_way_back(ask, falling, tau, at_once, slowly, off) -> None:
    loss = spiked(falling, 700, 6.0, tau)
    kind = Kind.LEVEL_SHIFT if tau > 1e6 else Kind.SLOW_RECOVERY
    answers = [
        ask(name, kind, 700, 700, 990, loss=loss).verdict
        for name in ("returns_at_once", "returns_slowly", "stays_off")
    ]
    assert answers == [at_once, slowly, off]


def test_slow_recovery_counts_steps(ask, falling) -> None:
    # 6 x with tau 40 is below 1.05 after 40 ln(5 / .05) = 184 steps, below 1.28 (the band of a
    # scatter of 10 %) after 40 ln(5 / .18) = 133.
    found = ask("returns_slowly", Kind.SLOW_RECOVERY, 700, loss=spiked(falling, 700, 6.0, 40.0))
    assert 90 < found.values["steps"] < 200


def test_the_detector_s_own_count_wins(ask, falling) -> None:
    found = ask(
        "returns_at_once",
        Kind.ISOLATED_SPIKE,
        700,
        loss=spiked(falling, 700, 6.0),
        measures={"recovered_after_steps": 50.0},
    )
    assert (found.verdict, found.values["points"]) == (NO, 50)


def test_too_little_after_the_peak_is_unknown(ask, falling) -> None:
    loss = spiked(falling, 998, 6.0)
    assert ask("stays_off", Kind.SLOW_RECOVERY, 998, loss=loss).verdict is UNKNOWN
    assert ask("returns_at_once", Kind.OSCILLATION, 500, loss=falling).verdict is UNKNOWN


def test_a_divergence_that_dips_back_stays_off(ask, falling) -> None:
    loss = stepped(falling, 500, 3.0)
    loss[520:526] = 0.3
    assert ask("stays_off", Kind.DIVERGENCE, 500, 510, 1000, loss=loss).verdict is YES


def test_near_the_floor(ask, falling) -> None:
    low = falling - 0.29 * (np.arange(1000) > 600)
    assert ask("loss_near_floor", Kind.ISOLATED_SPIKE, 900, loss=low).verdict is YES
    assert ask("loss_near_floor", Kind.ISOLATED_SPIKE, 100, loss=falling).verdict is NO
    assert ask("loss_near_floor", Kind.ISOLATED_SPIKE, 900, loss=-low).verdict is UNKNOWN
    assert ask("loss_near_floor", Kind.ISOLATED_SPIKE, 10, loss=low).verdict is UNKNOWN


def test_loss_exceeds_start(ask, falling) -> None:
    high = stepped(falling, 600, 12.0)
    assert ask("loss_exceeds_start", Kind.LEVEL_SHIFT, 600, 650, 1000, loss=high).verdict is YES
    low = stepped(falling, 600, 2.0)
    assert ask("loss_exceeds_start", Kind.LEVEL_SHIFT, 600, 650, 1000, loss=low).verdict is NO
    assert ask("loss_exceeds_start", Kind.ISOLATED_SPIKE, 3, loss=high).verdict is UNKNOWN


def test_loss_is_huge(ask, falling) -> None:
    assert ask("loss_is_huge", Kind.DIVERGENCE, 700, loss=spiked(falling, 700, 1e5)).verdict is YES
    assert ask("loss_is_huge", Kind.DIVERGENCE, 700, loss=spiked(falling, 700, 50)).verdict is NO
    assert ask("loss_is_huge", Kind.DIVERGENCE, 2, loss=falling).verdict is UNKNOWN
    infinite = falling.copy()
    infinite[699:] = np.inf
    found = ask("loss_is_huge", Kind.DIVERGENCE, 700, loss=infinite)
    assert (found.verdict, found.values["peak"]) == (YES, "inf")


def test_nonfinite_loss_has_no_way_back(ask, falling) -> None:
    loss = falling.copy()
    loss[699:] = np.nan
    found = ask("stays_off", Kind.NONFINITE, 700, loss=loss, form=Form.PERSISTENT)
    assert found.verdict is UNKNOWN


def test_longer_than_a_batch_can_hold_it(ask, falling) -> None:
    name, kind = "outlasts_a_batch", Kind.SLOW_RECOVERY
    for points, verdict in ((20.0, NO), (100.0, NO), (250.0, YES)):
        measures = {"recovered_after_steps": points}
        loss = spiked(falling, 500, 8.0, 30)
        assert ask(name, kind, 500, 500, 700, loss=loss, measures=measures).verdict is verdict
    # What never came back may stand on weights that one batch ruined.
    never = stepped(falling, 500, 8.0)
    assert ask(name, Kind.LEVEL_SHIFT, 500, form=Form.UP, loss=never).verdict is UNKNOWN


@pytest.mark.parametrize(
    ("factor", "points", "verdict"),
    [(6.0, 1000, YES), (4.0, 1000, UNKNOWN), (6.0, 540, UNKNOWN)],
)
def test_a_gradient_that_stays_up_is_no_single_batch(ask, falling, factor, points, verdict) -> None:
    loss, gradient = stepped(falling, 500, 8.0)[:points], np.ones(points)
    gradient[499:] = factor
    parts = {"form": Form.UP, "loss": loss, "grad_norm": gradient}
    found = ask("outlasts_a_batch", Kind.LEVEL_SHIFT, 500, **parts)
    assert found.verdict is verdict
    if verdict is YES:
        assert found.values == {"factor": 6, "points": 501, "name": "grad_norm"}
        assert "still 6x" in found.statement.en
    # Weights that one batch ruined learn again: the gradient is high at first only.
    gradient[520:] = 1.0
    assert ask("outlasts_a_batch", Kind.LEVEL_SHIFT, 500, **parts).verdict is UNKNOWN


@pytest.mark.parametrize(("factor", "verdict"), [(1.2, YES), (1.01, NO), (0.5, NO)])
def test_the_start_is_exceeded_by_a_margin(ask, factor, verdict) -> None:
    loss = np.where(np.arange(1000) < 500, 1.0, 2.0 * factor)
    loss[:5] = 2.0
    shift = ask("loss_exceeds_start", Kind.LEVEL_SHIFT, 501, 501, 1000, form=Form.UP, loss=loss)
    assert shift.verdict is verdict


def test_an_evaluation_that_passed_says_nothing_of_a_batch(ask, falling) -> None:
    steps, values = np.arange(10, 1010, 10), np.full(100, 0.5)
    values[70] = 5.0
    parts = {"loss": falling, "val_loss": (steps, values)}
    for probe in ("returns_at_once", "spike_is_alone", "val_unharmed"):
        said = ask(probe, Kind.ISOLATED_SPIKE, 710, 710, 710, signal="val_loss", **parts)
        assert said.verdict is UNKNOWN, probe


def test_what_began_with_the_log_has_no_level_to_come_back_to(ask, falling) -> None:
    loss = falling.copy()
    loss[0] = 50.0
    steps = np.r_[-(2**63), np.arange(1, loss.size)]
    found = ask("outlasts_a_batch", Kind.LEVEL_SHIFT, -(2**63), loss=(steps, loss))
    assert found.verdict is UNKNOWN


def back_after(ask, name: str, points: float, *, before: float = 1.0, kind=Kind.ISOLATED_SPIKE):
    """Ask about a spike of which the detector counted when it was back."""
    loss = pieces((599, before), (1, 5.0), (400, before))
    measures = {"recovered_after_steps": points}
    return ask(name, kind, 600, loss=loss, measures=measures)


@pytest.mark.parametrize(
    ("name", "points", "verdict"),
    [
        *(("returns_at_once", 0, YES), ("returns_at_once", 3, YES), ("returns_at_once", 4, NO)),
        *(("returns_slowly", 3, NO), ("returns_slowly", 4, YES)),
        *(("outlasts_a_batch", 100, NO), ("outlasts_a_batch", 101, YES)),
        *(("stays_off", 3, NO), ("stays_off", 0, NO)),
    ],
)
def test_how_long_the_way_back_is(ask, name: str, points: int, verdict: Verdict) -> None:
    found = back_after(ask, name, float(points))
    assert found.verdict is verdict
    assert found.values["points"] == (400 if name == "stays_off" else points)


def test_what_is_said_of_a_loss_that_is_back_right_after_the_peak(ask) -> None:
    found = back_after(ask, "returns_at_once", 0.0)
    assert "right after the peak (1 before, 5 at the peak)" in found.statement.en
    assert "right after" not in back_after(ask, "returns_at_once", 1.0).statement.en


def way(ask, name: str, *after: tuple[int, float], peak: float = 5.0, kind=Kind.ISOLATED_SPIKE):
    """Ask about a level of 1, a peak at step 600, and what follows it."""
    loss = pieces((599, 1.0), (1, peak), *after)
    return alike(ask, ("loss",), name, kind, 600, loss=loss)


@pytest.mark.parametrize(
    ("high", "points", "verdict"), [(0, 1, YES), (2, 1, YES), (4, 3, YES), (5, 4, NO)]
)
def test_the_median_of_five_points_is_back(ask, high: int, points: int, verdict) -> None:
    # Two high ones among five do not matter: after k of them it is back at the point k - 1.
    found = way(ask, "returns_at_once", (high, 5.0), (100, 1.0))
    assert found.verdict is verdict
    assert found.values["points"] == points
    slow = way(ask, "returns_slowly", (high, 5.0), (100, 1.0))
    assert (slow.values["points"], slow.values["steps"]) == (points, points)


@pytest.mark.parametrize(
    ("peak", "level", "off"),
    [
        *((5.0, 1.049, NO), (5.0, 1.051, YES)),  # five per cent above the level
        *((1.2, 1.018, NO), (1.2, 1.019, YES)),  # a tenth of a small jump: 1.2^.1 = 1.0184
    ],
)
def test_how_near_to_its_level_a_loss_is_back(ask, peak: float, level: float, off) -> None:
    assert way(ask, "stays_off", (100, level), peak=peak).verdict is off


@pytest.mark.parametrize(
    ("name", "after", "verdict"),
    [
        *(("stays_off", 10, YES), ("stays_off", 9, UNKNOWN)),
        *(("returns_slowly", 10, NO), ("returns_slowly", 9, UNKNOWN)),
        *(("returns_at_once", 5, NO), ("returns_at_once", 4, UNKNOWN)),
    ],
)
def test_how_much_has_to_follow(ask, name: str, after: int, verdict: Verdict) -> None:
    found = way(ask, name, (after, 5.0))
    assert found.verdict is verdict
    if verdict is not UNKNOWN:
        assert found.values["points"] == after


@pytest.mark.parametrize(("level", "off"), [(1.049, NO), (1.06, YES)])
def test_the_later_half_of_a_level_decides(ask, level: float, off: Verdict) -> None:
    # Lucky points first, and later five per cent above the level before.
    found = way(ask, "stays_off", (50, 1.0), (50, level), kind=Kind.LEVEL_SHIFT)
    assert found.verdict is off


def test_what_did_not_rise_has_no_way_back(ask) -> None:
    assert way(ask, "stays_off", (100, 1.0), peak=1.0).verdict is UNKNOWN
    negative = pieces((599, -1.0), (1, 3.0), (100, -0.7))
    # A tenth of a jump of four, where logs cannot be taken.
    assert ask("stays_off", Kind.ISOLATED_SPIKE, 600, loss=negative).verdict is NO
    negative = pieces((599, -1.0), (1, 3.0), (100, -0.5))
    assert ask("stays_off", Kind.ISOLATED_SPIKE, 600, loss=negative).verdict is YES


@pytest.mark.parametrize(
    ("level", "verdict"), [(1.0, YES), (1.01, NO), (0.0, YES), (-0.1, UNKNOWN)]
)
def test_a_tenth_of_the_first_loss_is_its_floor(ask, level: float, verdict: Verdict) -> None:
    loss = pieces((3, 10.0), (2, 90.0), (595, level), (400, level))
    found = alike(ask, ("loss",), "loss_near_floor", Kind.ISOLATED_SPIKE, 600, loss=loss)
    assert found.verdict is verdict
    if verdict is not UNKNOWN:
        assert found.values == {"level": level, "start": 10.0}


@pytest.mark.parametrize(
    ("start", "first", "verdict"), [(21, 10.0, NO), (20, 10.0, UNKNOWN), (100, 0.0, UNKNOWN)]
)
def test_twenty_points_before_and_a_start_above_zero(ask, start, first, verdict) -> None:
    loss = pieces((5, first), (95, 2.0))
    assert ask("loss_near_floor", Kind.ISOLATED_SPIKE, start, loss=loss).verdict is verdict


@pytest.mark.parametrize(
    ("first", "level", "verdict"),
    [(10.0, 10.5, NO), (10.0, 10.6, YES), (-10.0, -9.5, NO), (-10.0, -9.4, YES)],
)
@pytest.mark.parametrize("kind", [Kind.LEVEL_SHIFT, Kind.ISOLATED_SPIKE])
def test_a_twentieth_above_the_start(ask, kind, first, level, verdict) -> None:
    loss = pieces((3, first), (2, 90.0), (594, first - 5), (401, level))
    found = alike(ask, ("loss",), "loss_exceeds_start", kind, 600, 600, 1000, loss=loss)
    assert found.verdict is verdict
    assert found.values == {"level": level, "start": first}


@pytest.mark.parametrize(("start", "verdict"), [(5, UNKNOWN), (6, YES)])
def test_five_points_are_the_start(ask, start: int, verdict: Verdict) -> None:
    loss = pieces((5, 1.0), (95, 2.0))
    found = ask("loss_exceeds_start", Kind.LEVEL_SHIFT, start, start, 100, loss=loss)
    assert found.verdict is verdict


@pytest.mark.parametrize(
    ("before", "peak", "verdict"),
    [
        *((1.0, 1e4, NO), (1.0, 1.1e4, YES), (1e3, 1e6, NO), (1e3, 1.1e6, YES)),
        *((-1.0, 1e6, NO), (-1.0, 1.1e6, YES)),
    ],
)
def test_four_orders_or_a_million_are_huge(ask, before, peak, verdict: Verdict) -> None:
    loss = pieces((599, before), (401, peak))
    found = ask("loss_is_huge", Kind.DIVERGENCE, 600, loss=loss)
    assert found.verdict is verdict
    assert found.values == {"peak": peak, "before": before, "step": 600}


def test_a_few_points_back_do_not_undo_a_level_that_stays(ask) -> None:
    # The scatter before is so wide that the next points seem back, yet the level stays up.
    loss = np.exp(np.concatenate([np.tile([-3.0, 3.0], 25), [9.0], np.full(100, 2.5)]))
    found = ask("outlasts_a_batch", Kind.LEVEL_SHIFT, 51, 51, 151, form=Form.UP, loss=loss)
    assert found.verdict is UNKNOWN
    spike = ask("outlasts_a_batch", Kind.SLOW_RECOVERY, 51, 51, 60, loss=loss)
    assert spike.verdict is NO


def test_how_low_the_loss_was_says_nothing_of_a_gradient_that_broke_alone(ask) -> None:
    grad = np.where(np.arange(1000) % 3 == 2, np.inf, 1.0)
    loss, form = np.geomspace(10.0, 0.1, 1000), Form.TRANSIENT
    parts = {"loss": loss, "grad_norm": grad, "form": form}
    found = ask("loss_near_floor", Kind.NONFINITE, 900, 900, 1000, signal="grad_norm", **parts)
    assert found.verdict is UNKNOWN
    parts["loss"] = np.where(np.arange(1000) == 900, np.nan, loss)
    assert ask("loss_near_floor", Kind.NONFINITE, 901, 901, 1000, **parts).verdict is YES
