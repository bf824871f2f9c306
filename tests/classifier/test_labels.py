"""From a run to labels: each label has a run that must yield it and one that must not.

Detectors and classifier are tested together here, as a user meets them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import synth
from synth import Labelled

import spikedoc.classifier
from spikedoc.classifier.classify import classify
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import FORMS, Form, Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import Restart, Run
from spikedoc.pipeline import detect

ALARMS = (Severity.WARNING, Severity.CRITICAL)


def findings(run: Run) -> tuple[Anomaly, ...]:
    return classify(run, detect(run))


def labels(run: Run) -> set[str]:
    return {a.label for a in findings(run)}


def of_kind(run: Run, kind: Kind) -> list[Anomaly]:
    return [a for a in findings(run) if a.kind is kind]


# ------------------------------------------------------------------------------- what must be said


@pytest.mark.parametrize("name", synth.CASES)
def test_the_label_is_given_at_its_step(name: str) -> None:
    made = synth.CASES[name]()
    truth = made.truth
    assert truth is not None
    found = [a for a in findings(made.run) if a.label == truth.label]
    assert found, labels(made.run)
    if truth.step is not None:
        nearest = min(abs(a.start_step - truth.step) for a in found)
        assert nearest <= truth.tolerance, [a.start_step for a in found]


@pytest.mark.parametrize("name", synth.CASES)
def test_nothing_else_is_alarmed_about(name: str) -> None:
    """One fault, one alarm – or a second one that is true as well."""
    also = {
        "metric damage": {"slow-recovery"},
        "divergence to nan": {"nonfinite/persistent"},
        "gradient ramp": {"nonfinite/persistent"},
    }
    made = synth.CASES[name]()
    assert made.truth is not None
    alarms = {a.label for a in findings(made.run) if a.severity in ALARMS}
    assert alarms <= {made.truth.label, *also.get(name, ())}


def test_every_kind_the_classifier_names_has_such_a_run() -> None:
    folder = Path(spikedoc.classifier.__file__).parent
    named: set[str] = set()
    for file in folder.glob("*.py"):
        if file.name == "wording.py":
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "Kind":
                named.add(node.attr)
    truths = [make().truth for make in synth.CASES.values()]
    assert named == {truth.kind.name for truth in truths if truth is not None}


def test_labels_are_of_the_contract() -> None:
    for name, make in synth.CASES.items():
        for a in findings(make().run):
            allowed = FORMS.get(a.kind, ())
            assert (a.form in allowed) if allowed else (a.form is None), (name, a.label)


class TestSpikes:
    @pytest.mark.parametrize("factor", [1.5, 2.3, 5.0, 9.0])
    def test_one_small_bad_batch_is_worth_knowing_not_an_alarm(self, factor: float) -> None:
        (found,) = findings(synth.spike(factor).run)
        assert found.label == "isolated-spike"
        assert found.severity is Severity.INFO
        assert found.measures["factor"] == pytest.approx(factor, rel=0.1)

    def test_a_huge_one_is_a_warning(self) -> None:
        (found,) = findings(synth.spike(40.0).run)
        assert found.severity is Severity.WARNING

    def test_several_are_a_warning(self) -> None:
        found = findings(synth.spikes(5).run)
        assert [a.kind for a in found] == [Kind.ISOLATED_SPIKE] * 5
        assert {a.severity for a in found} == {Severity.WARNING}

    @pytest.mark.parametrize("width", [1, 2, 3])
    def test_up_to_three_points_are_isolated(self, width: int) -> None:
        assert labels(synth.spike(3.0, width=width).run) == {"isolated-spike"}

    @pytest.mark.parametrize("width", [6, 12])
    def test_more_are_a_slow_recovery(self, width: int) -> None:
        assert labels(synth.spike(3.0, width=width).run) == {"slow-recovery"}

    def test_steps_not_points_are_counted_in_the_measures(self) -> None:
        values = synth.slow_recovery().run.series[0].values
        run = synth.run(synth.series(values, stride=10))
        (sparse,) = findings(run)
        (dense,) = findings(synth.slow_recovery().run)
        assert (
            sparse.measures["recovered_after_steps"] == 10 * dense.measures["recovered_after_steps"]
        )

    @pytest.mark.parametrize(("factor", "tau"), [(1.5, 60.0), (2.3, 60.0), (3.0, 20.0)])
    def test_recovery_takes_about_as_long_as_it_did(self, factor: float, tau: float) -> None:
        (found,) = findings(synth.slow_recovery(factor, tau).run)
        # Back within 5 % after tau * ln((factor - 1) / .05) points.
        expected = tau * np.log((factor - 1.0) / 0.05)
        assert found.measures["recovered_after_steps"] == pytest.approx(expected, rel=0.4)
        assert found.severity is Severity.WARNING


class TestHumps:
    def test_one_of_less_than_a_third_is_a_remark(self) -> None:
        (found,) = findings(synth.slow_recovery(1.25, 60.0).run)
        assert (found.kind, found.severity) == (Kind.SLOW_RECOVERY, Severity.INFO)

    def test_a_short_log_that_stays_up_after_a_dip_has_lost_its_level(self) -> None:
        values = 0.9 + 1.4 * np.exp(-np.arange(140) / 8.0)
        values[90:] = np.where(np.arange(50) % 16 < 13, 5.0, 1.9)
        values *= np.exp(synth.noise("gauss", 140, 0.02, 0))
        (found,) = [a for a in findings(synth.loss_run(values)) if a.kind is not Kind.OSCILLATION]
        assert (found.label, found.severity) == ("divergence/finite", Severity.CRITICAL)
        assert found.start_step == pytest.approx(91, abs=2)


class TestLevels:
    @pytest.mark.parametrize("factor", [1.35, 1.5, 3.0])
    def test_a_shift_of_a_fifth_and_more_is_critical(self, factor: float) -> None:
        (found,) = of_kind(synth.level_shift(factor, at=1800).run, Kind.LEVEL_SHIFT)
        assert found.severity is Severity.CRITICAL
        assert found.measures["factor"] == pytest.approx(factor, rel=0.1)

    def test_less_is_a_warning(self) -> None:
        (found,) = of_kind(synth.level_shift(1.15).run, Kind.LEVEL_SHIFT)
        assert found.severity is Severity.WARNING

    @pytest.mark.parametrize("factor", [0.3, 0.5, 0.8])
    def test_downwards_is_never_an_alarm(self, factor: float) -> None:
        (found,) = findings(synth.level_shift(factor).run)
        assert found.label == "level-shift/down"
        assert found.severity is Severity.INFO

    def test_two_shifts_are_two_findings(self) -> None:
        values = synth.curve(n=3000, sigma=0.02)
        values[1000:] *= 1.5
        values[2000:] *= 1.5
        starts = [a.start_step for a in of_kind(synth.loss_run(values), Kind.LEVEL_SHIFT)]
        assert len(starts) == len(set(starts))
        assert min(abs(s - 1001) for s in starts) <= 3

    @pytest.mark.parametrize("to", [3.0, 8.0, 100.0])
    @pytest.mark.parametrize("start", [1200, 1700])
    def test_a_loss_that_climbs_and_stays_up_is_critical(self, to: float, start: int) -> None:
        values = synth.curve(n=2000, sigma=0.02)
        values[start:] *= to ** np.minimum(np.arange(2000 - start) / 200.0, 1.0)
        found = findings(synth.loss_run(values))
        assert {a.kind for a in found} & {Kind.LEVEL_SHIFT, Kind.DIVERGENCE}
        assert found[0].severity is Severity.CRITICAL
        assert start <= found[0].start_step <= start + 200

    @pytest.mark.parametrize("length", [500, 1000, 2000])
    @pytest.mark.parametrize(("rise", "severity"), [(1.15, "warning"), (1.5, "critical")])
    def test_a_long_even_climb_is_a_drift_from_where_it_begins(
        self, length: int, rise: float, severity: str
    ) -> None:
        """Also when it levels off afterwards, which leaves a new level."""
        values = synth.settled()
        values *= rise ** np.clip((np.arange(5000) - 2500) / length, 0.0, 1.0)
        (found,) = findings(synth.loss_run(values))
        assert (found.label, found.severity.value) == ("sustained-drift", severity)
        assert found.start_step == pytest.approx(2501, abs=250)
        assert found.measures["factor"] == pytest.approx(rise, rel=0.05)

    @pytest.mark.parametrize("height", [0.3, 0.8])
    def test_a_shift_amid_a_pattern_is_told_beside_it(self, height: float) -> None:
        steps = np.arange(5000)
        values = synth.settled() + 0.3 * np.sin(2 * np.pi * steps / 250) + height * (steps >= 3000)
        found = findings(synth.loss_run(values))
        assert {a.label for a in found} == {"periodic-spikes/fixed-period", "level-shift/up"}
        (shift,) = (a for a in found if a.kind is Kind.LEVEL_SHIFT)
        assert shift.start_step == pytest.approx(3001, abs=5)

    def test_a_jump_at_the_end_of_a_slow_rise_stays_a_level_shift(self) -> None:
        values = synth.settled()
        values *= 1.06 ** np.clip((np.arange(5000) - 2000) / 1000, 0.0, 1.0)
        values[3000:] *= 1.5
        (found,) = of_kind(synth.loss_run(values), Kind.LEVEL_SHIFT)
        assert found.start_step == pytest.approx(3001, abs=3)

    def test_one_onset_is_one_finding(self) -> None:
        """Several points on the way up lead to the same rise."""
        values = synth.curve("converged", 1600, sigma=0.1)
        values[1000:] *= 30.0 ** np.minimum(np.arange(600) / 60.0, 1.0)
        values[1000:1060:7] *= 4.0
        found = [(a.kind, a.start_step) for a in findings(synth.loss_run(values))]
        assert len(found) == len(set(found))


class TestPatterns:
    def test_period_phase_and_cycles_are_measured(self) -> None:
        (found,) = findings(synth.comb(period=50, phase=17).run)
        assert found.measures["period"] == 50.0
        assert found.measures["phase_step"] == pytest.approx(17.0, abs=1.5)
        # One in each of the thirty cycles, those of the first quarter included.
        assert found.measures["cycles"] == pytest.approx(30, abs=1.5)

    def test_the_single_spikes_of_a_pattern_are_not_listed(self) -> None:
        for name in ("comb", "comb of unknown period", "burst after evaluation"):
            assert len(findings(synth.CASES[name]().run)) == 1

    def test_the_same_batches_in_another_order_each_epoch_are_no_pattern(self) -> None:
        rng = np.random.default_rng(0)
        difficulty = rng.normal(0.0, 0.1, 50)
        shuffled = np.concatenate([rng.permutation(difficulty) for _ in range(30)])
        values = synth.curve("fine-tune", 1500, sigma=0.03) * np.exp(shuffled)
        assert findings(synth.loss_run(values, steps_per_epoch=50)) == ()

    def test_bad_batches_at_another_phase_each_epoch_are_no_pattern(self) -> None:
        rng = np.random.default_rng(1)
        values = synth.curve("fine-tune", 1500, sigma=0.03)
        values[np.arange(30) * 50 + rng.integers(0, 50, 30)] *= 1.6
        assert not of_kind(synth.loss_run(values, steps_per_epoch=50), Kind.PERIODIC_SPIKES)

    def test_the_sawtooth_of_shuffled_epochs_is_no_pattern(self) -> None:
        # Falls at each epoch's start, rises within it, by far less than the noise.
        ramp = np.tile(np.linspace(-0.02, 0.02, 50), 30)
        values = synth.curve("fine-tune", 1500, sigma=0.08) * np.exp(ramp)
        assert findings(synth.loss_run(values, steps_per_epoch=50)) == ()

    def test_noise_a_tenth_of_what_was_learned_is_normal(self) -> None:
        assert findings(synth.oscillation(size=0.1).run) == ()

    def test_noise_while_the_loss_still_falls_is_a_remark(self) -> None:
        course = 1.0 + 2.0 * np.exp(-np.arange(2000) / 800.0)
        noise = 0.6 * np.abs(np.random.default_rng(3).normal(size=2000))
        found = of_kind(synth.loss_run(course + noise), Kind.OSCILLATION)
        assert {a.severity for a in found} <= {Severity.INFO}

    def test_swings_of_constant_size_do_not_grow(self) -> None:
        values = synth.curve("language", 1500, sigma=0.2)
        assert "oscillation/growing" not in labels(synth.loss_run(values))

    def test_growing_swings_are_critical(self) -> None:
        (found,) = findings(synth.growing().run)
        assert found.severity is Severity.CRITICAL
        assert found.measures["growth"] > 3.0


class TestNonfinite:
    def test_from_the_start_and_for_good_are_critical(self) -> None:
        for name in ("nan", "nan from the start", "masked nan", "zero loss"):
            found = findings(synth.CASES[name]().run)
            assert found[0].severity is Severity.CRITICAL, name

    def test_a_few_that_go_away_are_a_warning(self) -> None:
        (found,) = findings(synth.nan_midway(400, back_after=3).run)
        assert found.severity is Severity.WARNING
        assert found.measures["count"] == 3.0
        assert found.measures["last_finite_step"] == 400.0

    def test_the_points_before_it_are_judged_as_ever(self) -> None:
        values = synth.curve(n=1000)
        values[300] *= 4.0
        values[800:] = np.nan
        assert labels(synth.loss_run(values)) == {"isolated-spike", "nonfinite/persistent"}

    @pytest.mark.parametrize("scaler", ["series", "config"])
    def test_infinite_gradients_are_the_daily_work_of_a_loss_scaler(self, scaler: str) -> None:
        scale = synth.sawtooth_scale()
        gradient = np.exp(synth.noise("gauss", scale.size, 0.1, 0))
        gradient[np.flatnonzero(np.diff(scale) < 0)] = np.inf
        parts = [synth.series(synth.curve()), synth.series(gradient, Metric.GRAD_NORM)]
        if scaler == "series":
            parts.append(synth.series(scale, Metric.LOSS_SCALE))
        run = synth.run(*parts, config={"precision": "fp16"} if scaler == "config" else {})
        assert findings(run) == ()

    def test_a_climb_into_nan_is_one_divergence(self) -> None:
        found = findings(synth.divergence_to_nan().run)
        assert [a.label for a in found] == ["divergence/to-nonfinite", "nonfinite/persistent"]

    def test_a_spike_before_the_nan_is_no_divergence(self) -> None:
        values = synth.curve(n=1000)
        values[700] *= 4.0
        values[800:] = np.nan
        assert "divergence/to-nonfinite" not in labels(synth.loss_run(values))

    @pytest.mark.parametrize(
        ("first", "severity"), [(998, Severity.CRITICAL), (900, Severity.WARNING)]
    )
    def test_a_gradient_that_ends_in_nan_is_lost_unless_the_loss_goes_on(
        self, first: int, severity: Severity
    ) -> None:
        gradient = np.full(1000, 1.3)  # no threshold that anyone clips at
        gradient[first:] = np.nan
        run = synth.run(synth.series(synth.curve(n=1000)), synth.series(gradient, Metric.GRAD_NORM))
        (found,) = findings(run)
        assert (found.signal, found.severity) == ("grad_norm", severity)
        assert found.start_step == first + 1

    def test_a_nan_in_another_series_is_no_alarm_about_the_loss(self) -> None:
        metric = np.full(20, 0.5)
        metric[7] = np.nan
        run = synth.run(
            synth.series(synth.curve()),
            synth.series(metric, Metric.VAL_METRIC, name="val_metric:acc", stride=100),
        )
        (found,) = findings(run)
        assert (found.label, found.severity) == ("nonfinite/transient", Severity.INFO)

    def test_one_zero_is_no_collapse(self) -> None:
        values = synth.curve()
        values[900] = 0.0
        assert not of_kind(synth.loss_run(values), Kind.NON_CONVERGENCE)

    def test_a_loss_that_reaches_zero_by_learning_is_no_collapse(self) -> None:
        values = np.maximum(2.0 * np.exp(-np.arange(2000) / 60.0) - 1e-9, 0.0)
        assert not [a for a in findings(synth.loss_run(values)) if a.severity in ALARMS]


class TestFlat:
    @pytest.mark.parametrize("classes", [10, 100, 50_257])
    def test_guessing_is_critical_and_names_the_number_of_classes(self, classes: int) -> None:
        (found,) = findings(synth.flat(float(np.log(classes))).run)
        assert found.severity is Severity.CRITICAL
        assert found.measures["classes"] == classes
        assert found.measures["chance"] == pytest.approx(np.log(classes))

    def test_the_number_of_classes_may_come_from_the_config(self) -> None:
        (found,) = findings(synth.flat(float(np.log(37)), num_classes=37).run)
        assert found.measures["classes"] == 37.0

    def test_a_line_at_any_level_is_critical(self) -> None:
        (found,) = findings(synth.flat(1.234, sigma=0.001).run)
        assert found.severity is Severity.CRITICAL
        assert "classes" not in found.measures

    def test_a_slow_but_measurable_fall_is_a_remark(self) -> None:
        (found,) = findings(synth.slow().run)
        assert (found.label, found.severity) == ("non-convergence/slow", Severity.INFO)

    @pytest.mark.parametrize("level", [0.5, 1.9, 6.0])
    def test_a_fall_of_a_fifth_is_learning(self, level: float) -> None:
        assert findings(synth.slow(0.3, level=level).run) == ()

    def test_thirty_points_of_a_line_are_not_judged_harshly(self) -> None:
        found = findings(synth.flat(1.234, n=40).run)
        assert not [a for a in found if a.severity in ALARMS]


class TestOtherSignals:
    def test_a_metric_that_came_back_was_not_damaged(self) -> None:
        assert "metric-damage" not in labels(synth.metric_damage(drop=0.0).run)

    def test_a_metric_of_which_less_is_better_is_damaged_upwards(self) -> None:
        loss = synth.slow_recovery().run.series[0]
        error = 0.3 + synth.noise("gauss", 24, 0.002, 1)
        error[12:] += 0.1
        worse, better = (
            synth.run(loss, synth.series(values, Metric.VAL_METRIC, tag="val/error",
                                         name="val_metric", stride=100, first=100))
            for values in (error, 1.0 - error)
        )  # fmt: skip
        assert "metric-damage" in labels(worse)
        assert "metric-damage" not in labels(better)

    def test_validation_that_only_lies_higher_is_no_overfitting(self) -> None:
        train = 0.2 + 2.0 * np.exp(-np.arange(1000) / 200.0)
        val = 0.5 + 2.0 * np.exp(-np.arange(50, 1001, 50) / 200.0)
        run = synth.run(
            synth.series(train), synth.series(val, Metric.VAL_LOSS, stride=50, first=50)
        )
        assert findings(run) == ()

    def test_a_rising_validation_loss_with_better_accuracy_is_calibration(self) -> None:
        run = synth.overfitting().run
        accuracy = np.linspace(0.5, 0.9, 20)
        both = synth.run(
            *run.series,
            synth.series(accuracy, Metric.VAL_METRIC, tag="val/acc", name="val_metric",
                         stride=50, first=50),
        )  # fmt: skip
        (alone,) = of_kind(run, Kind.OVERFITTING)
        (beside,) = of_kind(both, Kind.OVERFITTING)
        assert (alone.severity, beside.severity) == (Severity.WARNING, Severity.INFO)

    def test_a_growing_gradient_without_a_failure_is_nothing(self) -> None:
        gradient = synth.gradient_ramp().run.series[1].values[:900]
        run = synth.run(synth.series(synth.curve(n=900)), synth.series(gradient, Metric.GRAD_NORM))
        assert findings(run) == ()

    def test_a_failure_out_of_the_blue_has_no_ramp(self) -> None:
        run = synth.masked_nan().run
        assert "gradient-ramp" not in labels(run)

    def test_one_large_gradient_is_no_explosion(self) -> None:
        gradient = np.exp(synth.noise("gauss", 1000, 0.2, 0))
        gradient[700] *= 1000.0
        run = synth.run(synth.series(synth.curve(n=1000)), synth.series(gradient, Metric.GRAD_NORM))
        assert not of_kind(run, Kind.GRADIENT_EXPLOSION)

    @pytest.mark.parametrize(
        "name", ["clip always", "clip never", "first loss above", "first loss below",
                 "dominant component"],
    )  # fmt: skip
    def test_what_is_seldom_the_fault_itself_is_a_remark(self, name: str) -> None:
        assert {a.severity for a in findings(synth.CASES[name]().run)} == {Severity.INFO}

    def test_gradients_that_vanish_are_a_warning(self) -> None:
        (found,) = findings(synth.gradient_vanishing().run)
        assert found.severity is Severity.WARNING

    @pytest.mark.parametrize("factor", [0.1, 0.5])
    def test_an_lr_step_downwards_with_a_fall_of_the_loss_is_at_most_a_remark(
        self, factor: float
    ) -> None:
        values = synth.curve(n=2000)
        values[1200:] *= 0.6
        lr = np.where(np.arange(2000) < 1200, 1e-3, 1e-3 * factor)
        run = synth.run(synth.series(values), synth.series(lr, Metric.LR))
        assert {a.severity for a in findings(run)} <= {Severity.INFO}

    def test_warm_restarts_are_a_remark(self) -> None:
        (found,) = findings(synth.lr_restarts().run)
        assert (found.label, found.severity) == ("lr-discontinuity/restart", Severity.INFO)

    def test_a_schedule_reset_at_each_of_two_resumes_is_no_cycle(self) -> None:
        t = np.arange(1000)
        lr = 1e-3 * 0.998 ** np.select([t < 500, t < 800], [t, t - 500], t - 800)
        restarts = (Restart(501, 500, "new-file"), Restart(801, 800, "new-file"))
        found = findings(synth.lr_run(lr, restarts))
        assert [(a.label, a.severity, a.start_step) for a in found] == [
            ("lr-discontinuity/reset", Severity.WARNING, 501),
            ("lr-discontinuity/reset", Severity.WARNING, 801),
        ]

    @pytest.mark.parametrize("warmup", [1, 20, 200])
    def test_warmup_and_cosine_are_a_schedule(self, warmup: int) -> None:
        assert findings(synth.lr_run(synth.cosine_lr(1000, warmup=warmup))) == ()

    def test_a_healthy_scaler_is_no_collapse(self) -> None:
        assert findings(synth.loss_scale_run(synth.sawtooth_scale())) == ()

    def test_the_search_for_the_first_scale_is_no_collapse(self) -> None:
        scale = np.full(2000, 2.0**12)
        scale[:20] = 2.0 ** (32.0 - np.arange(20))
        assert findings(synth.loss_scale_run(scale)) == ()

    def test_down_to_one_is_critical(self) -> None:
        (found,) = findings(synth.loss_scale_floor().run)
        assert found.severity is Severity.CRITICAL

    def test_a_spike_on_all_ranks_is_no_rank(self) -> None:
        together = [
            synth.series(
                np.where(np.arange(1000) == 500, 20.0, 1.0)
                * np.exp(synth.noise("gauss", 1000, 0.15, rank)),
                Metric.GRAD_NORM, name=f"grad_norm-rank{rank}", rank=rank,
            )
            for rank in range(4)
        ]  # fmt: skip
        run = synth.run(synth.series(synth.curve(n=1000)), *together)
        assert not of_kind(run, Kind.RANK_OUTLIER)

    def test_a_restart_that_goes_on_as_before_is_nothing(self) -> None:
        restart = (Restart(601, 600, "new-file"),)
        update = np.exp(synth.noise("gauss", 1000, 0.05, 1))
        run = synth.run(
            synth.series(synth.curve(n=1000)), synth.series(update, Metric.UPDATE_NORM),
            restarts=restart,
        )  # fmt: skip
        assert findings(run) == ()

    def test_a_jump_at_a_restart_that_is_a_shift_is_said_once(self) -> None:
        run = synth.level_shift(1.5).run
        restarted = synth.run(*run.series, restarts=(Restart(1201, 1200, "new-file"),))
        assert labels(restarted) == {"level-shift/up"}


# ------------------------------------------------------------------------------- whole families


UNRULY: tuple[Callable[[], Labelled], ...] = (
    synth.spikes, synth.slow_recovery, synth.level_shift, synth.divergence, synth.drift,
    synth.oscillation, synth.growing, synth.flat, synth.overfitting,
    partial(synth.spike, 40.0),
)  # fmt: skip


@pytest.mark.parametrize(
    "tags", [("rollout/ep_rew",), ("train/reward",), ("loss/generator", "loss/discriminator")]
)
def test_losses_of_rl_and_gans_may_do_what_they_like(tags: tuple[str, ...]) -> None:
    for make in UNRULY:
        run = make().run
        extra = [
            synth.series(np.ones(10), Metric.OTHER, tag=tag, name=f"other:{tag}") for tag in tags
        ]
        found = findings(synth.run(*run.series, *extra, config=run.config))
        assert {a.severity for a in found} <= {Severity.INFO}, (tags, found)


def test_but_nan_and_a_dead_loss_are_alarms_there_too() -> None:
    reward = synth.series(np.ones(10), Metric.REWARD)
    for make in (synth.nan_midway, synth.nan_from_start, synth.zero_loss):
        run = make().run
        found = findings(synth.run(*run.series, reward))
        assert found[0].severity is Severity.CRITICAL


@pytest.mark.parametrize("stride", [2, 5, 100])
def test_a_sparser_log_gets_the_same_labels(stride: int) -> None:
    for make in (synth.spike, synth.slow_recovery, synth.level_shift, synth.drift):
        made = make()
        values = made.run.series[0].values
        assert made.truth is not None
        assert made.truth.label in labels(synth.run(synth.series(values, stride=stride)))


def test_the_validation_loss_stands_in_for_a_missing_training_loss() -> None:
    values = synth.spike().run.series[0].values
    (found,) = findings(synth.run(synth.series(values, Metric.VAL_LOSS)))
    assert (found.label, found.signal) == ("isolated-spike", "val_loss")


def test_a_bad_batch_every_epoch_is_named_even_without_an_epoch_length() -> None:
    (found,) = findings(synth.CASES["comb of unknown period"]().run)
    ratio = found.measures["period"] / 50.0
    assert found.form is Form.FIXED_PERIOD
    assert ratio == pytest.approx(round(ratio), abs=0.02)
