from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.anomaly import Anomaly, Detection, Shape
from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.metric import Metric

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
EVALS = (np.arange(110, 1000, 110), np.ones(9))
KIND = Kind.PERIODIC_SPIKES


def after_evals(falling: np.ndarray, lag: int, factor: float, width: int = 3) -> np.ndarray:
    loss = falling.copy()
    for step in EVALS[0]:
        loss[step + lag - 1 : step + lag - 1 + width] *= factor
    return loss


def test_follows(ask, falling) -> None:
    name = "follows_evaluation"
    parts = {"val_loss": EVALS, "form": Form.AFTER_EVALUATION}
    soon = ask(name, KIND, 111, 111, 1000, loss=after_evals(falling, 1, 4.0, 1), **parts)
    assert soon.verdict is YES
    late = ask(name, KIND, 111, 111, 1000, loss=after_evals(falling, 50, 4.0, 1), **parts)
    assert late.verdict is NO
    assert ask(name, KIND, 111, 111, 1000, loss=falling).verdict is UNKNOWN


def test_a_single_event_is_no_evidence(ask, falling) -> None:
    name, kind = "follows_evaluation", Kind.ISOLATED_SPIKE
    alone = {"loss": falling, "val_loss": EVALS}
    assert ask(name, kind, 332, **alone).verdict is UNKNOWN
    assert ask(name, kind, 400, **alone).verdict is UNKNOWN
    # Evaluations at 110, 220, 330 ...: three events just after one, then three elsewhere.
    assert ask(name, kind, 332, others=spikes(111, 662), **alone).verdict is YES
    assert ask(name, kind, 400, others=spikes(150, 600), **alone).verdict is NO
    assert ask(name, kind, 332, others=spikes(111), **alone).verdict is UNKNOWN


def spikes(*steps: int) -> list[Anomaly]:
    return [
        Anomaly(Kind.ISOLATED_SPIKE, Severity.WARNING, 0.9, "loss", s, s, s, None, {})
        for s in steps
    ]


def test_at_the_very_step_is_not_after(ask, falling) -> None:
    at = {"loss": after_evals(falling, 0, 4.0, 1), "val_loss": EVALS}
    assert ask("follows_evaluation", KIND, 110, 110, 1000, **at).verdict is UNKNOWN
    assert ask("at_evaluations", KIND, 110, 110, 1000, **at).verdict is YES
    after = {"loss": after_evals(falling, 1, 4.0, 1), "val_loss": EVALS}
    assert ask("at_evaluations", KIND, 111, 111, 1000, **after).verdict is NO
    assert ask("at_evaluations", Kind.ISOLATED_SPIKE, 110, **at).verdict is UNKNOWN
    assert ask("at_evaluations", KIND, 110, 110, 1000, loss=falling).verdict is UNKNOWN


def test_lower_after(ask, falling) -> None:
    name = "lower_after_evaluation"
    low = after_evals(falling, 1, 0.7)
    assert ask(name, KIND, 111, 111, 1000, loss=low, val_loss=EVALS).verdict is YES
    high = after_evals(falling, 1, 1.5)
    # Higher for three points and back at one: statistics that do not fit do that, too.
    assert ask(name, KIND, 111, 111, 1000, loss=high, val_loss=EVALS).verdict is UNKNOWN
    assert ask(name, KIND, 111, 111, 1000, loss=falling, val_loss=EVALS).verdict is NO
    assert ask(name, KIND, 111, 111, 1000, loss=low).verdict is UNKNOWN


def test_evaluations_at_epoch_ends_cannot_be_told_apart(ask, falling) -> None:
    low = falling * (1.0 - 0.3 * (np.arange(falling.size) % 110) / 110)  # falls all through
    at_ends = {"loss": low, "val_loss": EVALS, "config": {"steps_per_epoch": 110}}
    between = {"loss": low, "val_loss": EVALS, "config": {"steps_per_epoch": 71}}
    assert ask("lower_after_evaluation", KIND, 111, 111, 1000, **at_ends).verdict is UNKNOWN
    assert ask("lower_after_evaluation", KIND, 111, 111, 1000, **between).verdict is not UNKNOWN
    assert ask("eval_apart_from_epoch", KIND, 111, **at_ends).verdict is NO
    assert ask("eval_apart_from_epoch", KIND, 111, **between).verdict is YES
    assert ask("eval_apart_from_epoch", KIND, 111, loss=low).verdict is UNKNOWN


def test_what_stands_off_both_sides_is_told_at_epoch_ends_too(ask, falling) -> None:
    parts = {"val_loss": EVALS, "config": {"steps_per_epoch": 110}}
    low = after_evals(falling, 1, 0.7)
    assert ask("lower_after_evaluation", KIND, 111, 111, 1000, loss=low, **parts).verdict is YES
    high = after_evals(falling, 1, 1.4)
    assert (
        ask("lower_after_evaluation", KIND, 111, 111, 1000, loss=high, **parts).verdict is UNKNOWN
    )


LINE = np.ones(1000)


def evaluated(every: int, count: int = 1000, first: int | None = None):
    first = every if first is None else first
    steps = np.arange(first, 1001, every)[:count]
    return steps, np.ones(steps.size)


def follows(ask, *steps: int, every: int = 100, **parts):
    parts = {"loss": LINE, "val_loss": evaluated(every)} | parts
    name, kind = "follows_evaluation", Kind.ISOLATED_SPIKE
    return ask(name, kind, steps[0], others=spikes(*steps[1:]), **parts)


@pytest.mark.parametrize(
    ("every", "lag", "window", "verdict"),
    [
        *((100, 10, 10, YES), (100, 11, 10, NO)),  # a tenth of the way to the next one
        *((10, 3, 3, YES), (10, 4, 3, NO)),  # three points at least
        *((9, 3, 3, YES), (8, 3, 3, UNKNOWN)),  # three points are a third of nine, not of eight
    ],
)
def test_how_soon_after_an_evaluation(ask, every, lag: int, window: int, verdict) -> None:
    found = follows(ask, *(every * k + lag for k in (2, 4, 6)), every=every)
    assert found.verdict is verdict
    if verdict is not UNKNOWN:
        percent = 100.0 if verdict is YES else 0.0
        assert found.values == {"percent": percent, "count": 3, "window": window, "lag": lag}


@pytest.mark.parametrize(("soon", "verdict"), [(7, YES), (6, NO)])
def test_seven_events_in_ten_follow(ask, soon: int, verdict: Verdict) -> None:
    steps = [100 * k + (5 if k <= soon else 50) for k in range(1, 10)] + [90]
    found = follows(ask, *steps)
    assert found.values["percent"] == 10.0 * soon
    assert found.verdict is verdict


@pytest.mark.parametrize(("at", "verdict"), [(7, UNKNOWN), (6, YES)])
def test_seven_events_in_ten_at_the_very_step(ask, at: int, verdict: Verdict) -> None:
    parts = {"val_loss": evaluated(90)}
    steps = [90 * k + (0 if k <= at else 4) for k in range(1, 11)]
    assert follows(ask, *steps, every=90, **parts).verdict is verdict


def test_events_before_the_first_evaluation_follow_none(ask) -> None:
    late = {"val_loss": evaluated(100, first=500)}
    assert follows(ask, 101, 201, 501, **late).verdict is UNKNOWN
    found = follows(ask, 101, 501, 601, **late)
    assert (found.verdict, found.values["percent"]) == (NO, 66.7)


def test_two_evaluations_are_no_rhythm(ask) -> None:
    assert follows(ask, 105, 205, 305, val_loss=evaluated(100, 2)).verdict is UNKNOWN
    assert follows(ask, 105, 205, 305, val_loss=evaluated(100, 3)).verdict is YES


def at(ask, *steps: int, every: int = 100, stride: int = 1):
    seen = [Detection("any", Shape.POINT, "loss", s, s, s) for s in steps]
    parts = {"val_loss": evaluated(every), "loss": LINE, "stride": stride}
    return ask("at_evaluations", KIND, steps[0], steps[0], 1000, detections=seen, **parts)


@pytest.mark.parametrize(("hits", "verdict"), [(7, YES), (6, NO)])
def test_seven_events_in_ten_at_evaluations(ask, hits: int, verdict: Verdict) -> None:
    found = at(ask, *(100 * k + (0 if k <= hits else 1) for k in range(1, 10)), 999)
    assert (found.verdict, found.values) == (verdict, {"percent": 10.0 * hits, "count": 10})


@pytest.mark.parametrize(
    ("every", "stride", "verdict"), [(10, 1, YES), (9, 1, UNKNOWN), (10, 2, UNKNOWN)]
)
def test_every_ten_steps_and_a_loss_of_every_step(ask, every, stride, verdict) -> None:
    assert at(ask, every, 2 * every, 3 * every, every=every, stride=stride).verdict is verdict


@pytest.mark.parametrize(
    ("first", "last", "count"), [(101, 997, 19), (100, 997, 18), (101, 998, 18), (100, 998, 17)]
)
def test_whole_evaluations_after_the_first_tenth_are_compared(ask, first, last, count) -> None:
    # Of 1000 points the first tenth ends before step 101; three points follow step 997.
    rng = np.random.default_rng(4)
    loss = np.exp(rng.normal(0, 0.1, 1000))
    steps = np.array([50, first, *range(150, 949, 47), last])
    assert steps.size == 20
    found = ask("lower_after_evaluation", KIND, 9, loss=loss, val_loss=(steps, np.ones(20)))
    assert found.values["count"] == count


@pytest.mark.parametrize(("evaluations", "verdict"), [(3, UNKNOWN), (4, YES)])
def test_four_dips_are_needed(ask, evaluations: int, verdict: Verdict) -> None:
    loss = np.exp(np.random.default_rng(4).normal(0, 0.1, 1000))
    steps = 200 + 150 * np.arange(evaluations)
    for step in steps:
        loss[step : step + 3] *= 0.3
    found = ask("lower_after_evaluation", KIND, 9, loss=loss, val_loss=(steps, np.ones(steps.size)))
    assert found.verdict is verdict


def apart(ask, *phases: int, epoch: int = 100, stride: int = 1):
    steps = np.array([2 * k * max(epoch, 3) + phase for k, phase in enumerate(phases, 1)])
    loss = (np.array([1, 1 + stride, 1 + 2 * stride, 9999]), np.ones(4))
    parts = {"loss": loss, "val_loss": (steps, np.ones(steps.size))}
    config = {"steps_per_epoch": epoch}
    return ask("eval_apart_from_epoch", KIND, 1, config=config, **parts)


@pytest.mark.parametrize(
    ("phases", "percent", "verdict"),
    [
        # Two steps, a fiftieth of the epoch, to either side.
        *(
            ((0, 1, 2, 98, 99, 2, 98, 50, 3, 97), 70.0, NO),
            ((0, 1, 2, 98, 99, 2, 3, 97, 50, 60), 60.0, YES),
        ),
        ((0, 0, 0, 50), 75.0, NO),
    ],
)
def test_seven_evaluations_in_ten_at_a_boundary(ask, phases, percent, verdict) -> None:
    found = apart(ask, *phases)
    assert (found.verdict, found.values) == (verdict, {"percent": percent, "count": len(phases)})


def test_where_evaluations_cannot_be_told_from_epochs(ask) -> None:
    assert apart(ask, 50, 50, 50).verdict is UNKNOWN
    assert apart(ask, 0, 0, 0, 0, epoch=1).verdict is UNKNOWN
    # Of a loss of every fourth step a boundary is four steps wide.
    assert apart(ask, 4, 96, 4, 96, stride=4).verdict is NO
    assert apart(ask, 5, 95, 5, 95, stride=4).verdict is YES


def test_evaluations_that_were_not_logged_are_asked_for(ask) -> None:
    seen = [Detection("any", Shape.POINT, "loss", s, s, s) for s in (105, 205, 305)]
    for name in ("follows_evaluation", "at_evaluations", "lower_after_evaluation"):
        without = ask(name, KIND, 105, 105, 1000, loss=LINE, detections=seen)
        assert (without.verdict, without.missing) == (UNKNOWN, (Metric.VAL_LOSS,))
        few = ask(name, KIND, 105, loss=LINE, detections=seen, val_loss=evaluated(100, 2))
        assert (few.verdict, few.missing) == (UNKNOWN, ())
