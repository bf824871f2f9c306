from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import naive
import numpy as np
import pytest

from spikedoc.signal.ramp import Ramp, climb, find_ramp, window_before

STEPS = np.arange(1, 801)


def noisy(seed: int, sigma: float = 0.3) -> np.ndarray:
    return np.exp(np.random.default_rng(seed).normal(0, sigma, STEPS.size))


def test_the_published_spike_is_a_ramp() -> None:
    # Gradient norms in front of the loss spike of a 176B run.
    values = noisy(1, 0.05) * 0.24
    values[-6:] = [0.24, 0.95, 2.39, 15.9, 145.0, 960.0]
    found = find_ramp(STEPS, values)
    assert found is not None
    assert found.factor == pytest.approx(960 / 0.24)
    assert (found.first_step, found.last_step, found.points) == (795, 800, 6)


@pytest.mark.parametrize(("points", "swing"), [(7, 0.0), (201, 8.0)])
def test_growth_beyond_all_doubles_is_held_within_them(points: int, swing: float) -> None:
    values = np.full(800, 1e-300)
    values[-points:] = np.geomspace(1e-300, 1e300, points)
    values *= np.exp(swing * (-1.0) ** np.arange(800))
    found = find_ramp(STEPS, values)
    assert found is not None
    assert found.factor == pytest.approx(math.exp(700.0))


def test_steady_growth() -> None:
    values = noisy(2, 0.1)
    values[-10:] = 1.25 ** np.arange(10)
    found = find_ramp(STEPS, values)
    assert found is not None
    assert found.factor == pytest.approx(1.25**9, rel=0.4)


def test_a_slow_ramp_over_two_hundred_points() -> None:
    values = noisy(3)
    values[-200:] *= np.exp(np.linspace(0, np.log(3), 200))
    found = find_ramp(STEPS, values)
    assert found is not None
    assert found.points == 200
    assert 2 < found.factor < 4


@pytest.mark.parametrize(("length", "growth"), [(40, 8.0), (80, 8.0), (400, 9.0), (800, 16.0)])
def test_a_ramp_of_any_length_does_not_hide_itself(length: int, growth: float) -> None:
    steps = np.arange(1, 4001)
    values = 0.6 * np.exp(np.random.default_rng(length).normal(0, 0.2, steps.size))
    values[-length:] *= np.geomspace(1.0, growth, length)
    found = climb(steps, values, 4000)
    assert found is not None
    assert found.factor == pytest.approx(growth, rel=0.4)
    assert found.first_step == pytest.approx(4001 - length, abs=0.25 * length)


def test_over_other_stretches_a_doubling_is_no_ramp() -> None:
    values = np.exp(np.random.default_rng(8).normal(0, 0.2, 4000))
    values[-800:] *= np.geomspace(1.0, 2.5, 800)
    found = find_ramp(np.arange(4000), values)
    assert found is None


@pytest.mark.parametrize("after", [20, 40, 200, 400])
def test_a_jump_in_the_middle_of_a_window_is_no_ramp(after: int) -> None:
    values = np.exp(np.random.default_rng(after).normal(0, 0.1, 4000))
    values[-after:] *= 10.0
    assert find_ramp(np.arange(4000), values) is None


def test_a_run_that_always_rises_has_no_special_ramp() -> None:
    rising = np.exp(np.linspace(0, 8, STEPS.size)) * noisy(4, 0.02)
    found = find_ramp(STEPS, rising)
    assert found is None or found.points < 60


def test_noise_and_single_jumps_are_none() -> None:
    found = [find_ramp(STEPS, noisy(seed)) for seed in range(40)]
    assert sum(ramp is not None for ramp in found) <= 1
    jump = noisy(5, 0.1)
    jump[-1] = 50.0
    assert find_ramp(STEPS, jump) is None


def test_a_jump_after_slow_growth_is_a_jump() -> None:
    values = np.linspace(0.5, 1.1, STEPS.size)
    values[-1] = 40.0
    assert find_ramp(STEPS, values) is None


def test_growth_long_ago_is_none() -> None:
    values = noisy(6, 0.05)
    values[-60:-54] = 2.0 ** np.arange(6)
    assert find_ramp(STEPS, values) is None


def test_window_holds_positive_finite_points_up_to_the_step() -> None:
    values = np.ones(STEPS.size)
    values[[10, 20, 30]] = [np.nan, 0.0, -1.0]
    steps, kept = window_before(STEPS, values, 40)
    assert steps[-1] == 40
    assert kept.size == 37
    assert find_ramp(STEPS[:5], np.ones(5)) is None


def plain_rises(
    steps: list[int], logs: list[float], fewest: int, each: float, whole: float, largest: float
) -> Ramp | None:
    """The last run of rises that ends within ten points of the end and begins within thirty."""
    n = len(logs)
    begin = max(0, n - 30)
    found = None
    for end in range(max(begin + 1, n - 10), n):
        first = end
        while first > begin and logs[first] - logs[first - 1] > each:
            first -= 1
        rises = [logs[i] - logs[i - 1] for i in range(first + 1, end + 1)]
        rise = logs[end] - logs[first]
        if len(rises) >= fewest and rise >= whole and max(rises) <= largest * rise:
            found = Ramp(math.exp(rise), steps[first], steps[end], len(rises) + 1)
    return found


def plain_rise(logs: list[float]) -> float:
    """The rise of twenty medians, the first parts one longer, that rise with a tau of .5."""
    whole, rest = divmod(len(logs), 20)
    borders = [k * whole + min(k, rest) for k in range(21)]
    medians = [naive.median(logs[a:b]) for a, b in pairwise(borders)]
    return medians[-1] - medians[0] if naive.kendall_tau(medians) >= 0.5 else 0.0


def plain_ramp(steps: list[int], values: list[float]) -> Ramp | None:
    """The clearest growth that ends with these points, as the comments of the module define it."""
    if len(values) < 20:
        return None
    logs = [math.log(v) for v in values]
    short = plain_rises(steps, logs, 3, math.log(1.8), 0.0, 1.0)
    steady = plain_rises(steps, logs, 6, 0.0, math.log(3.0), 0.6)
    if short or steady:
        return short or steady
    logs, steps = logs[:-1], steps[:-1]
    length = min(200, len(logs) // 2)
    if length < 60:
        return None
    rise = plain_rise(logs[-length:])
    earlier = []
    end = len(logs) - length
    while end >= length:
        earlier.append(plain_rise(logs[end - length : end]))
        end -= length
    if rise < math.log(2.0) or rise <= float(np.quantile(earlier, 0.95)):
        return None
    return Ramp(math.exp(rise), steps[-length], steps[-1], length)


def same(found: Ramp | None, expected: Ramp | None) -> bool:
    """Whether two ramps are the same but for rounding; asserts that they are."""
    assert (found is None) is (expected is None)
    if found is not None and expected is not None:
        assert found.factor == pytest.approx(expected.factor)
        assert found == replace(expected, factor=found.factor)
    return True


@pytest.mark.parametrize("n", [19, 20, 29, 30, 31, 33, 60])
@pytest.mark.parametrize("seed", range(25))
def test_rises_in_a_row_are_those_of_the_definition(n: int, seed: int) -> None:
    """Random walks on a grid whose steps are below, on and above those that count."""
    rng = np.random.default_rng(seed)
    step = rng.choice([-0.3, 0.0, 0.1, 0.2, 0.5, 0.61], n, p=[0.1, 0.02, 0.2, 0.33, 0.15, 0.2])
    values = np.exp(np.cumsum(step))
    steps = 10 + 3 * np.arange(n)
    assert same(find_ramp(steps, values), plain_ramp(steps.tolist(), values.tolist()))


@pytest.mark.parametrize("n", [120, 121, 122, 140, 241, 401, 402, 803, 1300])
@pytest.mark.parametrize("seed", range(6))
def test_long_ramps_are_those_of_the_definition(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    length = min(200, (n - 1) // 2)
    logs = np.where(np.arange(n) % 2 == 0, 0.3, -0.3) + 0.2 * rng.normal(size=n)
    logs[-length:] += np.linspace(0.0, rng.choice([0.5, 0.72, 1.5]), length)
    if seed % 2:  # an earlier window rises as well
        logs[-2 * length : -length] += np.linspace(0.0, rng.choice([0.4, 1.5]), length)
    values, steps = np.exp(logs), 5 * np.arange(n)
    assert same(find_ramp(steps, values), plain_ramp(steps.tolist(), values.tolist()))


class TestThresholdsOfARamp:
    FLAT = np.full(30, 1.0)
    STEPS = np.arange(40)

    def ramp(self, *tail: float, before: int = 30) -> Ramp | None:
        values = np.concatenate([np.full(before, 1.0), np.array(tail)])
        return find_ramp(np.arange(values.size), values)

    def test_three_times_1_8(self) -> None:
        assert self.ramp(1.81, 1.81**2) is None
        found = self.ramp(1.81, 1.81**2, 1.81**3)
        assert found is not None
        assert (found.first_step, found.last_step, found.points) == (29, 32, 4)
        assert found.factor == pytest.approx(1.81**3)
        assert self.ramp(1.79, 1.79**2, 1.79**3) is None

    def test_six_rises_to_three(self) -> None:
        for total, there in ((3.01, True), (3.0 + 1e-9, True), (2.99, False)):
            rises = total ** (np.arange(1, 7) / 6)
            assert (self.ramp(*rises) is not None) is there
            assert self.ramp(*total ** (np.arange(1, 6) / 5)) is None

    def test_no_step_of_six_is_most_of_them(self) -> None:
        for share, there in ((0.59, True), (0.61, False)):
            logs = np.cumsum([(1 - share) / 5] * 5 + [share]) * math.log(4.0)
            assert (self.ramp(*np.exp(logs)) is not None) is there

    def test_it_ends_within_ten_points(self) -> None:
        rises = [2.0, 4.0, 8.0]
        assert self.ramp(*rises, *[8.0] * 9) is not None
        assert self.ramp(*rises, *[8.0] * 10) is None

    def test_twenty_points(self) -> None:
        assert self.ramp(2.0, 4.0, 8.0, before=17) is not None
        assert self.ramp(2.0, 4.0, 8.0, before=16) is None

    def test_a_hundred_and_twenty_points_before_a_long_one(self) -> None:
        """Sixty of them rise, as many before are the usual; the last point is the event."""
        for n, there in ((121, True), (120, False)):
            zigzag = np.where(np.arange(n) % 2 == 0, 0.2, -0.2)
            values = np.exp(zigzag + np.linspace(0, 1.2, 60)[np.maximum(np.arange(n) - n + 60, 0)])
            found = find_ramp(np.arange(n), values)
            assert (found is not None) is there
            if found is not None:
                assert (found.first_step, found.last_step, found.points) == (60, 119, 60)


def test_the_window_is_of_ten_thousand_points_at_most() -> None:
    steps = np.arange(20_000)
    kept, values = window_before(steps, np.ones(20_000), 15_000)
    assert (kept[0], kept[-1], values.size) == (5_001, 15_000, 10_000)


def test_a_climb_begins_where_the_series_left_its_level() -> None:
    """Level for 300 points, then e-fold in a hundred: the bend is at 300, and of the points from
    there to the end all are counted; it can begin no later than its growth ends."""
    logs = np.maximum(0.0, (np.arange(420) - 300) / 40.0)
    logs[::2] += 1e-6
    steps = 7 * np.arange(420)
    found = climb(steps, np.exp(logs), float(steps[-1]))
    assert found is not None
    assert found.first_step == pytest.approx(2100, abs=7 * 6)  # a block of four points, and half
    assert found.last_step == steps[-2]  # the last point is the event
    assert found.points == (found.last_step - found.first_step) // 7 + 1
    assert climb(steps, np.ones(420), 2000.0) is None
