"""The decision list: which finding stands when several explain the same, and in which order."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.classifier.classify import classify
from spikedoc.model.anomaly import Anomaly, Detection, Shape
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.pipeline import detect

RUN = synth.healthy(n=1000).run


def detection(shape: Shape, step: int = 500, last: int = 1000, signal: str = "loss",
              **measures: float) -> Detection:  # fmt: skip
    return Detection("any", shape, signal, step, step, last, measures)


def fold(step: int = 251, period: float = 50.0) -> Detection:
    return detection(Shape.EPOCH_PROFILE, step, period=period, eta2=0.5)


def growing(step: int = 700) -> Detection:
    return detection(Shape.GROWING, step, growth=5.0)


def noise() -> Detection:
    return detection(
        Shape.NOISE, 251, ratio=0.4, fall=1.5, late_tau=0.0, relative_noise=0.6, learned=1.0
    )


def point(step: int, rise: float = 1.0) -> Detection:
    return Detection(
        "any", Shape.POINT, "loss", step, step, step,
        {"z": 12.0, "threshold": 5.0, "rise": rise, "index": float(step - 1), "dips": 0.0},
    )  # fmt: skip


def ramp(step: int = 400) -> Detection:
    return detection(Shape.RAMP, step, rise=0.4, z=9.0, tau=0.9, index=float(step))


def burst(step: int) -> Detection:
    return detection(Shape.BURSTS, step, step + 9, rise=2.0, points=10.0, index=float(step - 1))


def labels(*found: Detection, run: Run = RUN) -> list[str]:
    return [a.label for a in classify(run, found)]


def test_nothing_seen_is_nothing_said() -> None:
    assert labels() == []
    assert classify(Run("bare", "bare", ()), ()) == ()


class TestOrder:
    def test_the_worst_comes_first_then_the_earliest(self) -> None:
        gone = synth.nan_midway(at=900).run
        found = classify(
            gone, (point(300), point(200), detection(
                Shape.NONFINITE, 901, count=100.0, share=1.0, first_index=900.0, nan=100.0,
                at_end=100.0, points=1000.0, finite_after=0.0,
            )),
        )  # fmt: skip
        assert [(a.severity, a.start_step) for a in found] == [
            (Severity.CRITICAL, 901), (Severity.INFO, 200), (Severity.INFO, 300),
        ]  # fmt: skip

    def test_what_the_loss_shows_comes_before_its_companions(self) -> None:
        # The gradient exploded first, and both are warnings.
        gradient = synth.series(np.ones(1000), Metric.GRAD_NORM)
        run = synth.run(*RUN.series, gradient)
        explosion = detection(Shape.RAMP, 100, 200, "grad_norm", factor=1e3)
        found = classify(run, (explosion, fold()))
        assert [a.kind for a in found] == [Kind.PERIODIC_SPIKES, Kind.GRADIENT_EXPLOSION]
        assert found[1].start_step < found[0].start_step


class TestPatterns:
    def test_a_pattern_explains_the_spikes_within_it(self) -> None:
        assert labels(fold(), point(600)) == ["periodic-spikes/epoch"]

    def test_a_periodic_profile_explains_growing_swings_a_wave_does_not(self) -> None:
        assert labels(fold(), growing()) == ["periodic-spikes/epoch"]
        wave = detection(Shape.WAVE, 201, period=100.0)
        assert labels(wave, growing()) == ["oscillation/growing", "oscillation/wave"]

    def test_noise_is_not_said_beside_a_pattern(self) -> None:
        assert labels(noise()) == ["oscillation/noise"]
        assert labels(fold(), noise()) == ["periodic-spikes/epoch"]

    @pytest.mark.parametrize(("period", "told"), [(50.0, True), (400.0, False)])
    def test_a_shift_within_a_pattern_is_told_when_whole_cycles_are_up(
        self, period: float, *, told: bool
    ) -> None:
        """Three cycles before and three after are asked for: of 50 points, not of 400."""
        values = np.array(RUN.series[0].values)
        values[600:] *= 1.3
        run = synth.loss_run(values)
        rise = detection(Shape.RISE, 601, 641, index=600.0, span=40.0, z=15.0, rise=0.26)
        assert labels(rise, run=run) == ["level-shift/up"]
        beside = ["level-shift/up"] if told else []
        assert sorted(labels(fold(period=period), rise, run=run)) == [
            *beside,
            "periodic-spikes/epoch",
        ]
        late = fold(step=700)
        assert sorted(labels(late, rise, run=run)) == ["level-shift/up", "periodic-spikes/epoch"]

    def test_a_fall_is_not_said_beside_a_pattern(self) -> None:
        fall = detection(Shape.FALL, 600, index=599.0, rise=-0.5)
        assert labels(fall) == ["level-shift/down"]
        assert labels(fold(), fall) == ["periodic-spikes/epoch"]

    def test_bursts_stand_for_the_spikes_of_a_smooth_curve(self) -> None:
        found = classify(RUN, (burst(300), burst(500), burst(700), point(500), point(400)))
        assert [(a.kind, a.start_step) for a in found] == [
            (Kind.SLOW_RECOVERY, 300), (Kind.SLOW_RECOVERY, 500), (Kind.SLOW_RECOVERY, 700),
        ]  # fmt: skip


class TestFlat:
    FLAT = Detection(
        "any", Shape.FLAT, "loss", 1, 1, 1000,
        {"first": 1.3, "best": 1.29, "last": 1.3, "fall": 0.004, "fall_score": 0.5,
         "points": 1000.0, "relative_noise": 0.01, "tau": 0.0},
    )  # fmt: skip

    def test_a_loss_that_learned_nothing_has_no_other_course(self) -> None:
        assert labels(self.FLAT, point(600), noise(), ramp()) == ["non-convergence/flat"]

    def test_a_validation_that_gets_worse_is_still_said(self) -> None:
        scissors = detection(Shape.SCISSORS, 400, 1000, "val_loss", rise_percent=30.0)
        assert labels(self.FLAT, scissors) == ["non-convergence/flat", "overfitting"]


class TestDrift:
    def test_a_drift_is_said_unless_a_shift_covers_it(self) -> None:
        assert labels(ramp()) == ["sustained-drift"]
        assert labels(ramp(), fold()) == ["periodic-spikes/epoch"]

    def test_noise_covers_no_drift(self) -> None:
        assert sorted(labels(ramp(), noise())) == ["oscillation/noise", "sustained-drift"]

    def test_overfitting_is_no_matter_in_a_lost_run(self) -> None:
        scissors = detection(Shape.SCISSORS, 400, 1000, "val_loss", rise_percent=30.0)
        assert labels(scissors) == ["overfitting"]
        assert labels(ramp(), scissors) == ["sustained-drift"]


class TestEchoes:
    JUMP = detection(Shape.JUMP, 600, 610, factor=1.5, before=1.0, after=1.5)

    @pytest.mark.parametrize(("step", "said"), [(600, False), (606, False), (300, True)])
    def test_a_jump_at_a_restart_beside_a_spike_is_its_echo(self, step: int, said: bool) -> None:
        found = labels(self.JUMP, point(step))
        assert ("resume-discontinuity" in found) is said
        assert "isolated-spike" in found

    def test_reach_is_counted_in_logged_points(self) -> None:
        values = RUN.series[0].values
        sparse = synth.run(synth.series(values, stride=10))
        near = Detection(
            "any", Shape.POINT, "loss", 5951, 5951, 5951,
            {"z": 12.0, "threshold": 5.0, "rise": 1.0, "index": 595.0, "dips": 0.0},
        )  # fmt: skip
        jump = detection(Shape.JUMP, 6001, 6101, factor=1.5)
        assert labels(jump, near, run=sparse) == ["isolated-spike"]


class TestReserve:
    REWARD = synth.series(np.ones(10), Metric.REWARD)

    def findings(self, *found: Detection) -> list[Anomaly]:
        return list(classify(synth.run(*RUN.series, self.REWARD), found))

    def test_the_course_of_an_rl_loss_is_a_remark(self) -> None:
        assert {a.severity for a in self.findings(growing(), point(200))} == {Severity.INFO}

    def test_what_lies_outside_the_loss_is_as_bad_as_ever(self) -> None:
        scale = synth.series(np.full(1000, 2.0**16), Metric.LOSS_SCALE)
        run = synth.run(*RUN.series, self.REWARD, scale)
        halvings = detection(Shape.HALVINGS, 500, 520, "loss_scale", floor=1.0, chain=1.0)
        (found,) = classify(run, (halvings,))
        assert found.severity is Severity.CRITICAL


class TestToNonfinite:
    def test_a_shift_that_ends_in_nan_is_a_divergence(self) -> None:
        found = classify(
            synth.divergence_to_nan().run, tuple(self.seen(synth.divergence_to_nan().run))
        )
        assert found[0].label == "divergence/to-nonfinite"
        assert found[0].severity is Severity.CRITICAL

    def test_a_fall_before_the_nan_is_none(self) -> None:
        values = synth.curve("fine-tune", 1000, sigma=0.02)
        values[500:] *= 0.5
        values[900:] = np.nan
        run = synth.loss_run(values)
        found = {a.label for a in classify(run, tuple(self.seen(run)))}
        assert found == {"level-shift/down", "nonfinite/persistent"}

    @staticmethod
    def seen(run: Run) -> list[Detection]:
        from spikedoc.pipeline import detect

        return list(detect(run))


def test_forms_that_need_no_other_finding() -> None:
    (found,) = classify(RUN, (growing(),))
    assert (found.form, found.severity) == (Form.GROWING, Severity.CRITICAL)


class TestSchedules:
    """What a cyclic learning rate does is a remark."""

    def severity(self, at: int, restart: int, *, cyclic: float = 1.0) -> Severity:
        values = synth.slow_recovery(at=at, n=1500).run.series[0].values
        lr = synth.series(np.ones(1500), Metric.LR)
        run = synth.run(synth.series(values), lr)
        rise = Detection(
            "any", Shape.RISE, "loss", at + 1, at + 1, at + 21,
            {"z": 20.0, "rise": 0.8, "span": 20.0, "index": float(at)},
        )  # fmt: skip
        jump = detection(
            Shape.JUMP, restart, signal="lr", cyclic=cyclic, at_restart=0.0, reverted=1.0,
            at_start_value=1.0, at_peak_value=1.0, count=3.0,
        )  # fmt: skip
        (found,) = [a for a in classify(run, (rise, jump)) if a.signal == "loss"]
        assert found.kind is Kind.SLOW_RECOVERY
        return found.severity

    def test_a_hump_where_it_restarts(self) -> None:
        assert self.severity(800, 805) is Severity.INFO

    def test_a_hump_elsewhere_and_a_jump_that_is_no_cycle(self) -> None:
        assert self.severity(800, 600) is Severity.WARNING
        assert self.severity(800, 805, cyclic=0.0) is Severity.WARNING


def test_noise_that_drowns_what_was_learned_is_told_beside_a_remark() -> None:
    """A hump that validation shrugs off is a remark: it must not hide what the noise says."""
    rng = np.random.default_rng(7)
    loss = 2.3 * np.exp(1.6 * rng.standard_normal(1600)) * np.linspace(0.7, 1.6, 1600)
    loss[rng.random(1600) < 0.05] = 1e-6
    loss[900:960] *= 6
    evaluations = np.array([4.1, 4.0, 6.5, 5.2, 3.5, 5.1, 2.5, 3.8])
    val = synth.series(evaluations, Metric.VAL_LOSS, stride=200, first=200)
    run = synth.run(synth.series(loss), val)
    found = {a.label: a.severity for a in classify(run, detect(run))}
    assert found["slow-recovery"] is Severity.INFO
    assert found["oscillation/noise"] is Severity.WARNING
