"""Guards replayed: they fire where something happens, and not on healthy noise."""

from __future__ import annotations

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
