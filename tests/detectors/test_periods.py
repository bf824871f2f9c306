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
