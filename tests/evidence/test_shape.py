from __future__ import annotations

import numpy as np
import pytest

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
