"""Points above the band: found at their place, and hardly ever where there are none."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.signal.baseline import baseline
from spikedoc.signal.excursion import Excursion, candidates, find_excursions
from spikedoc.signal.tail import tail_level


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


def plain_groups(values: np.ndarray, usable: np.ndarray) -> tuple[list[Excursion], list[float]]:
    """The candidates, highest first, and the scores, above the baseline."""
    base = baseline(values)
    n = values.size
    scores, rises = [], []
    for i in range(n):
        above = [values[i] - m for m in (base.trailing[i], base.hampel[i]) if not np.isnan(m)]
        rises.append(max(above))
        weight = 0.5 if i < n // 10 else 1.0
        known = i >= max(10, base.window // 4) and usable[i]
        scores.append(weight * rises[i] / base.noise[i] if known else np.nan)
    groups: list[list[int]] = []
    for i in range(n):
        if scores[i] >= 4.0 and rises[i] >= np.log(1.1):
            if groups and i - groups[-1][-1] <= 3:
                groups[-1].append(i)
            else:
                groups.append([i])
    found = []
    for group in groups:
        peak = max(group, key=scores.__getitem__)
        found.append(Excursion(group[0], group[-1], peak, scores[peak], rises[peak]))
    return sorted(found, key=lambda one: -one.score), scores


def plain_excursions(values: np.ndarray, usable: np.ndarray) -> tuple[list[int], float]:
    """First points of what is accepted, and the threshold: peeled off from the largest count on."""
    groups, scores = plain_groups(values, usable)
    groups = groups[: max(5, values.size // 50)]

    def threshold(left_out: list[Excursion]) -> float | None:
        out: set[int] = set()
        for one in left_out:
            end = one.last + 1
            while end < values.size and end <= one.last + 10 and scores[end] > 2.0:
                end += 1
            out.update(range(one.first - 1, end))
        calm = [s for i, s in enumerate(scores) if i not in out and not np.isnan(s)]
        return max(5.0, tail_level(np.array(calm))) if len(calm) >= 60 else None

    for count in range(len(groups), 0, -1):
        level = threshold(groups[:count])
        if level is not None and groups[count - 1].score >= level:
            return sorted(one.first for one in groups[:count]), level
    return [], threshold([]) or 5.0


@pytest.mark.parametrize("n", [40, 69, 70, 75, 110, 260, 600, 900])
@pytest.mark.parametrize("seed", range(12))
def test_excursions_are_those_of_the_definition(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = 0.05 * rng.standard_t(4, n)
    for at in rng.integers(0, n, rng.integers(0, 9)):
        values[at : at + rng.integers(1, 4)] += rng.choice([0.15, 0.3, 0.6, 1.5])
        if seed >= 6:  # a tail above two deviations
            values[at : at + rng.integers(5, 14)] += 0.16
    usable = rng.random(n) > (0.1 if seed % 2 else 0.0)
    found = find_excursions(values, ~usable)
    first, threshold = plain_excursions(values, usable)
    assert [one.first for one in found.accepted] == first
    assert found.threshold == pytest.approx(threshold)
    assert {one.threshold for one in found.accepted} <= {found.threshold}
    groups, _ = plain_groups(values, np.ones(n, dtype=bool))
    assert [(one.first, one.last, one.peak) for one in candidates(values)] == sorted(
        (one.first, one.last, one.peak) for one in groups
    )
    assert [one.score for one in candidates(values)] == pytest.approx(
        [one.score for one in sorted(groups, key=lambda one: one.first)]
    )


@pytest.mark.parametrize(("apart", "groups"), [(3, 1), (4, 2)])
def test_candidates_up_to_three_points_apart_are_one(apart: int, groups: int) -> None:
    values = log_curve(600)
    values[[300, 300 + apart]] += 2.0
    assert len([one for one in candidates(values) if 300 <= one.first <= 304]) == groups
    assert len(find_excursions(values).accepted) == groups


@pytest.mark.parametrize(("factor", "there"), [(1.101, True), (1.099, False)])
def test_a_rise_of_a_tenth(factor: float, there: bool) -> None:
    values = np.where(np.arange(600) % 2 == 0, 1e-4, -1e-4)
    values[300] = values[302] + np.log(factor)
    assert bool(candidates(values)) is there


def test_half_of_a_score_is_left_in_the_first_tenth() -> None:
    values = log_curve(1000, sigma=0.02)
    later = values.copy()
    values[99] += 0.5
    later[100] += 0.5
    (early,), (full,) = candidates(values), candidates(later)
    base = baseline(values)
    assert early.score == pytest.approx(0.5 * early.rise / base.noise[99])
    assert full.score == pytest.approx(full.rise / baseline(later).noise[100])


def test_no_verdict_on_the_first_ten_points() -> None:
    for at, there in ((9, False), (10, True)):
        values = np.random.default_rng(1).normal(0.0, 0.01, 100)
        values[at] += 5.0
        assert bool(candidates(values)) is there


@pytest.mark.parametrize("share", [0.01, 0.03, 0.08])
def test_many_spikes_do_not_hide_each_other(share: float) -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(0.0, 0.02, 1000)
    at = np.arange(120, 990, 10)[: int(share * 1000)]
    values[at] += rng.uniform(0.8, 1.2, at.size)
    assert places(values) == at.tolist()


def test_points_as_far_below_take_many_spikes_for_noise_of_both_sides() -> None:
    values = np.random.default_rng(4).normal(0.0, 0.02, 1000)
    values[np.arange(120, 990, 20)] += 1.0
    values[np.arange(130, 990, 20)] -= 1.0
    assert places(values) == []
