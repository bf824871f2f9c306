from __future__ import annotations

import numpy as np
import pytest
from levels import alike, pieces

from spikedoc.model.anomaly import Anomaly, Detection, Shape
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


def test_evaluations_at_steps_beyond_all_digits_have_no_period(ask, falling) -> None:
    evals = (2**63 - 10 + np.arange(9), np.ones(9))
    parts = {"loss": falling, "val_loss": evals, "measures": {"period": 80.0}}
    assert ask("period_is_eval", KIND, 9, 9, 1000, **parts).verdict is NO


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


LINE = np.ones(1000)


def spikes(*steps: int) -> list[Anomaly]:
    return [Anomaly(Kind.ISOLATED_SPIKE, Severity.INFO, 0.9, "loss", s, s, s) for s in steps]


def spread(ask, name: str, first: int, *others: int, epoch: int = 100, stride: int = 1):
    """Ask about spikes at these steps of a quiet loss."""
    parts = {"loss": LINE, "stride": stride, "config": {"steps_per_epoch": epoch}}
    return ask(name, Kind.ISOLATED_SPIKE, first, others=spikes(*others), **parts)


def test_three_events_over_two_epochs(ask) -> None:
    name = "same_place_each_epoch"
    found = spread(ask, name, 150, 250, 350)
    assert found.verdict is YES
    assert found.values == {"percent": 100.0, "count": 3, "phase": 50}
    assert spread(ask, name, 150, 250, 349).verdict is UNKNOWN
    assert spread(ask, name, 150, 350).verdict is UNKNOWN


@pytest.mark.parametrize(("seventh", "percent", "verdict"), [(754, 70.0, YES), (755, 60.0, NO)])
def test_seven_events_in_ten(ask, seventh: int, percent: float, verdict: Verdict) -> None:
    # Two steps (a fiftieth of the epoch) to either side of one phase: 50 to 54.
    at = (150, 250, 350, 450, 550, 650, seventh, 110, 130, 880)
    found = spread(ask, "same_place_each_epoch", *at)
    assert found.verdict is verdict
    assert (found.values["percent"], found.values["count"]) == (percent, 10)


@pytest.mark.parametrize(
    ("epoch", "stride", "verdict"),
    [(16, 1, YES), (15, 1, UNKNOWN), (160, 10, YES), (150, 10, UNKNOWN), (1, 1, UNKNOWN)],
)
def test_a_place_covers_an_eighth_of_the_epoch_at_most(ask, epoch, stride, verdict) -> None:
    # A point to either side are two, an eighth of sixteen.
    at = (epoch * 10, epoch * 20, epoch * 30)
    found = spread(ask, "same_place_each_epoch", *at, epoch=epoch, stride=stride)
    assert found.verdict is verdict


@pytest.mark.parametrize(
    ("start", "distance", "verdict"),
    [
        *((97, 0, UNKNOWN), (98, 2, YES), (102, 2, YES), (103, 3, NO)),
        *((297, 3, NO), (298, 2, YES), (340, 40, NO), (360, 40, NO)),
    ],
)
def test_two_steps_around_the_boundary(ask, start: int, distance: int, verdict: Verdict) -> None:
    config = {"steps_per_epoch": 100}
    found = ask("near_epoch_boundary", Kind.LEVEL_SHIFT, start, loss=LINE, config=config)
    assert found.verdict is verdict
    if verdict is not UNKNOWN:
        assert found.values == {"step": start, "distance": distance}


@pytest.mark.parametrize(
    ("kind", "epoch", "verdict"),
    [
        *((Kind.LEVEL_SHIFT, 40, YES), (Kind.LEVEL_SHIFT, 39, UNKNOWN)),
        *((Kind.LR_DISCONTINUITY, 40, YES), (Kind.DIVERGENCE, 40, UNKNOWN)),
        (Kind.LEVEL_SHIFT, 1, UNKNOWN),
    ],
)
def test_once_is_enough_where_the_boundary_is_narrow(ask, kind, epoch, verdict) -> None:
    # Two points are a twentieth of forty.
    config = {"steps_per_epoch": epoch}
    found = ask("near_epoch_boundary", kind, 10 * epoch, loss=LINE, config=config)
    assert found.verdict is verdict


@pytest.mark.parametrize(
    ("steps", "verdict"),
    [
        *(((199, 299, 399), YES), ((198, 298, 398), YES), ((197, 297, 397), NO)),
        *(((199, 299), UNKNOWN), ((150, 250), NO), ((110, 150, 190), NO)),
    ],
)
def test_three_events_at_the_boundary(ask, steps: tuple[int, ...], verdict: Verdict) -> None:
    assert spread(ask, "near_epoch_boundary", *steps).verdict is verdict


@pytest.mark.parametrize(
    ("period", "verdict"),
    [
        *((97.1, YES), (96.9, NO), (102.9, YES), (103.1, NO)),
        *((205.9, YES), (206.1, NO), (400.0, YES), (500.0, NO), (50.0, NO), (51.0, NO)),
    ],
)
def test_a_period_of_up_to_four_epochs(ask, period: float, verdict: Verdict) -> None:
    parts = {"loss": LINE, "config": {"steps_per_epoch": 100}, "measures": {"period": period}}
    found = ask("period_is_epoch", KIND, 9, 9, 1000, **parts)
    assert found.verdict is verdict
    assert found.values == {"period": pytest.approx(period, rel=5e-3), "epoch": 100.0}


@pytest.mark.parametrize(("epoch", "verdict"), [(1, UNKNOWN), (2, YES)])
def test_an_epoch_of_one_step_has_no_period(ask, epoch: int, verdict: Verdict) -> None:
    parts = {"loss": LINE, "config": {"steps_per_epoch": epoch}, "measures": {"period": 4.0}}
    assert ask("period_is_epoch", KIND, 9, 9, 1000, **parts).verdict is verdict


def heights(ask, *by: float):
    """Ask about peaks that stand by so much above a level of 1."""
    loss, at = LINE.copy(), 99 + 50 * np.arange(len(by))
    loss[at] += by
    seen = [
        Detection("any", Shape.POINT, "loss", int(step), int(step), int(step)) for step in at + 1
    ]
    parts = {"loss": loss, "detections": seen}
    return alike(ask, ("loss",), "peaks_shrink", KIND, 100, 100, 1000, **parts)


@pytest.mark.parametrize(
    ("by", "early", "late", "verdict"),
    [
        ((8.0, 4.0, 2.0, 1.0), 8.0, 1.0, YES),
        ((10.0, 9.5, 9.0, 7.9), 10.0, 7.9, YES),
        ((10.0, 9.5, 9.0, 8.0), 10.0, 8.0, NO),  # four fifths of the first
        ((5.0, 4.0, 1.0, 2.0, 3.0), 5.0, 3.0, YES),  # of ten pairs three rise: tau is -.4
        ((4.0, 5.0, 1.0, 2.0, 3.0), 4.0, 3.0, NO),
        ((9.0, 8.0, 7.0, 6.0, 5.0, 4.0), 8.5, 4.5, YES),  # two of six make a third
    ],
)
def test_how_far_peaks_shrink(ask, by, early: float, late: float, verdict: Verdict) -> None:
    found = heights(ask, *by)
    assert found.verdict is verdict
    assert found.values == {"early": pytest.approx(early), "late": pytest.approx(late)}


def test_three_peaks_are_too_few_to_shrink(ask) -> None:
    assert heights(ask, 8.0, 4.0, 2.0).verdict is UNKNOWN
    assert heights(ask, 8.0, 4.0, 2.0, np.inf).verdict is UNKNOWN


def test_the_level_of_a_peak_are_the_twenty_points_before_it(ask) -> None:
    loss = pieces((79, 3.0), (920, 1.0), (1, 1.0))
    loss[99::50] += 2.0
    seen = [Detection("any", Shape.POINT, "loss", s, s, s) for s in range(100, 1001, 50)]
    found = ask("peaks_shrink", KIND, 100, 100, 1000, loss=loss, detections=seen)
    assert found.values == {"early": 2.0, "late": 2.0}


@pytest.mark.parametrize(("value", "said"), [(False, "false"), (True, "true"), (0, 0), (1, 1)])
def test_what_is_said_of_shuffling(ask, value: object, said: object) -> None:
    found = ask("shuffle_is_off", KIND, 9, loss=LINE, config={"shuffle": value})
    assert (found.values, found.verdict) == ({"value": said}, NO if value else YES)
