from __future__ import annotations

import numpy as np
import pytest
from levels import alike, pieces

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind
from spikedoc.model.metric import Metric

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
SPIKE = Kind.ISOLATED_SPIKE


def lifted(values: np.ndarray, at: int, factor: float) -> np.ndarray:
    out = values.copy()
    out[at - 1] *= factor
    return out


@pytest.mark.parametrize(
    ("factors", "verdicts"),
    [
        ((20.0, 30.0), [YES, YES, NO]),
        ((20.0, 4.0), [YES, NO, YES]),
        ((20.0, 1.0), [NO, NO, YES]),
    ],
)
def test_jumps(ask, falling, steady, factors, verdicts) -> None:
    loss_factor, grad_factor = factors
    parts = {
        "loss": lifted(falling, 600, loss_factor),
        "grad_norm": lifted(steady, 600, grad_factor),
    }
    names = ("grad_jumps_with_loss", "grad_jumps_far", "grad_barely_moves")
    assert [ask(n, SPIKE, 600, **parts).verdict for n in names] == verdicts


def test_the_statement_carries_the_numbers(ask, falling, steady) -> None:
    grad = np.ones(1000)
    grad[599] = 12.0
    found = ask("grad_jumps_with_loss", SPIKE, 600, loss=falling, grad_norm=grad)
    assert found.statement.en == "grad_norm rose 12x with the loss at step 600 (1 → 12)"
    assert "600" in found.statement.zh
    assert "12" in found.statement.zh


def test_unknown_without_the_series_names_it(ask, falling) -> None:
    found = ask("grad_jumps_with_loss", SPIKE, 600, loss=falling)
    assert found.verdict is UNKNOWN
    assert found.missing == (Metric.GRAD_NORM,)


def test_unknown_when_logged_too_rarely_or_too_early(ask, falling, steady) -> None:
    rare = (np.arange(1, 1001, 50), steady[::50])
    assert ask("grad_jumps_with_loss", SPIKE, 620, loss=falling, grad_norm=rare).verdict is UNKNOWN
    assert ask("grad_jumps_with_loss", SPIKE, 3, loss=falling, grad_norm=steady).verdict is UNKNOWN
    kind = Kind.NON_CONVERGENCE
    assert ask("grad_jumps_with_loss", kind, 600, loss=falling, grad_norm=steady).verdict is UNKNOWN


def test_a_negative_loss_has_no_ratio(ask, falling, steady) -> None:
    found = ask("grad_barely_moves", SPIKE, 600, loss=falling - 5, grad_norm=steady)
    assert found.verdict is UNKNOWN


def test_recurring_events_are_judged_by_the_typical_one(ask, falling, steady) -> None:
    loss, grad = falling.copy(), steady.copy()
    for step in range(300, 1000, 50):
        loss[step - 1] *= 8
        grad[step - 1] *= 6
    parts = {"loss": loss, "grad_norm": grad, "form": Form.FIXED_PERIOD}
    kind = Kind.PERIODIC_SPIKES
    found = ask("grad_jumps_with_loss", kind, 300, 300, 1000, **parts)
    assert found.verdict is YES
    assert 4 < found.values["factor"] < 8


def test_after_nan_only_what_came_before_counts(ask, falling, steady) -> None:
    loss, grad = falling.copy(), steady.copy()
    loss[599:] = np.nan
    grad[599:] = np.nan
    parts = {"loss": loss, "grad_norm": grad, "form": Form.PERSISTENT}
    kind = Kind.NONFINITE
    assert ask("grad_jumps_with_loss", kind, 600, 600, 1000, **parts).verdict is NO


@pytest.mark.parametrize(
    "ramp",
    [
        np.array([2.0, 4.0, 8.0, 16.0]),  # four steps that double
        1.3 ** np.arange(1, 13),  # twelve steady rises
    ],
)
def test_ramps(ask, falling, steady, ramp) -> None:
    grad = steady.copy()
    grad[600 - ramp.size : 600] = ramp
    parts = {"loss": falling, "grad_norm": grad}
    found = ask("grad_ramps_before", Kind.DIVERGENCE, 600, 650, 1000, **parts)
    assert found.verdict is YES
    assert ask("grad_calm_before", Kind.DIVERGENCE, 600, 650, 1000, **parts).verdict is NO


def test_long_ramp(ask, falling, steady) -> None:
    grad = steady.copy()
    grad[400:600] *= np.exp(np.linspace(0, np.log(4), 200))
    found = ask("grad_ramps_before", Kind.NONFINITE, 601, loss=falling, grad_norm=grad)
    assert found.verdict is YES


def test_no_ramp_before_a_bad_batch(ask, falling, steady) -> None:
    parts = {"loss": lifted(falling, 600, 20), "grad_norm": lifted(steady, 600, 30)}
    assert ask("grad_ramps_before", SPIKE, 600, **parts).verdict is NO
    assert ask("grad_calm_before", SPIKE, 600, **parts).verdict is YES
    assert ask("grad_ramps_before", SPIKE, 5, **parts).verdict is UNKNOWN


def test_batch_noise_of_60_percent_is_no_ramp(ask, falling) -> None:
    grads = np.random.default_rng(11)
    parts = [np.exp(grads.normal(0, 0.6, 1000)) for _ in range(60)]
    found = [ask("grad_ramps_before", SPIKE, 700, loss=falling, grad_norm=g).verdict for g in parts]
    assert found.count(YES) <= 2


def test_tiny_before(ask, falling, steady) -> None:
    tiny = steady * np.where(np.arange(1000) < 300, 1.0, 1e-4)
    assert ask("grad_tiny_before", SPIKE, 800, loss=falling, grad_norm=tiny).verdict is YES
    assert ask("grad_tiny_before", SPIKE, 800, loss=falling, grad_norm=steady).verdict is NO
    # With a loss near zero a hundredth of the first gradients is tiny, too.
    small = steady * np.where(np.arange(1000) < 50, 1.0, 0.02)
    loss = 2.3 * np.exp(-np.arange(1000) / 80)
    assert ask("grad_tiny_before", SPIKE, 800, loss=loss, grad_norm=small).verdict is YES
    assert ask("grad_tiny_before", SPIKE, 800, loss=falling, grad_norm=small).verdict is NO
    assert ask("grad_tiny_before", SPIKE, 10, loss=falling, grad_norm=tiny).verdict is UNKNOWN


def steps_up(loss: float, grad: float) -> dict[str, np.ndarray]:
    """Return a run at a level of 1 whose loss and norm go to these values at step 600."""
    return {
        "loss": pieces((599, 1.0), (401, loss)), "grad_norm": pieces((599, 1.0), (401, grad))
    }  # fmt: skip


@pytest.mark.parametrize(
    ("grad", "jumps", "far"), [(2.99, NO, NO), (3.0, YES, NO), (9.99, YES, NO), (10.0, YES, YES)]
)
def test_three_and_ten_times_the_norm(ask, grad: float, jumps: Verdict, far: Verdict) -> None:
    parts = steps_up(20.0, grad)
    found = alike(ask, ("grad_norm",), "grad_jumps_with_loss", SPIKE, 600, **parts)
    assert found.verdict is jumps
    assert found.values == {"factor": grad, "step": 600, "before": 1.0, "after": grad}
    assert ask("grad_jumps_far", SPIKE, 600, **parts).verdict is far


@pytest.mark.parametrize(
    ("loss", "grad", "verdict"),
    [
        *((50.0, 4.99, YES), (50.0, 5.0, NO)),
        *((3.0, 2.0, YES), (2.99, 2.0, NO)),  # half as far again as the norm
        *((1.5, 0.5, YES), (1.49, 0.5, NO)),  # … which counts as 1 where it fell
    ],
)
def test_a_norm_that_barely_moves(ask, loss: float, grad: float, verdict: Verdict) -> None:
    parts = steps_up(loss, grad)
    found = alike(ask, ("loss", "grad_norm"), "grad_barely_moves", SPIKE, 600, **parts)
    assert found.verdict is verdict
    assert found.values == {"grad": grad, "loss": loss, "step": 600}


def tiny(ask, early: float, level: float, loss=None, *, first: float | None = None, at: int = 600):
    norm = pieces((5, early if first is None else first), (95, early), (900, level))
    loss = np.ones(1000) if loss is None else loss
    parts = {"loss": loss, "grad_norm": norm}
    return alike(ask, ("loss", "grad_norm"), "grad_tiny_before", SPIKE, at, **parts)


@pytest.mark.parametrize(("level", "verdict"), [(1e-3, YES), (1.01e-3, NO)])
def test_a_thousandth_of_the_first_tenth(ask, level: float, verdict: Verdict) -> None:
    found = tiny(ask, 1.0, level, first=9.0)
    assert (found.verdict, found.values) == (verdict, {"level": level, "start": 1.0})


@pytest.mark.parametrize(
    ("level", "now", "verdict"),
    [(0.05, 1e-3, YES), (0.051, 1e-3, NO), (0.05, 1.1e-3, NO), (0.05, 0.0, YES), (0.05, -1e-6, NO)],
)
def test_a_twentieth_once_the_loss_is_down_to_a_thousandth(ask, level, now, verdict) -> None:
    found = tiny(ask, 7.0, level, pieces((5, 1.0), (995, now)), first=1.0)
    assert found.verdict is verdict
    converged = 0 <= now <= 1e-3
    assert found.values == {"level": level, "start": 1.0 if converged else 7.0}


@pytest.mark.parametrize(("at", "verdict"), [(101, UNKNOWN), (102, NO)])
def test_the_first_tenth_cannot_be_compared_with_itself(ask, at: int, verdict: Verdict) -> None:
    assert tiny(ask, 1.0, 1.0, at=at).verdict is verdict
    assert tiny(ask, 0.0, 0.0).verdict is UNKNOWN


@pytest.mark.parametrize(
    ("last", "high", "ratio", "verdict"),
    [
        # Of the five points before the last one the middle one counts.
        *((5, 1.5, 1.5, YES), (3, 1.5, 1.5, YES), (2, 1.5, 1.0, YES)),
    ],
)
def test_the_last_five_norms_against_a_hundred(ask, last: int, high, ratio, verdict) -> None:
    norm = pieces((598 - last, 1.0), (last, high), (1, 1.0), (401, 1.0))
    found = ask("grad_calm_before", SPIKE, 600, loss=np.ones(1000), grad_norm=norm)
    assert (found.verdict, found.values) == (verdict, {"ratio": ratio, "step": 599})


@pytest.mark.parametrize(
    ("level", "peak", "verdict"),
    [
        (0.0009, 0.9, UNKNOWN),  # as large as it was for an untrained model, no larger
        (0.0009, 1.1, YES),
        (0.0011, 0.9, YES),  # a gradient that had not vanished
        (0.0009, 0.008, NO),
    ],
)
def test_any_multiple_of_next_to_nothing_is_large(ask, falling, level, peak, verdict) -> None:
    grad = np.full(1000, level)
    grad[:50] = 1.0
    grad[599] = peak
    found = ask("grad_jumps_far", SPIKE, 600, loss=lifted(falling, 600, 20.0), grad_norm=grad)
    assert found.verdict is verdict


def test_a_ramp_of_hundreds_of_points_is_not_called_calm(ask) -> None:
    norm = np.full(1000, 0.6) * np.exp(np.random.default_rng(3).normal(0, 0.1, 1000))
    norm[199:] *= np.minimum(np.geomspace(1.0, 16.0, 801), 16.0)
    parts = {"loss": np.ones(1000), "grad_norm": norm}
    found = ask("grad_calm_before", Kind.DIVERGENCE, 999, 1000, 1000, **parts)
    assert found.verdict is not YES


def test_a_level_several_times_that_of_the_run_is_neither_calm_nor_a_ramp(ask, steady) -> None:
    for lift, verdict in ((1.0, YES), (1.7, YES), (2.5, UNKNOWN)):
        norm = steady.copy()
        norm[450:] *= lift
        found = ask("grad_calm_before", SPIKE, 600, loss=np.ones(1000), grad_norm=norm)
        assert found.verdict is verdict, lift


def test_of_a_step_that_training_does_not_show_the_gradient_says_nothing(ask, steady) -> None:
    at = np.arange(50, 1001, 50)
    parts = {"loss": steady, "grad_norm": steady, "val_loss": (at, np.where(at > 500, 3.0, 1.0))}
    told = {
        signal: ask("grad_calm_before", Kind.LEVEL_SHIFT, 550, 550, 1000, signal=signal, **parts)
        for signal in ("loss", "val_loss")
    }
    assert told["loss"].verdict is YES
    assert told["val_loss"].verdict is UNKNOWN


def test_a_norm_that_climbs_into_the_event_is_judged_before_its_climb(ask) -> None:
    at = np.arange(1000)
    fallen = np.exp(-np.clip(at - 100, 0, 300) / 40.0)
    grad = fallen * np.exp(0.35 * np.clip(at - 690, 0, 14))
    found = ask("grad_tiny_before", SPIKE, 701, 704, 720, loss=np.ones(1000), grad_norm=grad)
    assert found.verdict is YES
    assert 680 <= float(found.values["onset"]) <= 692
    assert float(found.values["level"]) == pytest.approx(np.exp(-7.5), rel=0.05)


@pytest.mark.parametrize(("points", "verdict"), [(10, YES), (200, NO)])
def test_hundreds_of_records_up_are_no_jump(ask, points: int, verdict: Verdict) -> None:
    """The loss breaks at the end of a climb: what one batch does takes tens of records at most."""
    grad = np.ones(1000)
    grad[600 : 600 + points] = 40.0 ** (np.arange(1, points + 1) / points)
    grad[600 + points :] = 40.0
    loss = np.where(np.arange(1000) < 600, 1.0, 30.0)
    found = ask("grad_jumps_far", SPIKE, 601, 601 + points, 1000, loss=loss, grad_norm=grad)
    assert found.verdict is verdict
    if verdict is NO:
        # Twice the level is passed after ln 2 / ln 40 of the way, 37.6 of 200 records.
        assert found.values["first"] == pytest.approx(637, abs=1)
        assert found.values["factor"] == pytest.approx(40.0, rel=0.01)
