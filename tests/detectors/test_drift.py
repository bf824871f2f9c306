"""A slow rise that is no step, and the plain climb of a short log."""

from __future__ import annotations

import numpy as np
import pytest
import synth
from plain.drift import drift
from told import assert_told

from spikedoc.detectors.drift import detect
from spikedoc.model.anomaly import Detection, Shape
from spikedoc.signal.view import view


def only(values: np.ndarray) -> Detection:
    (found,) = detect(synth.loss_run(values))
    assert found.shape is Shape.RAMP
    return found


def noisy(course: np.ndarray, sigma: float = 0.02, seed: int = 0) -> np.ndarray:
    return np.exp(course + synth.noise("gauss", course.size, sigma, seed))


def ramp(rise: float, first: int = 1000, last: int = 2000, n: int = 2000) -> np.ndarray:
    """Return logs of a level of 1 that rises evenly by `rise` between two indices."""
    return rise * np.clip((np.arange(n) - first) / (last - first), 0.0, 1.0)


class TestDrift:
    @pytest.mark.parametrize("rise", [0.1, 0.3, 1.0])
    def test_size_and_begin_of_a_ramp(self, rise: float) -> None:
        found = only(noisy(ramp(rise)))
        assert found.measures["rise"] == pytest.approx(rise, rel=0.15)
        assert found.measures["tau"] > 0.6
        assert found.first_step == pytest.approx(1000, abs=180)
        assert found.last_step == 2000

    def test_a_ramp_that_levels_off_is_still_up(self) -> None:
        found = only(noisy(ramp(0.5, 800, 1400)))
        assert found.peak_step >= 1400

    @pytest.mark.parametrize("n", [2000, 6000, 20_000])
    def test_where_an_even_slope_begins_and_ends(self, n: int) -> None:
        found = only(noisy(ramp(0.4, n // 2, n * 7 // 10, n=n)))
        assert found.measures["left"] == pytest.approx(n / 2, abs=n / 30)
        assert found.measures["reached"] == pytest.approx(0.7 * n, abs=n / 30)
        assert found.measures["before"] == pytest.approx(1.0, rel=0.05)
        assert found.measures["after"] == pytest.approx(np.exp(0.4), rel=0.05)

    def test_a_jump_on_the_way_is_no_even_slope(self) -> None:
        course = ramp(0.3, 800, 1600) + 0.2 * (np.arange(2000) >= 1200)
        assert "reached" not in only(noisy(course)).measures

    def test_a_rise_that_came_back_is_none(self) -> None:
        course = ramp(0.5, 800, 1200) - ramp(0.45, 1300, 1700)
        assert detect(synth.loss_run(noisy(course))) == ()

    def test_a_step_is_no_drift(self) -> None:
        course = np.where(np.arange(2000) < 1000, 0.0, 0.5)
        assert detect(synth.loss_run(noisy(course))) == ()

    def test_a_rise_within_a_long_descent_is_none(self) -> None:
        course = -np.linspace(0.0, 2.0, 2000) + ramp(0.4, 900, 1500)
        assert detect(synth.loss_run(noisy(course))) == ()

    @pytest.mark.parametrize(("rise", "sigma"), [(0.03, 0.02), (0.1, 0.4)])
    def test_little_and_noise_are_none(self, rise: float, sigma: float) -> None:
        assert detect(synth.loss_run(noisy(ramp(rise), sigma))) == ()

    def test_a_short_hook_at_the_end_is_none(self) -> None:
        assert detect(synth.loss_run(noisy(ramp(0.5, 1900, 2000)))) == ()

    def test_a_line_without_noise_has_no_finite_score(self) -> None:
        values = np.exp(np.where(np.arange(600) < 300, 0.0, (np.arange(600) - 300) / 300.0))
        assert only(values).measures["z"] > 5.0


class TestClimb:
    def test_a_short_log_that_climbs_to_five_times_its_best(self) -> None:
        found = only(synth.short_climb().run.series[0].values)
        assert found.measures["rise"] == pytest.approx(np.log(5.0), rel=0.15)
        assert found.measures["z"] == np.inf

    @pytest.mark.parametrize(
        "values",
        [
            [1.0] * 7,
            [4.0, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7],  # not twice its best
            [4.0, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5],  # not above where it began
            [1.0, 0.5, 3.0, 0.5, 3.0, 0.5, 3.0, 0.6, 3.0],  # no direction
            [4.0, 3.5, 3.0, 2.5, 2.0, 1.5, 1.0, 9.0, 9.0],  # too late to say
        ],
    )
    def test_what_is_no_clear_climb(self, values: list[float]) -> None:
        assert detect(synth.loss_run(np.array(values))) == ()


def random_rise(rng: np.random.Generator) -> np.ndarray:
    """A loss that rises slowly, in steps or not at all, and comes back or not."""
    n = int(rng.choice([8, 9, 12, 20, 60, 199, 200, 239, 300, 420]))
    t = np.arange(n) / n
    begin = float(rng.choice([0.0, 0.1, 0.3, 0.6, 0.62]))
    end = min(0.99, begin + float(rng.choice([0.05, 0.08, 0.1, 0.3, 0.6])))
    rise = float(rng.choice([0.045, 0.055, 0.3, 0.68, 0.7, 1.2]))
    logs = np.interp(t, [0, begin, end, 1.0], [float(rng.choice([0.0, 0.3])), 0.0, rise, rise])
    if rng.random() < 0.3:  # in unequal parts, or all at once
        logs = np.interp(t, [0.0, begin, (begin + end) / 2, end], [0.0, 0.0, 0.25 * rise, rise])
    if rng.random() < 0.2:
        logs[t > 0.9] -= rise * float(rng.choice([0.49, 0.51, 1.0]))
    logs += float(rng.choice([0.0, 0.001, 0.01, 0.05])) * rng.normal(size=n)
    return 2.0 * np.exp(logs)


@pytest.mark.parametrize("block", range(20))
def test_rises_are_those_of_the_definition(block: int) -> None:
    for seed in range(20 * block, 20 * block + 20):
        values = random_rise(np.random.default_rng(seed))
        judged = view(np.arange(values.size), values).judged.tolist()
        assert_told(detect(synth.loss_run(values)), drift(values.tolist(), judged))


def test_the_cases_rise_and_do_not() -> None:
    told = 0
    for seed in range(150):
        values = random_rise(np.random.default_rng(seed))
        told += bool(detect(synth.loss_run(values)))
    assert 20 < told < 130
