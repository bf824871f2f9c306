"""Flat, drifting and falling runs: labels and severities from what was seen."""

from __future__ import annotations

import math

import numpy as np
import pytest
import synth

from spikedoc.classifier.classify import classify
from spikedoc.classifier.context import Context, build
from spikedoc.classifier.course import (
    label_drift,
    label_falls,
    label_flat,
    label_plateau,
    label_slow,
    slow_rises,
)
from spikedoc.model.anomaly import Anomaly, Detection, Shape
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import ConfigValue, Run
from spikedoc.pipeline import detect

RUN = synth.healthy(n=1000).run
REWARD = synth.series(np.ones(10), Metric.REWARD)


def detection(shape: Shape, signal: str = "loss", **measures: float) -> Detection:
    return Detection("any", shape, signal, 400, 400, 1000, measures)


def context(*found: Detection, run: Run = RUN) -> Context:
    return build(run, found)


class TestFlat:
    def flat(self, run: Run = RUN, **changes: float) -> Anomaly:
        measures = {
            "first": 1.3, "best": 1.29, "last": 1.3, "fall": 0.008, "fall_score": 0.5,
            "points": 1000.0, "relative_noise": 0.01, "tau": 0.0,
        } | changes  # fmt: skip
        (found,) = label_flat(context(detection(Shape.FLAT, **measures), run=run))
        return found

    def test_a_line_at_no_special_level(self) -> None:
        found = self.flat()
        assert (found.form, found.severity) == (Form.FLAT, Severity.CRITICAL)
        assert found.measures["fall_percent"] == pytest.approx(100 * (1 - 1.29 / 1.3))
        assert "chance" not in found.measures

    @pytest.mark.parametrize(("first", "told"), [(0, 1), (90, 1), (150, 0), (5_000, 0)])
    def test_a_log_without_its_beginning_shows_no_standstill(self, first: int, told: int) -> None:
        later = synth.run(synth.series(np.ones(900), first=first))
        measures = {"first": 1.3, "best": 1.29, "last": 1.3, "fall": 0.008, "fall_score": 0.5}
        seen = detection(Shape.FLAT, points=900.0, relative_noise=0.01, tau=0.0, **measures)
        assert len(label_flat(context(seen, run=later))) == told

    def test_without_its_beginning_guessing_is_still_guessing(self) -> None:
        later = synth.run(synth.series(np.ones(900), first=5_000), config={"num_classes": 10})
        found = self.flat(later, first=2.31, best=2.29, last=2.31)
        assert (found.form, found.severity) == (Form.FLAT, Severity.CRITICAL)

    @pytest.mark.parametrize(("classes", "level"), [(10, 2.31), (37, math.log(37))])
    def test_guessing_is_the_surest(self, classes: int, level: float) -> None:
        run = synth.run(*RUN.series, config={"num_classes": classes})
        found = self.flat(run, first=level, best=level * 0.99, last=level, fall=0.05)
        assert found.measures["classes"] == classes
        assert found.severity is Severity.CRITICAL
        assert found.confidence > self.flat().confidence

    def test_a_sum_of_terms_is_at_no_guess(self) -> None:
        run = synth.summed(synth.healthy(n=1000).run, 0.5, 0.5)
        assert "chance" not in self.flat(run, first=2.31, best=2.29, last=2.31).measures

    @pytest.mark.parametrize("classes", ["10", 10.5])
    def test_a_setting_that_is_no_count_is_not_used(self, classes: ConfigValue) -> None:
        run = synth.run(*RUN.series, config={"num_classes": classes})
        assert self.flat(run, last=2.31).measures["classes"] == 10.0

    def test_a_measurable_fall_is_slow_learning(self) -> None:
        found = self.flat(fall=0.06, fall_score=20.0, best=1.22)
        assert (found.form, found.severity) == (Form.SLOW, Severity.INFO)

    def test_sgd_at_a_rate_for_adam_is_no_fine_tuning(self) -> None:
        def at(rate: float, optimizer: str) -> Severity:
            run = synth.run(*RUN.series, config={"lr": rate, "optimizer": optimizer})
            return self.flat(run, fall=0.06, fall_score=20.0, best=1.22).severity

        assert at(9e-5, "sgd") is Severity.WARNING
        assert at(1e-3, "sgd") is Severity.INFO
        assert at(9e-5, "adamw") is Severity.INFO

    def test_a_rate_that_moves_nothing_is_no_fine_tuning(self) -> None:
        def at(rate: float) -> Severity:
            run = synth.run(*RUN.series, config={"lr": rate})
            return self.flat(run, fall=0.06, fall_score=20.0, best=1.22).severity

        assert at(1e-8) is Severity.WARNING
        assert at(5e-7) is Severity.INFO
        assert at(0.0) is Severity.INFO  # printed away, more likely

    def test_measurable_but_nothing_is_flat(self) -> None:
        found = self.flat(fall=0.002, fall_score=20.0)
        assert (found.form, found.severity) == (Form.FLAT, Severity.CRITICAL)

    def test_a_short_line_is_a_remark(self) -> None:
        assert self.flat(points=40.0).severity is Severity.INFO

    def test_a_noisy_fall_nobody_can_measure_is_a_remark(self) -> None:
        found = self.flat(fall=0.06, fall_score=1.0, best=1.22, points=300.0)
        assert found.severity is Severity.INFO

    @pytest.mark.parametrize(
        ("noise", "points", "severity"),
        [
            (0.08, 99.0, Severity.CRITICAL),  # four errors of .024 are a tenth
            (0.09, 99.0, Severity.INFO),
            (0.25, 1000.0, Severity.CRITICAL),
            (0.6, 1000.0, Severity.INFO),  # a diffusion model that is fine-tuned
        ],
    )
    def test_noise_in_which_no_fall_would_show_leaves_it_open(
        self, noise: float, points: float, severity: Severity
    ) -> None:
        assert self.flat(relative_noise=noise, points=points).severity is severity

    @pytest.mark.parametrize(("right", "told"), [(0.5, Severity.INFO), (0.1, Severity.CRITICAL)])
    def test_a_level_at_which_ever_more_answers_are_right_has_learned(
        self, right: float, told: Severity
    ) -> None:
        answers = synth.series(np.linspace(0.0, right, 1000), Metric.TRAIN_METRIC, tag="acc")
        assert self.flat(synth.run(*RUN.series, answers)).severity is told

    def test_a_level_no_trained_model_has_is_a_warning(self) -> None:
        found = self.flat(first=8.0, best=7.6, last=7.9, fall=0.05, fall_score=1.0)
        assert found.severity is Severity.WARNING

    def test_an_rl_loss_may_be_flat(self) -> None:
        assert self.flat(synth.run(*RUN.series, REWARD)).severity is Severity.INFO

    def test_a_loss_that_ends_above_its_start_is_a_divergence(self) -> None:
        values = np.concatenate([np.ones(500), np.linspace(1.0, 3.0, 500)])
        found = self.flat(synth.loss_run(values), first=1.0, best=1.0, last=3.0, fall=0.0)
        assert (found.label, found.severity) == ("divergence/finite", Severity.CRITICAL)
        # A fifth above the start: index 500 + 50.
        assert found.start_step == pytest.approx(551, abs=2)
        assert found.measures["factor"] == pytest.approx(3.0)

    def test_unless_its_noise_reaches_as_far(self) -> None:
        found = self.flat(first=1.0, best=1.0, last=1.5, relative_noise=0.3)
        assert found.kind is Kind.NON_CONVERGENCE

    def test_an_end_below_zero_has_no_ratio(self) -> None:
        assert self.flat(last=-1.0).kind is Kind.NON_CONVERGENCE


def test_a_flat_loss_that_creeps_up_drifts() -> None:
    measures = {
        "first": 3.70, "best": 3.61, "last": 3.76, "fall": 0.025, "fall_score": -4.5,
        "relative_noise": 0.03, "points": 2000.0, "tau": 0.5,
    }  # fmt: skip
    (found,) = label_flat(context(detection(Shape.FLAT, **measures)))
    assert (found.kind, found.severity) == (Kind.SUSTAINED_DRIFT, Severity.WARNING)
    assert (found.measures["before"], found.measures["after"]) == (3.70, 3.76)
    assert found.measures["factor"] == pytest.approx(3.76 / 3.70)


def test_an_even_fall_is_slow() -> None:
    measures = {"first": 16.0, "best": 10.0, "last": 10.0, "fall": 0.47, "pace": 1.0}
    slow = detection(Shape.SLOW, **measures)
    (found,) = label_slow(context(slow))
    assert (found.label, found.severity) == ("non-convergence/slow", Severity.WARNING)
    assert found.measures["fall_percent"] == pytest.approx(37.5)
    (found,) = label_slow(context(slow, run=synth.run(*RUN.series, REWARD)))
    assert found.severity is Severity.INFO


class TestDrift:
    @pytest.mark.parametrize(
        ("rise", "severity"), [(0.1, Severity.WARNING), (0.3, Severity.CRITICAL)]
    )
    def test_a_fifth_is_harm(self, rise: float, severity: Severity) -> None:
        (found,) = label_drift(context(detection(Shape.RAMP, rise=rise, z=9.0)), [])
        assert (found.label, found.severity) == ("sustained-drift", severity)
        assert found.measures["factor"] == pytest.approx(math.exp(rise))

    def test_a_rise_without_a_score_is_the_climb_of_a_short_log(self) -> None:
        (found,) = label_drift(context(detection(Shape.RAMP, rise=1.6, z=math.inf)), [])
        assert found.label == "divergence/finite"

    def test_a_ramp_of_the_gradient_is_another_matter(self) -> None:
        assert label_drift(context(detection(Shape.RAMP, "grad_norm", rise=1.0, z=9.0)), []) == []

    def test_negative_losses_have_no_factor(self) -> None:
        run = synth.loss_run(-synth.curve(n=500))
        (found,) = label_drift(context(detection(Shape.RAMP, rise=0.3, z=9.0), run=run), [])
        assert math.isnan(found.measures["factor"])

    def test_an_rl_loss_may_rise(self) -> None:
        run = synth.run(*RUN.series, REWARD)
        (found,) = label_drift(context(detection(Shape.RAMP, rise=2.0, z=9.0), run=run), [])
        assert found.severity is Severity.INFO

    @pytest.mark.parametrize(("end", "said"), [(399, 1), (400, 0), (900, 0)])
    def test_a_shift_that_reaches_into_it_covers_it(self, end: int, said: int) -> None:
        shift = Anomaly(Kind.LEVEL_SHIFT, Severity.CRITICAL, 0.9, "loss", 300, 300, end, Form.UP)
        found = label_drift(context(detection(Shape.RAMP, rise=0.3, z=9.0)), [shift])
        assert len(found) == said


class TestFalls:
    def test_levels_on_both_sides(self) -> None:
        values = np.where(np.arange(1000) < 600, 2.0, 0.5)
        fall = detection(Shape.FALL, index=600.0, rise=-1.4)
        (found,) = label_falls(context(fall, run=synth.loss_run(values)))
        assert (found.label, found.severity) == ("level-shift/down", Severity.INFO)
        assert (found.measures["before"], found.measures["after"]) == (2.0, 0.5)
        assert found.measures["factor"] == 0.25
        assert found.end_step == 1000

    def test_negative_levels_have_no_factor(self) -> None:
        values = np.where(np.arange(1000) < 600, -1.0, -4.0)
        fall = detection(Shape.FALL, index=600.0, rise=-1.4)
        (found,) = label_falls(context(fall, run=synth.loss_run(values)))
        assert "factor" not in found.measures

    def test_a_fall_at_the_first_point_has_no_level_before(self) -> None:
        (found,) = label_falls(context(detection(Shape.FALL, index=0.0, rise=-1.4)))
        assert "before" not in found.measures


CRITICAL, WARNING, REMARK = Severity.CRITICAL, Severity.WARNING, Severity.INFO


class TestFlatAtTheThreshold:
    flat = TestFlat.flat

    @pytest.mark.parametrize(
        ("changes", "severity", "confidence", "form"),
        [
            # A line: less than 2 % below its start, on 60 points.
            ({"points": 60.0}, CRITICAL, 0.85, Form.FLAT),
            ({"points": 59.0}, REMARK, 0.4, Form.FLAT),
            ({"fall": 0.019}, CRITICAL, 0.85, Form.FLAT),
            ({"fall": 0.02}, REMARK, 0.4, Form.FLAT),
            # It falls, if slowly: by four errors, and by one per cent.
            ({"fall_score": 4.1, "fall": 0.01}, REMARK, 0.5, Form.SLOW),
            ({"fall_score": 4.0, "fall": 0.01}, CRITICAL, 0.85, Form.FLAT),
            ({"fall_score": 4.1, "fall": 0.009}, CRITICAL, 0.85, Form.FLAT),
            # A cross-entropy of 5 nats is no trained model's.
            ({"first": 5.0, "best": 4.8, "last": 5.0, "fall": 0.04}, WARNING, 0.7, Form.FLAT),
            ({"first": 4.99, "best": 4.8, "last": 4.99, "fall": 0.04}, REMARK, 0.4, Form.FLAT),
            (
                {"first": 5.0, "best": 4.8, "last": 5.0, "fall": 0.04, "fall_score": 4.0},
                WARNING, 0.7, Form.FLAT,
            ),
            (
                {"first": 5.0, "best": 4.8, "last": 5.0, "fall": 0.04, "fall_score": 4.1},
                REMARK, 0.5, Form.SLOW,
            ),
            ({"thrown": 1.0, "fall": 0.04}, WARNING, 0.8, Form.FLAT),
            # Too few digits to see it move.
            ({"points": 60.0, "printed_away": 1.0}, REMARK, 0.5, Form.FLAT),
        ],
    )  # fmt: skip
    def test_how_bad_a_flat_loss_is(self, changes, severity, confidence, form) -> None:
        found = self.flat(**changes)
        assert (found.severity, found.confidence, found.form) == (severity, confidence, form)

    @pytest.mark.parametrize(("points", "severity"), [(59.0, REMARK), (60.0, CRITICAL)])
    def test_sixty_points_at_a_guess(self, points: float, severity: Severity) -> None:
        run = synth.run(*RUN.series, config={"num_classes": 10})
        found = self.flat(run, first=2.31, best=2.29, last=2.3026, points=points)
        assert (found.severity, found.measures["classes"]) == (severity, 10.0)

    @pytest.mark.parametrize(
        ("score", "points", "kind"),
        [
            (-3.1, 1000.0, Kind.SUSTAINED_DRIFT), (-3.0, 1000.0, Kind.NON_CONVERGENCE),
            (-3.1, 999.0, Kind.NON_CONVERGENCE),
        ],
    )  # fmt: skip
    def test_a_loss_that_creeps_up(self, score: float, points: float, kind: Kind) -> None:
        found = self.flat(fall_score=score, points=points, fall=0.04, last=1.43)
        assert found.kind is kind
        if kind is Kind.SUSTAINED_DRIFT:
            assert (found.severity, found.confidence) == (WARNING, 0.6)
            told = {"factor": 1.1, "rise": math.log(1.1), "before": 1.3, "after": 1.43}
            assert {name: found.measures[name] for name in told} == pytest.approx(told)

    @pytest.mark.parametrize(
        ("last", "noise", "kind"),
        [
            (1.2, 0.01, Kind.DIVERGENCE), (1.19, 0.01, Kind.NON_CONVERGENCE),
            # Three times the scatter of single points: exp(.3) = 1.35.
            (1.36, 0.1, Kind.DIVERGENCE), (1.34, 0.1, Kind.NON_CONVERGENCE),
            (-1.0, 0.01, Kind.NON_CONVERGENCE),
        ],
    )  # fmt: skip
    def test_an_end_a_fifth_above_the_start(self, last: float, noise: float, kind: Kind) -> None:
        found = self.flat(first=1.0, last=last, best=0.99, relative_noise=noise)
        assert found.kind is kind
        if kind is Kind.DIVERGENCE:
            assert found.measures["factor"] == pytest.approx(last)
            assert (found.severity, found.form) == (CRITICAL, Form.FINITE)

    @pytest.mark.parametrize(("first", "told"), [(10, 1), (11, 1), (12, 0)])
    def test_a_log_that_begins_a_tenth_in(self, first: int, told: int) -> None:
        run = synth.run(synth.series(np.ones(101 - first), first=first))
        measures = {"first": 1.3, "best": 1.29, "last": 1.3, "fall": 0.008, "fall_score": 0.5}
        seen = detection(Shape.FLAT, points=900.0, relative_noise=0.01, tau=0.0, **measures)
        assert len(label_flat(context(seen, run=run))) == told


@pytest.mark.parametrize("plain", [True, False])
def test_a_slow_loss_and_a_plateau(plain: bool) -> None:
    run = RUN if plain else synth.run(*RUN.series, REWARD)
    severity = WARNING if plain else REMARK
    (slow,) = label_slow(context(detection(Shape.SLOW, first=2.0, best=1.5), run=run))
    assert (slow.form, slow.severity, slow.confidence) == (Form.SLOW, severity, 0.7)
    assert slow.measures["fall_percent"] == pytest.approx(25.0)
    for still, form in ((1.0, Form.PLATEAU), (0.0, Form.SLOW)):
        seen = detection(Shape.PLATEAU, first=2.0, best=0.5, still=still)
        (found,) = label_plateau(context(seen, run=run))
        assert (found.form, found.severity, found.confidence) == (form, severity, 0.8)
        assert found.measures == {"first": 2.0, "best": 0.5, "fall_percent": pytest.approx(75.0)}


def drift(rise: float, z: float = 5.0, others: list[Anomaly] | None = None, **more: float):
    seen = detection(Shape.RAMP, rise=rise, z=z, **more)
    return label_drift(context(seen), others or [])


@pytest.mark.parametrize(
    ("rise", "severity"), [(math.log(1.2), CRITICAL), (math.log(1.19), WARNING)]
)
def test_a_drift_of_a_fifth_is_lost_training(rise: float, severity: Severity) -> None:
    (found,) = drift(rise)
    assert (found.kind, found.severity) == (Kind.SUSTAINED_DRIFT, severity)
    assert found.measures["factor"] == pytest.approx(math.exp(rise))
    (short,) = drift(rise, z=math.inf)
    assert (short.kind, short.form) == (Kind.DIVERGENCE, Form.FINITE)
    (told,) = drift(rise, before=2.0, after=3.0)
    assert told.measures["factor"] == 1.5


@pytest.mark.parametrize(
    ("kind", "end", "form", "told"),
    [
        (Kind.LEVEL_SHIFT, 400, None, 0), (Kind.LEVEL_SHIFT, 399, None, 1),
        (Kind.OSCILLATION, 400, Form.NOISE, 1), (Kind.OSCILLATION, 400, Form.WAVE, 0),
        (Kind.ISOLATED_SPIKE, 900, None, 1), (Kind.PERIODIC_SPIKES, 900, None, 0),
    ],
)  # fmt: skip
def test_a_drift_that_another_finding_covers(kind: Kind, end: int, form, told: int) -> None:
    other = Anomaly(kind, WARNING, 0.9, "loss", 100, 100, end, form)
    assert len(drift(0.5, others=[other])) == told


def shift(kind: Kind, start: int, form: Form | None) -> Anomaly:
    return Anomaly(kind, WARNING, 0.9, "loss", start, start, 1000, form)


SLOPE = Detection(
    "any", Shape.RAMP, "loss", 400, 700, 1000,
    {"rise": 0.5, "z": 5.0, "reached": 700.0, "left": 380.0, "before": 1.0, "after": 2.0},
)  # fmt: skip


@pytest.mark.parametrize(("start", "under"), [(399, False), (400, True), (700, True), (701, False)])
def test_a_level_on_a_slope_is_that_slope(start: int, under: bool) -> None:
    (found,) = slow_rises(context(SLOPE), [shift(Kind.LEVEL_SHIFT, start, Form.UP)])
    assert (found.kind is Kind.SUSTAINED_DRIFT) is under
    assert found.start_step == (400 if under else start)
    if under:
        assert found.measures["factor"] == 2.0
    (down,) = slow_rises(context(SLOPE), [shift(Kind.LEVEL_SHIFT, start, Form.DOWN)])
    assert (down.kind, down.start_step) == (Kind.LEVEL_SHIFT, start)
    (lost,) = slow_rises(context(SLOPE), [shift(Kind.DIVERGENCE, start, Form.FINITE)])
    assert (lost.kind, lost.start_step) == (Kind.DIVERGENCE, 380 if under else start)


def test_the_levels_of_a_fall_are_those_of_twenty_points() -> None:
    loss = np.r_[np.full(380, 9.0), np.full(20, 2.0), np.full(20, 1.0), np.full(580, 0.1)]
    run = synth.run(synth.series(loss))
    seen = Detection("any", Shape.FALL, "loss", 401, 401, 401, {"index": 400.0})
    (found,) = label_falls(build(run, (seen,)))
    assert (found.severity, found.form, found.end_step) == (REMARK, Form.DOWN, 1000)
    assert found.confidence == 0.8
    assert found.measures == {"index": 400.0, "before": 2.0, "after": 1.0, "factor": 0.5}
    below = synth.run(synth.series(loss - 5.0))
    (found,) = label_falls(build(below, (seen,)))
    assert found.measures == {"index": 400.0, "before": -3.0, "after": -4.0}


def test_where_and_how_far_a_loss_rose_above_its_start() -> None:
    loss = np.r_[np.full(500, 2.0), np.full(500, 3.0)]
    found = TestFlat().flat(synth.loss_run(loss), first=2.0, best=2.0, last=3.0, fall=0.0)
    assert (found.label, found.start_step) == ("divergence/finite", 501)
    told = {"factor": 1.5, "before": 2.0, "after": 3.0}
    assert {name: found.measures[name] for name in told} == told
    below_one = TestFlat().flat(first=0.25, best=0.25, last=0.5, fall=0.0)
    assert below_one.label == "divergence/finite"


def test_a_handful_of_points_at_the_level_of_a_guess_is_a_beginning() -> None:
    run = synth.run(*RUN.series, config={"num_classes": 10})
    found = TestFlat().flat(run, first=2.31, best=2.29, last=2.3026, points=59.0)
    assert (found.severity, found.confidence) == (REMARK, 0.5)


@pytest.mark.parametrize(("last", "rise"), [(1.2, math.log(1.2 / 1.3)), (0.0, 0.0), (-1.0, 0.0)])
def test_how_far_a_loss_crept_up(last: float, rise: float) -> None:
    found = TestFlat().flat(fall_score=-3.1, fall=0.04, last=last)
    assert found.kind is Kind.SUSTAINED_DRIFT
    assert found.measures["rise"] == pytest.approx(rise)


@pytest.mark.parametrize(("before", "after", "factor"), [(0.5, 0.25, 0.5), (0.0, -1.0, None)])
def test_a_fall_has_a_factor_above_zero(before: float, after: float, factor) -> None:
    values = np.where(np.arange(1000) < 600, before, after)
    fall = detection(Shape.FALL, index=600.0, rise=-0.7)
    (found,) = label_falls(context(fall, run=synth.loss_run(values)))
    assert found.measures.get("factor") == factor


@pytest.mark.parametrize(("right", "severity"), [(0.6, Severity.INFO), (0.2, Severity.CRITICAL)])
def test_a_loss_above_its_start_beside_answers_that_are_right(
    right: float, severity: Severity
) -> None:
    """A contrastive loss grows with its queue while the model learns."""
    n = 300
    t = np.arange(n) / n
    rng = np.random.default_rng(2)
    loss = (0.5 + 11.0 * (1.0 - np.exp(-30.0 * t)) * (1.0 - 0.5 * t)) * np.exp(
        0.02 * rng.standard_normal(n)
    )
    accuracy = right * t + 0.01 * rng.standard_normal(n)
    parts = synth.series(loss), synth.series(accuracy, Metric.TRAIN_METRIC, tag="acc")
    run = synth.run(*parts)
    told = classify(run, detect(run))
    assert max((a.severity for a in told), key=lambda s: s.rank) is severity
