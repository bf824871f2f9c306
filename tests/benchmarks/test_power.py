"""The rules beside spikedoc are what their sources say, and the curves hold what was put in."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

Import = Callable[[str], ModuleType]


@pytest.fixture
def rules(benchmark: Import) -> ModuleType:
    return benchmark("_loss_rules")


@pytest.fixture
def power(benchmark: Import) -> ModuleType:
    return benchmark("power")


def noisy(size: int = 1500) -> np.ndarray:
    return 2.0 + 0.05 * np.random.default_rng(1).standard_normal(size)


class TestRules:
    def test_mean_and_spread_are_of_the_losses_before(self, rules: ModuleType) -> None:
        loss = noisy(400)
        mean, spread = rules._before(loss, 128, 63)
        assert np.isnan(mean[:63]).all()
        for step in (63, 200, 399):
            window = loss[max(0, step - 128) : step]
            assert mean[step] == pytest.approx(window.mean())
            assert spread[step] == pytest.approx(window.std(ddof=1))

    @pytest.mark.parametrize(("sigma", "score", "skip"), [(4, 0, 0), (6.6, 0, 1), (9, 1, 1)])
    def test_a_point_beyond_its_sigmas(
        self, rules: ModuleType, sigma: float, score: int, skip: int
    ) -> None:
        loss = noisy()
        loss[1200] = 2.0 + 0.05 * sigma
        assert rules.spike_score(loss).sum() == score
        assert rules.skip_step(loss).sum() == skip

    @pytest.mark.parametrize(("length", "stops"), [(4, False), (5, True)])
    def test_five_losses_of_twice_the_mean_in_a_row(
        self, rules: ModuleType, length: int, stops: bool
    ) -> None:
        loss = noisy()
        loss[1000 : 1000 + length] = 4.6
        assert rules.kill_loss_spike(loss).any() is np.bool_(stops)

    def test_half_a_window_above_the_first(self, rules: ModuleType) -> None:
        loss = noisy()
        loss[1000:] *= 1.2
        found = np.flatnonzero(rules.kill_loss_spike(loss))
        assert found[0] == pytest.approx(1050, abs=2)

    @pytest.mark.parametrize(("length", "speaks"), [(9, False), (10, True)])
    def test_ten_losses_of_thrice_the_lowest_in_a_row(
        self, rules: ModuleType, length: int, speaks: bool
    ) -> None:
        loss = noisy()
        loss[1000 : 1000 + length] = 6.5
        assert rules.guard(loss).any() is np.bool_(speaks)


class TestRuns:
    def test_the_event_is_all_that_differs(self, power: ModuleType) -> None:
        plain, spike, shift = (
            power.losses(power.Trial(power.HEAVY, 0.1, event, 3.0, 5))
            for event in (power.NOTHING, power.SPIKE, power.SHIFT)
        )
        assert np.flatnonzero(spike != plain).tolist() == [power.EVENT]
        assert spike[power.EVENT] == pytest.approx(3.0 * plain[power.EVENT])
        assert np.flatnonzero(shift != plain).tolist() == list(range(power.EVENT, power.STEPS))

    @pytest.mark.parametrize("noise", ["gaussian", "heavy-tailed"])
    def test_both_noises_have_the_same_quartiles(self, power: ModuleType, noise: str) -> None:
        course = power.losses(power.Trial(noise, 0.02, power.NOTHING, 1.0, 0))
        other = power.losses(power.Trial(noise, 0.02, power.NOTHING, 1.0, 1))
        middle = np.quantile(np.abs(np.log(course / other)) / np.sqrt(2.0) / 0.02, 0.5)
        assert middle == pytest.approx(0.6745, rel=0.25)

    def test_a_large_spike_is_found_and_nothing_in_a_quiet_run(self, power: ModuleType) -> None:
        found = power.outcome(power.Trial(power.GAUSS, 0.02, power.SPIKE, 10.0, 3))
        assert found[power.OURS]
        quiet = power.outcome(power.Trial(power.GAUSS, 0.02, power.NOTHING, 1.0, 3))
        assert not any(quiet.values())


def test_the_smallest_size_is_the_one_beyond_the_last_miss(power: ModuleType) -> None:
    shares = {
        (power.GAUSS, 0.1, power.SPIKE, size): {"rule": share}
        for size, share in zip(power.SIZES[power.SPIKE], (1, 0, 0.5, 0.95, 0.9, 1, 1), strict=True)
    }
    assert power.smallest(shares, power.GAUSS, 0.1, power.SPIKE, "rule") == "× 2"
    shares[power.GAUSS, 0.1, power.SPIKE, 10.0] = {"rule": 0.5}
    assert power.smallest(shares, power.GAUSS, 0.1, power.SPIKE, "rule") == "not found"


def test_plots_and_table_of_a_tiny_measurement(
    power: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(power, "SPREADS", (0.02,))
    monkeypatch.setattr(power, "SIZES", {power.SPIKE: (2.0, 10.0), power.SHIFT: (1.5, 3.0)})
    asked = list(power.trials(1, 1))
    assert len(asked) == 2 * (1 + 2 + 2)
    shares = {
        (t.noise, t.spread, t.event, t.size): {
            name: float(spoke) for name, spoke in power.outcome(t).items()
        }
        for t in asked
    }
    rows = power.rows_of(shares)
    assert len(rows) == 2 * 6
    assert rows[0][:4] == ["gaussian, 0.02", "spikedoc", "0 %", "× 2"]
    drawn = ET.fromstring(power.plot(shares, power.SHIFT))
    groups = list(drawn.iter("{http://www.w3.org/2000/svg}g"))
    assert len(groups) == 2
