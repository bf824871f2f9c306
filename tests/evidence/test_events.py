"""How far a series moved at an anomaly, as the probes that ask for it tell."""

from __future__ import annotations

import numpy as np
import pytest
from levels import pieces

from spikedoc.model.anomaly import Anomaly, Detection, Shape
from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind, Severity

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
SPIKE = Kind.ISOLATED_SPIKE
LINE = np.ones(1000)


def bump(*steps: int, by: float = 20.0) -> np.ndarray:
    out = LINE.copy()
    out[np.array(steps) - 1] = by
    return out


@pytest.mark.parametrize(
    ("every", "end", "known"),
    [
        *((2, 601, True), (3, 601, False)),  # more than twice as rarely as the loss
        *((4, 605, True), (4, 604, False)),  # … unless the event lasts as long
        (1, 601, True),
    ],
)
def test_a_series_logged_too_rarely_may_have_missed_it(ask, every: int, end: int, known) -> None:
    norm = (np.arange(1, 1001, every), np.ones(len(range(1, 1001, every))))
    parts = {"loss": LINE, "grad_norm": norm}
    found = ask("grad_jumps_with_loss", SPIKE, 601, 601, end, **parts)
    assert (found.verdict is not UNKNOWN) is known


@pytest.mark.parametrize(
    ("kind", "signal", "at", "seen"),
    [
        # The loss may answer within twenty points what happened in another series; the point after
        # them is looked at as well.
        *((Kind.LR_DISCONTINUITY, "lr", 621, True), (Kind.LR_DISCONTINUITY, "lr", 622, False)),
        # It moves at once with a spike or an explosion of the gradient.
        *((Kind.GRADIENT_EXPLOSION, "grad_norm", 601, True),),
        (Kind.GRADIENT_EXPLOSION, "grad_norm", 602, False),
        *((Kind.DIVERGENCE, "loss", 601, True), (Kind.DIVERGENCE, "loss", 602, False)),
    ],
)
def test_how_long_the_loss_may_take_to_react(ask, kind: Kind, signal: str, at, seen) -> None:
    parts = {"loss": bump(at, by=2e4), "lr": LINE, "grad_norm": LINE}
    found = ask("loss_is_huge", kind, 600, signal=signal, **parts)
    assert found.verdict is (YES if seen else NO)


@pytest.mark.parametrize(("at", "verdict"), [(597, YES), (596, NO), (600, YES), (602, NO)])
def test_before_a_break_three_points_are_looked_at(ask, at: int, verdict: Verdict) -> None:
    loss = pieces((599, 1.0), (401, np.nan))
    parts = {"loss": loss, "grad_norm": bump(at), "form": Form.PERSISTENT}
    found = ask("grad_jumps_with_loss", Kind.NONFINITE, 600, 600, 1000, **parts)
    assert found.verdict is verdict


def told(ask, other: Anomaly | None = None, measures: dict[str, float] | None = None, **how):
    """Ask how far a norm of 1 rose that a finding may tell about."""
    kind = how.get("kind", SPIKE)
    signal = how.get("signal", "loss")
    parts = {"loss": LINE, "grad_norm": bump(600, by=2.0), "others": [other] if other else []}
    found = ask("grad_jumps_with_loss", kind, 600, signal=signal, measures=measures, **parts)
    return found.verdict, found.values.get("factor")


def test_what_the_finding_itself_tells_is_not_measured_again(ask) -> None:
    own = {"kind": Kind.GRADIENT_EXPLOSION, "signal": "grad_norm"}
    assert told(ask) == (NO, 2.0)
    assert told(ask, measures={"before": 2.0, "peak": 8.0}, **own) == (YES, 4.0)
    assert told(ask, measures={"before": 0.0, "peak": 8.0}, **own) == (UNKNOWN, None)
    assert told(ask, measures={"peak": 8.0}, **own) == (NO, 2.0)
    # Of another series, or by a finding that tells of no rise, it says nothing.
    assert told(ask, measures={"before": 2.0, "peak": 8.0}) == (NO, 2.0)
    own["kind"] = Kind.RANK_OUTLIER
    assert told(ask, measures={"before": 2.0, "peak": 8.0}, **own) == (NO, 2.0)


@pytest.mark.parametrize(
    ("start", "peak", "factor"),
    [(600, 600, 4.0), (601, 601, 2.0), (590, 600, 4.0), (590, 599, 2.0), (500, 700, 4.0)],
)
def test_the_finding_that_tells_has_to_meet_it(ask, start: int, peak: int, factor) -> None:
    measures = {"before": 2.0, "peak": 8.0}
    kind, bad = Kind.GRADIENT_EXPLOSION, Severity.WARNING
    other = Anomaly(kind, bad, 0.9, "grad_norm", start, peak, 900, None, measures)
    assert told(ask, other)[1] == factor


@pytest.mark.parametrize(("factors", "middle"), [((2.0, 9.0, 4.0), 4.0), ((9.0, 2.0), None)])
def test_of_events_that_recur_the_middle_one_stands_for_all(ask, factors, middle) -> None:
    steps = (300, 500, 700)[: len(factors)]
    norm = LINE.copy()
    norm[np.array(steps) - 1] = factors
    seen = [Detection("any", Shape.POINT, "loss", s, s, s) for s in (300, 500, 700)]
    parts = {"loss": LINE, "grad_norm": norm, "detections": seen[: len(factors)]}
    if middle is None:
        parts["loss"] = bump(*steps)
    found = ask("grad_jumps_with_loss", Kind.PERIODIC_SPIKES, 300, 300, 1000, **parts)
    assert found.values.get("factor") == middle


def count(ask, loss: np.ndarray, first: int = 1, last: int = 1000) -> int:
    """Return how many events a recurring anomaly is found to have."""
    found = ask("spikes_repeat", Kind.PERIODIC_SPIKES, first, first, last, loss=loss)
    return int(found.values.get("count", 0))


@pytest.mark.parametrize(("height", "events"), [(1.11, 3), (1.09, 0)])
def test_a_bump_of_a_tenth_is_an_event(ask, height: float, events: int) -> None:
    assert count(ask, bump(200, 500, 800, by=height)) == events


@pytest.mark.parametrize(("apart", "events"), [(3, 1), (4, 2)])
def test_events_within_three_points_are_one(ask, apart: int, events: int) -> None:
    assert count(ask, bump(500, 500 + apart)) == events


@pytest.mark.parametrize(("last", "events"), [(224, 1), (223, 0)])
def test_events_are_looked_for_in_twenty_five_points(ask, last: int, events: int) -> None:
    assert count(ask, bump(210), 200, last) == events


def test_the_first_and_the_last_point_of_the_stretch_belong_to_it(ask) -> None:
    assert count(ask, bump(200, 300, 400), 200, 400) == 3
    assert count(ask, bump(200, 300, 400), 201, 399) == 1


@pytest.mark.parametrize(
    ("start", "end", "told_by_it"),
    [(590, 600, True), (590, 599, False), (610, 700, True), (611, 700, False)],
)
def test_the_way_back_is_that_of_the_finding_in_the_loss_beside_it(
    ask, start: int, end: int, told_by_it: bool
) -> None:
    # The explosion of the gradient lasts from 600 to 610.
    told_back = {"recovered_after_steps": 50.0, "before": 1.0, "peak": 20.0}
    kind, bad = Kind.SLOW_RECOVERY, Severity.WARNING
    other = Anomaly(kind, bad, 0.9, "loss", start, start, end, None, told_back)
    parts = {"loss": bump(600), "grad_norm": bump(600), "others": [other]}
    explosion = Kind.GRADIENT_EXPLOSION
    found = ask("returns_slowly", explosion, 600, 600, 610, signal="grad_norm", **parts)
    assert (found.values.get("points") == 50) is told_by_it


@pytest.mark.parametrize(("second", "points"), [(602, 40), (580, 50)])
def test_of_two_such_findings_the_nearer_one(ask, second: int, points: int) -> None:
    def beside(start: int, back: float) -> Anomaly:
        told_back = {"recovered_after_steps": back, "before": 1.0, "peak": 20.0}
        kind, bad = Kind.SLOW_RECOVERY, Severity.WARNING
        return Anomaly(kind, bad, 0.9, "loss", start, start, 700, None, told_back)

    parts = {"loss": bump(600), "grad_norm": bump(600)}
    parts["others"] = [beside(595, 50.0), beside(second, 40.0)]
    explosion = Kind.GRADIENT_EXPLOSION
    found = ask("returns_slowly", explosion, 600, 600, 610, signal="grad_norm", **parts)
    assert found.values["points"] == points


@pytest.mark.parametrize(
    ("gaps", "period"),
    [
        # They scatter by 1.4826 x 67 = 99.3 around 1000, a tenth at most; 1.4826 x 68 is more.
        *(((933, 1000, 1067), 1000.0), ((932, 1000, 1068), None)),
        *(((1000, 1000), None), ((1000, 1000, 1000), 1000.0)),
    ],
)
def test_gaps_that_are_alike_to_a_tenth_are_a_period(ask, gaps, period: float | None) -> None:
    steps = 100 + np.cumsum([0, *gaps])
    seen = [Detection("any", Shape.POINT, "loss", int(s), int(s), int(s)) for s in steps]
    parts = {"loss": np.ones(5000), "config": {"steps_per_epoch": 500}, "detections": seen}
    found = ask("period_is_epoch", Kind.PERIODIC_SPIKES, 100, 100, 5000, **parts)
    assert found.values.get("period") == period


def test_an_event_lies_where_it_is_highest(ask) -> None:
    loss = LINE.copy()
    for first in (200, 500, 800):
        loss[first - 1 : first + 2] = (5.0, 20.0, 6.0)
    found = ask("spikes_repeat", Kind.PERIODIC_SPIKES, 1, 1, 1000, loss=loss)
    assert found.values == {"count": 3, "first": 201, "last": 801}
