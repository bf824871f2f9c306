"""Events at one phase of a period, against chance."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.signal.lattice import on_lattice


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
