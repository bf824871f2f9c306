"""Folding: shares of variance against the plain definition, and patterns of known place."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spikedoc.signal import fold as module
from spikedoc.signal.fold import detrend, fold


def steps_of(n: int, stride: int = 1, first: int = 0) -> np.ndarray:
    return first + stride * np.arange(n, dtype=np.int64)


def tooth(period: int, cycles: int, height: float, at: int = 7, sigma: float = 1.0) -> np.ndarray:
    """Noise with one point per period `height` up."""
    values = np.random.default_rng(period).normal(0.0, sigma, period * cycles)
    values[at::period] += height
    return values


@settings(max_examples=40, deadline=None)
@given(
    st.integers(100, 200),
    st.integers(0, 10_000),
    st.sampled_from([1, 2, 5]),
    st.sampled_from([3.0, 4.0, 7.5, 10.0, 11.3]),
    st.integers(0, 1000),
    st.sampled_from([0.0, 0.2]),
)
def test_fold_is_the_plain_analysis_of_variance(
    n: int, seed: int, stride: int, points: float, first: int, missing: float
) -> None:
    rng = np.random.default_rng(seed)
    steps = steps_of(n, stride, first)
    steps = steps[(rng.random(n) >= missing) & ((steps // stride) % 10 != 4)]
    values = rng.exponential(size=steps.size)
    n = values.size
    period = points * stride
    found = fold(values, steps, period)
    assert found is not None
    assert np.median(np.diff(steps)) == stride
    # The definition, step by step: detrend, cut, drop the first quarter, bin by phase.
    window = max(51, n // 20, int(1.5 * points)) | 1
    level = naive.rolling_median(values.tolist(), window)
    apart = [v - m for v, m in zip(values.tolist(), level, strict=True)]
    spread = naive.scatter(apart)
    residual = [min(max(a / spread, -4.0), 8.0) for a in apart][int(0.25 * n) :]
    kept = [float(s) for s in steps.tolist()][int(0.25 * n) :]
    bins = min(40, int(points + 1e-9))
    np.testing.assert_allclose(
        found.profile, naive.profile(residual, kept, period, bins), rtol=1e-9, atol=1e-9
    )
    assert found.eta2 == pytest.approx(naive.eta2(residual, kept, period, bins), abs=1e-9)
    halves: dict[bool, list[int]] = {True: [], False: []}
    for i, step in enumerate(kept):
        halves[int(step // period) // 2 % 2 == 0].append(i)
    profiles = [
        naive.profile([residual[i] for i in part], [kept[i] for i in part], period, bins)
        for part in halves.values()
    ]
    assert found.rho == pytest.approx(naive.correlation(*profiles), abs=1e-9)
    assert found.cycles == len({step // period for step in kept})


class TestFold:
    def test_the_peak_is_where_the_teeth_are(self) -> None:
        found = fold(tooth(40, 40, 6.0), steps_of(1600), 40.0)
        assert found is not None
        assert int(found.peak_phase) == 7
        assert found.peak_step % 40 == 7
        assert found.consistency == 1.0
        assert found.rho > 0.9
        assert found.peak_height == pytest.approx(6.0, abs=1.0)
        assert found.peak_gap > 6.0

    def test_the_same_values_do_not_fold_at_another_period(self) -> None:
        found = fold(tooth(40, 40, 6.0), steps_of(1600), 37.0)
        assert found is not None
        assert found.eta2 < 0.05
        assert found.consistency < 0.6

    def test_noise_explains_nothing(self) -> None:
        shares = []
        for seed in range(30):
            found = fold(np.random.default_rng(seed).normal(size=1200), steps_of(1200), 40.0)
            assert found is not None
            shares.append(found.eta2)
        assert abs(float(np.mean(shares))) < 0.01
        assert max(shares) < 0.08

    def test_a_whole_profile_repeats(self) -> None:
        profile = np.random.default_rng(0).normal(size=50)
        values = np.tile(profile, 20) + np.random.default_rng(1).normal(0, 0.1, 1000)
        found = fold(values, steps_of(1000), 50.0)
        assert found is not None
        assert found.eta2 > 0.6
        assert found.rho > 0.98

    def test_one_giant_spike_makes_no_period(self) -> None:
        values = np.random.default_rng(3).normal(size=1200)
        values[907] = 1e6
        found = fold(values, steps_of(1200), 40.0)
        assert found is not None
        assert found.eta2 < 0.1
        assert found.consistency < 0.5

    def test_phases_come_from_steps_not_from_positions(self) -> None:
        # Every 3rd step logged, a period of 40 steps: no whole number of points.
        steps = steps_of(1200, 3)
        values = np.random.default_rng(4).normal(size=1200)
        values[(steps % 40) < 4] += 5.0
        found = fold(values, steps, 40.0)
        assert found is not None
        assert found.eta2 > 0.3
        assert found.peak_phase < 6.0

    @pytest.mark.parametrize(
        ("n", "period"), [(0, 10.0), (1, 10.0), (17, 3.0), (100, 40.0), (100, 2.0), (100, 0.0),
                          (100, -5.0)],
    )  # fmt: skip
    def test_too_short_for_six_cycles_of_three_phases(self, n: int, period: float) -> None:
        assert fold(np.zeros(n), steps_of(n), period) is None

    def test_a_constant_explains_nothing(self) -> None:
        found = fold(np.full(600, 2.0), steps_of(600), 30.0)
        assert found is not None
        assert (found.eta2, found.rho, found.consistency) == (0.0, 0.0, pytest.approx(1.0, abs=1))

    def test_a_phase_that_was_never_logged_carries_no_weight(self) -> None:
        # Period 20, the second half of every cycle is missing.
        steps = np.array([s for s in range(2000) if s % 20 < 10], dtype=np.int64)
        values = np.random.default_rng(5).normal(size=steps.size) + 100.0
        found = fold(values, steps, 20.0)
        assert found is not None
        assert abs(found.eta2) < 0.05


def test_detrending_takes_off_the_level_and_cuts() -> None:
    values = np.random.default_rng(6).normal(0.0, 0.01, 500) + np.linspace(5.0, 1.0, 500)
    values[100] += 9.0
    values[200] -= 9.0
    found = detrend(values, 51)
    assert (found.min(), found.max()) == (module.WINSOR_LOW, module.WINSOR_HIGH)
    assert np.median(np.abs(found)) == pytest.approx(1 / 1.4826, rel=0.1)


def plain_peak(
    residual: list[float], steps: list[int], period: float, bins: int
) -> tuple[float, int, float, float, float]:
    """Phase, step, height, gap and consistency of the highest bin, as `Fold` defines them."""
    profile = naive.profile(residual, [float(s) for s in steps], period, bins)
    where = [naive.phase_bin(float(s), period, bins) for s in steps]
    peak = max(range(bins), key=profile.__getitem__)
    middle = naive.median(profile)
    apart = [min(abs(k - peak), bins - abs(k - peak)) for k in range(bins)]
    others = [profile[k] - middle for k in range(bins) if apart[k] > 1]
    height = profile[peak] - middle
    gap = height / (naive.scatter(others) + 1e-12) if others else 0.0
    there = [i for i, k in enumerate(where) if k == peak] or list(range(len(steps)))
    highest = max(there, key=residual.__getitem__)
    cycles: dict[int, list[int]] = {}
    for i, step in enumerate(steps):
        cycles.setdefault(int(step // period), []).append(i)
    hits = []
    for inside in cycles.values():
        at_peak = [residual[i] for i in inside if where[i] == peak]
        if len(inside) > 3 and at_peak:
            high = float(np.quantile([residual[i] for i in inside], 0.85))
            hits.append(max(at_peak) >= high)
    consistency = sum(hits) / len(hits) if hits else 0.0
    return (peak + 0.5) / bins * period, steps[highest], height, gap, consistency


@pytest.mark.parametrize("points", [3.0, 4.5, 7.0, 13.3, 34.0, 40.0, 41.0, 60.0])
@pytest.mark.parametrize("n", [150, 600, 1100])
def test_the_peak_of_a_fold_is_that_of_the_definition(n: int, points: float) -> None:
    """Also where the detrending window is that of a long log or of a long period."""
    rng = np.random.default_rng(n + int(points))
    steps = steps_of(n, 2, 5)[rng.random(n) < 0.9]
    period = 2 * points
    values = rng.exponential(size=steps.size) + 2.0 * (steps % period < period / 8)
    found = fold(values, steps, period)
    n = values.size
    cycles = (steps[-1] - steps[int(0.25 * n)]) / period
    assert (found is None) is bool(cycles < 6)
    if found is None:
        return
    window = int(min(max(n // 20, 1.5 * points, 51), 2001)) // 2 * 2 + 1
    level = naive.rolling_median(values.tolist(), window)
    apart = [v - m for v, m in zip(values.tolist(), level, strict=True)]
    spread = naive.scatter(apart)
    residual = [min(max(a / spread, -4.0), 8.0) for a in apart][int(0.25 * n) :]
    kept = steps.tolist()[int(0.25 * n) :]
    expected = plain_peak(residual, kept, period, min(40, int(points)))
    told = (found.peak_phase, found.peak_step, found.peak_height, found.peak_gap, found.consistency)
    assert told == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    ("n", "period", "there"),
    [(17, 2.0, False), (18, 3.0, False), (25, 3.0, True), (24, 3.0, False), (100, 2.9, False),
     (100, 12.5, False), (100, 12.0, True)],
)  # fmt: skip
def test_six_cycles_of_three_phases_in_the_last_three_quarters(
    n: int, period: float, *, there: bool
) -> None:
    values = np.random.default_rng(n).normal(size=n)
    assert (fold(values, steps_of(n), period) is not None) is there


def test_a_very_long_period_is_detrended_over_two_thousand_points() -> None:
    """Of 20,000 points the window is 2,001, though 1.5 periods of 1,600 are more."""
    values = np.random.default_rng(1).normal(size=20_000) + np.sin(np.arange(20_000) / 500.0)
    found = fold(values, steps_of(20_000), 1600.0)
    assert found is not None
    residual = detrend(values, 2001)[5000:].tolist()
    at = [float(s) for s in range(5000, 20_000)]
    assert found.profile.tolist() == pytest.approx(naive.profile(residual, at, 1600.0, 40))
