"""Noise as large as what was learned, and swings that grow."""

from __future__ import annotations

import math
from dataclasses import replace

import naive
import numpy as np
import pytest
import synth
from plain.levels import levels, trend
from told import Told, assert_told

from spikedoc.detectors.roughness import detect
from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.run import Source
from spikedoc.signal.roughness import roughness, swings
from spikedoc.signal.view import view


def of_shape(values: np.ndarray, shape: Shape) -> list[Detection]:
    return [d for d in detect(synth.loss_run(values)) if d.shape is shape]


def noisy(size: float, n: int = 1500) -> np.ndarray:
    """Return a loss that falls from 2.2 to 1 and then has noise of this size."""
    course = 1.0 + 1.2 * np.exp(-np.arange(n) / 60.0)
    return course + size * np.abs(np.random.default_rng(0).normal(size=n))


class TestNoise:
    def test_noise_and_what_was_learned_are_measured(self) -> None:
        (found,) = of_shape(noisy(0.8), Shape.NOISE)
        m = found.measures
        # Half-normal noise has a standard deviation of 0.603 times its scale.
        assert m["noise"] == pytest.approx(0.8 * 0.603, rel=0.25)
        assert m["ratio"] == pytest.approx(m["noise"] / m["learned"])
        assert m["ratio"] > 0.3
        assert abs(m["lag1"]) < 0.1
        assert abs(m["late_tau"]) < 0.4
        assert found.last_step == 1500

    @pytest.mark.parametrize("size", [0.01, 0.1])
    def test_little_noise_is_none(self, size: float) -> None:
        assert of_shape(noisy(size), Shape.NOISE) == []

    def test_a_loss_that_learned_nothing_has_nothing_to_compare_with(self) -> None:
        assert detect(synth.flat(sigma=0.05).run) == ()

    def test_a_loss_that_still_falls_says_so(self) -> None:
        course = 1.0 + 2.0 * np.exp(-np.arange(2000) / 800.0)
        values = course + 0.6 * np.abs(np.random.default_rng(1).normal(size=2000))
        (found,) = of_shape(values, Shape.NOISE)
        assert found.measures["late_tau"] < -0.4
        assert found.measures["late_change"] < 0.0


class TestGrowing:
    def test_swings_that_grow_begin_where_they_have_grown(self) -> None:
        (found,) = of_shape(synth.growing().run.series[0].values, Shape.GROWING)
        assert found.measures["growth"] > 3.0
        assert 0.5 * 1500 < found.first_step < 0.9 * 1500
        assert found.last_step == 1500

    def test_growth_out_of_nothing_is_told_as_a_bound(self) -> None:
        still = np.full(1100, 2.0)
        late = 4.0 * np.exp(np.random.default_rng(0).normal(size=400))
        fall = 2.0 + 3.0 * np.exp(-np.arange(100) / 10.0)
        (found,) = of_shape(np.r_[fall, still, late], Shape.GROWING)
        assert found.measures["growth_above"] == 1e6
        assert "growth" not in found.measures

    def test_swings_of_one_size_do_not(self) -> None:
        assert of_shape(synth.curve("language", 1500, sigma=0.3), Shape.GROWING) == []

    def test_swings_that_shrink_do_not(self) -> None:
        values = synth.growing().run.series[0].values[::-1]
        assert of_shape(values, Shape.GROWING) == []

    def test_tiny_swings_that_grow_are_no_matter(self) -> None:
        size = np.where(np.arange(1500) < 1000, 0.001, 0.01)
        values = synth.course("fine-tune", 1500) * np.exp(
            size * np.random.default_rng(2).normal(size=1500)
        )
        assert of_shape(values, Shape.GROWING) == []

    def test_a_loss_that_ends_at_its_best_is_not_harmed_by_them(self) -> None:
        # The last fifth falls steeply: log noise grows because the loss goes to zero.
        n = 1500
        course = np.where(np.arange(n) < 1200, 1.0, np.exp(-(np.arange(n) - 1200) / 60.0))
        size = np.where(np.arange(n) < 1200, 0.05, 0.4)
        values = course * np.exp(size * np.random.default_rng(3).normal(size=n))
        assert of_shape(values, Shape.GROWING) == []


def test_short_logs_are_not_judged() -> None:
    assert detect(synth.loss_run(noisy(0.8, n=49))) == ()


class TestShortLogs:
    @pytest.mark.parametrize(("n", "said"), [(49, 0), (60, 1), (150, 1)])
    def test_noise_of_the_size_of_the_level_is_seen_from_fifty_points_on(
        self, n: int, said: int
    ) -> None:
        course = 8.0 + 4.0 * np.exp(-np.arange(n) / 6.0)
        values = course * np.exp(synth.noise("gauss", n, 0.3, 1))
        assert len(of_shape(values, Shape.NOISE)) == said

    @pytest.mark.parametrize("seed", range(10))
    def test_ordinary_noise_is_not(self, seed: int) -> None:
        course = 0.8 + 4.0 * np.exp(-np.arange(80) / 6.0)
        values = course * np.exp(synth.noise("gauss", 80, 0.1, seed))
        assert of_shape(values, Shape.NOISE) == []


def test_noise_that_swells_once_does_not_grow() -> None:
    """The last parts are rougher than the middle, and so was a stretch between."""
    n = 2000
    size = np.full(n, 0.05)
    size[1200:1500] = 0.3
    size[1700:] = 0.25
    values = (0.5 + np.exp(-np.arange(n) / 100.0)) * np.exp(
        size * np.random.default_rng(0).normal(size=n)
    )
    assert of_shape(values, Shape.GROWING) == []


def plain_noise(values: np.ndarray, judged: np.ndarray) -> list[Told]:
    """Noise at .15 of what was learned; at .12 when it is half of the level as well."""
    n, level = values.size, levels(values.tolist())
    if level.best <= 0 or level.start <= 0 or math.log(level.start / level.best) < 0.10:
        return []
    linear, relative = roughness(values), roughness(judged)
    learned = level.start - level.best
    ratio = linear.noise / learned
    if ratio < 0.12 or (ratio < 0.15 and relative.noise < 0.5):
        return []
    if n < 200 and (ratio < 0.2 or relative.noise < 0.2):
        return []
    tau, change = trend(judged[n // 2 :].tolist())
    measures = {
        "noise": linear.noise,
        "learned": learned,
        "best": level.best,
        "ratio": ratio,
        "relative_noise": relative.noise,
        "fall": math.log(level.start) - math.log(max(level.end, 1e-12)),
        "lag1": linear.lag1,
        "late_tau": tau,
        "late_change": change,
    }
    return [Told(Shape.NOISE, (n // 4 + 1, n // 4 + 1, n), measures)]


def plain_growing(values: np.ndarray, judged: np.ndarray) -> list[Told]:
    """Swings of the last three twentieths three times those of the sixth to the twelfth, growing
    steadily over the second half or tenfold, at a level that is not below the best before."""
    n = values.size
    spread = swings(judged).tolist()
    middle, swing = naive.median(spread[5:12]), naive.median(spread[-3:])
    growth = swing / max(middle, 1e-300)
    quarter = (n + 3) // 4  # rounded up
    late = judged[-quarter:]
    best = levels(values[:-quarter].tolist()).best
    end = levels(values.tolist()).end
    above = min(end, best) > 0 and math.log(end / best) > -0.01
    steady = growth >= 10.0 or naive.kendall_tau(spread[10:]) >= 0.5
    if growth < 3.0 or not above or not steady or min(spread[-3:]) <= middle:
        return []
    if np.std(late) < 0.1:
        return []
    grown = [k for k in range(5, 20) if spread[k] >= 3.0 * max(middle, 1e-12)]
    if not grown:
        return []
    first = min(n - 1, int(grown[0] * n / 20)) + 1
    told = {"growth": growth} if growth <= 1e6 else {"growth_above": 1e6}
    return [Told(Shape.GROWING, (first, n, n), told | {"swing": swing})]


@pytest.mark.parametrize("block", range(15))
def test_roughness_is_that_of_the_definition(block: int) -> None:
    for seed in range(30 * block, 30 * block + 30):
        rng = np.random.default_rng(seed)
        n = int(rng.choice([49, 50, 120, 199, 200, 201, 303]))
        t = np.arange(n) / n
        fall = float(rng.choice([0.09, 0.11, 0.5, 1.5]))
        course = 1.0 + (np.exp(fall) - 1.0) * np.exp(-t * 30.0)
        late = np.where(t > rng.choice([0.5, 0.8, 0.86]), rng.choice([1.0, 2.9, 3.5, 11.0]), 1.0)
        size = float(rng.choice([0.0, 0.02, 0.12, 0.2, 0.5]))
        if seed % 3 == 0:
            late *= np.exp(np.maximum(0.0, t - 0.5) * float(rng.choice([2.0, 4.0])))
        values = course * np.exp(size * late * rng.normal(size=n))
        if seed % 4 == 0:
            values = course + fall * size * np.abs(rng.normal(size=n))
        values *= np.where(t > 0.75, float(rng.choice([1.0, 0.98, 1.0])), 1.0)
        judged = view(np.arange(n), values).judged
        expected = plain_noise(values, judged) if n >= 50 else []
        expected += plain_growing(values, judged) if n >= 200 else []
        assert_told(detect(synth.loss_run(values)), expected)


class TestEpochs:
    SWINGS = (15.2, 16.2, 18.4, 4.1, 12.7, 10.4, 1.6, 10.8, 8.4, 1.6, 8.5, 7.5, 1.7, 7.1, 6.8)

    def found(self, *values: float) -> tuple[Detection, ...]:
        source = Source("log.txt", "text", 100, counts_epochs=True)
        return detect(replace(synth.loss_run(np.array(values)), sources=(source,)))

    def test_a_dozen_means_that_swing(self) -> None:
        (found,) = self.found(*self.SWINGS)
        assert found.shape is Shape.NOISE
        assert found.measures["relative_noise"] >= 0.5

    def test_fewer_calmer_or_of_single_steps(self) -> None:
        calm = np.exp(-np.arange(15) / 5.0) + 0.1 * np.cos(np.arange(15))
        assert self.found(*self.SWINGS[:11]) == ()
        assert self.found(*(2.0 + calm)) == ()
        assert self.found(*np.r_[self.SWINGS[:14], 0.0]) == ()
        assert detect(synth.loss_run(np.array(self.SWINGS))) == ()
