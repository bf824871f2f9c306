from __future__ import annotations

import numpy as np
import pytest
from sweep_factory import DATA, compared, course, examined, run_of

from spikedoc.sweep.range_test import read_range_test

N = 400


def rising(low: float = 1e-5, high: float = 10.0, n: int = N) -> np.ndarray:
    return np.asarray(low * (high / low) ** (np.arange(n) / (n - 1)), dtype=np.float64)


def bowl(noise: float = 0.01) -> np.ndarray:
    """A loss that falls most steeply at 1e-3, is lowest at 1e-2 and rises after it."""
    x = np.log10(rising())
    rng = np.random.default_rng(0)
    fall = 3 - 2 / (1 + np.exp(-4 * (x + 3)))
    climb = np.where(x > -2, (x + 2) ** 2 * 2, 0.0)
    return np.asarray(fall + climb + noise * rng.standard_normal(N))


def test_the_places_are_read() -> None:
    found = read_range_test(run_of("finder", bowl(), rising()))
    assert found is not None
    assert found.steepest == pytest.approx(1e-3, rel=0.3)
    assert found.turn == pytest.approx(1.3e-2, rel=0.4)
    assert found.broken == pytest.approx(0.1, rel=0.4)
    assert "a range test within one run, not a sweep" in found.text.en


def test_a_real_one() -> None:
    ((run, _),) = examined("range_test")
    found = read_range_test(run)
    assert found is not None
    # The sweep of the same network: 0.0003 is slow, 0.003 to 0.03 steady, 0.1 diverges.
    assert 3e-4 < (found.steepest or 0) < 3e-3
    assert 3e-3 < (found.turn or 0) < 1e-1
    assert found.turn < (found.broken or 0) < 1
    assert compared("range_test").sweeps == ()
    assert (DATA / "range_test" / "metrics.csv").is_file()


def test_a_loss_that_ends_in_nan_is_broken_there() -> None:
    loss = bowl()
    loss[320:] = np.nan
    found = read_range_test(run_of("finder", loss, rising()))
    assert found is not None
    assert found.turn is not None
    assert found.broken is not None


def test_a_loss_that_only_falls_has_no_turn() -> None:
    loss = 3 - np.arange(N) / N + 0.01 * np.random.default_rng(0).standard_normal(N)
    found = read_range_test(run_of("finder", loss, rising()))
    assert found is not None
    assert found.turn is None
    assert "go on to higher rates" in found.text.en


def test_noise_is_not_read() -> None:
    loss = 3 + 0.1 * np.random.default_rng(0).standard_normal(N)
    found = read_range_test(run_of("finder", loss, rising()))
    assert found is not None
    assert (found.steepest, found.turn, found.broken) == (None, None, None)
    assert "nothing can be read off" in found.text.en


@pytest.mark.parametrize(
    "lr",
    [
        np.full(N, 0.1),
        np.linspace(1e-5, 10, N),  # linear: a warm-up may look the same
        np.minimum(np.linspace(0, 10, N), 1.0),
        rising()[::-1],
        rising(1e-3, 5e-2),  # not two decades
        np.concatenate([rising(n=N // 2), np.full(N // 2, 10.0)]),
    ],
)
def test_other_schedules_are_no_range_test(lr: np.ndarray) -> None:
    assert read_range_test(run_of("run", course(1.0, np.random.default_rng(0)), lr)) is None


def test_without_a_logged_rate_there_is_none() -> None:
    assert read_range_test(run_of("run", course(1.0, np.random.default_rng(0)))) is None
