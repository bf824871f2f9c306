"""Overfitting, a step of validation, evaluations that go wrong: labels and severities."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.classifier.context import Context, build
from spikedoc.classifier.validation import (
    label_evaluations,
    label_overfitting,
    label_validation_step,
)
from spikedoc.model.anomaly import Anomaly, Detection, Shape
from spikedoc.model.label import Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series

RUN = synth.healthy(n=1000).run
REWARD = synth.series(np.ones(10), Metric.REWARD)


OTHER = synth.run(*RUN.series, REWARD)


def detection(shape: Shape, signal: str = "loss", **measures: float) -> Detection:
    return Detection("any", shape, signal, 400, 400, 1000, measures)


def context(*found: Detection, run: Run = RUN) -> Context:
    return build(run, found)


class TestOverfitting:
    SCISSORS = detection(Shape.SCISSORS, "val_loss", rise_percent=30.0)

    def severity(
        self, *accuracy: float, tag: str = "val/acc", rise_percent: float = 30.0
    ) -> Severity:
        """Return the severity beside a metric evaluated at steps 100, 200 …"""
        metric = synth.series(np.array(accuracy), Metric.VAL_METRIC, tag=tag, stride=100, first=100)
        scissors = detection(Shape.SCISSORS, "val_loss", rise_percent=rise_percent)
        (found,) = label_overfitting(context(scissors, run=synth.run(*RUN.series, metric)))
        return found.severity

    def test_alone_it_is_a_warning(self) -> None:
        (found,) = label_overfitting(context(self.SCISSORS))
        assert (found.kind, found.severity) == (Kind.OVERFITTING, Severity.WARNING)

    def test_what_was_wrong_from_the_start_did_not_get_worse(self) -> None:
        gap = detection(Shape.GAP, "val_loss", best=2.4, train=0.8)
        assert label_overfitting(context(self.SCISSORS, gap)) == []
        late = Detection("any", Shape.GAP, "val_loss", 300, 300, 1000, {"best": 2.4})
        assert len(label_overfitting(context(self.SCISSORS, late))) == 1
        assert len(label_overfitting(context(self.SCISSORS, gap, run=OTHER))) == 1

    def test_a_metric_that_still_improves_says_calibration(self) -> None:
        rising = (0.5, 0.5, 0.5, 0.5, 0.6, 0.7, 0.8, 0.8, 0.8, 0.8)
        assert self.severity(*rising) is Severity.INFO
        assert self.severity(*rising, tag="val/error") is Severity.WARNING
        assert self.severity(*(1.0 - a for a in rising), tag="val/error") is Severity.INFO

    def test_one_that_stands_still_excuses_a_mild_rise_only(self) -> None:
        assert self.severity(*[0.5] * 10) is Severity.INFO
        assert self.severity(*[0.5] * 10, rise_percent=80.0) is Severity.WARNING

    def test_a_loss_that_doubled_is_excused_by_a_metric_that_gains_to_the_end_only(self) -> None:
        early = (0.5, 0.5, 0.5, 0.6, 0.7, *[0.8, 0.801] * 5)
        late = (0.5, 0.5, 0.5, 0.55, *np.linspace(0.6, 0.9, 11))
        assert self.severity(*early, rise_percent=90.0) is Severity.INFO
        assert self.severity(*early, rise_percent=160.0) is Severity.WARNING
        assert self.severity(*late, rise_percent=160.0) is Severity.INFO

    def test_an_accuracy_that_is_hardly_ever_right_excuses_nothing(self) -> None:
        assert self.severity(*[0.25] * 10) is Severity.WARNING
        assert self.severity(*[0.12] * 5, *[0.2] * 5) is Severity.WARNING
        assert self.severity(*[0.26] * 10) is Severity.INFO
        assert self.severity(*[0.2] * 10, tag="val/bleu") is Severity.INFO

    def test_too_few_evaluations_do_not_say(self) -> None:
        assert self.severity(0.5, 0.5, 0.5, 0.9, 0.9, 0.9) is Severity.WARNING

    def test_an_rl_loss_does_not_overfit(self) -> None:
        (found,) = label_overfitting(context(self.SCISSORS, run=synth.run(*RUN.series, REWARD)))
        assert found.severity is Severity.INFO


class TestValidationStep:
    """A step of the validation loss, unless an event of the training loss explains it."""

    STEP = Detection(
        "any", Shape.RISE, "val_loss", 600, 600, 1000, {"rise": 0.7, "factor": 2.0, "z": 9.0}
    )
    VAL = synth.series(np.ones(10), Metric.VAL_LOSS, stride=100, first=100)

    def steps(self, *others: Anomaly, extra: tuple[Series, ...] = ()) -> list[Anomaly]:
        run = synth.run(*RUN.series, self.VAL, *extra)
        return label_validation_step(context(self.STEP, run=run), list(others))

    def test_alone_it_is_a_warning(self) -> None:
        (found,) = self.steps()
        assert (found.label, found.severity) == ("level-shift/up", Severity.WARNING)
        assert (found.signal, found.start_step) == ("val_loss", 600)

    @pytest.mark.parametrize(
        ("start", "end", "said"), [(590, 595, 0), (750, 760, 0), (100, 300, 1)]
    )
    def test_a_shift_of_the_training_loss_explains_it(
        self, start: int, end: int, said: int
    ) -> None:
        shift = Anomaly(Kind.LEVEL_SHIFT, Severity.CRITICAL, 0.9, "loss", start, start, end)
        assert len(self.steps(shift)) == said

    def test_other_findings_do_not(self) -> None:
        remark = Anomaly(Kind.LR_DISCONTINUITY, Severity.INFO, 0.9, "lr", 600, 600, 600)
        assert len(self.steps(remark)) == 1

    def test_an_rl_loss_may_step(self) -> None:
        (found,) = self.steps(extra=(REWARD,))
        assert found.severity is Severity.INFO

    def test_a_rise_of_the_judged_loss_is_said_elsewhere(self) -> None:
        run = synth.run(self.VAL)
        assert label_validation_step(context(self.STEP, run=run), []) == []
        assert label_validation_step(context(self.STEP), []) == []


class TestStandstill:
    STILL = detection(Shape.LEFT_BEHIND, "val_loss", best=0.5, train_fall_percent=30.0)

    def severity(self, *falls: int, epoch: int = 200, extra: tuple[Series, ...] = ()) -> Severity:
        run = synth.run(*RUN.series, *extra, config={"steps_per_epoch": epoch})
        found = [Detection("any", Shape.FALL, "loss", at, at, 1000) for at in falls]
        (anomaly,) = label_overfitting(context(self.STILL, *found, run=run))
        assert anomaly.kind is Kind.OVERFITTING
        return anomaly.severity

    def test_a_gap_that_opens_evenly_is_a_remark(self) -> None:
        assert self.severity() is Severity.INFO

    def test_steps_at_the_epochs_are_a_memory(self) -> None:
        assert self.severity(401, 600) is Severity.WARNING

    def test_steps_elsewhere_or_a_single_one_are_not(self) -> None:
        assert self.severity(480, 700) is Severity.INFO
        assert self.severity(401) is Severity.INFO

    def test_nor_where_no_samples_are_learned(self) -> None:
        assert self.severity(401, 600, extra=(REWARD,)) is Severity.INFO


class TestEvaluations:
    """A single evaluation far above its neighbours."""

    VAL = synth.series(np.ones(20), Metric.VAL_LOSS, stride=50, first=50)

    def found(self, drop: float, *others: Anomaly, extra: tuple[Series, ...] = ()) -> list[Anomaly]:
        run = synth.run(*RUN.series, self.VAL, *extra)
        point = detection(Shape.POINT, "val_loss", rise=0.8, factor=2.2, z=9.0, metric_drop=drop)
        return label_evaluations(context(point, run=run), list(others))

    @pytest.mark.parametrize(
        ("drop", "severity"), [(0.0, Severity.INFO), (0.4, Severity.INFO), (0.5, Severity.WARNING)]
    )
    def test_it_alarms_where_half_of_the_quality_is_gone(
        self, drop: float, severity: Severity
    ) -> None:
        (found,) = self.found(drop)
        assert (found.label, found.signal) == ("isolated-spike", "val_loss")
        assert found.severity is severity

    def test_a_spike_of_the_training_loss_explains_it(self) -> None:
        spike = Anomaly(Kind.ISOLATED_SPIKE, Severity.INFO, 0.9, "loss", 380, 380, 381)
        assert self.found(0.9, spike) == []

    def test_an_rl_loss_may_jump(self) -> None:
        (found,) = self.found(0.9, extra=(REWARD,))
        assert found.severity is Severity.INFO


@pytest.mark.parametrize(
    ("end", "rise_percent", "severity"),
    [
        # The metric lies at 0, then half of it at 0 and half at the end: the scatter is half of it,
        # and what it gains two scatters. A mild rise is one of less than 50 per cent.
        *((0.2, 80.0, Severity.INFO), (-0.2, 30.0, Severity.WARNING), (0.0, 49.9, Severity.INFO)),
        (0.0, 50.0, Severity.WARNING),
    ],
)
def test_scissors_beside_a_metric(end: float, rise_percent: float, severity: Severity) -> None:
    values = (0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5 + end, 0.5 + end, 0.5 + end)
    assert TestOverfitting().severity(*values, rise_percent=rise_percent) is severity


@pytest.mark.parametrize(("count", "severity"), [(7, Severity.INFO), (6, Severity.WARNING)])
def test_four_values_of_the_metric_from_the_best_on(count: int, severity: Severity) -> None:
    # The best evaluation is the fourth.
    values = [0.5, 0.5, 0.5, *[0.5 + 0.1 * i for i in range(count - 3)]]
    assert TestOverfitting().severity(*values) is severity


@pytest.mark.parametrize(
    ("steps", "severity"),
    [
        ((205, 295), Severity.WARNING), ((206, 295), Severity.INFO), ((205, 294), Severity.INFO),
        ((205,), Severity.INFO),
    ],
)  # fmt: skip
def test_two_falls_within_a_twentieth_of_an_epoch(steps: tuple[int, ...], severity) -> None:
    seen = [Detection("any", Shape.FALL, "loss", step, step, step) for step in steps]
    gap = detection(Shape.LEFT_BEHIND, "val_loss")
    run = Run("made", "made", RUN.series, config={"steps_per_epoch": 100})
    (found,) = label_overfitting(context(gap, *seen, run=run))
    assert (found.kind, found.severity, found.confidence) == (Kind.OVERFITTING, severity, 0.7)


VAL = synth.series(np.ones(20), Metric.VAL_LOSS, stride=50, first=50)


@pytest.mark.parametrize(("drop", "severity"), [(0.5, Severity.WARNING), (0.49, Severity.INFO)])
def test_an_evaluation_that_halved_a_quality(drop: float, severity: Severity) -> None:
    seen = detection(Shape.POINT, "val_loss", metric_drop=drop)
    (found,) = label_evaluations(context(seen, run=synth.run(*RUN.series, VAL)), [])
    assert (found.kind, found.severity) == (Kind.ISOLATED_SPIKE, severity)


@pytest.mark.parametrize(
    ("start", "end", "told"),
    [(500, 500, 0), (501, 501, 1), (300, 300, 0), (299, 299, 1), (200, 700, 0)],
)
def test_an_event_of_training_within_two_evaluations(start: int, end: int, told: int) -> None:
    # What is seen lies at step 400, two evaluations are 100 steps.
    run = synth.run(*RUN.series, VAL)
    other = Anomaly(Kind.LEVEL_SHIFT, Severity.WARNING, 0.9, "loss", start, start, end)
    point = detection(Shape.POINT, "val_loss", metric_drop=0.9)
    assert len(label_evaluations(context(point, run=run), [other])) == told
    step = detection(Shape.RISE, "val_loss")
    assert len(label_validation_step(context(step, run=run), [other])) == told


class TestMetricBesideScissors:
    """How much a metric gained since the best loss, in scatters: more than one excuses a rise."""

    # Evaluated at 100, 200 …; the best loss is at step 400, the index 3.
    @pytest.mark.parametrize(
        ("values", "rise_percent", "severity"),
        [
            # From 0 to 3 with a scatter of 1.5: two scatters.
            ((9, 0, 0, 0, 0, 3, 3, 3), 80.0, Severity.INFO),
            # A level of 2, an end of 0: minus two scatters, even in a mild rise.
            ((9, 2, 2, 2, 0, 0, 0), 30.0, Severity.WARNING),
            # The evaluations next to the best loss make its level: the third, fourth and fifth.
            ((5, 5, 0, 5, 5, 5, 5, 5), 80.0, Severity.WARNING),
            ((0, 0, 0, 5, 0, 5, 5, 5), 80.0, Severity.INFO),
            ((9, 9, 4, 4, 9, 4, 5, 5, 5), 80.0, Severity.WARNING),
            # The last three evaluations make the end.
            ((0, 0, 0, 0, 0, 0, 5, 5), 80.0, Severity.INFO),
            ((0, 0, 0, 0, 0, 0, 0, 5), 80.0, Severity.WARNING),
            ((0, 0, 0, 0, 5, 5, 5, 0, 0), 80.0, Severity.WARNING),
            ((0, 0, 0, 0, 5, 5, -5, 0, 5, 5), 80.0, Severity.INFO),
            # Exactly one scatter, up and down, is neither a gain nor one that holds.
            ((9, 9, 0, -1, 1, -1, -1, 1, 1), 80.0, Severity.WARNING),
            ((9, 9, 0, 1, -1, 1, 1, -1, -1), 30.0, Severity.WARNING),
            # Its scatter is that of the evaluations from the best loss on.
            ((0, 99, 0, 0, 0, 3, 3, 3), 80.0, Severity.INFO),
        ],
    )
    def test_what_a_metric_says(self, values, rise_percent: float, severity: Severity) -> None:
        found = TestOverfitting().severity(*map(float, values), rise_percent=rise_percent)
        assert found is severity

    @pytest.mark.parametrize(
        ("gain", "rise_percent", "severity"),
        [(1.01, 80.0, Severity.INFO), (0.99, 80.0, Severity.WARNING),
         (-0.99, 30.0, Severity.INFO), (-1.01, 30.0, Severity.WARNING)],
    )  # fmt: skip
    def test_one_scatter(self, gain: float, rise_percent: float, severity: Severity) -> None:
        # From the best loss on: six evaluations at 0, eight at 4, six at 2, ends at `gain` times
        # their scatter, which is found by halving.
        low, high = -10.0, 10.0
        start = np.r_[np.zeros(5), np.tile([4.0, -4.0], 8)]
        for _ in range(60):
            end = (low + high) / 2
            values = np.r_[start, end, end, end]
            if end < gain * np.std(values[3:]):
                low = end
            else:
                high = end
        assert TestOverfitting().severity(*values, rise_percent=rise_percent) is severity

    def test_the_best_of_several_metrics_counts(self) -> None:
        good = synth.series(np.r_[np.zeros(5), np.ones(5)], Metric.VAL_METRIC, tag="val/acc",
                            name="val_metric:a", stride=100, first=100)  # fmt: skip
        bad = synth.series(np.r_[np.ones(5), np.zeros(5)], Metric.VAL_METRIC, tag="val/f1",
                           name="val_metric:b", stride=100, first=100)  # fmt: skip
        scissors = detection(Shape.SCISSORS, "val_loss", rise_percent=80.0)
        for metrics in ((good, bad), (bad, good)):
            run = synth.run(*RUN.series, *metrics)
            (found,) = label_overfitting(context(scissors, run=run))
            assert found.severity is Severity.INFO

    @pytest.mark.parametrize(("first", "severity"), [(300, Severity.INFO), (400, Severity.WARNING)])
    def test_a_metric_needs_an_evaluation_before_the_best_loss(self, first: int, severity) -> None:
        values = np.r_[0.0, 0.0, np.zeros(3), np.ones(6)]
        metric = synth.series(values, Metric.VAL_METRIC, tag="val/acc", stride=100, first=first)
        scissors = detection(Shape.SCISSORS, "val_loss", rise_percent=80.0)
        (found,) = label_overfitting(context(scissors, run=synth.run(*RUN.series, metric)))
        assert found.severity is severity

    def test_a_metric_that_is_constant_has_gained_nothing(self) -> None:
        assert TestOverfitting().severity(*[0.5] * 9, rise_percent=80.0) is Severity.WARNING
        assert TestOverfitting().severity(*[0.5] * 9, rise_percent=49.0) is Severity.INFO


def test_without_epochs_no_fall_lies_at_one() -> None:
    falls = [Detection("any", Shape.FALL, "loss", step, step, step) for step in (200, 300, 400)]
    (found,) = label_overfitting(context(detection(Shape.LEFT_BEHIND, "val_loss"), *falls))
    assert found.severity is Severity.INFO


@pytest.mark.parametrize(("step", "severity"), [(10, Severity.WARNING), (11, Severity.INFO)])
def test_a_twentieth_of_an_epoch_of_two_hundred_steps(step: int, severity: Severity) -> None:
    assert TestStandstill().severity(step, 600) is severity


@pytest.mark.parametrize(
    ("extra", "told"), [((), []), ((REWARD,), [Severity.INFO])], ids=["plain", "reinforced"]
)
def test_a_validation_that_never_worked_is_not_left_behind(extra, told) -> None:
    both = (detection(Shape.GAP, "val_loss"), detection(Shape.LEFT_BEHIND, "val_loss"))
    found = label_overfitting(context(*both, run=synth.run(*RUN.series, *extra)))
    assert [a.severity for a in found] == told


def test_without_a_validation_loss_of_its_own_no_evaluation_is_wrong() -> None:
    point = detection(Shape.POINT, "val_loss", metric_drop=0.9)
    assert label_evaluations(context(point), []) == []
    assert label_evaluations(context(point, run=synth.run(VAL)), []) == []
