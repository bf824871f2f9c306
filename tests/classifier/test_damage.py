"""A metric that stayed worse after an event from which the loss came back."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.classifier.context import build
from spikedoc.classifier.damage import label_damage
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import Series

BEFORE = [0.80, 0.81, 0.80, 0.81, 0.80]


def metric(values: list[float], tag: str = "val/acc", name: str = "val_metric:acc") -> Series:
    return synth.series(
        np.array(values), Metric.VAL_METRIC, tag=tag, name=name, stride=100, first=100
    )


def event(kind: Kind = Kind.ISOLATED_SPIKE, step: int = 550, form: Form | None = None) -> Anomaly:
    return Anomaly(kind, Severity.WARNING, 0.9, "loss", step, step, step + 9, form)


def damage(*series: Series, events: tuple[Anomaly, ...] = (event(),)) -> list[Anomaly]:
    return label_damage(build(synth.run(*series), ()), list(events))


def test_levels_before_and_after_and_the_worst_evaluation() -> None:
    (found,) = damage(metric([*BEFORE, 0.60, 0.70, 0.71, 0.70]))
    assert (found.kind, found.severity) == (Kind.METRIC_DAMAGE, Severity.WARNING)
    assert found.measures == {"before": pytest.approx(0.805), "after": 0.70, "event_step": 550.0}
    assert (found.start_step, found.peak_step, found.end_step) == (550, 600, 900)
    assert found.signal == "val_metric:acc"


@pytest.mark.parametrize(
    "after",
    [
        [0.60, 0.70, 0.80, 0.81, 0.80],  # came back
        [0.80, 0.79, 0.80],  # within its scatter
        [0.90, 0.91, 0.90],  # better
        [0.60, 0.61],  # too few to say
    ],
)
def test_what_is_no_damage(after: list[float]) -> None:
    assert damage(metric([*BEFORE, *after])) == []


def test_a_percent_is_the_least() -> None:
    steady = [0.800] * 5
    assert damage(metric([*steady, 0.795, 0.795, 0.795])) == []
    assert len(damage(metric([*steady, 0.78, 0.78, 0.78]))) == 1


def test_a_share_of_nothing_throughout_is_not_lost() -> None:
    assert damage(metric([0.0] * 10)) == []
    assert len(damage(metric([1e-9] * 5 + [0.0] * 5))) == 1


def test_too_few_evaluations_before() -> None:
    assert damage(metric([0.8, 0.8, 0.5, 0.5, 0.5]), events=(event(step=250),)) == []


def test_less_may_be_better() -> None:
    errors = [0.2, 0.21, 0.2, 0.21, 0.2]
    worse, better = [0.3, 0.31, 0.3], [0.1, 0.11, 0.1]
    assert len(damage(metric([*errors, *worse], "val/error"))) == 1
    assert damage(metric([*errors, *better], "val/error")) == []


def test_once_per_metric_at_the_first_event_that_explains_it() -> None:
    acc = metric([*BEFORE, 0.60, 0.60, 0.60, 0.60])
    f1 = metric([0.7] * 5 + [0.4] * 4, "val/f1", "val_metric:f1")
    events = (event(step=150), event(step=550), event(step=560))
    found = damage(acc, f1, events=events)
    assert [(a.signal, a.start_step) for a in found] == [
        ("val_metric:acc", 550), ("val_metric:f1", 550),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "form"),
    [(Kind.LEVEL_SHIFT, Form.UP), (Kind.LEVEL_SHIFT, Form.DOWN), (Kind.DIVERGENCE, Form.FINITE),
     (Kind.OSCILLATION, Form.NOISE), (Kind.LR_DISCONTINUITY, Form.JUMP)],
)  # fmt: skip
def test_an_event_whose_loss_did_not_come_back_needs_no_second_finding(
    kind: Kind, form: Form
) -> None:
    lower = metric([*BEFORE, 0.60, 0.60, 0.60])
    assert damage(lower, events=(event(kind, form=form),)) == []


@pytest.mark.parametrize("kind", [Kind.SLOW_RECOVERY, Kind.UPDATE_SPIKE])
def test_other_events_can_do_harm(kind: Kind) -> None:
    assert len(damage(metric([*BEFORE, 0.60, 0.60, 0.60]), events=(event(kind),))) == 1


def test_nan_evaluations_are_left_out() -> None:
    values = [0.80, np.nan, 0.81, 0.80, 0.81, 0.60, np.nan, 0.60, 0.60]
    assert len(damage(metric(values))) == 1


@pytest.mark.parametrize(
    ("before", "late", "harmed"),
    [
        # One per cent, without any scatter.
        *(([100.0] * 4, 99.0, True), ([100.0] * 4, 99.1, False), ([-100.0] * 4, -101.0, True)),
        # Three times a scatter of 1.
        *(([99.0, 101.0] * 2, 97.0, True), ([99.0, 101.0] * 2, 97.1, False)),
        # Of the evaluations before the last four count.
        ([50.0] * 5 + [100.0] * 4, 99.0, True),
    ],
)
def test_how_far_a_metric_has_to_fall(before: list[float], late: float, harmed: bool) -> None:
    step = 100 * len(before) + 50
    found = damage(metric([*before, 90.0, late, late, late]), events=(event(step=step),))
    assert bool(found) is harmed
    if harmed:
        assert found[0].measures["after"] == late


@pytest.mark.parametrize(("before", "after", "known"), [(3, 3, True), (2, 3, False), (3, 2, False)])
def test_three_evaluations_on_either_side(before: int, after: int, known: bool) -> None:
    values = [1.0] * before + [0.1] * after
    found = damage(metric(values), events=(event(step=100 * before + 50),))
    assert bool(found) is known


@pytest.mark.parametrize(("late", "harmed"), [(95.0, True), (95.2, False)])
def test_the_scatter_of_the_evaluations_at_the_end_counts_as_well(late: float, harmed) -> None:
    # They scatter by 2 sqrt(2/3), which is 1.633, around their middle one.
    values = [100.0] * 4 + [50.0, late - 2.0, late, late + 2.0]
    assert bool(damage(metric(values), events=(event(step=450),))) is harmed


def test_the_worst_evaluation_is_the_peak_and_an_open_end_is_handed_on() -> None:
    measures = {"log_end": 900.0, "z": 7.0}
    open_end = Anomaly(
        Kind.SLOW_RECOVERY, Severity.WARNING, 0.9, "loss", 550, 550, 900, None, measures
    )
    (found,) = damage(metric([*BEFORE, 0.70, 0.60, 0.70, 0.71, 0.70]), events=(open_end,))
    assert (found.start_step, found.peak_step, found.end_step) == (550, 700, 1000)
    assert found.measures == {
        "before": pytest.approx(0.805), "after": 0.70, "event_step": 550.0, "log_end": 900.0,
    }  # fmt: skip
