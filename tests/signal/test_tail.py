"""The threshold from a log's own upper tail: how often healthy scores exceed it."""

from __future__ import annotations

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
