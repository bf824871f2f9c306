"""The clock that starts at a rise: back after how many points, and how much is left."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.signal.recovery import recovery

N, AT = 1000, 500
SIGMA = 0.02


def bump(height: float, tau: float | None, left: float = 0.0) -> np.ndarray:
    """A level of 0 that at index 500 jumps by `height` and decays to `left`; None: at once."""
    values = np.random.default_rng(0).normal(0.0, SIGMA, N)
    after = np.arange(N - AT)
    decay = np.exp(-after / tau) if tau else (after == 0).astype(float)
    values[AT:] += left + (height - left) * decay
    return values


@pytest.mark.parametrize("tau", [20.0, 40.0, 80.0])
def test_an_exponential_is_back_when_it_is_within_the_tolerance(tau: float) -> None:
    clock = recovery(bump(1.0, tau), AT, 40, 51, SIGMA)
    # Within 5 % of the level before: exp(-t / tau) < 0.05 at three time constants.
    assert clock.points == pytest.approx(tau * np.log(1.0 / np.log(1.05)), abs=0.35 * tau + 12)
    assert clock.before == pytest.approx(0.0, abs=0.02)
    assert clock.late == pytest.approx(0.0, abs=0.05)


def test_what_stays_up_never_comes_back() -> None:
    clock = recovery(bump(1.0, 30.0, left=0.4), AT, 20, 51, SIGMA)
    assert clock.points is None
    assert clock.jump == pytest.approx(0.9, abs=0.15)
    assert clock.late == pytest.approx(0.4, abs=0.05)


def test_a_lone_point_is_back_at_once() -> None:
    clock = recovery(bump(3.0, None), AT, 1, 51, SIGMA)
    assert clock.points is not None
    assert clock.points <= 2


def test_the_clock_starts_at_the_hump_and_not_at_the_spike_before_it() -> None:
    # A one-step spike, back to normal, and ten points later a hump of eighty.
    values = bump(3.0, None)
    values[AT + 10 : AT + 90] += 1.0
    clock = recovery(values, AT, 40, 51, SIGMA)
    assert clock.points is not None
    assert clock.points > 60


def test_more_noise_widens_what_counts_as_back() -> None:
    values = bump(1.0, 60.0)
    strict, wide = (recovery(values, AT, 20, 51, noise).points for noise in (0.02, 0.5))
    assert strict is not None
    assert wide is not None
    assert wide < strict


@pytest.mark.parametrize("start", [0, 1, 998, 999])
def test_an_onset_at_either_end_has_a_clock(start: int) -> None:
    clock = recovery(bump(1.0, 20.0), start, 10, 51, SIGMA)
    assert np.isfinite([clock.before, clock.jump, clock.late]).all()


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_shortest_series(n: int) -> None:
    clock = recovery(np.zeros(n), 0, 1, 21, 0.1)
    assert clock.points == 0
    assert clock.jump == 0.0


def test_a_dip_between_two_humps_is_no_recovery() -> None:
    values = np.random.default_rng(0).normal(0.0, SIGMA, N)
    values[AT : AT + 40] += 1.0
    values[AT + 46 : AT + 400] += 1.0
    clock = recovery(values, AT, 10, 51, SIGMA)
    assert clock.points is not None
    assert clock.points == pytest.approx(400, abs=20)
    values[AT + 400 :] += 1.0
    assert recovery(values, AT, 10, 51, SIGMA).points is None
