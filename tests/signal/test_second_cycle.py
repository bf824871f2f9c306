"""A single restart of a schedule, told from a rate that began anew by accident."""

from __future__ import annotations

import numpy as np
import pytest
from plain.schedule import second_cycle, swing_again

from spikedoc.signal.second_cycle import is_second_cycle, is_swing_again

HALF = np.linspace(0.0, 1.0, 100, endpoint=False)
COSINE = 0.5 * (1.0 + np.cos(np.pi * HALF))
LINE = 1.0 - HALF
STEPS = 10 * np.arange(1000, dtype=np.int64)


def stretched(course: np.ndarray, factor: float) -> np.ndarray:
    points = np.linspace(0.0, course.size - 1.0, round(course.size * factor))
    return np.interp(points, np.arange(course.size), course)


def is_second(*parts: np.ndarray) -> bool:
    """Return the answer at the border of the first two parts, and hold it against plain loops."""
    values = 3e-4 * np.concatenate(parts)
    told = is_second_cycle(STEPS[: values.size], values, parts[0].size)
    assert told is second_cycle(STEPS[: values.size].tolist(), values.tolist(), parts[0].size)
    return told


@pytest.mark.parametrize("course", [COSINE, LINE, 0.1 + 0.9 * COSINE, COSINE**2])
@pytest.mark.parametrize("factor", [1, 2, 3])
def test_the_same_descent_once_more(course: np.ndarray, factor: int) -> None:
    assert is_second(course, stretched(course, factor))
    assert is_second(course, stretched(course, factor)[: 60 * factor])  # the log ends on the way


def test_a_cycle_of_any_length_that_came_to_its_end() -> None:
    assert is_second(COSINE, stretched(COSINE, 1.5))
    assert not is_second(COSINE, stretched(COSINE, 1.5)[:120])


def test_a_warm_up_before_the_first_cycle_is_no_part_of_it() -> None:
    values = np.concatenate([np.linspace(0.1, 1.0, 20, endpoint=False), COSINE, COSINE])
    assert is_second_cycle(STEPS[: values.size], values, 120)


@pytest.mark.parametrize(
    "parts",
    [
        (COSINE[:60], COSINE),  # cut on its way down, as by a resume without its scheduler
        (LINE[:60], LINE),
        (COSINE, COSINE[:20]),  # not seen to go down again
        (COSINE, np.ones(100)),
        (COSINE, 1.2 * COSINE),  # higher than before
        (COSINE, 0.8 * COSINE),
        (COSINE, LINE),  # another shape
        (np.where(HALF < 0.5, 1.0, 0.01), np.where(HALF < 0.5, 1.0, 0.01)),  # milestones
        (COSINE, COSINE[::-1]),
        (COSINE[-4:], COSINE),  # four points are no shape
        (np.zeros(100), COSINE),
    ],
)
def test_what_is_no_second_cycle(parts: tuple[np.ndarray, np.ndarray]) -> None:
    values = np.concatenate(parts)
    assert not is_second_cycle(STEPS[: values.size], values, parts[0].size)


@pytest.mark.parametrize("block", range(5))
def test_it_is_that_of_the_definition(block: int) -> None:
    for seed in range(40 * block, 40 * block + 40):
        rng = np.random.default_rng(seed)
        first = stretched((COSINE, LINE, 0.1 + 0.9 * COSINE)[seed % 3], rng.uniform(0.1, 1.0))
        second = stretched((COSINE, LINE)[seed % 2], rng.choice([0.5, 1.0, 1.7, 2.0]))
        first = first[: int(rng.integers(3, first.size + 1))]
        second = rng.choice([0.94, 0.96, 1.0, 1.06]) * second[: int(rng.integers(3, second.size))]
        values = np.concatenate([first, second]) + rng.normal(0.0, 1e-4, first.size + second.size)
        steps = np.cumsum(rng.integers(1, 5, values.size))
        told = is_second_cycle(steps, values, first.size)
        assert told is second_cycle(steps.tolist(), values.tolist(), first.size)


@pytest.mark.parametrize("block", range(5))
def test_a_swing_that_comes_again_is_that_of_the_definition(block: int) -> None:
    told = []
    for seed in range(40 * block, 40 * block + 40):
        rng = np.random.default_rng(seed)
        up, down = stretched(LINE[::-1], rng.uniform(0.04, 0.5)), (COSINE, LINE)[seed % 2][::2]
        again = np.concatenate([up, down])[: int(rng.integers(40, up.size + down.size + 1))]
        second = rng.choice([0.6, 1.0, 1.04, 1.06]) * (again + rng.choice([0.0, 0.04]) * again**2)
        values = np.concatenate([up, down, 1e-3 + second])
        turn = up.size + down.size
        steps = np.cumsum(np.ones(values.size, dtype=np.int64) * int(rng.integers(1, 5)))
        told.append(is_swing_again(steps, values, turn))
        assert told[-1] is swing_again(steps.tolist(), values.tolist(), turn)
    assert set(told) == {True, False}


def cyclic(n: int, half: int, base: float, kept: float) -> np.ndarray:
    """Return a triangular rate whose height above the base is `kept` times as much each cycle."""
    i = np.arange(n)
    up = 1.0 - np.abs(i % (2 * half) / half - 1.0)
    return base + (1e-2 - base) * up * kept ** (i / (2 * half) if kept > 0.5 else i // (2 * half))


@pytest.mark.parametrize("n", [600, 1000, 1357])
@pytest.mark.parametrize("half", [77, 100, 150])
@pytest.mark.parametrize("kept", [0.5, 0.9, 1.0])
def test_each_swing_of_a_cyclic_rate_is_on_its_own_scale(n: int, half: int, kept: float) -> None:
    rates = cyclic(n, half, 1e-4, kept)
    assert is_swing_again(np.arange(n), rates, 2 * half)


def test_a_swing_that_takes_another_course_later_on_is_none() -> None:
    rates = cyclic(1000, 100, 1e-4, 0.5)
    rates[650:] = rates[650]
    assert not is_swing_again(np.arange(1000), rates, 200)
