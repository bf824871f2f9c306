"""Whether the loss goes down at all."""

from __future__ import annotations

import numpy as np
import pytest
import synth
from plain.progress import progress
from told import assert_told

from spikedoc.detectors.progress import detect
from spikedoc.model.anomaly import Shape
from spikedoc.signal.view import view


def test_a_loss_that_never_falls_is_flat_with_its_levels() -> None:
    (found,) = detect(synth.flat(2.3, n=800, sigma=0.01).run)
    assert (found.shape, found.first_step, found.last_step) == (Shape.FLAT, 1, 800)
    m = found.measures
    for name in ("first", "best", "last"):
        assert m[name] == pytest.approx(2.3, abs=0.03)
    assert m["relative_noise"] == pytest.approx(0.01, rel=0.15)
    assert m["points"] == 800.0
    assert abs(m["fall_score"]) < 4.0


@pytest.mark.parametrize(("level", "told"), [(0.0001, {"printed_away"}), (0.000123, set())])
def test_a_level_of_too_few_digits_is_told(level: float, told: set[str]) -> None:
    (found,) = detect(synth.loss_run(np.full(100, level)))
    assert found.measures.keys() & {"printed_away"} == told


def test_a_fall_below_ten_per_cent_is_measured() -> None:
    (found,) = detect(synth.slow(0.06).run)
    assert found.measures["fall"] == pytest.approx(0.06, abs=0.02)
    assert found.measures["fall_score"] > 10.0
    assert found.measures["tau"] < -0.8


@pytest.mark.parametrize("fall", [0.15, 0.5, 3.0])
def test_a_larger_one_is_progress(fall: float) -> None:
    assert detect(synth.slow(fall).run) == ()


def test_it_is_the_best_level_that_counts_not_the_end() -> None:
    values = synth.curve("converged", 1000, sigma=0.05)
    values[600:] = 5.0
    assert detect(synth.loss_run(values)) == ()


@pytest.mark.parametrize("shape", ["language", "converged", "fine-tune"])
def test_healthy_curves_make_progress(shape: str) -> None:
    assert detect(synth.healthy(shape, 300, sigma=0.05).run) == ()


def test_a_noiseless_line_down_has_no_finite_score() -> None:
    (found,) = detect(synth.loss_run(np.where(np.arange(300) < 150, 1.0, 0.95)))
    assert found.measures["fall_score"] == np.inf
    (found,) = detect(synth.loss_run(np.ones(300)))
    assert found.measures["fall_score"] == 0.0


@pytest.mark.parametrize(
    "values", [np.ones(29), np.zeros(300), -np.ones(300), np.full(300, np.nan)]
)
def test_what_has_no_ratio_is_not_judged(values: np.ndarray) -> None:
    assert detect(synth.loss_run(values)) == ()


def line(fall: float, n: int = 1000, sigma: float = 0.02, seed: int = 0) -> np.ndarray:
    """Return a loss that falls from 10 by this share, evenly."""
    even = 10.0 * (1.0 - fall * np.arange(n) / n)
    return even * np.exp(synth.noise("gauss", n, sigma, seed))


def test_a_fall_along_a_line_is_slow() -> None:
    (found,) = detect(synth.loss_run(line(0.35)))
    assert (found.shape, found.first_step, found.last_step) == (Shape.SLOW, 1, 1000)
    assert found.measures["pace"] == pytest.approx(1.0, abs=0.3)
    assert found.measures["fall"] == pytest.approx(0.43, abs=0.05)


@pytest.mark.parametrize(
    "values",
    [
        line(0.7),  # far enough
        line(0.35, n=150),  # too short to tell a line from a bend
        line(0.35, sigma=0.4),  # lost in noise
        2.2 + 8.6 * np.exp(-np.arange(1000) / 300.0),  # slows down
        10.0 * (1.0 + np.arange(1000) / 20.0) ** -0.2,
        -line(0.35),
    ],
)
def test_what_slows_down_or_gets_there_is_not(values: np.ndarray) -> None:
    assert detect(synth.loss_run(values)) == ()


@pytest.mark.parametrize("shape", ["language", "converged", "fine-tune"])
def test_healthy_courses_are_not(shape: str) -> None:
    for seed in range(5):
        assert detect(synth.healthy(shape, 1000, "gauss", 0.02, seed).run) == ()


def thrown(rest: float, noise: float = 0.05, peak: float = 5.0) -> np.ndarray:
    """A first point of 2.4, a blow-up, and a flat rest."""
    values = rest * np.exp(synth.noise("gauss", 400, noise, 7))
    values[:8] = (2.4, 2.8, peak, peak, peak, 3.0, 2.7, 2.6)
    return values


def test_a_blow_up_at_the_start_is_no_level_to_have_learned_from() -> None:
    (found,) = detect(synth.loss_run(thrown(2.4)))
    assert found.shape is Shape.FLAT
    assert (found.measures["first"], found.measures["thrown"]) == (2.4, 1.0)


@pytest.mark.parametrize(
    "values",
    [
        thrown(1.2),  # learned all the same
        thrown(2.4, noise=0.4),  # the first point tells nothing
        np.concatenate([thrown(2.4)[:200], np.geomspace(2.4, 1.0, 200)]),
    ],
)
def test_other_blow_ups(values: np.ndarray) -> None:
    assert not [d for d in detect(synth.loss_run(values)) if d.measures.get("thrown")]


def test_a_steep_fall_from_the_first_point_is_no_blow_up() -> None:
    values = thrown(2.4)
    values[:8] = (5.0, 2.6, 2.5, 2.4, 2.4, 2.4, 2.4, 2.4)
    assert not [d for d in detect(synth.loss_run(values)) if d.measures.get("thrown")]


def test_a_flat_line_was_not_thrown() -> None:
    (found,) = detect(synth.flat(2.3, n=800, sigma=0.01).run)
    assert found.measures["thrown"] == 0.0


def random_progress(rng: np.random.Generator) -> np.ndarray:
    """A loss that hardly falls, falls along a line, or was thrown at the start."""
    n = int(rng.choice([29, 30, 33, 34, 100, 199, 200, 231]))
    t = np.arange(n) / n
    kind = rng.integers(0, 3)
    if kind == 0:
        logs = -float(rng.choice([0.0, 0.095, 0.105, 0.2])) * t
    elif kind == 1:
        fall = float(rng.choice([0.19, 0.205, 0.5, 0.52]))
        bend = float(rng.choice([0.0, 0.04, 0.06, 0.5, -0.3]))
        logs = np.log(1.0 - fall * (t * (1 + bend) - bend * t * t))
    else:
        logs = np.zeros(n) - float(rng.choice([0.0, 0.09, 0.11])) * (t > 0.3)
        first = max(3, n // 20)
        high = float(rng.choice([1.24, 1.26, 1.49, 1.51, 4.0]))
        logs[int(rng.integers(0, first + 1))] += np.log(high)
        logs[0] += float(rng.choice([0.0, -0.14, -0.16]))
    logs += float(rng.choice([0.0, 0.001, 0.01, 0.06, 0.14, 0.16])) * rng.normal(size=n)
    return 3.0 * np.exp(logs) - (2.99 if rng.random() < 0.05 else 0.0)


@pytest.mark.parametrize("block", range(20))
def test_progress_is_that_of_the_definition(block: int) -> None:
    for seed in range(30 * block, 30 * block + 30):
        values = random_progress(np.random.default_rng(seed))
        judged = view(np.arange(values.size), values).judged.tolist()
        assert_told(detect(synth.loss_run(values)), progress(values.tolist(), judged))


def test_the_cases_are_flat_slow_thrown_and_none_of_it() -> None:
    told = [
        found
        for seed in range(300)
        for found in detect(synth.loss_run(random_progress(np.random.default_rng(seed))))
    ]
    assert sum(one.shape is Shape.SLOW for one in told) >= 2
    assert sum(one.measures.get("thrown") == 1.0 for one in told) > 5
    assert len(told) < 250


@pytest.mark.parametrize(("peak", "thrown"), [(1.5, 1.0), (float(np.nextafter(1.5, 1.0)), 0.0)])
def test_thrown_by_exactly_half(peak: float, thrown: float) -> None:
    values = np.ones(100)
    values[2] = peak
    (found,) = detect(synth.loss_run(values))
    assert found.measures["thrown"] == thrown


@pytest.mark.parametrize(("points", "at", "thrown"), [(100, 4, 1.0), (100, 5, 0.0), (40, 2, 1.0),
                                                      (40, 3, 0.0)])  # fmt: skip
def test_thrown_among_the_first_twentieth(points: int, at: int, thrown: float) -> None:
    """Three points at least."""
    values = np.ones(points)
    values[at] = 3.0
    (found,) = detect(synth.loss_run(values))
    assert found.measures["thrown"] == thrown


def at_a_guess(level: float, noise: float = 0.01, first: float = 24.0) -> np.ndarray:
    values = level * np.exp(synth.noise("gauss", 400, noise, 5))
    values[:5] = np.linspace(first, 1.1 * level, 5)
    return values


def test_a_sum_of_terms_at_the_level_of_a_guess_is_none() -> None:
    assert detect(synth.summed(synth.loss_run(at_a_guess(2.31)), 0.6, 0.4)) == ()


def test_a_guess_after_a_high_start_was_nothing_learned() -> None:
    (found,) = detect(synth.loss_run(at_a_guess(2.31)))
    assert found.shape is Shape.FLAT
    assert found.measures["thrown"] == 1.0
    assert found.measures["first"] == pytest.approx(np.log(10))


@pytest.mark.parametrize(
    "values",
    [
        at_a_guess(2.31) * np.linspace(1.03, 0.97, at_a_guess(2.31).size),  # only passes there
        at_a_guess(2.2),  # better than a guess
        at_a_guess(2.6),  # no guess among a usual number
        at_a_guess(2.31, noise=0.06),  # samples differ
        at_a_guess(2.31, first=3.0),  # began hardly above
        np.geomspace(24.0, 2.31, 400),  # on its way
    ],
)
def test_levels_that_happen_to_lie_near_one(values: np.ndarray) -> None:
    assert detect(synth.loss_run(values)) == ()
