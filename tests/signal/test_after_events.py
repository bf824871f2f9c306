"""A series that stands off its level right after events, and what only looks like it."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.signal.after_events import AfterEvents, after_events

EVERY, COUNT = 60, 20
SINCE = np.arange(EVERY * COUNT) % EVERY
WHICH = np.arange(EVERY * COUNT) // EVERY
STARTS = EVERY * np.arange(1, COUNT)
SEEDS = range(10)


def seen(shape: np.ndarray, seed: int, sigma: float = 0.1) -> AfterEvents | None:
    noise = sigma * np.random.default_rng(seed).standard_normal(SINCE.size)
    falling = -2.0 * np.arange(SINCE.size) / SINCE.size
    return after_events(falling + shape + noise, STARTS)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("size", [0.35, -0.35])
@pytest.mark.parametrize("lasts", [3, 8])
def test_up_or_down_for_a_while(size: float, lasts: int, seed: int) -> None:
    found = seen(size * (lasts > SINCE), seed)
    assert found is not None
    assert found.size == pytest.approx(size, rel=0.35)
    assert lasts / 2 <= found.width <= lasts + 4
    assert found.late == pytest.approx(1.0, abs=0.5)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_fades_is_seen_where_it_was(seed: int) -> None:
    found = seen(1.2 * np.exp(-SINCE / 6 - WHICH / 6), seed)
    assert found is not None
    assert found.size > 0
    assert found.late < 0.4


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("size", [0.0, 0.2, 0.4])
def test_memory_of_the_samples_is_none(size: float, seed: int) -> None:
    """An even rise through the epoch that falls where the next begins comes back nowhere."""
    assert seen(size * SINCE / EVERY, seed) is None


@pytest.mark.parametrize("seed", range(60))
def test_a_mean_that_starts_anew_is_none(seed: int) -> None:
    """It is noisier at its beginning, and lags behind a falling loss at its end."""
    noise = 0.3 * np.random.default_rng(seed).standard_normal(SINCE.size)
    loss = np.exp(-2.0 * np.arange(SINCE.size) / SINCE.size + noise)
    means = np.cumsum(loss.reshape(COUNT, EVERY), axis=1) / np.arange(1, EVERY + 1)
    assert after_events(np.log(means.ravel()), STARTS) is None


@pytest.mark.parametrize("seed", SEEDS)
def test_a_profile_that_is_uneven_everywhere_is_none(seed: int) -> None:
    profile = 0.3 * np.random.default_rng([9, seed]).standard_normal(EVERY)
    profile[:3] += 0.5
    assert seen(profile[SINCE], seed) is None


@pytest.mark.parametrize("phase", [20, 30, 45])
def test_elsewhere_between_the_events_is_none(phase: int) -> None:
    assert seen(0.5 * ((phase <= SINCE) & (phase + 4 > SINCE)), 1) is None


def test_few_or_dense_events_tell_nothing() -> None:
    shape = 1.0 * (SINCE < 3)
    values = shape + 0.01 * np.random.default_rng(0).standard_normal(SINCE.size)
    assert after_events(values, STARTS) is not None
    assert after_events(values, STARTS[:4]) is None
    assert after_events(values, np.arange(5, 1200, 5)) is None
    assert after_events(np.ones(1200), STARTS) is None
