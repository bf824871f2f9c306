"""What one or a few points show: label, severity, and when it gives way to what is known."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.classifier.classify import classify
from spikedoc.classifier.context import build
from spikedoc.classifier.states import label_growth, label_quality_falls, label_states
from spikedoc.classifier.wording import headline, summarise
from spikedoc.ingest import load_frame
from spikedoc.model.anomaly import Anomaly, Detection, Shape
from spikedoc.model.label import Form, Kind, Severity, Status
from spikedoc.model.metric import Metric
from spikedoc.pipeline import detect

CRITICAL, WARNING, REMARK = Severity.CRITICAL, Severity.WARNING, Severity.INFO


def found(**columns: list[float]) -> tuple[Anomaly, ...]:
    run = load_frame({name.replace("__", "/"): values for name, values in columns.items()})
    return classify(run, detect(run))


@pytest.mark.parametrize(
    ("columns", "kind", "form", "severity"),
    [
        ({"loss": [5e26, 4.9e26]}, Kind.DIVERGENCE, Form.FINITE, CRITICAL),
        ({"loss": [-9e4], "accuracy": [0.0]}, Kind.FIRST_LOSS_OFF, Form.BELOW, WARNING),
        ({"loss": [2.0, 11.0], "lr": [1e-9, 1e-9]}, Kind.LEVEL_SHIFT, Form.UP, CRITICAL),
        ({"loss": [5.6, 5.3, 2e5, 5.7, 5.6, 5.1]}, Kind.ISOLATED_SPIKE, None, WARNING),
        ({"loss": [2.0, 1.6, 1.4, 5.0, 5.1, 5.2]}, Kind.DIVERGENCE, Form.FINITE, CRITICAL),
        ({"loss_scale": [1e-4]}, Kind.LOSS_SCALE_COLLAPSE, Form.FLOOR, CRITICAL),
        ({"loss_D": [0.0], "loss_G": [34.0]}, Kind.COMPONENT_DOMINATES, None, WARNING),
        ({"loss": [0.4] * 3, "val_loss": [300.0, 400.0, 500.0]}, Kind.OVERFITTING, None, WARNING),
    ],
)
def test_one_finding_each(columns, kind: Kind, form: Form | None, severity: Severity) -> None:
    (only,) = found(**columns)
    assert (only.kind, only.form, only.severity) == (kind, form, severity)


def test_a_term_that_holds_the_loss_up() -> None:
    kinds = found(loss=[82.0] * 90, cls_loss=np.linspace(2.3, 1.2, 90), reg_loss=[80.0] * 90)
    (only,) = (a for a in kinds if a.kind is Kind.COMPONENT_DOMINATES)
    assert (only.severity, only.signal) == (WARNING, "loss_component:reg_loss")
    assert "reg_loss" in summarise(only).en


def test_epochs_that_stand_still() -> None:
    values = [1.9112] + [1.9105] * 7
    (only,) = found(loss=values, val_loss=[1.9] * 8)
    assert (only.kind, only.form, only.severity) == (Kind.NON_CONVERGENCE, Form.FLAT, WARNING)


def test_a_standstill_that_two_detectors_see_is_one_finding() -> None:
    level = [2.303, 2.302, 2.304, 2.301, 2.303, 2.302, 2.305, 2.303]
    answers = [0.1, 0.101, 0.099, 0.1, 0.102, 0.1, 0.098, 0.1]
    (only,) = found(
        step=[200.0 * i for i in range(8)], loss=level, accuracy=answers, val_accuracy=answers
    )
    assert (only.kind, only.form) == (Kind.NON_CONVERGENCE, Form.FLAT)
    assert only.measures["classes"] == 10.0
    assert {d.detector for d in only.detections} == {"even_guess", "short_course"}


def test_zero_loss_without_any_gradient_needs_one_record() -> None:
    (only,) = found(loss=[0.0], grad_norm=[0.0])
    assert (only.form, only.severity) == (Form.CONSTANT_ZERO, CRITICAL)
    assert found(loss=[0.0], grad_norm=[0.1]) == ()


def test_a_policy_with_equal_rewards() -> None:
    labels = {a.label for a in found(loss=[0.01], grad_norm=[0.0], reward=[1.0], reward_std=[0.0])}
    assert labels == {"non-convergence/constant-zero"}


def test_a_loss_that_is_lost_already_is_not_lost_twice() -> None:
    run = load_frame({"loss": [5e26, 4.9e26]})
    context = build(run, detect(run))
    (lost,) = label_states(context, [])
    assert label_states(context, [lost]) == []


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"loss": [5e26, 4.9e26]}, "beyond 1e+20"),
        ({"loss": [-9e4], "accuracy": [0.0]}, "cannot be negative"),
        ({"loss_scale": [1e-4]}, "too small to be of use"),
        ({"loss_D": [0.0], "loss_G": [34.0]}, "always right"),
        ({"loss": [0.4] * 3, "val_loss": [300.0, 400.0, 500.0]}, "never worked"),
    ],
)
def test_the_sentence_says_what_was_seen(columns, said: str) -> None:
    (only,) = found(**columns)
    assert said in summarise(only).en
    assert "{" not in headline(Status.WARNING, [only]).en + headline(Status.WARNING, [only]).zh


def test_pieces_of_a_healthy_run_say_nothing() -> None:
    values = synth.curve(n=600)
    for length in (2, 3, 5, 8, 13, 21, 34, 55):
        for start in range(0, 600 - length, 40):
            piece = values[start : start + length]
            assert [a for a in found(loss=piece.tolist()) if a.severity is not Severity.INFO] == []


def test_a_first_batch_of_any_size_is_no_finding() -> None:
    for value in np.geomspace(1e-6, 1e15, 40):
        assert found(loss=[float(value)]) == ()


RUN = synth.healthy(n=200).run
REINFORCED = synth.run(*RUN.series, synth.series(np.ones(10), Metric.REWARD))


def seen(shape: Shape, signal: str = "loss", **measures: float) -> Detection:
    return Detection("any", shape, signal, 3, 5, 8, measures)


def told(*shapes: Detection, others: tuple[Anomaly, ...] = (), run=RUN) -> list[Anomaly]:
    return label_states(build(run, shapes), list(others))


def other(kind: Kind, severity: Severity = WARNING, signal: str = "loss") -> Anomaly:
    return Anomaly(kind, severity, 0.9, signal, 1, 1, 9)


@pytest.mark.parametrize(
    ("shape", "kind", "form", "severity"),
    [
        (Shape.CLIP_FLOOR, Kind.NONFINITE, Form.MASKED, CRITICAL),
        (Shape.BLANK, Kind.NON_CONVERGENCE, Form.CONSTANT_ZERO, WARNING),
        (Shape.UNMOVED, Kind.NON_CONVERGENCE, Form.FLAT, WARNING),
        (Shape.SATURATED, Kind.COMPONENT_DOMINATES, None, WARNING),
        (Shape.HOLDS, Kind.COMPONENT_DOMINATES, None, WARNING),
        (Shape.GAP, Kind.OVERFITTING, None, WARNING),
        (Shape.LEAP, Kind.LEVEL_SHIFT, Form.UP, CRITICAL),
        (Shape.LONE, Kind.ISOLATED_SPIKE, None, WARNING),
        (Shape.STEP_UP, Kind.DIVERGENCE, Form.FINITE, CRITICAL),
        (Shape.CLIMB, Kind.SUSTAINED_DRIFT, None, WARNING),
    ],
)
def test_the_label_of_each_state(shape: Shape, kind: Kind, form, severity: Severity) -> None:
    (only,) = told(seen(shape, value=7.0))
    assert (only.kind, only.form, only.severity) == (kind, form, severity)
    assert (only.start_step, only.peak_step, only.end_step) == (3, 5, 8)
    assert only.measures == {"value": 7.0}


@pytest.mark.parametrize(("whole", "severity"), [(1.0, CRITICAL), (0.0, WARNING)])
def test_rewards_alike_in_the_whole_batch_or_in_part_of_it(whole: float, severity) -> None:
    (only,) = told(seen(Shape.NO_SPREAD, "grad_norm", whole=whole))
    assert (only.kind, only.form) == (Kind.NON_CONVERGENCE, Form.CONSTANT_ZERO)
    assert only.severity is severity


def test_how_far_a_loss_that_stands_still_has_fallen() -> None:
    (only,) = told(seen(Shape.STANDSTILL, first=4.0, best=3.0))
    assert (only.kind, only.form, only.severity) == (Kind.NON_CONVERGENCE, Form.FLAT, WARNING)
    assert only.measures == {"first": 4.0, "best": 3.0, "fall_percent": 25.0}
    (only,) = told(seen(Shape.STANDSTILL, first=0.0, best=2.3))
    assert only.measures == {"first": 0.0, "best": 2.3}  # from 0 nothing falls
    (only,) = told(seen(Shape.STANDSTILL, first=4.0, best=3.0), run=REINFORCED)
    assert only.severity is REMARK


def test_a_loss_that_cannot_be() -> None:
    below = seen(Shape.IMPOSSIBLE, negative=1.0, first=-2.0, last=-3.0)
    (only,) = told(below)
    assert (only.kind, only.form, only.severity) == (Kind.FIRST_LOSS_OFF, Form.BELOW, WARNING)
    assert only.measures == {"lowest": -3.0}
    huge = seen(Shape.IMPOSSIBLE, negative=0.0, first=2.0, last=1e30)
    (only,) = told(huge)
    assert (only.kind, only.form, only.severity) == (Kind.DIVERGENCE, Form.FINITE, CRITICAL)
    assert only.measures == {"negative": 0.0, "last": 1e30, "after": 1e30}


@pytest.mark.parametrize("kind", [
    Kind.DIVERGENCE, Kind.LEVEL_SHIFT, Kind.SUSTAINED_DRIFT, Kind.NON_CONVERGENCE,
])  # fmt: skip
def test_an_alarm_of_a_lost_loss_says_the_states_of_the_loss_already(kind: Kind) -> None:
    of_loss = (
        seen(Shape.LEAP), seen(Shape.LONE), seen(Shape.STANDSTILL, first=2.0, best=1.9),
        seen(Shape.CLIMB),
    )  # fmt: skip
    for shape in of_loss:
        assert told(shape, others=(other(kind),)) == []
        assert len(told(shape, others=(other(Kind.OSCILLATION),))) == 1
    assert len(told(seen(Shape.LEAP), others=(other(kind, REMARK),))) == 1
    assert len(told(seen(Shape.BLANK), others=(other(kind),))) == 1


def test_the_stronger_state_stands() -> None:
    still = seen(Shape.STANDSTILL, first=2.0, best=1.9)
    kinds = [a.kind for a in told(seen(Shape.LEAP), seen(Shape.LONE), still, seen(Shape.CLIMB))]
    assert kinds == [Kind.LEVEL_SHIFT]
    kinds = [a.kind for a in told(seen(Shape.LONE), still, seen(Shape.CLIMB))]
    assert kinds == [Kind.ISOLATED_SPIKE, Kind.NON_CONVERGENCE]


def test_a_climb_is_told_unless_a_drift_is_or_the_loss_may_rise() -> None:
    climb, drift = seen(Shape.CLIMB), other(Kind.SUSTAINED_DRIFT, REMARK)
    assert told(climb, others=(drift,)) == []
    assert told(climb, others=(other(Kind.OSCILLATION), drift)) == []
    assert told(climb, run=REINFORCED) == []


def test_a_gap_is_told_unless_overfitting_is_or_the_loss_is_another_one() -> None:
    gap, scissors = seen(Shape.GAP), other(Kind.OVERFITTING)
    assert told(gap, others=(scissors,)) == []
    assert told(gap, others=(other(Kind.ISOLATED_SPIKE), scissors)) == []
    assert len(told(gap, others=(other(Kind.OVERFITTING, REMARK),))) == 1
    assert len(told(gap, others=(other(Kind.ISOLATED_SPIKE),))) == 1
    assert told(gap, run=REINFORCED) == []


def test_a_quality_that_was_lost_unless_its_harm_is_told() -> None:
    drop = seen(Shape.DROP, "reward", best=2.0, after=1.0)
    context = build(REINFORCED, (drop,))
    (only,) = label_quality_falls(context, [])
    assert (only.kind, only.severity, only.signal) == (Kind.QUALITY_LOSS, WARNING, "reward")
    assert label_quality_falls(context, [other(Kind.METRIC_DAMAGE, signal="reward")]) == []
    assert len(label_quality_falls(context, [other(Kind.METRIC_DAMAGE, signal="loss")])) == 1
    assert len(label_quality_falls(context, [other(Kind.OSCILLATION, signal="reward")])) == 1


@pytest.mark.parametrize(
    ("after", "severity"),
    [(0.4, CRITICAL), (-3.0, CRITICAL), (1.5, WARNING), (4.0, WARNING), (9.6, WARNING)],
)
def test_a_reward_that_is_all_lost_is_critical(after: float, severity: Severity) -> None:
    reward = synth.series(np.linspace(0.0, 10.0, 100), Metric.REWARD, tag="reward", name="reward")
    context = build(
        synth.run(*RUN.series, reward),
        (seen(Shape.DROP, "reward", best=10.0, after=after, first=0.0),),
    )
    (only,) = label_quality_falls(context, [])
    assert only.severity is severity


@pytest.mark.parametrize(("measures", "count"), [({"grows": 1.0}, 1), ({"grows": 0.0}, 0), ({}, 0)])
def test_what_grows_without_bound(measures: dict[str, float], count: int) -> None:
    found = label_growth(build(RUN, (seen(Shape.RAMP, "other:logits", **measures),)))
    assert [(a.kind, a.severity) for a in found] == [(Kind.UNBOUNDED_GROWTH, WARNING)] * count
    assert label_growth(build(RUN, (seen(Shape.CLIMB, grows=1.0),))) == []


@pytest.mark.parametrize(
    ("kind", "start", "severity", "told"),
    [
        (Kind.DIVERGENCE, 1150, CRITICAL, True),
        (Kind.LEVEL_SHIFT, 1300, WARNING, True),  # within two evaluations
        (Kind.OVERFITTING, 900, WARNING, True),
        (Kind.DIVERGENCE, 1150, REMARK, False),
        (Kind.LEVEL_SHIFT, 1350, WARNING, False),  # it came later
        (Kind.ISOLATED_SPIKE, 1200, WARNING, False),  # it came back
    ],
)
def test_a_quality_that_fell_with_the_loss_is_told_by_it(
    kind: Kind, start: int, severity: Severity, told: bool
) -> None:
    levels = np.where(np.arange(40) < 24, 0.9, 0.4)
    val = synth.series(levels, Metric.VAL_METRIC, tag="val_acc", stride=50, first=0)
    drop = Detection("quality_fall", Shape.DROP, val.name, 1200, 1950, 1950, {"best": 0.9})
    context = build(synth.run(val), (drop,))
    loss = Anomaly(kind, severity, 0.9, "loss", start, start, 1999)
    assert (label_quality_falls(context, [loss]) == []) == told


def thrown(after: float) -> np.ndarray:
    """Return a loss of five times its start over a fifth of the run, which comes down evenly."""
    values = np.full(400, 2.0)
    values[40:120] = 10.0
    values[120:200] = np.linspace(10.0, after, 80)
    values[200:] = after
    return values


@pytest.mark.parametrize(("after", "end"), [(1.9, 199), (1.0, 191)])
def test_a_hump_ends_where_the_loss_is_down_at_its_start(after: float, end: int) -> None:
    seen = Detection(
        "any", Shape.HUMP, "loss", 41, 41, 180, {"before": 2.0, "peak": 10.0, "factor": 5.0}
    )
    (found,) = label_states(build(synth.loss_run(thrown(after)), (seen,)), [])
    # Evenly from 10 at index 120: within 5 % of 2, 2.1, from index 197.03 or 189.35 on.
    assert (found.kind, found.end_step) == (Kind.SLOW_RECOVERY, end)
    assert found.measures["recovered_after_steps"] == end - 41


def test_a_hump_that_never_sinks_to_its_start_says_where_it_ends() -> None:
    seen = Detection(
        "any", Shape.HUMP, "loss", 41, 41, 180, {"before": 2.0, "peak": 10.0, "factor": 5.0}
    )
    (found,) = label_states(build(synth.loss_run(thrown(3.0)), (seen,)), [])
    assert found.end_step == 180
    assert found.measures["not_yet"] == 3.0
