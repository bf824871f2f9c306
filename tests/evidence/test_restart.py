from __future__ import annotations

import numpy as np
import pytest
from levels import alike, pieces, zigzag

from spikedoc.evidence.base import Case
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import Restart, Run, Series, Source

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
KIND = Kind.LEVEL_SHIFT
RESTARTS = [Restart(600, 604, "rewound")]


@pytest.mark.parametrize(
    ("start", "verdict"), [(600, YES), (606, YES), (599, YES), (650, NO), (500, NO)]
)
def test_near(ask, falling, start, verdict) -> None:
    found = ask("near_restart", KIND, start, loss=falling, restarts=RESTARTS)
    assert found.verdict is verdict


@pytest.mark.parametrize(("start", "verdict"), [(1, YES), (25, YES), (50, NO), (75, NO)])
def test_a_few_points_of_a_short_log_are_not_near(ask, start: int, verdict: Verdict) -> None:
    loss = np.array([1, 25, 50, 75, 100, 125, 150, 175, 200]), np.linspace(2.0, 5.0, 9)
    found = ask("near_restart", KIND, start, loss=loss, restarts=[Restart(1, 50, "rewound")])
    assert found.verdict is verdict


def test_no_restart_refutes_and_a_stretch_is_unknown(ask, falling) -> None:
    assert ask("near_restart", KIND, 600, loss=falling).verdict is NO
    kind = Kind.OSCILLATION
    assert ask("near_restart", kind, 600, loss=falling, restarts=RESTARTS).verdict is UNKNOWN


@pytest.mark.parametrize(
    ("reader", "kind", "verdict"),
    [
        ("trainer_state", Kind.LR_DISCONTINUITY, UNKNOWN),  # its history shows no resume
        ("trainer_state", KIND, NO),
        ("csv", Kind.LR_DISCONTINUITY, NO),
    ],
)
def test_a_history_without_a_mark_of_a_resume_refutes_none(
    reader: str, kind: Kind, verdict: Verdict
) -> None:
    steps = np.arange(1, 1001)
    rate = Series(Metric.LR, "lr", "lr", steps, np.where(steps < 600, 1e-3, 1e-4))
    run = Run("r", "r", (rate,), sources=(Source("log", reader, 1),))
    anomaly = Anomaly(kind, Severity.WARNING, 0.9, "lr", 600, 600, 1000)
    assert _probe("near_restart").answer(Case(run, anomaly, (anomaly,))).verdict is verdict


def test_learning_rate(ask, falling) -> None:
    parts = {"loss": falling, "restarts": RESTARTS}
    reset = np.where(np.arange(1000) < 599, 2e-4, 1e-3)
    found = ask("lr_not_carried", KIND, 602, lr=reset, **parts)
    assert (found.verdict, found.values["before"], found.values["after"]) == (YES, 2e-4, 1e-3)
    assert ask("lr_not_carried", KIND, 602, lr=np.full(1000, 1e-3), **parts).verdict is NO
    assert ask("lr_not_carried", KIND, 800, lr=reset, **parts).verdict is UNKNOWN


def test_loss(ask, falling) -> None:
    jumped = falling * np.where(np.arange(1000) < 599, 1.0, 3.0)
    parts = {"restarts": RESTARTS}
    assert ask("loss_not_carried", KIND, 600, loss=jumped, **parts).verdict is YES
    assert ask("loss_not_carried", KIND, 600, loss=falling, **parts).verdict is NO
    assert ask("loss_not_carried", KIND, 600, loss=jumped).verdict is UNKNOWN


def test_the_loss_right_at_the_restart_is_the_first_one(ask, falling) -> None:
    back = np.where(np.arange(1000) < 599, 1.0, 1.0 + 2.0 * 0.8 ** np.arange(-599.0, 401.0))
    jumped = falling * back
    found = ask("loss_not_carried", KIND, 600, loss=jumped, restarts=RESTARTS)
    assert found.values["after"] == pytest.approx(float(jumped[599]))
    jumped[599] = 0.5 * float(np.median(falling[579:599]))  # by chance low: the level is what rose
    found = ask("loss_not_carried", KIND, 600, loss=jumped, restarts=RESTARTS)
    assert found.verdict is YES
    assert found.values["after"] == pytest.approx(float(np.median(jumped[599:604])))
    assert "median of 5 points" in found.statement.en


def test_loss_scale(ask, falling) -> None:
    scale = np.where(np.arange(1000) < 599, 1024.0, 65536.0)
    scale[0] = 65536.0
    parts = {"loss": falling, "restarts": RESTARTS}
    assert ask("loss_scale_not_carried", KIND, 600, loss_scale=scale, **parts).verdict is YES
    scale[599:] = 1024.0
    assert ask("loss_scale_not_carried", KIND, 600, loss_scale=scale, **parts).verdict is NO


def test_repeated_data(ask, falling) -> None:
    low = falling.copy()
    low[599:625] *= 0.6
    parts = {"restarts": RESTARTS}
    assert ask("loss_below_trend_after", KIND, 600, loss=low, **parts).verdict is YES
    assert ask("loss_below_trend_after", KIND, 600, loss=falling, **parts).verdict is NO


def test_pause(falling) -> None:
    probe = _probe("gap_in_time")
    steps = np.arange(1, 1001)
    times = 1e9 + steps + np.where(steps >= 600, 500.0, 0.0)
    loss = Series(Metric.LOSS, "loss", "loss", steps, falling.copy(), times)
    anomaly = Anomaly(KIND, Severity.WARNING, 0.9, "loss", 600, 600, 1000)
    assert probe.answer(Case(Run("r", "r", (loss,)), anomaly, (anomaly,))).verdict is YES
    even = Series(Metric.LOSS, "loss", "loss", steps, falling.copy(), 1e9 + steps)
    assert probe.answer(Case(Run("r", "r", (even,)), anomaly, (anomaly,))).verdict is NO
    marked = Run("r", "r", (loss,), (Restart(600, 599, "pause"),))
    assert probe.answer(Case(marked, anomaly, (anomaly,))).verdict is NO


def _probe(name: str):
    from spikedoc.evidence.restart import PROBES

    return next(probe for probe in PROBES if probe.name == name)


@pytest.mark.parametrize(
    ("start", "verdict"), [(600, YES), (900, YES), (590, NO), (1000 + 10, UNKNOWN)]
)
def test_a_restart_further_back(ask, falling, start, verdict) -> None:
    kind = KIND if start <= 1000 else Kind.OSCILLATION
    found = ask("restart_precedes", kind, start, loss=falling, restarts=RESTARTS)
    assert found.verdict is verdict


def test_a_restart_long_ago_has_nothing_to_do_with_it(ask, falling) -> None:
    early = [Restart(100, 104, "rewound")]
    assert ask("restart_precedes", KIND, 900, loss=falling, restarts=early).verdict is NO


def test_repeated_data_end_where_they_began(ask) -> None:
    name, noise = "loss_below_trend_after", np.exp(np.random.default_rng(9).normal(0, 0.03, 1000))
    steps = np.arange(1, 1001)
    # From the restart at 600 on the same batches again: down to a fifth, at 850 back up.
    repeated = np.where((steps >= 600) & (steps < 850), np.exp(-(steps - 600) / 150), 1.0) * noise
    found = ask(name, KIND, 850, 852, 1000, loss=repeated, restarts=RESTARTS)
    assert found.verdict is YES
    # A rise that stops far below, or one after a loss that only kept its pace, is another matter.
    part = repeated * np.where(steps >= 850, 0.4, 1.0)
    assert ask(name, KIND, 850, 852, 1000, loss=part, restarts=RESTARTS).verdict is NO
    pace = 3 * np.exp(-steps / 300) * np.where(steps >= 850, 4.0, 1.0) * noise
    assert ask(name, KIND, 850, 852, 1000, loss=pace, restarts=RESTARTS).verdict is NO
    assert ask(name, KIND, 850, 852, 1000, loss=repeated).verdict is UNKNOWN


def lines(n: int) -> np.ndarray:
    return np.ones(n)


# (points in the log, distance between them, onset minus restart, near?)
@pytest.mark.parametrize(
    ("points", "stride", "distance", "verdict"),
    [
        # A hundredth of a span of 1000 steps is ten.
        *[(1001, 1, d, v) for d, v in ((-3, NO), (-2, YES), (0, YES), (10, YES), (11, NO))],
        # Five points are more than a hundredth of 200 steps, and less than a tenth of them.
        *[(201, 1, d, v) for d, v in ((5, YES), (6, NO))],
        # A tenth of 40 steps is four, of five steps less than a point.
        *[(41, 1, d, v) for d, v in ((4, YES), (5, NO))],
        *[(6, 1, d, v) for d, v in ((1, YES), (2, NO))],
        # Points ten steps apart.
        *[(101, 10, d, v) for d, v in ((-21, NO), (-20, YES), (50, YES), (51, NO))],
    ],
)
def test_how_near_is_near(ask, points: int, stride: int, distance: int, verdict: Verdict) -> None:
    at = 3 * stride + 1 if points < 100 else 30 * stride + 1
    parts = {"loss": lines(points), "stride": stride, "restarts": [Restart(at, at, "pause")]}
    found = ask("near_restart", KIND, at + distance, **parts)
    assert found.verdict is verdict
    if verdict is YES:
        told = {"restart": at, "distance": abs(distance), "reason": "pause"}
        assert found.values == told | {"step": at + distance}
    else:
        assert found.values == {"step": at + distance, "count": 1}


def test_of_two_restarts_that_are_near_the_later_one_counts(ask) -> None:
    two = [Restart(600, 600, "pause"), Restart(604, 604, "rewound")]
    for name in ("near_restart", "restart_precedes"):
        assert ask(name, KIND, 606, loss=lines(1001), restarts=two).values["restart"] == 604


@pytest.mark.parametrize(
    ("distance", "verdict"), [(-3, NO), (-2, YES), (0, YES), (1, YES), (400, YES), (401, NO)]
)
def test_how_far_back_a_restart_precedes(ask, distance: int, verdict: Verdict) -> None:
    # Two fifths of 1000 steps.
    parts = {"loss": lines(1001), "restarts": [Restart(500, 500, "pause")]}
    found = ask("restart_precedes", KIND, 500 + distance, **parts)
    assert found.verdict is verdict
    told = {"restart": 500, "distance": max(0, distance)} if verdict is YES else {"count": 1}
    assert found.values == told | {"step": 500 + distance}


@pytest.mark.parametrize("form", [Form.UPDATE, None])
def test_what_has_no_onset_begins_at_no_restart(ask, form: Form | None) -> None:
    parts = {"loss": lines(1001), "restarts": [Restart(500, 500, "pause")]}
    kind = KIND if form else Kind.OSCILLATION
    assert ask("near_restart", kind, 500, form=form, **parts).verdict is UNKNOWN


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        *((1.0, 1.3, NO), (1.0, 1.31, YES), (1.0, 1 / 1.3, NO), (1.0, 0.76, YES)),
        *((0.0, 1.0, UNKNOWN), (-1.0, 1.0, UNKNOWN), (1.0, 0.0, YES)),
    ],
)
def test_a_rate_that_moves_by_more_than_three_tenths(ask, old, new, verdict) -> None:
    rate = pieces((598, 7.0), (1, old), (1, new), (401, 7.0))
    parts = {"loss": lines(1001), "lr": rate, "restarts": RESTARTS}
    found = alike(ask, ("lr",), "lr_not_carried", KIND, 600, **parts)
    assert found.verdict is verdict
    if verdict is not UNKNOWN:
        assert found.values == {"before": old, "after": pytest.approx(new, rel=5e-3), "step": 600}


def carried(ask, loss: np.ndarray, at: int = 600) -> tuple[Verdict, dict[str, float]]:
    restarts = [Restart(at, at, "pause")]
    parts = {"loss": loss, "restarts": restarts}
    found = alike(ask, ("loss",), "loss_not_carried", KIND, at, **parts)
    return found.verdict, dict(found.values)


@pytest.mark.parametrize(
    ("level", "new", "verdict"),
    [
        *((1.0, 1.05, NO), (1.0, 1.06, YES), (1.0, 0.5, NO)),
        *((0.0, 0.0, NO), (0.0, 1e-9, YES), (-1.0, -0.99, YES), (-1.0, -1.0, NO)),
    ],
)
def test_a_loss_without_noise_is_carried_over_within_a_twentieth(ask, level, new, verdict) -> None:
    # Twenty points before make the level, five after it.
    loss = pieces((500, 9.0), (79, 7.0), (20, level), (5, new), (396, level))
    assert carried(ask, loss) == (verdict, {"before": level, "after": new, "step": 600})


@pytest.mark.parametrize(("new", "verdict"), [(1.24, NO), (1.26, YES)])
def test_the_noise_decides_what_is_carried_over(ask, new: float, verdict: Verdict) -> None:
    # The scatter is .14826; a median of five has an error of sqrt(pi / 2 / 5) of it, three of which
    # are .2493.
    loss = np.concatenate([lines(579), zigzag(20, 1.0, 0.1), pieces((402, new))])
    assert carried(ask, loss)[0] is verdict


@pytest.mark.parametrize(
    ("before", "after", "verdict"), [(5, 5, YES), (4, 5, UNKNOWN), (5, 4, UNKNOWN)]
)
def test_five_points_on_either_side_of_a_restart(ask, before: int, after: int, verdict) -> None:
    found, _ = carried(ask, pieces((before, 1.0), (after, 2.0)), before + 1)
    assert found is verdict


@pytest.mark.parametrize(
    ("first", "before", "after", "verdict"),
    [(64, 16, 64, YES), (64, 64, 64, NO), (64, 16, 16, NO), (64, 16, 32, NO)],
)
def test_a_scale_that_is_back_at_its_first_value(ask, first, before, after, verdict) -> None:
    scale = pieces((1, first), (597, 7.0), (1, before), (1, after), (401, 7.0))
    parts = {"loss": lines(1001), "loss_scale": scale, "restarts": RESTARTS}
    found = ask("loss_scale_not_carried", KIND, 600, **parts)
    assert found.verdict is verdict
    assert found.values == {"before": before, "after": after, "step": 600}


def dip(
    ask, start: float, low: float, back: float, *, since: int = 100, left: int = 500, by: float = 0
):
    """Ask about a loss that fell to `low` for `since` steps from a restart on, and came back.

    Twenty points `since` steps before the restart lie at `start`, those just before it at 1.
    """
    noisy = zigzag(20, 1.0, by)
    before = [np.full(20, start), np.ones(max(0, since - 40)), noisy]
    early = np.full(400 - sum(map(len, before)), 5.0)
    loss = np.concatenate([early, *before, np.full(since, low), np.full(left, back)])
    # The peak is the first point that is back; what comes after it is looked at.
    at = 401 + since
    restarts = [Restart(401, 401, "pause")]
    parts = {"loss": loss, "restarts": restarts}
    return alike(ask, ("loss",), "loss_below_trend_after", KIND, at, **parts)


@pytest.mark.parametrize(
    ("start", "low", "back", "verdict"),
    [
        (1.0, 0.5, 1.0, YES),
        *((1.0, 0.5, 0.75, YES), (1.0, 0.5, 0.74, NO)),
        *((1.0, 0.96, 1.0, YES), (1.0, 0.97, 1.0, NO)),
        # It had fallen by ln 1.2 before: twice that is .365, and exp(-.365) is .694.
        *((1.2, 0.69, 1.0, YES), (1.2, 0.70, 1.0, NO)),
        (0.5, 0.96, 1.0, YES),  # it had risen before: as if it had stood still
        *((0.0, 0.5, 1.0, UNKNOWN), (1.0, 0.0, 1.0, UNKNOWN), (1.0, 0.5, 0.0, UNKNOWN)),
    ],
)
def test_a_dip_since_a_restart(ask, start, low, back, verdict) -> None:
    found = dip(ask, start, low, back)
    assert found.verdict is verdict
    if verdict is not UNKNOWN:
        assert found.values == {"before": 1.0, "first": low, "later": back, "step": 401}


@pytest.mark.parametrize(("low", "verdict"), [(0.88, NO), (0.87, YES)])
def test_a_dip_stands_out_of_the_noise(ask, low: float, verdict: Verdict) -> None:
    # Three errors of a median of twenty: 3 x .14826 x sqrt(pi / 2 / 20) = .1247.
    assert dip(ask, 1.0, low, 1.0, by=0.1).verdict is verdict


@pytest.mark.parametrize(
    ("since", "left", "verdict"),
    [(20, 500, YES), (19, 500, UNKNOWN), (100, 6, YES), (100, 5, UNKNOWN)],
)
def test_a_dip_needs_points(ask, since: int, left: int, verdict: Verdict) -> None:
    # Twenty since the restart, five after the peak.
    assert dip(ask, 1.0, 0.5, 1.0, since=since, left=left).verdict is verdict


@pytest.mark.parametrize(
    ("by", "first", "last", "verdict"),
    [
        *((0.0, 0.96, 1.0, YES), (0.0, 0.97, 1.0, NO), (0.0, 0.5, 0.5, NO), (0.0, 0.5, 0.51, YES)),
        *((0.1, 0.87, 1.2, YES), (0.1, 0.88, 1.2, NO)),
        *((0.1, 0.5, 0.63, YES), (0.1, 0.5, 0.62, NO)),
    ],
)
def test_lower_than_before_and_later_back_up(ask, by, first, last, verdict) -> None:
    # Of sixty points after the restart the first twenty and the last twenty count.
    after = pieces((20, first), (20, 9.0), (20, last), (100, 7.0))
    loss = np.concatenate([np.full(579, 5.0), zigzag(20, 1.0, by), after])
    parts = {"loss": loss, "restarts": RESTARTS}
    found = alike(ask, ("loss",), "loss_below_trend_after", KIND, 600, **parts)
    assert found.verdict is verdict
    assert found.values == {"before": 1.0, "first": first, "later": last, "step": 600}


@pytest.mark.parametrize(
    ("level", "after", "verdict"),
    [(1.0, 60, YES), (1.0, 59, UNKNOWN), (0.0, 60, UNKNOWN), (-1.0, 60, UNKNOWN)],
)
def test_repeated_data_need_sixty_points_and_a_positive_level(ask, level, after, verdict) -> None:
    loss = pieces((599, level), (20, 0.5), (after - 20, 1.0))
    found = ask("loss_below_trend_after", KIND, 600, loss=loss, restarts=RESTARTS)
    assert found.verdict is verdict


def pause(
    ends_gap: int, *, n: int = 100, seconds: float = 60.0, usual: float = 2.0, onset: int = 51
) -> tuple[Verdict, dict[str, float]]:
    """Ask about a log in which the point at step `ends_gap` came `seconds` after the one before."""
    gaps = np.full(n - 1, usual)
    gaps[ends_gap - 2] = seconds
    times = 1e9 + np.concatenate([[0.0], np.cumsum(gaps)])
    loss = Series(Metric.LOSS, "loss", "loss", np.arange(1, n + 1), np.ones(n), times)
    anomaly = Anomaly(KIND, Severity.WARNING, 0.9, "loss", onset, onset, onset)
    found = _probe("gap_in_time").answer(Case(Run("r", "r", (loss,)), anomaly, (anomaly,)))
    return found.verdict, dict(found.values)


@pytest.mark.parametrize(
    ("ends_gap", "verdict"), [(46, NO), (47, YES), (51, YES), (52, YES), (53, NO)]
)
def test_where_a_pause_has_to_lie(ends_gap: int, verdict: Verdict) -> None:
    # From five points before the onset at 51 to the one after it.
    assert pause(ends_gap)[0] is verdict


def test_a_pause_of_more_than_ten_times_the_usual() -> None:
    assert pause(51, seconds=20.0) == (NO, {"seconds": 20.0, "usual": 2.0, "step": 51})
    assert pause(51, seconds=20.5) == (YES, {"seconds": 20.5, "usual": 2.0, "step": 51})
    assert pause(2, onset=1)[0] is YES
    assert pause(100, onset=200)[0] is YES


def test_a_pause_needs_twenty_points_with_times() -> None:
    assert pause(11, n=20, onset=11)[0] is YES
    assert pause(11, n=19, onset=11)[0] is UNKNOWN
    assert pause(51, usual=0.0)[0] is UNKNOWN
    assert pause(51, seconds=np.nan)[0] is UNKNOWN


def test_what_has_no_restart_no_onset_or_no_times_is_unknown(ask) -> None:
    parts = {"loss": lines(100), "lr": lines(100), "loss_scale": lines(100)}
    first = [Restart(1, 0, "pause")]
    for name in ("lr_not_carried", "loss_not_carried", "loss_scale_not_carried"):
        assert ask(name, KIND, 50, **parts).verdict is UNKNOWN
        assert ask(name, KIND, 1, restarts=first, **parts).verdict is UNKNOWN  # nothing before it
    assert ask("loss_below_trend_after", Kind.OSCILLATION, 50, **parts).verdict is UNKNOWN
    assert ask("gap_in_time", KIND, 50, **parts).verdict is UNKNOWN


def test_a_finding_in_no_series_is_looked_for_in_the_loss() -> None:
    times = 1e9 + np.arange(100) + np.where(np.arange(100) >= 50, 500.0, 0.0)
    loss = Series(Metric.LOSS, "loss", "loss", np.arange(1, 101), np.ones(100), times)
    anomaly = Anomaly(KIND, Severity.WARNING, 0.9, "nowhere", 51, 51, 51)
    found = _probe("gap_in_time").answer(Case(Run("r", "r", (loss,)), anomaly, (anomaly,)))
    assert found.verdict is YES
