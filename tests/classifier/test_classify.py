"""The decision list: which finding stands when several explain the same, and in which order."""

from __future__ import annotations

from dataclasses import replace

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


class TestMaximised:
    """What is to be raised has done well when it rises."""

    @staticmethod
    def run(tag: str) -> Run:
        return synth.run(synth.series(-500.0 + 400.0 * (1.0 - synth.curve(n=1000)), tag=tag))

    @pytest.mark.parametrize(("tag", "told"), [("train/elbo", 0), ("train/loss", 1)])
    def test_a_rise_is_told_of_a_loss_only(self, tag: str, told: int) -> None:
        assert len(classify(self.run(tag), (ramp(),))) == told

    def test_nan_is_told_all_the_same(self) -> None:
        broken = detection(Shape.NONFINITE, 900, 1000, share=0.1, first_index=899.0, count=101.0)
        found = classify(self.run("train/elbo"), (ramp(), broken))
        assert Kind.NONFINITE in {a.kind for a in found}


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


CRITICAL, WARNING, REMARK = Severity.CRITICAL, Severity.WARNING, Severity.INFO


def findings(run: Run, *found: Detection) -> list[Anomaly]:
    return list(classify(run, found))


def relapse(step: int = 500, signal: str = "loss") -> Detection:
    return detection(
        Shape.ABOVE_START, step, signal=signal, share=0.5, start=1.0, best=0.5, after=2.0,
        first=1.0, last=2.0, index=float(step - 1), rise=0.7, z=9.0,
    )  # fmt: skip


def fall(step: int) -> Detection:
    return detection(Shape.FALL, step, index=float(step - 1), rise=-0.5)


def nonfinite(step: int, n: int = 1000, *, back: bool = False) -> Detection:
    count = float(n - step + 1)
    return detection(
        Shape.NONFINITE, step, n, count=count, share=1.0, first_index=float(step - 1), nan=count,
        at_end=0.0 if back else count, points=float(n), finite_after=0.0,
    )  # fmt: skip


class TestOneCourse:
    """Which of two readings of the same loss stands."""

    FLAT = TestFlat.FLAT

    def flat(self, **changes: float) -> Detection:
        return replace(self.FLAT, measures={**self.FLAT.measures, **changes})

    @pytest.mark.parametrize("shape", [Shape.PLATEAU, Shape.SLOW])
    def test_a_plateau_stands_for_a_flat_loss_that_is_a_remark(self, shape: Shape) -> None:
        still = detection(shape, first=2.0, best=1.0, still=1.0)
        # Too few points make a flat loss a remark.
        remark, alarm = self.flat(points=40.0), self.flat()
        assert [a.severity for a in findings(RUN, remark)] == [REMARK]
        of_plateau = {Shape.PLATEAU: "plateau", Shape.SLOW: "slow"}[shape]
        assert labels(remark, still) == [f"non-convergence/{of_plateau}"]
        assert labels(alarm, still) == ["non-convergence/flat"]

    def test_a_flat_loss_that_is_an_alarm_in_one_place_stands_alone(self) -> None:
        still = detection(Shape.PLATEAU, first=2.0, best=1.0, still=1.0)
        both = labels(self.flat(points=40.0), self.flat(), still)
        assert both == ["non-convergence/flat"]  # the remark says no more

    def test_a_plateau_is_told_before_a_slow_loss(self) -> None:
        plateau = detection(Shape.PLATEAU, first=2.0, best=1.0, still=1.0)
        slow = detection(Shape.SLOW, first=2.0, best=1.0)
        assert labels(plateau, slow) == ["non-convergence/plateau"]

    def test_noise_is_no_news_on_a_plateau(self) -> None:
        plateau = detection(Shape.PLATEAU, first=2.0, best=1.0, still=1.0)
        assert labels(plateau, noise()) == ["non-convergence/plateau"]

    def test_a_relapse_is_told_where_neither_a_pattern_nor_an_event_is(self) -> None:
        (only,) = labels(relapse())
        assert only in labels(noise(), relapse())  # noise is no event
        assert labels(point(300), relapse()) == ["isolated-spike"]
        assert labels(fold(), relapse()) == ["periodic-spikes/epoch"]

    @pytest.mark.parametrize(
        ("step", "told"),
        [(300, True), (301, False), (302, False), (303, False), (304, True), (500, True)],
    )
    def test_a_fall_is_the_way_back_of_an_event_for_as_long_again(self, step, told) -> None:
        # A spike at step 301 that is back at 302: as long again is until 303.
        values = np.ones(1000)
        values[300] = 8.0
        found = labels(point(301, 2.0), fall(step), run=synth.loss_run(values))
        assert ("level-shift/down" in found) is told

    def test_a_fall_amid_noise_is_no_way_back(self) -> None:
        assert sorted(labels(noise(), fall(600))) == ["level-shift/down", "oscillation/noise"]


class TestZeros:
    """A loss whose values are no losses has no course."""

    def zeros(self, count: int, *, amid: bool) -> Detection:
        """Return zeros as the loss ends, or here and there among losses far above."""
        among = {"share": 0.4, "stretches": 40.0, "gap": 9.0, "zeros": float(count)}
        at_end = {"share": 1.0, "stretches": 1.0, "gap": 9.0}
        return detection(
            Shape.EXACT_ZERO, 501, first_index=500.0, before=2.0, right_before=2.0, start=3.0,
            last=0.0, points=1000.0, count=float(count), nan_beside=0.0,
            **(among if amid else at_end),
        )  # fmt: skip

    def test_zeros_amid_losses_leave_no_course_to_judge(self) -> None:
        assert labels(self.zeros(400, amid=True), point(300)) == ["non-convergence/constant-zero"]

    def test_a_few_of_them_do(self) -> None:
        found = labels(self.zeros(1, amid=True), point(300))
        assert sorted(found) == ["isolated-spike", "non-convergence/constant-zero"]

    def test_a_loss_that_ends_in_zero_has_one(self) -> None:
        found = labels(self.zeros(500, amid=False), point(300))
        assert sorted(found) == ["isolated-spike", "non-convergence/constant-zero"]

    def test_a_gradient_that_is_nan_from_the_start_hides_no_course_of_the_loss(self) -> None:
        gone = Detection(
            "any", Shape.NONFINITE, "grad_norm", 1, 1, 1000,
            {"count": 1000.0, "share": 1.0, "first_index": 0.0, "nan": 1000.0, "at_end": 1000.0,
             "points": 1000.0, "finite_after": 0.0},
        )  # fmt: skip
        gradient = synth.series(np.full(1000, np.nan), Metric.GRAD_NORM)
        run = synth.run(*RUN.series, gradient)
        assert "isolated-spike" in labels(gone, point(300), run=run)
        lost = replace(gone, signal="loss")
        nothing = synth.loss_run(np.full(1000, np.nan))
        assert labels(lost, point(300), noise(), run=nothing) == ["nonfinite/from-start"]


class TestBroken:
    """A rise that ends in NaN is a divergence to it."""

    def broken(self, *steps: int, peak: int = 611) -> Anomaly:
        values = np.array(RUN.series[0].values)
        values[600:] *= 1.5
        values[peak - 1] *= 2.0
        values[900:] = np.nan
        rise = detection(Shape.RISE, 601, 641, index=600.0, span=40.0, z=15.0, rise=0.26)
        found = findings(synth.loss_run(values), rise, *(nonfinite(step) for step in steps))
        (only,) = [a for a in found if a.start_step == 601 and a.kind is not Kind.NONFINITE]
        return only

    def test_it_ends_at_the_first_break_behind_it(self) -> None:
        only = self.broken(951, 901)
        assert (only.kind, only.form, only.severity) == (
            Kind.DIVERGENCE, Form.TO_NONFINITE, CRITICAL,
        )  # fmt: skip
        assert only.measures["broken_step"] == 901.0
        assert (only.peak_step, only.end_step <= 901) == (611, True)

    def test_an_early_break_shortens_it(self) -> None:
        only = self.broken(620, peak=701)
        assert only.measures["broken_step"] == 620.0
        assert (only.peak_step <= 620, only.end_step) == (True, 620)

    def test_a_break_where_it_begins_or_before_is_none_of_its(self) -> None:
        for step in (601, 500):
            assert self.broken(step).form is not Form.TO_NONFINITE


def shifted(by: float, at: int = 601) -> tuple[Run, Detection]:
    """Return a run whose loss stays so many times as high from a step on, and its rise."""
    values = np.array(RUN.series[0].values)
    values[at - 1 :] *= by
    measures = {"index": at - 1.0, "span": 40.0, "z": 15.0, "rise": float(np.log(by))}
    return synth.loss_run(values), detection(Shape.RISE, at, at + 40, **measures)


class TestInsideAPattern:
    """What a pattern does not explain."""

    @pytest.mark.parametrize(
        ("first", "last", "told"),
        [(601, 1000, False), (602, 1000, True), (201, 601, False), (201, 600, True)],
    )
    def test_a_level_outside_of_it(self, first: int, last: int, told: bool) -> None:
        # Inside, the level has too few cycles of four hundred points to be judged by.
        run, rise = shifted(1.3)
        pattern = detection(Shape.EPOCH_PROFILE, first, last, period=400.0, eta2=0.5)
        assert ("level-shift/up" in labels(pattern, rise, run=run)) is told

    def test_of_two_patterns_both_have_to_show_it(self) -> None:
        run, rise = shifted(1.3)
        other = detection(Shape.PERIOD, 251, period=400.0, eta2=0.5)
        assert "level-shift/up" in labels(fold(), rise, run=run)
        assert "level-shift/up" not in labels(fold(), other, rise, run=run)

    def test_swings_that_grow_explain_a_level_beside_a_wave(self) -> None:
        run, rise = shifted(1.3)
        wave = detection(Shape.WAVE, 201, period=50.0)
        assert "level-shift/up" in labels(wave, rise, run=run)
        assert "level-shift/up" not in labels(wave, growing(201), rise, run=run)

    def test_a_divergence_is_told_whatever_the_cycles_say(self) -> None:
        values = np.array(RUN.series[0].values)
        values[600:] *= 20.0 ** (np.arange(400) / 400.0)
        run = synth.loss_run(values)
        rise = detection(Shape.RISE, 601, 641, index=600.0, span=40.0, z=15.0, rise=0.3)
        assert labels(rise, run=run) == ["divergence/finite"]
        assert "divergence/finite" in labels(fold(period=400.0), rise, run=run)


LOUD = replace(noise(), measures={**noise().measures, "ratio": 0.6})  # an alarm


class TestNoiseBesideEvents:
    """Noise is told where it is worse than each event found in it."""

    def test_beside_an_alarm_it_is_no_news(self) -> None:
        run, rise = shifted(1.15)
        assert [a.severity for a in findings(run, rise)] == [WARNING]
        assert [a.severity for a in findings(run, LOUD)] == [WARNING]
        assert labels(rise, LOUD, run=run) == ["level-shift/up"]

    def test_the_worst_event_counts(self) -> None:
        values = np.array(RUN.series[0].values)
        values[300:308] *= 1.2
        values[600:] *= 1.15
        hump = Detection(
            "any", Shape.POINT, "loss", 301, 301, 308,
            {"z": 12.0, "threshold": 5.0, "rise": 0.2, "index": 300.0, "dips": 0.0},
        )  # fmt: skip
        _, rise = shifted(1.15)
        run = synth.loss_run(values)
        found = findings(run, hump, rise, LOUD)
        assert {(a.kind, a.severity) for a in found} == {
            (Kind.SLOW_RECOVERY, REMARK), (Kind.LEVEL_SHIFT, WARNING),
        }  # fmt: skip
        assert "oscillation/noise" in labels(hump, LOUD, run=run)

    def test_a_relapse_is_no_news_beside_an_event_amid_noise(self) -> None:
        found = labels(point(300), LOUD, relapse())
        assert sorted(found) == ["isolated-spike", "oscillation/noise"]


class TestReach:
    """Ten logged points make one event of two."""

    @pytest.mark.parametrize(
        ("apart", "severity"), [(10, REMARK), (11, WARNING), (-10, REMARK), (-11, WARNING)]
    )
    def test_a_hump_and_a_restart_of_the_schedule(self, apart: int, severity: Severity) -> None:
        # The hump begins at step 801.
        assert TestSchedules().severity(800, 801 + apart) is severity

    @pytest.mark.parametrize(
        ("loss_stride", "lr_stride", "severity"),
        [(1, 1, WARNING), (1, 5, REMARK), (5, 1, REMARK), (1, 4, WARNING), (4, 1, WARNING)],
    )
    def test_of_the_series_that_is_logged_less_often(
        self, loss_stride: int, lr_stride: int, severity: Severity
    ) -> None:
        # The hump begins fifty steps before the restart.
        values = np.array(synth.slow_recovery(at=800, n=1500).run.series[0].values)
        lr = synth.series(np.ones(1500), Metric.LR, stride=lr_stride)
        run = synth.run(synth.series(values, stride=loss_stride), lr)
        start = 1 + 800 * loss_stride
        rise = Detection(
            "any", Shape.RISE, "loss", start, start, start + 20 * loss_stride,
            {"z": 20.0, "rise": 0.8, "span": 20.0, "index": 800.0},
        )  # fmt: skip
        jump = detection(
            Shape.JUMP, start + 50, signal="lr", cyclic=1.0, at_restart=0.0, reverted=1.0,
            at_start_value=1.0, at_peak_value=1.0, count=3.0,
        )  # fmt: skip
        (found,) = [a for a in findings(run, rise, jump) if a.signal == "loss"]
        assert (found.kind, found.severity) == (Kind.SLOW_RECOVERY, severity)

    @pytest.mark.parametrize(
        ("steps", "told"),
        [((610,), False), ((611,), True), ((590,), False), ((589,), True), ((300, 610), False)],
    )
    def test_a_jump_at_a_restart_and_an_event(self, steps: tuple[int, ...], told: bool) -> None:
        found = labels(TestEchoes.JUMP, *(point(step) for step in steps))
        assert ("resume-discontinuity" in found) is told

    @pytest.mark.parametrize(
        ("step", "told"), [(300, True), (301, False), (450, False), (509, False), (510, True)]
    )
    def test_a_spike_is_part_of_a_breakdown(self, step: int, told: bool) -> None:
        # The breakdown lasts from 301 to 500, a spike for one step.
        values = np.ones(1000)
        values[step - 1] = 8.0
        run = synth.loss_run(values)
        broken = detection(Shape.CLIP_FLOOR, 301, 500)
        assert ("isolated-spike" in labels(broken, point(step, 2.0), run=run)) is told
        beside = detection(Shape.CLIP_FLOOR, 301, 500, "val_loss")
        assert "isolated-spike" in labels(beside, point(step, 2.0), run=run)


def test_a_loss_against_a_target_that_learns_may_rise() -> None:
    run, rise = shifted(1.3)
    (loss,) = run.series
    named = replace(run, series=(replace(loss, tag="train/byol_loss"),))
    (found,) = findings(named, rise)
    assert (found.kind, found.severity) == (Kind.LEVEL_SHIFT, REMARK)
    (found,) = findings(named, fold())  # any other finding is as bad as ever
    assert (found.kind, found.severity) == (Kind.PERIODIC_SPIKES, WARNING)


@pytest.mark.parametrize(
    ("tag", "severity"), [("ema_momentum", Severity.INFO), ("momentum", Severity.CRITICAL)]
)
def test_a_target_that_learns_too_is_harder_to_meet_by_and_by(tag: str, severity: Severity) -> None:
    t = np.arange(1500) / 1500
    noise = np.exp(0.02 * np.random.default_rng(3).standard_normal(1500))
    loss = synth.series((0.25 + 1.5 * np.exp(-40 * t) + 0.15 * (1 - np.exp(-3 * t))) * noise)
    run = synth.run(loss, synth.series(np.full(1500, 0.99), Metric.OTHER, tag=tag, name=tag))
    told = [a for a in classify(run, detect(run)) if a.kind is Kind.SUSTAINED_DRIFT]
    assert [a.severity for a in told] == [severity]
