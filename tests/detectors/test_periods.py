"""Patterns that come back: at the epoch, after evaluations, or at a period nobody told."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.detectors.periods import detect, evaluation_interval
from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run


def only(run: Run) -> Detection:
    (found,) = detect(run)
    return found


class TestKnownPeriods:
    def test_one_hard_batch_per_epoch(self) -> None:
        found = only(synth.comb(phase=17).run)
        assert found.shape is Shape.EPOCH_PROFILE
        m = found.measures
        assert m["period"] == 50.0
        assert m["phase_step"] == pytest.approx(17.0, abs=1.5)
        assert m["consistency"] > 0.85
        assert m["gap"] > 6.0

    def test_a_profile_of_the_whole_epoch(self) -> None:
        m = only(synth.same_order().run).measures
        assert m["eta2"] > 0.5
        assert m["rho"] > 0.95

    def test_the_epoch_length_may_come_from_the_epoch_series(self) -> None:
        run = synth.comb(config=False).run
        epoch = synth.series(np.arange(1, 1501) / 50.0, Metric.EPOCH)
        found = only(synth.run(*run.series, epoch))
        assert found.shape is Shape.EPOCH_PROFILE
        assert found.measures["period"] == pytest.approx(50.0)

    @pytest.mark.parametrize("stride", [2, 3])
    def test_a_sparse_log_still_folds_by_step(self, stride: int) -> None:
        values = synth.same_order(period=60).run.series[0].values
        run = synth.run(
            synth.series(values, stride=stride), config={"steps_per_epoch": 60 * stride}
        )
        assert only(run).shape is Shape.EPOCH_PROFILE

    def test_after_evaluations_apart_from_epochs(self) -> None:
        found = only(synth.burst_after_evaluation(interval=60).run)
        assert found.shape is Shape.AFTER_EVALUATION
        assert found.measures["period"] == 60.0
        assert found.measures["phase_step"] == pytest.approx(3.0, abs=2.5)
        assert found.peak_step % 60 == pytest.approx(3.0, abs=2.5)

    def test_evaluations_at_the_epoch_cannot_be_told_apart(self) -> None:
        run = synth.burst_after_evaluation(interval=60).run
        same = synth.run(*run.series, config={"steps_per_epoch": 60})
        assert only(same).shape is Shape.EPOCH_PROFILE

    def test_without_an_epoch_length_an_interval_is_only_a_period(self) -> None:
        run = synth.burst_after_evaluation(interval=60).run
        assert only(synth.run(*run.series)).shape is Shape.PERIOD


class TestFoundPeriods:
    def test_a_period_nobody_told(self) -> None:
        found = only(synth.CASES["comb of unknown period"]().run)
        assert found.shape is Shape.PERIOD
        ratio = found.measures["period"] / 50.0
        assert ratio == pytest.approx(round(ratio), abs=0.02)

    def test_a_wave_has_period_and_size(self) -> None:
        found = only(synth.wave(period=200, size=0.15).run)
        assert found.shape is Shape.WAVE
        assert found.measures["period"] == pytest.approx(200.0, rel=0.08)
        assert found.measures["amplitude"] == pytest.approx(0.15 / np.sqrt(2.0), rel=0.25)

    def test_a_period_of_a_sparse_log_is_in_steps(self) -> None:
        values = synth.wave(period=200).run.series[0].values
        found = only(synth.run(synth.series(values, stride=10)))
        assert found.measures["period"] == pytest.approx(2000.0, rel=0.08)


class TestCombs:
    """A few points of each cycle, which explain little of the whole scatter."""

    N = 5000

    def comb(self, width: int, height: float) -> np.ndarray:
        return synth.settled(self.N, 0.05) + height * (np.arange(self.N) % 250 < width)

    @pytest.mark.parametrize(("width", "height"), [(3, 0.5), (6, 0.4), (10, 0.3)])
    def test_narrow_teeth(self, width: int, height: float) -> None:
        (found,) = detect(synth.loss_run(self.comb(width, height)))
        assert found.shape is Shape.PERIOD
        assert found.measures["period"] == pytest.approx(250, abs=1)

    def test_teeth_within_the_noise_are_none(self) -> None:
        assert detect(synth.loss_run(self.comb(3, 0.1))) == ()

    def test_teeth_in_half_of_the_cycles_are_none(self) -> None:
        values = self.comb(3, 0.5)
        calm = synth.settled(self.N, 0.05)
        skipped = np.random.default_rng(1).permutation(self.N // 250) < self.N // 500
        mask = np.repeat(skipped, 250)
        values[mask] = calm[mask]
        assert detect(synth.loss_run(values)) == ()


class TestEventsAtOnePhase:
    """A hard batch that is met in some epochs only: too seldom for a profile."""

    def sometimes(self, epochs: list[int], period: int = 60, phase: int = 17) -> np.ndarray:
        values = synth.curve("fine-tune", 1800, sigma=0.03, seed=5)
        values[[period * k + phase for k in epochs]] *= 3.0
        return values

    EPOCHS = (7, 8, 10, 13, 16, 17, 20, 22, 24)

    def test_spikes_that_gather(self) -> None:
        run = synth.loss_run(self.sometimes(list(self.EPOCHS)), steps_per_epoch=60)
        found = only(run)
        assert found.shape is Shape.EPOCH_PROFILE
        m = found.measures
        assert (m["count"], m["events"]) == (9.0, 9.0)
        assert m["phase_step"] == pytest.approx(18.0, abs=1.0)
        assert (found.first_step, found.last_step) == (60 * 7 + 18, 60 * 24 + 18)

    def test_without_an_epoch_length_evaluations_may_be_an_epoch_apart(self) -> None:
        at = np.arange(60, 1801, 60)
        val = synth.series(np.full(at.size, 0.9), Metric.VAL_LOSS, stride=60, first=60)
        run = synth.run(synth.series(self.sometimes(list(self.EPOCHS))), val)
        assert only(run).shape is Shape.PERIOD

    def test_spikes_here_and_there_do_not(self) -> None:
        values = synth.curve("fine-tune", 1800, sigma=0.03, seed=5)
        at = np.random.default_rng(2).choice(np.arange(300, 1790), 9, replace=False)
        values[at] *= 3.0
        assert detect(synth.loss_run(values, steps_per_epoch=60)) == ()

    def test_an_epoch_of_a_few_points_has_no_phase(self) -> None:
        values = self.sometimes(list(self.EPOCHS))
        assert detect(synth.run(synth.series(values), config={"steps_per_epoch": 6})) == ()


class TestStretch:
    """A pattern that holds for a part of a long log."""

    def test_where_it_holds(self) -> None:
        values = synth.curve("fine-tune", 8000, sigma=0.03, seed=6)
        inside = np.arange(3000, 5000)
        values[inside[inside % 40 < 3]] *= 1.8
        found = only(synth.loss_run(values))
        assert found.shape is Shape.PERIOD
        assert found.measures["stretch"] == 1.0
        assert found.measures["period"] == pytest.approx(40.0, rel=0.02)
        assert found.first_step == 3001
        assert found.last_step == 5000

    def test_long_healthy_logs_have_none(self) -> None:
        for kind in synth.NOISES:
            assert detect(synth.healthy("fine-tune", 6000, kind, 0.05, seed=7).run) == ()


@pytest.mark.parametrize("n", [0, 30, 59])
def test_short_logs_are_not_folded(n: int) -> None:
    assert detect(synth.loss_run(np.tile([1.0, 9.0, 1.0], 20)[:n], steps_per_epoch=3)) == ()


@pytest.mark.parametrize("kind", synth.NOISES)
def test_shuffled_epochs_are_silent(kind: str) -> None:
    for seed in range(5):
        run = synth.loss_run(synth.curve("fine-tune", 2000, kind, 0.1, seed), steps_per_epoch=56)
        assert detect(run) == ()


class TestEvaluationInterval:
    def interval(self, steps: list[int]) -> float | None:
        at = np.array(steps, dtype=np.int64)
        val = synth.series(np.ones(at.size), Metric.VAL_LOSS)
        return evaluation_interval(
            Run("n", "p", (type(val)(val.metric, val.name, val.tag, at, val.values),))
        )

    def test_of_regular_evaluations(self) -> None:
        assert self.interval([100, 200, 300, 400]) == 100.0
        assert self.interval([99, 200, 301, 400, 500, 1000]) == pytest.approx(100.0, abs=1.0)

    @pytest.mark.parametrize("steps", [[], [10, 20, 30], [1, 2, 50, 51, 400, 402, 999]])
    def test_there_is_none_for_few_or_irregular_ones(self, steps: list[int]) -> None:
        assert self.interval(steps) is None


class TestStretches:
    """A period that holds for a part of a long log only."""

    @staticmethod
    def log(period: int, first: int, last: int, n: int = 8000) -> np.ndarray:
        rng = np.random.default_rng(5)
        noise = 0.05 * rng.standard_normal(n)
        square = 0.12 * np.sign(np.sin(2 * np.pi * np.arange(n) / period))
        inside = (np.arange(n) >= first) & (np.arange(n) < last)
        return 3.0 * np.exp(noise + square * inside)

    def test_the_first_third_of_a_run(self) -> None:
        found = only(synth.loss_run(self.log(46, 0, 2500)))
        assert found.shape is Shape.PERIOD
        assert found.measures["period"] == pytest.approx(46.0, rel=0.02)
        assert found.measures["stretch"] == 1.0
        assert found.last_step <= 3100

    def test_a_multiple_is_not_the_period(self) -> None:
        found = only(synth.loss_run(self.log(30, 0, 8000)))
        assert found.measures["period"] == pytest.approx(30.0, rel=0.02)

    def test_a_long_shuffled_run_has_no_stretch(self) -> None:
        assert not detect(synth.loss_run(self.log(46, 0, 0)))
