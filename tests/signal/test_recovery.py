"""The clock that starts at a rise: back after how many points, and how much is left."""

from __future__ import annotations

import math

import naive
import numpy as np
import pytest

from spikedoc.signal.recovery import Recovery, recovery

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


def plain_recovery(
    values: list[float], start: int, span: int, window: int, noise: float
) -> Recovery:
    """The clock as the comments of the module define it."""
    history = values[max(0, start - max(window, 2 * span)) : start]
    before = naive.median(history) if history else values[0]
    after = [v - before for v in values[start:]]
    width = max(5, span // 2)
    odd = width if width % 2 else width + 1
    n = len(after)
    level = []
    for i in range(n):
        if n <= width or i >= n - odd // 2:
            level.append(naive.median(after[i:]))
        else:  # an even width takes one point more; at the end it mirrors
            level.append(naive.median([naive.mirrored(after, i + k) for k in range(odd)]))
    peak = max(range(min(4 * span + 1, n)), key=level.__getitem__) if n else 0
    jump = level[peak] if n else 0.0
    within = max(3.0 * 1.2533 * noise / width**0.5, min(0.1 * jump, math.log(1.05)))
    late = naive.median(after[-max(5, n // 5) :]) if n else 0.0
    i = peak
    while i < n:
        if level[i] <= within:
            stay = after[i : i + 2 * max(width, i)]
            if naive.median(stay) <= max(within, 0.5 * jump):
                return Recovery(i, before, jump, late)
            while i < n and level[i] <= within:
                i += 1
        i += 1
    return Recovery(None, before, jump, late)


@pytest.mark.parametrize("span", [1, 4, 10, 12, 13])
@pytest.mark.parametrize("seed", range(12))
def test_the_clock_is_that_of_the_definition(seed: int, span: int) -> None:
    """Humps of random heights, some with a dip between them, at several places of a short log."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([12, 60, 130]))
    values = np.round(rng.normal(0.0, 0.03, n), 3)
    start = int(rng.integers(0, n + 1))
    for _ in range(3):
        at = min(n, start + int(rng.integers(0, 40)))
        values[at : at + int(rng.integers(1, 25))] += rng.choice([0.1, 0.5, 2.0])
    for noise in (0.0, 0.03, 0.3):
        found = recovery(values, start, span, 21, noise)
        expected = plain_recovery(values.tolist(), start, span, 21, noise)
        assert found.points == expected.points
        assert (found.before, found.jump, found.late) == pytest.approx(
            (expected.before, expected.jump, expected.late), abs=1e-12
        )


@pytest.mark.parametrize(("left", "points"), [(0.048, 8), (0.05, None)])
def test_back_is_within_five_per_cent(left: float, points: int | None) -> None:
    """ln 1.05 = 0.0488 above the level before, where a tenth of the jump is more: from the eighth
    point on three of the five that follow are."""
    values = np.concatenate([np.zeros(100), np.ones(10), np.full(200, left)])
    assert recovery(values, 100, 10, 21, 0.0).points == points


@pytest.mark.parametrize(("left", "back"), [(0.019, True), (0.021, False)])
def test_a_small_jump_is_back_within_a_tenth_of_it(left: float, back: bool) -> None:
    values = np.concatenate([np.zeros(100), np.full(10, 0.2), np.full(200, left)])
    assert (recovery(values, 100, 10, 21, 0.0).points is not None) is back


def test_an_onset_behind_the_last_point_has_no_height() -> None:
    values = np.full(10, 2.0)
    clock = recovery(values, 10, 5, 9, 0.1)
    assert clock == Recovery(None, 2.0, 0.0, 0.0)
