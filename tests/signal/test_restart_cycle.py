"""Restarts of one schedule, told from jumps at any place."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from spikedoc.signal.restart_cycle import is_cycle


def cosine(length: int, top: float = 1e-3) -> np.ndarray:
    return top * 0.5 * (1 + np.cos(np.pi * np.arange(length) / length))


def judged(*parts: np.ndarray) -> bool:
    """Ask about a rate of these parts, each of which begins with a restart."""
    values = np.concatenate(parts)
    restarts = np.cumsum([part.size for part in parts])[:-1]
    return is_cycle(np.arange(values.size), values, restarts.astype(np.intp))


@pytest.mark.parametrize("lengths", [(200, 200), (200, 200, 200), (50, 100, 200), (90, 270, 810)])
def test_cycles_that_stay_as_long_or_grow(lengths: tuple[int, ...]) -> None:
    assert judged(*map(cosine, lengths))


def test_jumps_at_uneven_distances_or_above_the_peak_are_none() -> None:
    flat = [np.full(n, 1e-3 / (1 + k % 2)) for k, n in enumerate((100, 40, 260, 90))]
    assert not judged(*flat)
    assert not judged(*(cosine(200, top) for top in (1e-3, 2e-3, 4e-3)))


@pytest.mark.parametrize("missing", [30, 100, 190])
def test_a_log_may_begin_within_a_cycle(missing: int) -> None:
    assert judged(cosine(200)[missing:], cosine(200), cosine(200))
    assert judged(cosine(200)[missing:], cosine(200), cosine(200), cosine(200)[:80])
    # Cut at once on its way down, it began anew for another reason.
    assert not judged(cosine(200)[missing:], cosine(200)[:55], cosine(200))


def test_one_jump_must_begin_the_same_descent() -> None:
    assert judged(cosine(200), cosine(200)[:120])
    assert not judged(cosine(200)[:100], cosine(200))
    assert not is_cycle(np.arange(9), np.ones(9), np.zeros(0, dtype=np.intp))


def test_evenness_is_that_of_neighbouring_lengths() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        lengths = rng.integers(40, 400, 5)
        even = all(b / a <= 1.35 and b / a >= 0.65 for a, b in pairwise(lengths[:-1]))
        constant = np.ptp(lengths[1:-1] / lengths[:-2]) <= 0.35 * max(lengths[1:-1] / lengths[:-2])
        whole = all(abs(b / a - max(1, round(b / a))) <= 0.35 for a, b in pairwise(lengths[:-1]))
        late = all(abs(b / a - max(1, round(b / a))) <= 0.35 for a, b in pairwise(lengths[1:-1]))
        later = np.ptp(lengths[2:-1] / lengths[1:-2]) <= 0.35 * max(lengths[2:-1] / lengths[1:-2])
        drops = [np.linspace(1e-3, 5e-4, n) for n in lengths]
        assert judged(*drops) == bool(even or constant or whole or late or later)
