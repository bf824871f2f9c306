"""Events at one phase of a period, against chance."""

from __future__ import annotations

import math

import numpy as np
import pytest

from spikedoc.signal.lattice import Lattice, on_lattice


def test_events_at_one_phase_of_some_periods() -> None:
    steps = 60.0 * np.array([7, 8, 10, 13, 16, 17, 20, 22, 24]) + 59.0
    found = on_lattice(steps, 60.0, 1.0)
    assert found is not None
    assert (found.hits, found.events) == (9, 9)
    assert found.phase == pytest.approx(59 / 60, abs=0.01)
    # Eight more in a window of 1/30 of the period by chance, at nine places.
    assert found.chance == pytest.approx(9 * (2 / 60) ** 8, rel=1e-6)


def test_a_phase_at_the_seam_is_one_phase() -> None:
    steps = np.array([99.0, 201.0, 300.0, 399.0, 500.0, 601.0])
    found = on_lattice(steps, 100.0, 1.0)
    assert found is not None
    assert min(found.phase, 1 - found.phase) < 0.02


@pytest.mark.parametrize(
    "steps",
    [
        [],
        [5.0, 105.0, 205.0],  # too few
        [5.0, 105.0, 205.0, 305.0, 17.0, 133.0, 271.0, 384.0],  # half of them elsewhere
    ],
)
def test_what_is_no_lattice(steps: list[float]) -> None:
    assert on_lattice(np.array(steps), 100.0, 1.0) is None


def test_random_steps_hardly_ever_gather() -> None:
    rng = np.random.default_rng(0)
    found = [on_lattice(np.sort(rng.uniform(0, 5000, 12)), 60.0, 1.0) for _ in range(500)]
    assert sum(f is not None for f in found) <= 1


def test_a_coarse_log_has_no_phase() -> None:
    assert on_lattice(np.arange(0.0, 600.0, 60.0), 60.0, 20.0) is None


def plain_lattice(steps: list[float], period: float, stride: float) -> Lattice | None:
    """The window of a phase with the most events, begun at each of them, against the binomial."""
    count = len(steps)
    if period <= 0 or count < 4:
        return None
    width = max(0.03, 2.0 * stride / period)
    if width > 0.2:
        return None
    phases = sorted(step % period / period for step in steps)
    twice = phases + [phase + 1.0 for phase in phases]
    inside = [[p for p in twice[i:] if p <= twice[i] + width] for i in range(count)]
    best = max(inside, key=len)
    hits, n = len(best), count - 1
    chance = count * math.fsum(
        math.comb(n, k) * width**k * (1 - width) ** (n - k) for k in range(hits - 1, n + 1)
    )
    if hits < 4 or hits < 0.6 * count or chance > 1e-4:
        return None
    return Lattice(float(np.median(best)) % 1.0, hits, count, min(1.0, chance))


@pytest.mark.parametrize("seed", range(60))
def test_a_lattice_is_that_of_the_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    period = float(rng.choice([0.0, 64.0, 100.0, 300.0]))
    stride = float(rng.choice([1.0, 2.0, 6.4, 7.0]))
    there = rng.integers(0, 40, rng.integers(1, 12)) * period + rng.integers(0, 3) * stride
    there += rng.choice([0.0, -2.0 * stride, 1.0], there.size)
    elsewhere = rng.integers(0, 5000, rng.integers(0, 6)).astype(float)
    steps = np.sort(np.concatenate([there, elsewhere]))
    found = on_lattice(steps, period, stride)
    expected = plain_lattice(steps.tolist(), period, stride)
    assert (found is None) is (expected is None)
    if found is not None and expected is not None:
        assert (found.hits, found.events) == (expected.hits, expected.events)
        assert (found.phase, found.chance) == pytest.approx((expected.phase, expected.chance))


def events(at: int, elsewhere: int) -> np.ndarray:
    """So many events at one phase of a period of 1,000, and so many at different ones."""
    return np.concatenate([1000.0 * np.arange(at), 1000.0 * np.arange(elsewhere) + 500.0 +
                           60.0 * np.arange(elsewhere)])  # fmt: skip


def test_four_events_and_three_in_five_of_them() -> None:
    assert on_lattice(events(4, 0), 1000.0, 1.0) is None  # 4 times .03 cubed: one in ten thousand
    assert on_lattice(events(5, 0), 1000.0, 1.0) is not None
    assert on_lattice(events(9, 6), 1000.0, 1.0) is not None
    assert on_lattice(events(9, 7), 1000.0, 1.0) is None


def test_a_window_is_a_fifth_of_the_period_at_most() -> None:
    assert on_lattice(events(12, 0), 1000.0, 100.0) is not None
    assert on_lattice(events(12, 0), 1000.0, 101.0) is None


def test_a_window_is_three_hundredths_or_two_strides() -> None:
    """Five events spread over 30 of 1,000 steps are at one phase, over 31 not; over 40 they are
    where every twentieth step is logged."""
    for spread, stride, there in ((30.0, 1.0, True), (31.0, 1.0, False), (40.0, 20.0, True)):
        steps = 1000.0 * np.arange(6) + np.linspace(0.0, spread, 6)
        found = on_lattice(steps, 1000.0, stride)
        assert (found is not None and found.hits == 6) is there
