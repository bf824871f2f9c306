"""Points above the band: found at their place, and hardly ever where there are none."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.signal.excursion import find_excursions


def log_curve(n: int = 1500, kind: str = "gauss", sigma: float = 0.05, seed: int = 0) -> np.ndarray:
    return np.log(synth.curve("language", n, kind, sigma, seed))


def places(values: np.ndarray) -> list[int]:
    return [e.peak for e in find_excursions(values).accepted]


@pytest.mark.parametrize("at", [200, 400, 1498, 1499])
@pytest.mark.parametrize("factor", [2.0, 10.0, 1e6])
def test_a_spike_is_found_at_its_place(at: int, factor: float) -> None:
    values = log_curve()
    values[at] += np.log(factor)
    found = find_excursions(values)
    assert [e.peak for e in found.accepted] == [at]
    (spike,) = found.accepted
    assert (spike.first, spike.last) == (at, at)
    assert spike.rise == pytest.approx(np.log(factor), abs=0.25)
    assert spike.score >= spike.threshold == found.threshold


def test_neighbouring_points_are_one_excursion_with_the_highest_as_peak() -> None:
    values = log_curve()
    values[700:706] += np.array([0.6, 0.0, 1.5, 0.9, 0.7, 0.8])
    (spike,) = find_excursions(values).accepted
    assert (spike.first, spike.peak, spike.last) == (700, 702, 705)


@pytest.mark.parametrize("count", [3, 8, 20])
def test_spikes_do_not_raise_their_own_threshold(count: int) -> None:
    values = log_curve()
    at = np.linspace(100, 1400, count).astype(int)
    values[at] += np.linspace(0.8, 3.0, count)
    assert places(values) == at.tolist()


def test_a_dip_is_no_excursion() -> None:
    values = log_curve()
    values[700] -= 3.0
    assert places(values) == []


def test_nobody_wants_to_hear_of_five_per_cent() -> None:
    values = log_curve(sigma=0.002)
    values[700] += np.log(1.05)
    values[900] += np.log(1.2)
    assert places(values) == [900]


def test_masked_points_are_neither_judged_nor_used() -> None:
    values = log_curve()
    values[[300, 700]] += 2.0
    masked = np.zeros(values.size, dtype=bool)
    masked[290:310] = True
    assert [e.peak for e in find_excursions(values, masked).accepted] == [700]
    assert find_excursions(values, np.ones(values.size, dtype=bool)).accepted == ()


def test_the_first_points_have_no_history() -> None:
    values = np.random.default_rng(0).normal(0.0, 0.05, 1000)
    values[2] += 3.0
    assert places(values) == []


@pytest.mark.parametrize("n", [0, 1, 2, 10, 30])
def test_short_series_say_nothing_of_a_tail(n: int) -> None:
    values = np.zeros(n)
    if n:
        values[n // 2] = 5.0
    assert places(values) == []


def test_in_noise_that_makes_such_points_itself_a_point_is_ordinary() -> None:
    spiked = []
    for seed in range(10):
        values = np.log(synth.curve("language", 3000, "t3", 0.3, seed))
        values[2000] += np.log(2.3)
        spiked.append(2000 in places(values))
    assert sum(spiked) <= 2


@pytest.mark.parametrize(("kind", "most"), [("gauss", 1), ("laplace", 2), ("ar", 1), ("t5", 4)])
def test_healthy_noise_has_few_excursions(kind: str, most: int) -> None:
    runs = 40
    hit = sum(bool(places(log_curve(800, kind, 0.1, seed))) for seed in range(runs))
    assert hit <= most


def test_a_constant_has_none() -> None:
    assert places(np.full(1000, 0.3)) == []
