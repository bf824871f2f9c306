"""Guards replayed: they fire where something happens, and not on healthy noise."""

from __future__ import annotations

import math

import naive
import numpy as np
import pytest
import synth

from spikedoc.signal.guard import BAND_STREAK, BEST_STREAK, band_firings, best_ratio_firings

N = 3000
QUIET = [(shape, kind) for shape in synth.SHAPES for kind in (*synth.NOISES, *synth.HEAVY)]


def noisy(sigma: float = 0.1, seed: int = 0) -> np.ndarray:
    return np.exp(sigma * np.random.default_rng(seed).standard_normal(N))


@pytest.mark.parametrize(("shape", "kind"), QUIET)
@pytest.mark.parametrize("sigma", [0.02, 0.1, 0.3])
def test_healthy_training_fires_neither(shape: str, kind: str, sigma: float) -> None:
    for seed in range(3):
        loss = synth.curve(shape, N, kind, sigma, seed)
        assert best_ratio_firings(loss).size == 0
        assert [fired.size for fired in band_firings(loss, (loss[::-1].copy(),))] == [0, 0]


class TestBestRatio:
    def test_it_takes_ten_in_a_row(self) -> None:
        loss = noisy()
        loss[2000 : 2000 + BEST_STREAK - 1] *= 10.0
        assert best_ratio_firings(loss).size == 0
        loss[2000 : 2000 + BEST_STREAK] = 10.0
        assert best_ratio_firings(loss).tolist() == [2000 + BEST_STREAK - 1]

    def test_one_alarm_lasts_until_the_loss_is_back(self) -> None:
        loss = noisy()
        loss[1000:1100] = 10.0
        loss[1100:1200] = 2.0  # below three times, above one and a half: still the same alarm
        loss[1200:1300] = 10.0
        assert best_ratio_firings(loss).tolist() == [1009]
        loss[1100:1200] = 1.0
        assert best_ratio_firings(loss).tolist() == [1009, 1209]

    def test_one_lucky_value_does_not_set_the_best(self) -> None:
        loss = noisy()
        loss[100] = 0.01
        assert best_ratio_firings(loss).size == 0

    def test_nan_fires_at_once(self) -> None:
        loss = noisy()
        loss[500:] = np.nan
        assert best_ratio_firings(loss).tolist() == [500]

    @pytest.mark.parametrize("shift", [-5.0, -1.2])
    def test_a_loss_below_zero_has_no_ratio_but_may_be_nan(self, shift: float) -> None:
        loss = noisy() + shift
        assert best_ratio_firings(loss).size == 0
        loss[700] = np.inf
        assert best_ratio_firings(loss).tolist() == [700]

    @pytest.mark.parametrize("n", [0, 1, 9])
    def test_a_few_points_are_no_history(self, n: int) -> None:
        assert best_ratio_firings(np.ones(n)).size == 0


class TestBand:
    @pytest.mark.parametrize("height", [2.5, 100.0])
    def test_three_values_out_of_the_band(self, height: float) -> None:
        loss = noisy()
        loss[2000 : 2000 + BAND_STREAK] = height
        assert band_firings(loss)[0].tolist() == [2000 + BAND_STREAK - 1]

    def test_one_outlier_is_no_matter(self) -> None:
        loss = noisy()
        loss[[1500, 2000, 2001]] = 50.0
        assert band_firings(loss)[0].size == 0

    def test_a_shift_smaller_than_any_single_value(self) -> None:
        loss = noisy(0.1)
        loss[2000:] *= np.exp(0.4)  # four standard deviations
        (fired,) = band_firings(loss)
        assert 2000 <= fired[0] <= 2040

    def test_a_slow_climb_is_met_by_the_level(self) -> None:
        loss = noisy(0.1)
        loss[1500:] *= np.exp(np.linspace(0.0, 2.0, 1500))  # 0.17 within a window
        (fired,) = band_firings(loss)
        assert 1500 < fired[0] < 2300

    def test_the_gradient_is_watched_beside_it(self) -> None:
        loss, grad = noisy(seed=1), noisy(seed=2)
        grad[1800:1810] = 30.0
        of_loss, of_grad = band_firings(loss, (grad,))
        assert of_loss.size == 0
        assert of_grad.tolist() == [1802]

    def test_an_infinite_loss_fires_and_an_infinite_gradient_does_not(self) -> None:
        """A loss scaler makes gradients infinite every two thousand steps, in good health."""
        loss, grad = noisy(seed=1), noisy(seed=2)
        grad[1000] = np.inf
        assert [f.size for f in band_firings(loss, (grad,))] == [0, 0]
        loss[1200:] = np.nan
        assert band_firings(loss)[0].tolist() == [1200]

    def test_a_negative_loss_is_judged_as_it_is(self) -> None:
        loss = -5.0 + 0.1 * np.random.default_rng(0).standard_normal(N)
        assert band_firings(loss)[0].size == 0
        loss[2000:2010] += 2.0
        assert band_firings(loss)[0].tolist() == [2002]

    def test_nothing_depends_on_what_comes_later(self) -> None:
        loss = noisy(0.2)
        loss[1500:1600] *= 8.0
        (whole,) = band_firings(loss)
        for stop in range(1490, 1620, 10):
            (part,) = band_firings(loss[:stop])
            assert part.tolist() == [i for i in whole.tolist() if i < stop]

    @pytest.mark.parametrize("n", [0, 1, 50, 143, 144, 145, 160, 161])
    def test_short_and_odd_lengths(self, n: int) -> None:
        assert band_firings(np.ones(n), (np.ones(n),))[0].size == 0


def plain_fired(alarm: list[bool], over: list[bool]) -> list[int]:
    """Where an alarm begins that lasts until it is over."""
    found, on = [], False
    for i, (begins, ends) in enumerate(zip(alarm, over, strict=True)):
        if begins and not on:
            found.append(i)
        on = begins or (on and not ends)
    return found


def plain_best_ratio(loss: list[float]) -> list[int]:
    """Three times the lowest median of ten before, ten values in a row; over below 1.5 times."""
    is_positive = all(v > 0 for v in loss if math.isfinite(v))
    history: list[float] = []
    lowest, streak = math.inf, 0
    alarm, over = [], []
    for value in loss:
        if not math.isfinite(value):
            alarm.append(True)
            over.append(False)
            continue
        streak = streak + 1 if value > 3.0 * lowest else 0
        alarm.append(streak >= 10)
        over.append(value < 1.5 * lowest)
        history.append(value)
        if is_positive and len(history) >= 10:
            lowest = min(lowest, naive.median(history[-10:]))
    return plain_fired(alarm, over)


def plain_above(series: list[float]) -> tuple[list[bool], list[bool]]:
    """Where a series is above its band, and where its level has climbed."""
    where = [i for i, v in enumerate(series) if math.isfinite(v)]
    judged = [series[i] for i in where]
    out, climbed = [False] * len(series), [False] * len(series)
    if len(judged) < 9 * 16:
        return out, climbed
    least = 0.0
    if min(judged) > 0:
        judged, least = np.log(judged).tolist(), math.log(1.1)
    high: dict[float, list[bool]] = {6.0: [], 3.0: []}
    for i, value in enumerate(judged):
        block = i // 16
        window = judged[(block - 8) * 16 : block * 16] if block >= 8 else []
        for score, flags in high.items():
            middle = naive.median(window) if window else math.inf
            spread = max(naive.scatter(window), 1e-4 * max(1.0, abs(middle)))
            flags.append(value > middle + max(score * spread, least))
    levels = naive.block_medians(judged, 16)
    within = [
        naive.median([abs(v - levels[b]) for v in judged[16 * b : 16 * b + 16]])
        for b in range(len(levels))
    ]
    for i, place in enumerate(where):
        lasting = high[3.0][i] and sum(high[3.0][max(0, i - 9) : i + 1]) >= 8
        out[place] = lasting or (i >= 2 and all(high[6.0][i - 2 : i + 1]))
        block = (i + 1) // 16 - 1  # the last whole one
        if block >= 8:
            usual = 1.4826 * naive.median(within[block - 8 : block])
            usual = max(usual, 1e-4 * max(1.0, abs(levels[block])))
            lowest = min(levels[max(0, block - 64) : block])
            climbed[place] = levels[block] > lowest + max(6.0 * usual, least)
    return out, climbed


def plain_band(loss: list[float], other: list[float]) -> list[list[int]]:
    """Where the band guard fires for the loss and for another series: an alarm is over after
    sixteen values without."""

    def calm(bad: list[bool]) -> list[bool]:
        return [i >= 15 and not any(bad[i - 15 : i + 1]) for i in range(len(bad))]

    out, climbed = plain_above(loss)
    bad = [o or c or not math.isfinite(v) for o, c, v in zip(out, climbed, loss, strict=True)]
    beside, _ = plain_above(other)
    lost = [b or not math.isfinite(v) for b, v in zip(beside, other, strict=True)]
    return [plain_fired(bad, calm(bad)), plain_fired(beside, calm(lost))]


def troubled(seed: int, n: int) -> np.ndarray:
    """Stretches of values on a grid, some far up, slow climbs, and holes."""
    rng = np.random.default_rng(seed)
    values = np.exp(0.1 * rng.standard_normal(n) + 0.2 * np.sin(np.arange(n) / 90.0))
    for _ in range(n // 60):
        at, length = rng.integers(0, n), rng.integers(1, 25)
        values[at : at + length] *= rng.choice([0.5, 1.3, 1.7, 3.2, 5.0])
    if seed % 3 == 0:
        values *= np.linspace(1.0, 2.5, n)
    if seed % 4 == 1:
        values[rng.random(n) < 0.02] = np.nan
    return np.round(values, 2) - (3.0 if seed % 5 == 4 else 0.0)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n", [9, 11, 25, 143, 144, 160, 161, 700])
def test_both_guards_fire_where_their_definition_says(n: int, seed: int) -> None:
    loss, other = troubled(seed, n), troubled(seed + 1, n)
    assert best_ratio_firings(loss).tolist() == plain_best_ratio(loss.tolist())
    found = [fired.tolist() for fired in band_firings(loss, (other,))]
    assert found == plain_band(loss.tolist(), other.tolist())


@pytest.mark.parametrize("low", [16, 17, 100])
def test_a_level_is_compared_with_the_lowest_of_the_last_64_blocks(low: int) -> None:
    """A slow climb of 25 % out of a short valley, longer than the 1,024 values that are known."""
    rng = np.random.default_rng(low)
    course = np.concatenate([np.full(200, 1.2), np.full(low, 1.0), np.linspace(1.0, 1.25, 1200)])
    loss = course * np.exp(0.003 * rng.standard_normal(course.size))
    found = [fired.tolist() for fired in band_firings(loss, (loss[::-1],))]
    assert found == plain_band(loss.tolist(), loss[::-1].tolist())
    assert found[0]


@pytest.mark.parametrize(("level", "rise", "fires"), [(3.0, 1.0, False), (3.0, 1.01, True)])
def test_exactly_three_times_the_best_is_not_yet_above(
    level: float, rise: float, fires: bool
) -> None:
    loss = np.ones(60)
    loss[30:40] = level * rise
    assert best_ratio_firings(loss).tolist() == ([39] if fires else [])


def test_an_alarm_at_exactly_one_and_a_half_times_goes_on() -> None:
    loss = np.ones(100)
    loss[20:40], loss[40:50], loss[50:70] = 4.0, 1.5, 4.0
    assert best_ratio_firings(loss).tolist() == [29]
    loss[45] = 1.49
    assert best_ratio_firings(loss).tolist() == [29, 59]


@pytest.mark.parametrize(("points", "fires"), [(2, []), (3, [162])])
def test_three_values_in_a_row_above_the_band(points: int, fires: list[int]) -> None:
    loss = noisy(0.01)[:200]
    loss[160 : 160 + points] = 2.0
    assert band_firings(loss)[0].tolist() == fires


def test_nothing_below_a_rise_of_a_tenth_fires() -> None:
    """A constant has no scatter: on it a rise counts from 10 % on."""
    loss = np.ones(200)
    loss[160:] = 1.099
    assert band_firings(loss)[0].size == 0
    loss[160:] = 1.101
    assert band_firings(loss)[0].tolist() == [162]


def test_a_loss_that_is_ever_zero_has_no_ratio() -> None:
    """Neither three times its best, nor ten per cent on the logarithm: there the scatter alone is
    the measure, a ten-thousandth of the level at least."""
    loss = np.ones(200)
    loss[5] = 0.0
    loss[150:160] = 4.0
    assert best_ratio_firings(loss).size == 0
    loss[150:160] = 1.05
    assert band_firings(loss)[0].tolist() == [152]
    assert band_firings(loss[6:])[0].size == 0


@pytest.mark.parametrize(
    ("level", "rise", "fires"),
    [(-1000.0, 0.59, False), (-1000.0, 0.61, True), (-0.5, 5.9e-4, False), (-0.5, 6.1e-4, True)],
)
def test_scatter_below_a_ten_thousandth_is_rounding(
    level: float, rise: float, *, fires: bool
) -> None:
    """Of the level, or of one where that is smaller: six of them are above the band."""
    loss = np.full(200, level)
    loss[150:153] += rise
    assert bool(band_firings(loss)[0].size) is fires


@pytest.mark.parametrize(("plateau", "fires"), [(300, True), (1100, False)])
def test_what_lies_more_than_1_024_values_back_is_forgotten(plateau: int, *, fires: bool) -> None:
    """A level climbs by 9 %, stays there, and climbs by 4 % more: more than a tenth above where it
    began, but for a guard that has long known no other level."""
    parts = [
        np.full(200, 1.0),
        np.linspace(1.0, 1.09, 400),
        np.full(plateau, 1.09),
        np.linspace(1.09, 1.135, 300),
    ]
    noise = np.random.default_rng(0).normal(0.0, 0.001, 900 + plateau)
    loss = np.concatenate(parts) * np.exp(noise)
    (found,) = band_firings(loss)
    assert bool(found.size) is fires
    assert not fires or found[0] > 600 + plateau
