"""Changes of level: against the plain definition, and on steps of known place and size."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from spikedoc.signal.baseline import baseline
from spikedoc.signal.contrast import best_split, contrast, level_changes

VALUES = st.integers(0, 60).flatmap(lambda n: arrays(np.float64, n, elements=st.floats(-1e6, 1e6)))


@settings(max_examples=150, deadline=None)
@given(VALUES, st.integers(1, 25))
def test_contrast_is_the_difference_of_two_medians(values: np.ndarray, span: int) -> None:
    np.testing.assert_allclose(
        contrast(values, span), naive.contrast(values.tolist(), span), rtol=1e-12, atol=1e-9
    )


def test_contrast_of_a_step_is_its_height() -> None:
    values = np.where(np.arange(100) < 50, 1.0, 4.0)
    assert contrast(values, 11)[50] == 3.0
    assert contrast(values, 10)[50] == 3.0
    assert contrast(values, 10)[20] == 0.0


def noisy_step(height: float, at: int = 700, n: int = 1500, sigma: float = 0.05) -> np.ndarray:
    values = np.random.default_rng(0).normal(0.0, sigma, n)
    values[at:] += height
    return values


def changes(values: np.ndarray, sign: int = 1) -> list[tuple[int, float]]:
    found = level_changes(values, baseline(values).noise, sign, 6.0, 0.1)
    return [(c.index, c.change) for c in found]


class TestLevelChanges:
    def test_a_step_is_found_at_its_place_at_every_span(self) -> None:
        found = changes(noisy_step(0.5))
        assert len(found) >= 3
        for index, change in found:
            assert abs(index - 700) <= 10
            assert change == pytest.approx(0.5, abs=0.06)

    def test_a_fall_is_a_change_downwards_only(self) -> None:
        values = noisy_step(-0.5)
        assert changes(values) == []
        assert all(change == pytest.approx(-0.5, abs=0.06) for _, change in changes(values, -1))
        assert len(changes(values, -1)) >= 3

    @pytest.mark.parametrize("height", [0.0, 0.02, 0.08])
    def test_less_than_the_least_change_is_none(self, height: float) -> None:
        assert changes(noisy_step(height, sigma=0.01)) == []

    def test_a_steady_slope_is_no_step(self) -> None:
        slope = 0.002 * np.arange(1500) + np.random.default_rng(1).normal(0, 0.02, 1500)
        assert changes(slope) == []
        assert changes(-slope, -1) == []

    def test_slow_wander_is_priced_in(self) -> None:
        rng = np.random.default_rng(2)
        wander = np.cumsum(rng.normal(0, 0.02, 3000)) + rng.normal(0, 0.02, 3000)
        assert len(changes(wander)) <= 1

    @pytest.mark.parametrize("n", [20_000, 100_000])
    def test_long_series_are_thinned_first(self, n: int) -> None:
        values = noisy_step(0.5, at=n // 2, n=n)
        found = level_changes(values, baseline(values).noise, 1, 6.0, 0.1)
        assert len(found) >= 4
        for c in found:
            assert abs(c.index - n // 2) <= c.span / 2
            assert c.change == pytest.approx(0.5, abs=0.06)

    @pytest.mark.parametrize("n", [0, 1, 2, 30, 79])
    def test_short_series_have_no_span(self, n: int) -> None:
        assert changes(np.arange(n, dtype=np.float64)) == []

    def test_a_constant_has_no_change(self) -> None:
        assert changes(np.full(900, 3.3)) == []


class TestBestSplit:
    @pytest.mark.parametrize("start", [685, 700, 715])
    def test_the_onset_is_found_from_nearby(self, start: int) -> None:
        assert best_split(noisy_step(0.5), start, 20) == 700

    def test_a_fall_is_sought_with_the_sign_turned(self) -> None:
        assert best_split(noisy_step(-0.5), 690, 20, sign=-1) == 700

    def test_too_little_around_leaves_the_index(self) -> None:
        assert best_split(np.arange(4.0), 2, 20) == 2


def plain_changes(
    values: list[float], noise: list[float], sign: int, threshold: float, least: float
) -> list[tuple[int, float, float, int]]:
    """Index, score, change and span of each level change, as the docstrings define them."""
    n = len(values)
    found = []
    for span in sorted({k for k in (10, 20, 40, 80, n // 10) if 10 <= k <= n // 8}):
        change = naive.contrast(values, span)
        inside = [i for i in range(n) if change[i] == change[i]]
        every = max(1, span // 4)
        grid = inside[::every]
        window = 8 * span // every + 1
        slope = naive.rolling_median([change[i] for i in grid], window)
        usual = dict(zip(inside, np.interp(inside, grid, slope), strict=True))
        own = 2 / 3 * naive.scatter([change[i] - usual[i] for i in inside])
        wander = plain_inflation(values, noise, span)
        error = [max(1.2533 * s / span**0.5 * 2**0.5 * wander, own) for s in noise]
        score = {
            i: min(sign * change[i], sign * (change[i] - usual[i])) / error[i]
            for i in inside
            if i >= max(span, n // 20)
        }
        groups: list[list[int]] = []
        for i in (i for i in score if score[i] >= threshold and sign * change[i] >= least):
            if groups and i - groups[-1][-1] <= span:
                groups[-1].append(i)
            else:
                groups.append([i])
        for group in groups:
            best = max(group, key=score.__getitem__)
            found.append((best, score[best], change[best], span))
    return found


def plain_inflation(values: list[float], noise: list[float], span: int) -> float:
    """How much the bends of block medians exceed those of white noise; 1 with under 8 blocks."""
    blocks = naive.block_medians(values, span)
    if len(blocks) < 8:
        return 1.0
    bends = [b - (a + c) / 2 for a, b, c in zip(blocks, blocks[1:], blocks[2:], strict=False)]
    white = 1.2533 * naive.median(noise) / span**0.5
    return max(1.0, naive.scatter(bends) / 1.5**0.5 / white) if white > 0 else 1.0


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    ("n", "sigma"), [(80, 0.1), (159, 0.1), (160, 0.05), (333, 0.02), (640, 0.1), (700, 0.02)]
)
def test_level_changes_are_those_of_the_definition(n: int, sigma: float, sign: int) -> None:
    """Steps at a third and two thirds, on slow wander, with noise that differs along the way."""
    rng = np.random.default_rng(n)
    t = np.arange(n)
    values = rng.normal(0.0, 0.1, n) + 0.5 * (t >= n // 3) - 0.6 * (t >= 2 * n // 3)
    values += 0.2 * np.sin(t / 37.0)
    noise = sigma * (1.0 + t / n)
    found = level_changes(values, noise, sign, 1.0, 0.05)
    expected = plain_changes(values.tolist(), noise.tolist(), sign, 1.0, 0.05)
    assert expected
    assert [(c.index, c.span) for c in found] == [(e[0], e[3]) for e in expected]
    assert [c.score for c in found] == pytest.approx([e[1] for e in expected], rel=1e-9)
    assert [c.change for c in found] == pytest.approx([e[2] for e in expected], rel=1e-9)


def test_a_change_exactly_at_the_thresholds_counts() -> None:
    values = noisy_step(0.5, at=200, n=400)
    noise = np.full(400, 0.05)
    for c in level_changes(values, noise, 1, 3.0, 0.1):
        at = level_changes(values, noise, 1, c.score, c.change)
        above = level_changes(values, noise, 1, np.nextafter(c.score, np.inf), c.change)
        larger = level_changes(values, noise, 1, c.score, np.nextafter(c.change, np.inf))
        assert c in at
        assert c not in above
        assert c not in larger


def test_the_first_twentieth_is_not_judged() -> None:
    """Of 400 points the first 20 are skipped: at span 10 a step at 20 is seen, one at 19 is not
    seen at its place."""
    noise = np.full(400, 0.01)
    early = np.where(np.arange(400) < 19, 0.0, 1.0)
    late = np.where(np.arange(400) < 20, 0.0, 1.0)
    first = level_changes(late, noise, 1, 6.0, 1.0)
    assert (first[0].index, first[0].span) == (20, 10)
    assert all(c.index >= 20 for c in level_changes(early, noise, 1, 6.0, 0.1))


def test_thinning_begins_at_sixteen_thousand_points() -> None:
    """Twice 8,000: there each pair of points becomes its mean, whose noise is 1.2533 / sqrt 2 of
    that of one; one point less, and all of them are looked at."""
    values = noisy_step(0.5, at=9001, n=16_000)
    noise = np.linspace(0.04, 0.06, 16_000)
    found = level_changes(values, noise, 1, 6.0, 0.1)
    pairs = np.array(naive.block_medians(values.tolist(), 2))
    error = np.array(naive.block_medians(noise.tolist(), 2)) * (1.2533 / 2**0.5)
    half = level_changes(pairs, error, 1, 6.0, 0.1)
    assert [(c.index, c.span) for c in found] == [(2 * c.index, 2 * c.span) for c in half]
    assert [c.score for c in found] == pytest.approx([c.score for c in half], rel=1e-12)
    whole = level_changes(values[:-1], noise[:-1], 1, 6.0, 0.1)
    assert {c.span for c in whole} == {10, 20, 40, 80, 1599}


def plain_split(values: list[float], index: int, span: int, sign: int) -> int:
    """The split, three points from both ends of the window at least, with the largest weighted
    difference of means."""
    first, last = max(0, index - span), min(len(values), index + span)
    part = values[first:last]
    best, where = -np.inf, index
    for k in range(3, len(part) - 3):
        apart = naive.mean(part[k:]) - naive.mean(part[:k])
        weighted = sign * apart * (k * (len(part) - k) / len(part)) ** 0.5
        if weighted > best:
            best, where = weighted, first + k
    return where


@settings(max_examples=60, deadline=None)
@given(VALUES, st.integers(0, 59), st.integers(1, 25), st.sampled_from([1, -1]))
def test_the_best_split_is_that_of_all_splits(
    values: np.ndarray, index: int, span: int, sign: int
) -> None:
    values = np.round(values) + np.linspace(0.0, 0.37, values.size)
    found = best_split(values, index, span, sign)
    expected = plain_split(values.tolist(), index, span, sign)
    if found != expected:  # two splits as good as each other but for rounding
        part = values[max(0, index - span) : index + span]
        gains = [
            sign * (part[k:].mean() - part[:k].mean()) * (k * (part.size - k)) ** 0.5
            for k in (f - max(0, index - span) for f in (found, expected))
        ]
        assert gains[0] == pytest.approx(gains[1], rel=1e-9, abs=1e-6)


@pytest.mark.parametrize(("n", "found"), [(6, 3), (7, 3), (8, 4)])
def test_three_points_stay_on_either_side_of_a_split(n: int, found: int) -> None:
    """A window of 6 has no split three points from both ends; of 7 the only one is 3."""
    values = np.where(np.arange(n) < n // 2, 0.0, 1.0)
    assert best_split(values, 3, 20) == found


def test_without_noise_a_step_is_measured_by_the_changes_themselves() -> None:
    values = noisy_step(0.5, at=200, n=400)
    found = level_changes(values, np.zeros(400), 1, 3.0, 0.1)
    expected = plain_changes(values.tolist(), [0.0] * 400, 1, 3.0, 0.1)
    assert [(c.index, c.span) for c in found] == [(e[0], e[3]) for e in expected]
    assert [c.score for c in found] == pytest.approx([e[1] for e in expected])
