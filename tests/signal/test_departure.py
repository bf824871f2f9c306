"""Where a climb began, against climbs whose beginning is known."""

from __future__ import annotations

import math

import naive
import numpy as np
import pytest

from spikedoc.signal.departure import departure

BEGIN = 1200


def climb(length: int, factor: float, sigma: float, seed: int) -> np.ndarray:
    """Return 1200 points of noise around one, then an exponential climb."""
    level = np.ones(BEGIN + length)
    level[BEGIN:] = factor ** (np.arange(length) / length)
    return level * np.exp(sigma * np.random.default_rng(seed).standard_normal(level.size))


@pytest.mark.parametrize("guess", [-140, 0, 100])
@pytest.mark.parametrize("length", [200, 400])
def test_the_bend_is_found_wherever_the_detector_put_it(length: int, guess: int) -> None:
    apart = []
    for seed in range(15):
        values = climb(length, 10.0, 0.1, seed)
        steps = np.arange(1, values.size + 1)
        apart.append(departure(steps, values, BEGIN + guess, values.size) - BEGIN)
    assert abs(float(np.median(apart))) <= 0.06 * length
    assert max(apart) <= 0.15 * length


def test_steps_are_those_of_the_log() -> None:
    values = climb(300, 20.0, 0.05, 0)
    steps = 50 + 4 * np.arange(values.size)
    found = departure(steps, values, float(steps[BEGIN - 50]), float(steps[-1]))
    assert found in steps
    assert abs(found - steps[BEGIN]) <= 4 * 30


@pytest.mark.parametrize(
    "values",
    [np.ones(500), np.exp(-np.arange(500) / 100), np.full(500, np.nan), np.zeros(500), np.ones(5)],
)
def test_without_a_bend_the_detector_is_believed(values: np.ndarray) -> None:
    steps = np.arange(values.size)
    assert departure(steps, values, values.size // 2, values.size - 1) == values.size // 2


def test_a_window_without_width_is_left_alone() -> None:
    assert departure(np.arange(100), np.ones(100), 50, 50) == 50
    assert departure(np.arange(0), np.ones(0), 5, 9) == 5


def plain_bend(levels: list[float]) -> int | None:
    """The place at which two joined lines fit best, three blocks from both ends; None unless the
    second climbs, four times as fast as the first, and most of the rise."""
    n = len(levels)
    fits = {}
    for place in range(3, n - 3):
        design = np.array([[1.0, i, max(0, i - place)] for i in range(n)])
        fit = np.linalg.solve(design.T @ design, design.T @ np.array(levels))
        fits[place] = (float(np.sum((design @ fit - levels) ** 2)), fit)
    best = min(fits, key=lambda place: fits[place][0])
    slope, more = fits[best][1][1], fits[best][1][2]
    before, after = max(0.0, slope) * best, (slope + more) * (n - 1 - best)
    steeper = slope + more > 0 and slope <= 0.25 * (slope + more)
    return best if steeper and after >= 0.5 * (before + after) else None


def plain_departure(steps: list[int], values: list[float], first: int, last: int) -> int:
    """The bend in the window of twice the length, or twice that, or all there is before."""
    pairs = [(s, v) for s, v in zip(steps, values, strict=True) if s <= last]
    width = 2 * (last - first)
    while width > 0:
        inside = [(s, v) for s, v in pairs if s >= last - width]
        kept = [(s, math.log(v)) for s, v in inside if math.isfinite(v) and v > 0]
        size = max(1, len(kept) // 100)
        levels = naive.block_medians([v for _, v in kept], size)
        bend = plain_bend(levels) if len(levels) >= 12 else None
        if bend is not None:
            return kept[max(0, bend - 1) * size][0] if size > 1 else kept[bend][0]
        if len(inside) == len(pairs):
            break
        width *= 2
    return first


@pytest.mark.parametrize("seed", range(36))
def test_the_departure_is_that_of_the_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.choice([11, 12, 13, 30, 90, 260, 450]))
    begin, slope = int(n * rng.choice([0.2, 0.6, 0.8])), float(rng.choice([0.1, 1.0]))
    t = np.arange(n)
    logs = slope * np.maximum(0, t - begin) + slope * float(rng.choice([-0.1, 0.2, 0.24, 0.27])) * t
    logs += 0.3 * slope * rng.normal(size=n)
    values = np.exp(logs - logs.max())
    values[rng.random(n) < 0.05] = float(rng.choice([np.nan, 0.0]))
    steps = 5 + 3 * t
    first = int(steps[int(n * rng.choice([0.3, 0.7, 0.9]))])
    last = int(steps[-1 - int(rng.choice([0, 2]))])
    expected = plain_departure(steps.tolist(), values.tolist(), first, last)
    assert departure(steps, values, first, last) == expected
