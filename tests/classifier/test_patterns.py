"""Periodic findings, bursts and noise: labels and severities from what was seen."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
import synth

from spikedoc.classifier import patterns
from spikedoc.classifier.context import build
from spikedoc.classifier.patterns import (
    label_balance,
    label_combs,
    label_growing,
    label_noise,
    label_periods,
    label_relapse,
)
from spikedoc.model.anomaly import Anomaly, Detection, Shape
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Source

RUN = synth.healthy(n=1000).run


def detection(shape: Shape, step: int = 400, last: int = 1000, signal: str = "loss",
              **measures: float) -> Detection:  # fmt: skip
    return Detection("any", shape, signal, step, step, last, measures)


class TestPeriods:
    @pytest.mark.parametrize(
        ("shape", "kind", "form"),
        [
            (Shape.EPOCH_PROFILE, Kind.PERIODIC_SPIKES, Form.EPOCH),
            (Shape.AFTER_EVALUATION, Kind.PERIODIC_SPIKES, Form.AFTER_EVALUATION),
            (Shape.PERIOD, Kind.PERIODIC_SPIKES, Form.FIXED_PERIOD),
            (Shape.WAVE, Kind.OSCILLATION, Form.WAVE),
        ],
    )
    def test_labels(self, shape: Shape, kind: Kind, form: Form) -> None:
        seen = detection(shape, period=50.0)
        (found,) = label_periods(build(RUN, (seen,)))
        assert (found.kind, found.form, found.severity) == (kind, form, Severity.WARNING)
        assert found.measures == {"period": 50.0}
        assert found.detections == (seen,)

    def test_what_comes_after_evaluations_is_no_period_beside(self) -> None:
        after = detection(Shape.AFTER_EVALUATION, period=50.0, off=-0.3)
        others = [detection(Shape.EPOCH_PROFILE, period=p, eta2=0.5) for p in (50.0, 100.0, 73.0)]
        wave = detection(Shape.WAVE, period=50.5, strength=0.9)
        found = label_periods(build(RUN, (after, *others, wave)))
        told = {(a.form, a.measures["period"]) for a in found}
        assert told == {(Form.AFTER_EVALUATION, 50.0), (Form.EPOCH, 73.0)}

    @pytest.mark.parametrize(
        ("period", "severity"), [(200.0, Severity.INFO), (100.0, Severity.WARNING)]
    )
    def test_a_pattern_that_comes_back_with_the_learning_rate(
        self, period: float, severity: Severity
    ) -> None:
        swing = np.abs(2.0 * (np.arange(2000) / 200.0 % 1.0) - 1.0)
        run = synth.run(*RUN.series, synth.series(1e-3 * (0.1 + 0.9 * swing), Metric.LR))
        seen = detection(Shape.PERIOD, period=period, eta2=0.36)
        (found,) = label_periods(build(run, (seen,)))
        assert found.severity is severity

    @pytest.mark.parametrize(
        ("measures", "severity"),
        [
            ({"ramp": -0.41, "gap": 2.3, "eta2": 0.47, "memory": 0.99}, Severity.INFO),
            ({"ramp": -0.41, "gap": 2.3, "eta2": 0.47, "memory": 0.75}, Severity.WARNING),
            ({"ramp": 0.99, "gap": 0.0, "eta2": 0.42, "memory": 0.79}, Severity.INFO),
            ({"ramp": 0.99, "gap": 0.0, "eta2": 0.9, "memory": 0.79}, Severity.WARNING),
            ({"ramp": 0.9, "gap": 0.0, "eta2": 0.42, "memory": 0.79}, Severity.WARNING),
            ({"ramp": -0.99, "gap": 0.0, "eta2": 0.42, "memory": 0.79}, Severity.WARNING),
            ({"ramp": -0.41, "gap": 2.3, "eta2": 0.9, "memory": 0.99}, Severity.WARNING),
            ({"ramp": 0.1, "gap": 2.3, "eta2": 0.47, "memory": 0.99}, Severity.WARNING),
            ({"ramp": -0.41, "gap": 8.0, "eta2": 0.47, "memory": 0.99}, Severity.WARNING),
            # A part of a log of averages swings by chance.
            (
                {"ramp": 0.1, "gap": 2.3, "eta2": 0.47, "memory": 0.91, "stretch": 1.0},
                Severity.INFO,
            ),
            (
                {"ramp": 0.1, "gap": 2.3, "eta2": 0.47, "memory": 0.89, "stretch": 1.0},
                Severity.WARNING,
            ),
            (
                {"ramp": 0.1, "gap": 2.3, "eta2": 0.86, "memory": 0.91, "stretch": 1.0},
                Severity.WARNING,
            ),
        ],
    )
    def test_the_slope_of_an_epoch_in_an_averaged_log(
        self, measures: dict[str, float], severity: Severity
    ) -> None:
        seen = detection(Shape.PERIOD, period=32.0, **measures)
        (found,) = label_periods(build(RUN, (seen,)))
        assert found.severity is severity

    def test_patterns_of_other_signals_are_not_those_of_the_loss(self) -> None:
        assert label_periods(build(RUN, (detection(Shape.PERIOD, signal="lr"),))) == []


def test_growing_swings_are_critical() -> None:
    (found,) = label_growing(build(RUN, (detection(Shape.GROWING, growth=4.0),)))
    assert (found.label, found.severity) == ("oscillation/growing", Severity.CRITICAL)


class TestNoise:
    def noise(self, *val: float, run: Run = RUN, **changes: float) -> Anomaly:
        """Return the finding for a noisy loss, beside these evaluations of validation."""
        measures = {
            "ratio": 0.3, "fall": 1.5, "late_tau": 0.0, "relative_noise": 0.6, "learned": 1.0,
        } | changes  # fmt: skip
        parts = list(run.series)
        if val:
            parts.append(synth.series(np.array(val), Metric.VAL_LOSS, stride=100))
        made = synth.run(*parts)
        (found,) = label_noise(build(made, (detection(Shape.NOISE, 251, **measures),)))
        return found

    TOLD: ClassVar = {"ratio": 0.3, "fall": 1.5, "learned": 1.0}
    CALM = (2.0, 1.5, 1.2, 1.1, 1.05, 1.02, 1.01, 1.0, 1.0)
    THROWN = (2.0, 1.0, 1.9, 0.9, 2.1, 1.0, 1.8, 0.9, 2.0)
    WORSE = (2.0, 1.4, 1.0, 1.0, 1.0, 1.1, 1.3, 1.5, 1.7)
    USELESS = (2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0)

    def test_noise_as_large_as_what_was_learned(self) -> None:
        found = self.noise(ratio=0.6)
        assert (found.label, found.severity) == ("oscillation/noise", Severity.WARNING)

    def test_a_log_without_its_beginning_does_not_show_what_was_learned(self) -> None:
        late = synth.run(synth.series(RUN.series[0].values, first=500))
        assert self.noise(run=late, ratio=0.6).severity is Severity.INFO
        thrown = synth.series(np.array(self.THROWN), Metric.VAL_LOSS, first=500, stride=100)
        beside = synth.run(*late.series, thrown)
        assert self.noise(run=beside, ratio=0.6).severity is Severity.INFO

    def test_without_validation_batches_that_differ_may_be_the_noise(self) -> None:
        assert self.noise(ratio=0.4).severity is Severity.INFO
        assert self.noise(*self.THROWN, ratio=0.4).severity is Severity.WARNING

    @pytest.mark.parametrize(
        "changes", [{"late_tau": -0.6}, {"fall": 0.5}, {"fall": -0.1}],
    )  # fmt: skip
    def test_a_loss_that_still_falls_or_never_fell_far_is_a_remark(
        self, changes: dict[str, float]
    ) -> None:
        assert self.noise(ratio=0.6, **changes).severity is Severity.INFO

    def test_a_calm_validation_that_learned_says_it_is_harmless(self) -> None:
        assert self.noise(*self.CALM).severity is Severity.INFO

    @pytest.mark.parametrize("val", [THROWN, WORSE, USELESS])
    def test_one_that_is_not_calm_says_it_is_not(self, val: tuple[float, ...]) -> None:
        assert self.noise(*val).severity is Severity.WARNING
        # … and then a smaller fall is believed as well.
        assert self.noise(*val, fall=0.7).severity is Severity.WARNING
        assert self.noise(*val, fall=0.2, relative_noise=0.1).severity is Severity.INFO

    @pytest.mark.parametrize("val", [(1.0,) * 5, (-1.0,) * 9])
    def test_too_few_evaluations_say_nothing(self, val: tuple[float, ...]) -> None:
        assert self.noise(*val, fall=0.7, ratio=0.6).severity is Severity.INFO
        assert self.noise(*val, ratio=0.6).severity is Severity.WARNING

    def test_in_a_short_log_a_steady_validation_is_enough(self) -> None:
        short = synth.healthy(n=100).run
        assert self.noise(*self.USELESS, run=short).severity is Severity.INFO
        assert self.noise(*self.THROWN, run=short).severity is Severity.WARNING

    @pytest.mark.parametrize(
        ("counts", "changes", "severity"),
        [
            (True, {}, Severity.WARNING),
            (False, {}, Severity.INFO),
            (True, {"relative_noise": 0.5}, Severity.INFO),
            (True, {"best": 0.01}, Severity.INFO),  # near zero
        ],
    )
    def test_epochs_are_not_thrown_about_while_the_loss_falls(
        self, counts: bool, changes: dict[str, float], severity: Severity
    ) -> None:
        run = replace(RUN, sources=(Source("log.txt", "text", 9, counts_epochs=counts),))
        told = {"late_tau": -0.6, "relative_noise": 0.8, "best": 1.0} | changes
        (found,) = label_noise(build(run, (detection(Shape.NOISE, 251, **self.TOLD | told),)))
        assert found.severity is severity

    def test_more_noise_is_surer(self) -> None:
        assert self.noise(ratio=1.0).confidence > self.noise(ratio=0.2).confidence

    def test_an_rl_loss_may_be_noise(self) -> None:
        reward = synth.series(np.ones(10), Metric.REWARD)
        assert self.noise(run=synth.run(*RUN.series, reward)).severity is Severity.INFO


class TestSawtooth:
    def severity(self, shape: Shape = Shape.EPOCH_PROFILE, **changes: float) -> Severity:
        measures = {"eta2": 0.18, "rho": 0.95, "ramp": -0.6, "gap": 2.0} | changes
        (found,) = label_periods(build(RUN, (detection(shape, period=50.0, **measures),)))
        return found.severity

    def test_the_slope_of_an_ordinary_epoch_is_a_remark(self) -> None:
        assert self.severity() is Severity.INFO
        assert self.severity(ramp=0.6) is Severity.INFO

    @pytest.mark.parametrize("change", [{"eta2": 0.29}, {"ramp": 0.1}, {"gap": 9.0}])
    def test_a_strong_one_a_peak_or_a_profile_of_its_own_is_not(
        self, change: dict[str, float]
    ) -> None:
        assert self.severity(**change) is Severity.WARNING

    def test_nor_is_a_period_that_is_no_epoch(self) -> None:
        assert self.severity(Shape.PERIOD) is Severity.WARNING


class TestWave:
    def severity(self, amplitude: float, lr: np.ndarray | None = None) -> Severity:
        parts = (*RUN.series, synth.series(lr, Metric.LR)) if lr is not None else RUN.series
        wave = detection(Shape.WAVE, period=100.0, amplitude=amplitude)
        (found,) = label_periods(build(synth.run(*parts), (wave,)))
        return found.severity

    def test_a_large_swing_is_a_warning_a_small_one_a_remark(self) -> None:
        assert self.severity(0.3) is Severity.WARNING
        assert self.severity(0.05) is Severity.INFO

    def test_a_learning_rate_of_the_same_period_explains_it(self) -> None:
        t = np.arange(1000)
        assert self.severity(0.3, 1.0 + 0.5 * np.sin(2 * np.pi * t / 100.0)) is Severity.INFO
        assert self.severity(0.3, 1.0 + 0.5 * np.sin(2 * np.pi * t / 160.0)) is Severity.WARNING
        assert self.severity(0.3, synth.cosine_lr(1000)) is Severity.WARNING


def test_a_generator_that_loses_drifts() -> None:
    terms = [
        synth.series(np.ones(1000), Metric.LOSS_COMPONENT, tag=tag, name=tag)
        for tag in ("gen/loss", "dis/loss")
    ]
    ramp = detection(Shape.RAMP, signal="gen/loss", rise=0.7, other_factor=0.6)
    (found,) = label_balance(build(synth.run(*terms), (ramp,)))
    assert (found.label, found.severity) == ("sustained-drift", Severity.WARNING)
    assert label_balance(build(RUN, (detection(Shape.RAMP, rise=0.7),))) == []


WARNING, REMARK = Severity.WARNING, Severity.INFO


@pytest.mark.parametrize(
    ("shape", "ramp", "gap", "eta2", "severity"),
    [
        (Shape.EPOCH_PROFILE, 0.4, 5.9, 0.24, REMARK),
        (Shape.EPOCH_PROFILE, -0.4, 5.9, 0.24, REMARK),
        (Shape.EPOCH_PROFILE, 0.39, 5.9, 0.24, WARNING),
        (Shape.EPOCH_PROFILE, 0.4, 6.0, 0.24, WARNING),
        (Shape.EPOCH_PROFILE, 0.4, 5.9, 0.25, WARNING),
        (Shape.PERIOD, 0.4, 5.9, 0.24, WARNING),
    ],
)  # fmt: skip
def test_the_sawtooth_of_an_ordinary_epoch(shape, ramp, gap, eta2, severity) -> None:
    seen = detection(shape, period=50.0, ramp=ramp, gap=gap, eta2=eta2)
    (found,) = label_periods(build(RUN, (seen,)))
    assert found.severity is severity


@pytest.mark.parametrize(("amplitude", "severity"), [(0.099, REMARK), (0.1, WARNING)])
def test_a_swing_of_a_tenth(amplitude: float, severity: Severity) -> None:
    (found,) = label_periods(build(RUN, (detection(Shape.WAVE, period=50.0, amplitude=amplitude),)))
    assert (found.severity, found.form) == (severity, Form.WAVE)


@pytest.mark.parametrize(
    ("off", "severity"),
    [(1.08, REMARK), (1.15, WARNING), (0.95, REMARK), (0.88, WARNING)],
)
def test_a_wave_of_the_learning_rate_within_a_tenth(off: float, severity: Severity) -> None:
    # The period of the rate, 100 points, against that of the loss.
    lr = synth.series(1 + 0.5 * np.sin(2 * np.pi * np.arange(1000) / 100), Metric.LR)
    seen = detection(Shape.WAVE, period=100.0 * off)
    (found,) = label_periods(build(synth.run(*RUN.series, lr), (seen,)))
    assert found.severity is severity


def noise(run: Run = RUN, **changes: float) -> tuple[Severity, float]:
    told = {"fall": 1.0, "ratio": 0.5, "relative_noise": 0.5, "late_tau": 0.0, "best": 1.0}
    (found,) = label_noise(build(run, (detection(Shape.NOISE, **told | changes),)))
    assert (found.kind, found.form) == (Kind.OSCILLATION, Form.NOISE)
    return found.severity, found.confidence


@pytest.mark.parametrize(
    ("changes", "severity", "confidence"),
    [
        ({}, WARNING, 0.85),
        *(({"fall": 0.99}, REMARK, 0.85), ({"ratio": 0.49}, REMARK, 0.6)),
        *(({"fall": 0.5, "best": 5.0}, WARNING, 0.85), ({"fall": 0.5, "best": 4.99}, REMARK, 0.85)),
        *(({"late_tau": -0.4}, REMARK, 0.85), ({"late_tau": -0.39}, WARNING, 0.85)),
    ],
)
def test_noise_without_a_validation_loss(changes, severity, confidence) -> None:
    assert noise(**changes) == (severity, confidence)


def validated(*values: float, points: int = 1000) -> Run:
    val = synth.series(np.array(values), Metric.VAL_LOSS, stride=10, first=10)
    return synth.run(synth.series(synth.curve(n=points)), val)


@pytest.mark.parametrize(
    ("values", "severity"),
    [
        ((9.0, 9.0, 1.0, 1.0, 1.0, 1.0), REMARK),  # it got better, and is steady
        ((9.0, 1.0, 1.0, 1.0, 1.0), WARNING),  # six evaluations make three thirds of two
        *(((1.06, 1.0, 1.0, 1.0, 1.0, 1.0), REMARK), ((1.04, 1.0, 1.0, 1.0, 1.0, 1.0), WARNING)),
        # ln 1.05 = .049 and ln 1.06 = .058, from the second third to the last.
        *(((9.0, 9.0, 1.0, 1.0, 1.05, 1.05), REMARK), ((9.0, 9.0, 1.0, 1.0, 1.06, 1.06), WARNING)),
        ((0.0, 9.0, 1.0, 1.0, 1.0, 1.0), WARNING),
    ],
)
def test_noise_beside_a_validation_that_is_calm(values, severity: Severity) -> None:
    assert noise(validated(*values), fall=2.0, best=0.1)[0] is severity


@pytest.mark.parametrize(("size", "severity"), [(0.142, REMARK), (0.145, WARNING)])
def test_a_validation_that_jumps_by_a_sixth_is_not_calm(size: float, severity: Severity) -> None:
    # The moves below have a median of 1 and half of them lie 1 and less off it: 1.4826 x size /
    # sqrt(2), that is 1.048 times the size, against .15.
    late = np.exp(size * np.array([0.0, 2.0, 1.0, 2.0, 0.0, 1.0]))
    assert noise(validated(9.0, 9.0, 9.0, *late), fall=2.0)[0] is severity


@pytest.mark.parametrize(
    ("fall", "relative", "severity"),
    [(0.39, 0.49, REMARK), (0.4, 0.49, WARNING), (0.39, 0.5, WARNING)],
)
def test_noise_beside_a_validation_that_is_not(fall, relative, severity: Severity) -> None:
    worse = validated(9.0, 9.0, 1.0, 1.0, 2.0, 2.0)
    assert noise(worse, fall=fall, relative_noise=relative)[0] is severity


@pytest.mark.parametrize(("points", "severity"), [(199, REMARK), (200, WARNING)])
def test_in_a_short_log_a_steady_validation_is_enough(points: int, severity: Severity) -> None:
    steady = validated(*[1.0] * 6, points=points)
    assert noise(steady, fall=2.0, best=0.1)[0] is severity


@pytest.mark.parametrize(("epoch_end", "severity"), [(1.0, REMARK), (0.0, WARNING)])
def test_a_comb_of_the_gradient(epoch_end: float, severity: Severity) -> None:
    run = synth.run(*RUN.series, synth.series(np.ones(1000), Metric.GRAD_NORM))
    seen = detection(Shape.PERIOD, signal="grad_norm", period=50.0, epoch_end=epoch_end)
    (found,) = label_combs(build(run, (seen,)), [])
    assert (found.form, found.severity, found.confidence) == (Form.GRADIENT, severity, 0.8)
    shown = Anomaly(Kind.PERIODIC_SPIKES, WARNING, 0.9, "loss", 1, 1, 9, Form.EPOCH)
    assert label_combs(build(run, (seen,)), [shown]) == []
    remark = Anomaly(Kind.PERIODIC_SPIKES, REMARK, 0.9, "loss", 1, 1, 9, Form.EPOCH)
    assert len(label_combs(build(run, (seen,)), [remark])) == 1


@pytest.mark.parametrize(
    ("measures", "severity"),
    [
        # What is averaged over nine tenths of the past, or rises evenly all along an epoch.
        ({"ramp": -0.41, "gap": 2.3, "eta2": 0.47, "memory": 0.9}, Severity.INFO),
        ({"ramp": -0.41, "gap": 2.3, "eta2": 0.47, "memory": 0.89}, Severity.WARNING),
        ({"ramp": 0.95, "gap": 0.0, "eta2": 0.42}, Severity.INFO),
        ({"ramp": 0.949, "gap": 0.0, "eta2": 0.42}, Severity.WARNING),
        # Of an even rise the end is the peak; of a slope with a peak on it that is not the end.
        ({"ramp": 0.95, "gap": 12.5, "eta2": 0.42}, Severity.INFO),
        ({"ramp": 0.94, "gap": 12.5, "eta2": 0.24}, Severity.WARNING),
        ({"gap": 0.0, "eta2": 0.2, "memory": 0.99}, Severity.WARNING),  # its slope is not known
    ],
)
def test_the_sawtooth_of_an_epoch(measures: dict[str, float], severity: Severity) -> None:
    seen = detection(Shape.EPOCH_PROFILE, period=50.0, **measures)
    (found,) = label_periods(build(RUN, (seen,)))
    assert found.severity is severity


@pytest.mark.parametrize(
    ("period", "severity"),
    [
        (95.0, Severity.INFO), (94.9, Severity.WARNING),
        (105.0, Severity.INFO), (105.1, Severity.WARNING),
    ],
)  # fmt: skip
def test_a_setting_that_comes_back_as_often(
    monkeypatch: pytest.MonkeyPatch, period: float, severity: Severity
) -> None:
    monkeypatch.setattr(patterns, "setting_periods", lambda run: (7.0, 100.0))
    seen = detection(Shape.EPOCH_PROFILE, period=period, eta2=0.9)
    (found,) = label_periods(build(RUN, (seen,)))
    assert found.severity is severity


@pytest.mark.parametrize(("period", "severity"), [
    (200.0, Severity.INFO), (2.0, Severity.WARNING), (20.0, Severity.WARNING),
])  # fmt: skip
def test_a_learning_rate_that_swings_as_often_in_steps(period: float, severity) -> None:
    # Logged every ten steps, with a period of twenty of its points.
    rate = 1.0 + 0.5 * np.sin(2.0 * np.pi * np.arange(400) / 20.0)
    run = synth.run(*RUN.series, synth.series(rate, Metric.LR, stride=10))
    (found,) = label_periods(build(run, (detection(Shape.WAVE, period=period),)))
    assert found.severity is severity


def test_swings_above_the_start_are_an_alarm_of_a_plain_loss_only() -> None:
    seen = detection(Shape.ABOVE_START)
    (found,) = label_relapse(build(RUN, (seen,)))
    assert (found.label, found.severity) == ("oscillation/bursts", Severity.WARNING)
    reward = synth.series(np.ones(10), Metric.REWARD)
    (found,) = label_relapse(build(synth.run(*RUN.series, reward), (seen,)))
    assert found.severity is Severity.INFO


def test_a_small_validation_loss_is_as_calm_as_a_large_one() -> None:
    small = tuple(0.1 * value for value in TestNoise.CALM)
    assert TestNoise().noise(*small, ratio=0.6).severity is Severity.INFO


def test_a_first_evaluation_after_an_epoch_may_be_as_good_as_the_last() -> None:
    """By then the model has learned: the training loss began at e^0.5, above any evaluation."""
    steady = validated(*[1.0] * 9)
    assert noise(steady, fall=0.5, best=1.0)[0] is REMARK
    assert noise(steady, fall=0.5, best=0.63)[0] is WARNING  # it began within 5 % of there


def test_a_validation_that_is_wrong_from_the_start_does_not_judge_noise() -> None:
    run = validated(*[0.98] * 6)
    measures = {"noise": 0.07, "learned": 0.3, "best": 0.3, "fall": 0.6, "ratio": 0.24}
    loud = detection(Shape.NOISE, **measures, relative_noise=0.19, late_tau=-0.1)
    gap = detection(Shape.GAP, 10, signal="val_loss", best=0.98, train=0.3)
    found = [label_noise(build(run, seen))[0].severity for seen in ((loud,), (loud, gap))]
    assert found == [WARNING, REMARK]
