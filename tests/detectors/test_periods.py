"""Patterns that come back: at the epoch, after evaluations, or at a period nobody told."""

from __future__ import annotations

from dataclasses import replace

import naive
import numpy as np
import pytest
import synth
from hypothesis import given
from hypothesis import strategies as st
from told import Told, assert_told

from spikedoc.detectors.periods import detect, evaluation_interval
from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series
from spikedoc.signal.around import detrended
from spikedoc.signal.excursion import candidates
from spikedoc.signal.fold import Fold, fold
from spikedoc.signal.found_period import found_period, repeats
from spikedoc.signal.lattice import on_lattice
from spikedoc.signal.quick_swing import quick_swing
from spikedoc.signal.view import View, view
from spikedoc.signal.wave import find_wave


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

    @pytest.mark.parametrize("period", [46.74, 30.4, 61.0])
    def test_a_found_period_is_known_to_hundredths(self, period: float) -> None:
        steps = np.arange(1, 5001)
        rng = np.random.default_rng(3)
        tooth = 0.1 * (np.mod(steps, period) / period - 0.5)
        loss = (2 * np.exp(-steps / 1500) + 1) * np.exp(tooth + rng.normal(0, 0.02, steps.size))
        found = only(synth.run(synth.series(loss))).measures["period"]
        assert found == pytest.approx(period, abs=0.05)

    def test_a_wave_has_period_and_size(self) -> None:
        found = only(synth.wave(period=200, size=0.15).run)
        assert found.shape is Shape.WAVE
        assert found.measures["period"] == pytest.approx(200.0, rel=0.08)
        assert found.measures["amplitude"] == pytest.approx(0.15 / np.sqrt(2.0), rel=0.25)

    @pytest.mark.parametrize("shape", [np.sin, lambda x: np.sign(np.sin(x))])
    @pytest.mark.parametrize("stride", [1, 10])
    def test_a_swing_of_a_few_points_is_not_told_at_a_multiple(self, stride: int, shape) -> None:
        t = np.arange(1500)
        values = 1.5 + 0.6 * shape(1.3 * t) + 0.1 * np.random.default_rng(0).normal(size=t.size)
        found = only(synth.run(synth.series(values, stride=stride)))
        assert found.shape is Shape.WAVE
        assert found.measures["period"] == pytest.approx(2 * np.pi / 1.3 * stride, rel=0.002)
        assert found.first_step == 1

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

    @pytest.mark.parametrize(("points", "count"), [(100, 1), (99, 0)])
    def test_each_of_nine_epochs_tells_in_a_short_log(self, points: int, count: int) -> None:
        values = np.random.default_rng(5).normal(1.0, 0.02, 100)
        values[5::10] *= 8.0
        assert len(detect(synth.loss_run(values[:points], steps_per_epoch=10))) == count

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


@pytest.mark.parametrize(("n", "cycles"), [(99, 0), (100, 3), (160, 4)])
def test_an_epoch_told_shows_in_a_hundred_points(n: int, cycles: int) -> None:
    """Sorted from easy to hard, epoch by epoch: 25 records each, the first quarter left out."""
    noise = 0.02 * np.random.default_rng(3).standard_normal(n)
    values = 3.0 * np.exp(0.2 * (np.arange(n) % 25) / 25 + noise)
    found = detect(synth.loss_run(values, steps_per_epoch=25))
    assert [d.shape for d in found] == ([Shape.EPOCH_PROFILE] if cycles >= 4 else [])
    assert not detect(synth.loss_run(values))  # a period that nobody told takes more


@pytest.mark.parametrize("kind", synth.NOISES)
def test_few_shuffled_epochs_are_silent(kind: str) -> None:
    for seed in range(20):
        for epoch in (3, 10, 24):
            values = synth.curve("fine-tune", 180, kind, 0.1, seed)
            assert not detect(synth.loss_run(values, steps_per_epoch=epoch))


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


@given(st.lists(st.integers(8, 12) | st.integers(1, 40), max_size=14))
def test_the_interval_is_the_usual_gap_where_four_in_five_are_like_it(gaps: list[int]) -> None:
    at = np.cumsum([0, *gaps])
    val = Series(Metric.VAL_LOSS, "val_loss", "val", at, np.ones(at.size))
    usual = naive.median(gaps) if gaps else 0.0
    like = [gap for gap in gaps if abs(gap - usual) <= 0.05 * usual + 1.0]
    regular = len(gaps) >= 3 and len(like) >= 0.8 * len(gaps)
    found = evaluation_interval(Run("n", "p", (val,)))
    assert found == (usual if regular else None)


def plain_memory(seen: View) -> float:
    """How alike neighbours are about a line through medians of 101, the first quarter out."""
    apart = detrended(seen.judged, 101)[int(0.25 * len(seen)) :].tolist()
    return naive.correlation(apart[:-1], apart[1:])


def plain_told(f: Fold, first: int, last: int, stride: float) -> dict[str, float]:
    n = f.profile.size
    flat = bool(np.ptp(f.profile) == 0.0)
    ramp = 0.0 if flat else naive.correlation(f.profile.tolist(), [float(i) for i in range(n)])
    return {
        "period": f.period,
        "cycles": float(round((last - first) / f.period)),
        "eta2": f.eta2,
        "rho": f.rho,
        # That of the fold is the middle of a bin; steps stand at the beginning.
        "phase_step": max(0.0, f.peak_phase - stride / 2),
        "height": f.peak_height,
        "gap": min(f.peak_gap, 1000.0),
        "consistency": f.consistency,
        "ramp": ramp,
    }


def plain_known(
    seen: View,
    epoch: float | None,
    evaluations: list[int],
    interval: float | None,
    cycles: int = 6,
) -> tuple[Shape, Fold] | None:
    """The stronger of the folds at the epoch and, where it is another one, at the evaluations."""
    found: list[tuple[Shape, Fold]] = []
    if epoch and (f := fold(seen.judged, seen.steps, epoch, cycles)):
        found.append((Shape.EPOCH_PROFILE, f))
    if interval and not (epoch and abs(interval - epoch) <= 0.05 * epoch):
        offset = evaluations[-1] % max(1, round(interval))
        if f := fold(seen.judged, seen.steps - offset, interval, cycles):
            shape = Shape.AFTER_EVALUATION if epoch else Shape.PERIOD
            found.append((shape, replace(f, peak_step=f.peak_step + offset)))
    kept = [one for one in found if repeats(one[1])]
    return max(kept, key=lambda one: one[1].eta2) if kept else None


def plain_gathered(seen: View, epoch: float | None, interval: float | None) -> list[Told]:
    """Spikes at one phase of the epoch, the first tenth left out."""
    length, stride, n = epoch or interval, seen.stride, len(seen)
    if not length or length < 10.0 * stride:
        return []
    steps = [int(seen.steps[c.peak]) for c in candidates(seen.judged) if c.first >= n // 10]
    found = on_lattice(np.array(steps, dtype=np.float64), length, stride)
    if found is None:
        return []
    phase = found.phase * length
    width = max(2.0 * stride, 0.03 * length)
    there = [s for s in steps if min((s - phase) % length, (phase - s) % length) <= width]
    measures = {
        "period": length,
        "count": float(found.hits),
        "events": float(found.events),
        "phase_step": phase,
        "chance": found.chance,
    }
    shape = Shape.EPOCH_PROFILE if epoch else Shape.PERIOD
    return [Told(shape, (there[0], there[0], there[-1]), measures)]


def plain_periods(
    seen: View, epoch: float | None, evaluations: list[int], interval: float | None
) -> list[Told]:
    """The first that holds: known periods, events, a swing of a few points, found periods, a wave;
    below 4,000 points."""
    n, last = len(seen), int(seen.steps[-1])
    few = n < 200
    if n < 100:
        return []
    best = plain_known(seen, epoch, evaluations, interval, 4 if few else 6)
    if few and (best is None or best[1].eta2 < 0.5):
        return plain_gathered(seen, epoch, interval)
    if best is None and (gathered := plain_gathered(seen, epoch, interval)):
        return gathered
    if best is None and (quick := quick_swing(seen.judged)):
        told = {"period": quick.period_points * seen.stride, "strength": quick.strength}
        told |= {"amplitude": quick.amplitude}
        told |= {"cycles": (n - quick.first) / quick.period_points}
        begin = int(seen.steps[quick.first])
        return [Told(Shape.WAVE, (begin, begin, last), told)]
    if best is None and (found := found_period(seen)):
        best = (Shape.PERIOD, found)
    if best is not None:
        first = int(seen.steps[int(0.25 * n)])
        steps = (first, max(first, best[1].peak_step), last)
        told = plain_told(best[1], first, last, seen.stride) | {"memory": plain_memory(seen)}
        return [Told(best[0], steps, told)]
    wave = find_wave(seen.judged)
    if wave is None:
        return []
    measures = {"period": wave.period_points * seen.stride, "strength": wave.strength}
    measures |= {"amplitude": wave.amplitude, "cycles": wave.cycles}
    first = int(seen.steps[n // 5])
    return [Told(Shape.WAVE, (first, first, last), measures)]


@pytest.mark.parametrize("block", range(12))
def test_patterns_are_told_of_as_the_definition_says(block: int) -> None:
    for seed in range(10 * block, 10 * block + 10):
        rng = np.random.default_rng(seed)
        n, stride = int(rng.choice([99, 100, 150, 199, 200, 400, 700])), int(rng.choice([1, 4]))
        points = int(rng.choice([9, 10, 20, 25, 40]))
        t = np.arange(n)
        logs = 0.1 * rng.normal(size=n)
        size = float(rng.choice([0.1, 0.25, 0.6]))
        kind = seed % 5
        if kind == 0:
            logs += size * (t % points < 2)
        elif kind == 1:
            logs += size * np.sin(2 * np.pi * t / points)
        elif kind == 2:
            logs[t % points == 3] += size * 3.0 * (rng.random(np.sum(t % points == 3)) < 0.5)
        elif kind == 3:
            logs += size * (t % points) / points
        else:
            logs += 3.0 * size * np.sin(2 * np.pi * t / 60.0)
        epoch = [None, points * stride, 2 * points * stride, 33 * stride][int(rng.integers(0, 4))]
        apart = [None, points * stride, round(1.04 * points * stride)][int(rng.integers(0, 3))]
        config = {} if epoch is None else {"steps_per_epoch": epoch}
        parts = [synth.series(2.0 * np.exp(logs), stride=stride)]
        evaluations: list[int] = []
        if apart is not None:
            evaluations = list(range(apart + seed, n * stride, apart))
            if len(evaluations) >= 4:
                parts.append(synth.series(np.ones(len(evaluations)), Metric.VAL_LOSS, tag="v",
                                          stride=apart, first=apart + seed))  # fmt: skip
        interval = float(apart) if apart is not None and len(evaluations) >= 4 else None
        seen = view(parts[0].steps, parts[0].values)
        expected = plain_periods(seen, epoch, evaluations, interval)
        assert_told(detect(synth.run(*parts, config=config)), expected)


def test_an_averaged_log_remembers() -> None:
    steps = np.arange(1000)
    raw = 3.0 - steps / 4000 + 0.03 * ((steps % 32) < 4) + synth.noise("gauss", 1000, 0.005, 3)
    slow = [raw[0]]
    for value in raw[1:]:
        slow.append(0.95 * slow[-1] + 0.05 * float(value))
    plain, averaged = (detect(synth.run(synth.series(np.array(v)))) for v in (raw, slow))
    assert plain[0].measures["memory"] < 0.8
    assert averaged[0].measures["memory"] > 0.9


class TestInTurn:
    """A loss that is high and low in turn has a period of two points, however many there are."""

    def walls(self, size: int, height: float = 0.2) -> Run:
        epochs = np.arange(size)
        noise = np.random.default_rng(4).normal(0.0, 0.01, size)
        loss = 0.5 + 1.2 * np.exp(-epochs / 6.0) + noise
        loss[9:] += height * (-1.0) ** epochs[9:]
        return synth.loss_run(loss)

    @pytest.mark.parametrize("size", [60, 80, 120, 200, 400])
    @pytest.mark.parametrize("height", [0.1, 0.2, 0.3])
    def test_it_is_a_wave_of_two_points(self, size: int, height: float) -> None:
        found = only(self.walls(size, height))
        assert found.shape is Shape.WAVE
        assert found.measures["period"] == 2.0
        assert found.measures["low"] == pytest.approx(0.5 - height, abs=0.06)
        assert found.measures["high"] == pytest.approx(0.5 + height, abs=0.06)
        assert found.first_step in range(8, 12)
        assert found.last_step >= size - 3

    def test_halves_of_an_epoch_may_differ(self) -> None:
        made = self.walls(120)
        config = {**made.config, "steps_per_epoch": 2}
        assert not [d for d in detect(replace(made, config=config)) if "low" in d.measures]
