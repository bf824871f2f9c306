from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.anomaly import Anomaly
from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind, Severity

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
EPOCH = 80
CONFIG = {"steps_per_epoch": EPOCH}
KIND = Kind.PERIODIC_SPIKES


def comb(falling: np.ndarray, first: int, every: int, factor: float = 5.0) -> np.ndarray:
    loss = falling.copy()
    loss[first - 1 :: every] *= factor
    return loss


def test_same_place(ask, falling) -> None:
    name = "same_place_each_epoch"
    locked = ask(name, KIND, 195, 195, 1000, loss=comb(falling, 195, EPOCH), config=CONFIG)
    assert locked.verdict is YES
    # 195 mod 80 = 35.
    assert locked.values["phase"] == pytest.approx(35, abs=2)
    free = ask(name, KIND, 195, 195, 1000, loss=comb(falling, 195, 67), config=CONFIG)
    assert free.verdict is NO
    unknown = ask(name, KIND, 195, 195, 1000, loss=comb(falling, 195, EPOCH))
    assert (unknown.verdict, unknown.missing_config) == (UNKNOWN, ("steps_per_epoch",))


def test_spikes_that_are_several_anomalies(ask, falling) -> None:
    others = [
        Anomaly(Kind.ISOLATED_SPIKE, Severity.INFO, 0.9, "loss", s, s, s) for s in (355, 515, 755)
    ]
    parts = {"loss": falling, "config": CONFIG, "others": others}
    # 195, 355, 515 and 755 are 35 steps into their epochs.
    assert ask("same_place_each_epoch", Kind.ISOLATED_SPIKE, 195, **parts).verdict is YES
    assert ask("same_place_each_epoch", Kind.ISOLATED_SPIKE, 239, **parts).verdict is YES
    others[1:] = []
    assert ask("same_place_each_epoch", Kind.ISOLATED_SPIKE, 195, **parts).verdict is UNKNOWN


@pytest.mark.parametrize(
    ("start", "verdict"), [(320, YES), (321, YES), (360, NO), (1, UNKNOWN), (40, UNKNOWN)]
)
def test_boundary(ask, falling, start, verdict) -> None:
    found = ask("near_epoch_boundary", Kind.LEVEL_SHIFT, start, loss=falling, config=CONFIG)
    assert found.verdict is verdict


@pytest.mark.parametrize(("start", "verdict"), [(320, UNKNOWN), (360, NO)])
def test_one_spike_at_a_boundary_is_chance(ask, falling, start, verdict) -> None:
    found = ask("near_epoch_boundary", Kind.ISOLATED_SPIKE, start, loss=falling, config=CONFIG)
    assert found.verdict is verdict


def test_three_spikes_at_boundaries_are_not(ask, falling) -> None:
    others = [Anomaly(Kind.ISOLATED_SPIKE, Severity.INFO, 0.9, "loss", s, s, s) for s in (160, 560)]
    parts = {"loss": falling, "config": CONFIG, "others": others}
    assert ask("near_epoch_boundary", Kind.ISOLATED_SPIKE, 320, **parts).verdict is YES


def test_an_epoch_of_few_points_has_no_boundary_to_miss(ask, falling) -> None:
    short = {"steps_per_epoch": 6}
    found = ask("near_epoch_boundary", Kind.LEVEL_SHIFT, 600, loss=falling, config=short)
    assert found.verdict is UNKNOWN


@pytest.mark.parametrize(
    ("period", "verdict"), [(80.0, YES), (160.0, YES), (81.0, YES), (110.0, NO)]
)
def test_period_of_the_epoch(ask, falling, period, verdict) -> None:
    parts = {"measures": {"period": period}, "loss": falling, "config": CONFIG}
    assert ask("period_is_epoch", KIND, 195, 195, 1000, **parts).verdict is verdict


def test_period_of_the_evaluation(ask, falling) -> None:
    evals = (np.arange(110, 1000, 110), np.ones(9))
    parts = {"loss": falling, "val_loss": evals}
    assert (
        ask("period_is_eval", KIND, 9, 9, 1000, measures={"period": 110.0}, **parts).verdict is YES
    )
    assert ask("period_is_eval", KIND, 9, 9, 1000, measures={"period": 80.0}, **parts).verdict is NO
    assert ask("period_is_eval", KIND, 9, 9, 1000, measures={}, **parts).verdict is UNKNOWN


def test_the_gaps_of_events_are_a_period(ask, falling) -> None:
    parts = {"loss": comb(falling, 195, EPOCH), "config": CONFIG}
    found = ask("period_is_epoch", KIND, 195, 195, 1000, **parts)
    assert (found.verdict, found.values["period"]) == (YES, 80.0)


def test_peaks_shrink(ask, falling) -> None:
    shrinking = falling.copy()
    shrinking[194::EPOCH] += 4 * 0.75 ** np.arange(shrinking[194::EPOCH].size)
    parts = {"config": CONFIG, "form": Form.EPOCH}
    assert ask("peaks_shrink", KIND, 195, 195, 1000, loss=shrinking, **parts).verdict is YES
    even = falling.copy()
    even[194::EPOCH] += 4.0
    assert ask("peaks_shrink", KIND, 195, 195, 1000, loss=even, **parts).verdict is NO
    assert ask("peaks_shrink", Kind.ISOLATED_SPIKE, 195, loss=even).verdict is UNKNOWN


@pytest.mark.parametrize(("value", "verdict"), [(False, YES), (0, YES), (True, NO), ("x", UNKNOWN)])
def test_shuffle(ask, falling, value, verdict) -> None:
    assert (
        ask("shuffle_is_off", KIND, 9, loss=falling, config={"shuffle": value}).verdict is verdict
    )
