"""A rank that leaves the others for good."""

from __future__ import annotations

import numpy as np
import pytest
import synth
from plain.rank_level import rank_level
from told import assert_told

from spikedoc.detectors.rank_level import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series

N = 600


def rank(number: int, values: np.ndarray, metric: Metric = Metric.LOSS) -> Series:
    return synth.series(values, metric, name=f"{metric.value}_rank{number}", rank=number, first=1)


def course(number: int, noise: float = 0.1) -> np.ndarray:
    falling = 0.5 + 2 * np.exp(-np.arange(N) / 150)
    return np.asarray(falling * np.exp(synth.noise("gauss", N, noise, number)))


def run(*ranks: Series) -> Run:
    return synth.run(synth.series(synth.curve(n=N)), *ranks)


@pytest.mark.parametrize("metric", [Metric.LOSS, Metric.GRAD_NORM])
def test_the_rank_since_when_and_by_how_much(metric: Metric) -> None:
    parts = [course(r) for r in range(8)]
    parts[5][400:] *= 1.6
    (found,) = detect(run(*(rank(r, v, metric) for r, v in enumerate(parts))))
    assert (found.shape, found.signal) == (Shape.OUTLIER, f"{metric.value}_rank5")
    assert abs(found.first_step - 401) <= 5
    assert found.last_step == N
    assert found.measures["lasting_factor"] == pytest.approx(1.6, rel=0.05)


def test_a_rank_that_falls_below_the_others() -> None:
    parts = [course(r) for r in range(4)]
    parts[2][300:] *= 0.5
    (found,) = detect(run(*(rank(r, v) for r, v in enumerate(parts))))
    assert found.measures["lasting_factor"] == pytest.approx(0.5, rel=0.05)
    assert found.measures["factor"] == pytest.approx(2.0, rel=0.05)


def test_replicas_that_were_equal_and_went_apart() -> None:
    same = course(0)
    parts = [same.copy() for _ in range(4)]
    parts[1][350:] *= np.exp(synth.noise("gauss", N - 350, 0.02, 9) + 0.05)
    (found,) = detect(run(*(rank(r, v) for r, v in enumerate(parts))))
    assert (found.signal, found.first_step) == ("loss_rank1", 351)
    assert found.measures["equal_points"] == 350


def test_one_rank_alone_is_not_finite() -> None:
    parts = [course(r) for r in range(4)]
    parts[3][450:] = np.nan
    (found,) = detect(run(*(rank(r, v) for r, v in enumerate(parts))))
    assert (found.signal, found.first_step, found.last_step) == ("loss_rank3", 451, N)
    assert found.measures["nonfinite_points"] == 150


def test_all_ranks_together_are_no_outlier() -> None:
    parts = [course(r) for r in range(4)]
    for values in parts:
        values[400:] *= 2.0
    assert detect(run(*(rank(r, v) for r, v in enumerate(parts)))) == ()
    for values in parts:
        values[500:] = np.nan
    assert detect(run(*(rank(r, v) for r, v in enumerate(parts)))) == ()


def test_a_rank_that_always_differs_is_no_event() -> None:
    parts = [course(r) * (1.5 if r == 2 else 1.0) for r in range(4)]
    assert detect(run(*(rank(r, v) for r, v in enumerate(parts)))) == ()


def test_a_rank_that_comes_back_is_no_lasting_one() -> None:
    parts = [course(r) for r in range(4)]
    parts[1][300:360] *= 2.0
    assert detect(run(*(rank(r, v) for r, v in enumerate(parts)))) == ()


def test_of_two_ranks_the_odd_one_cannot_be_told() -> None:
    parts = [course(0), course(1)]
    parts[1][300:] *= 2.0
    assert detect(run(*(rank(r, v) for r, v in enumerate(parts)))) == ()


@pytest.mark.parametrize("kind", ["gauss", "laplace", "t5", "ar"])
def test_healthy_ranks_are_silent(kind: str) -> None:
    """Forty sets of eight ranks; in half of them the shards differ by a tenth all along."""
    for seed in range(40):
        parts = [
            np.exp(synth.noise(kind, N, 0.15, 100 * seed + r) + (seed % 2) * 0.1 * (r % 3))
            for r in range(8)
        ]
        assert detect(run(*(rank(r, v) for r, v in enumerate(parts)))) == (), (kind, seed)


def test_too_few_points_say_nothing() -> None:
    parts = [course(r)[:40] for r in range(4)]
    parts[1][20:] *= 3.0
    assert detect(run(*(rank(r, v) for r, v in enumerate(parts)))) == ()


def random_ranks(rng: np.random.Generator) -> np.ndarray:
    """Ranks of which one moves, by about a fifth or more, or is not finite for a while."""
    ranks, n = int(rng.choice([2, 3, 3, 4, 5])), int(rng.choice([59, 60, 61, 100, 160]))
    noise = float(rng.choice([0.003, 0.03, 0.1]))
    logs = noise * rng.normal(size=(ranks, n)) + 0.3 * np.exp(-np.arange(n) / 30)
    at = int(rng.choice([10, 19, 20, 21, n // 2, n - 21, n - 20, n - 10]))
    shift = float(rng.choice([0.17, 0.19, 0.3, 1.0])) * float(rng.choice([1, -1]))
    if rng.random() < 0.2:  # equal up to there
        logs[:] = logs[0]
        logs[0, at:] += noise * rng.normal(size=n - at)
    logs[0, at:] += shift
    if rng.random() < 0.3:  # another one moves as well, or it comes back for a while
        logs[1, at:] += shift * float(rng.choice([0.3, 0.36]))
        back = int(rng.integers(at, n))
        logs[0, back : back + int(rng.choice([4, 8, 16]))] -= shift
    values = np.exp(logs)
    if rng.random() < 0.4:
        begin, length = int(rng.integers(0, n)), int(rng.choice([2, 3, 4]))
        values[-1, begin : begin + length] = float(rng.choice([np.nan, np.inf, 0.0]))
        values[0, begin : begin + int(rng.choice([0, 0, 1]))] = np.nan
    return values


@pytest.mark.parametrize("block", range(15))
def test_ranks_are_told_of_as_the_definition_says(block: int) -> None:
    for seed in range(20 * block, 20 * block + 20):
        values = random_ranks(np.random.default_rng(seed))
        found = detect(run(*(rank(r, row) for r, row in enumerate(values))))
        assert_told(found, rank_level(values.tolist()))


@pytest.mark.parametrize(("equal", "told"), [(4, 1), (5, 0)])
def test_a_rank_that_was_equal_is_apart_for_nine_of_ten_points(equal: int, told: int) -> None:
    """Of the forty after it left the others four may be equal again."""
    values = np.ones((4, 80))
    values[2, 40:] = 1.1
    values[2, 60 : 60 + equal] = 1.0
    found = detect(run(*(rank(r, row) for r, row in enumerate(values))))
    assert [one.measures["equal_points"] for one in found] == [40.0] * told
