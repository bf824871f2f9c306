"""The threshold from a log's own upper tail: how often healthy scores exceed it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from spikedoc.signal.tail import tail_level


def gauss(n: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=n)


@pytest.mark.parametrize("n", [0, 1, 2, 60, 140])
def test_too_few_points_above_the_quantile_give_a_fixed_level(n: int) -> None:
    assert tail_level(gauss(n, 0)) == tail_level(np.zeros(0))
    assert tail_level(np.zeros(0)) > 5.0


@pytest.mark.parametrize("constant", [0.0, 3.0])
def test_a_constant_has_no_tail_to_fit(constant: float) -> None:
    assert tail_level(np.full(5000, constant)) == tail_level(np.zeros(0))


@pytest.mark.parametrize("n", [400, 3000, 20_000])
def test_gaussian_logs_rarely_exceed_their_own_level(n: int) -> None:
    runs = 60
    above = [float(gauss(n, seed).max()) > tail_level(gauss(n, seed)) for seed in range(runs)]
    # Asked for: 1 % of the logs. Ten times that would be a broken threshold.
    assert sum(above) <= 0.1 * runs


def test_the_level_of_gaussian_noise_is_not_absurd() -> None:
    # The largest of 3,000 is exceeded with probability .01 at 4.5 sigma; the fit may be cautious.
    levels = [tail_level(gauss(3000, seed)) for seed in range(40)]
    assert 4.0 < np.median(levels) < 7.5
    assert max(levels) < 10.0


def test_heavy_tails_raise_the_level() -> None:
    rng = np.random.default_rng(7)
    heavy = np.median([tail_level(rng.standard_t(3, 3000)) for _ in range(20)])
    light = np.median([tail_level(rng.standard_normal(3000)) for _ in range(20)])
    assert heavy > 2.0 * light


def test_shift_and_scale_carry_over() -> None:
    scores = gauss(2000, 3)
    base = tail_level(scores)
    assert tail_level(scores + 11.0) == pytest.approx(base + 11.0)
    assert tail_level(5.0 * scores) == pytest.approx(5.0 * base)


def test_a_rarer_false_alarm_needs_a_higher_level() -> None:
    scores = gauss(2000, 4)
    found = [tail_level(scores, alpha) for alpha in (0.1, 0.01, 0.001)]
    assert found == sorted(found)
    assert found[0] < found[2]


def test_a_bounded_tail_is_extrapolated_like_an_exponential_one() -> None:
    # Uniform scores have a shape of -1, which the fit holds at 0.
    scores = np.random.default_rng(5).uniform(size=20_000)
    assert 1.0 < tail_level(scores) < 2.0


def test_equal_exceedances_are_no_trouble() -> None:
    scores = np.concatenate([np.zeros(2000), np.full(100, 3.0)])
    assert np.isfinite(tail_level(scores))


def exceeded(level: float, scores: np.ndarray) -> float:
    """The probability of a score above `level`: a tenth lies above the 90 % quantile, and their
    excess follows the Pareto distribution with the fitted mean and shape.

    The shape by probability-weighted moments (Hosking and Wallis 1987), shrunk towards 0.1 with the
    weight of a hundred points, between 0 and 0.5.
    """
    start = float(np.quantile(scores, 0.9))
    excess = sorted(float(s) - start for s in scores if s > start)
    count = len(excess)
    mean = math.fsum(excess) / count
    second = math.fsum(x * (1 - (k - 0.35) / count) for k, x in enumerate(excess, 1)) / count
    shape = 2.0 - mean / (mean - 2.0 * second) if mean > 2.0 * second else 0.5
    shape = min(max((count * shape + 100 * 0.1) / (count + 100), 0.0), 0.5)
    width = mean * (1.0 - shape)
    if shape < 1e-3:
        return 0.1 * math.exp(-(level - start) / width)
    return 0.1 * (1.0 + shape * (level - start) / width) ** (-1.0 / shape)


@pytest.mark.parametrize("n", [150, 160, 400, 2000])
@pytest.mark.parametrize("kind", ["gauss", "t2", "cauchy", "uniform", "exponential", "two values"])
@pytest.mark.parametrize("alpha", [0.01, 0.1])
def test_the_level_is_exceeded_with_the_probability_asked_for(
    n: int, kind: str, alpha: float
) -> None:
    rng = np.random.default_rng(n)
    scores = {
        "gauss": rng.normal(size=n),
        "t2": rng.standard_t(2, n),
        "cauchy": rng.standard_cauchy(n),
        "uniform": rng.uniform(size=n),
        "exponential": rng.exponential(size=n),
        "two values": np.where(np.arange(n) % 11 == 0, 5.0 + rng.uniform(size=n), 0.0),
    }[kind]
    if np.sum(scores > np.quantile(scores, 0.9)) < 15:
        assert tail_level(scores, alpha) == 7.0
    else:
        assert n * exceeded(tail_level(scores, alpha), scores) == pytest.approx(alpha)


def test_fifteen_points_are_a_tail_and_one_log_in_a_hundred_is_wrong() -> None:
    scores = np.append(np.zeros(200), np.arange(1.0, 16.0))
    assert tail_level(scores) != 7.0
    assert tail_level(scores) == tail_level(scores, 0.01)
    assert tail_level(scores[:-1]) == 7.0
