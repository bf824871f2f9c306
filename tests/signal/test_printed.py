"""Digits of numbers as they are written, and the grid of bfloat16."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.signal.printed import decimals, is_bf16, is_staircase, significant_digits


@pytest.mark.parametrize(
    ("value", "digits"),
    [
        (0.69, 2),
        (-0.69, 2),
        (6.9078, 5),
        (23.03, 4),
        (1e-5, 1),
        (1.25e300, 3),
        (100.0, 1),
        (0.0, 0),
    ],
)
def test_digits_of_the_shortest_way_to_write_it(value: float, digits: int) -> None:
    assert significant_digits(value) == digits


@pytest.mark.parametrize(
    ("values", "on_grid"),
    [
        ([2.453125, 2.484375], True),  # 157/64 and 159/64: eight bits each
        ([2.453125, 2.4531], False),
        ([1 + 1 / 128], True),
        ([1 + 1 / 256], False),  # a ninth bit
        ([1e300], False),  # beyond single precision
    ],
)
def test_eight_bits_are_the_grid(values: list[float], on_grid: bool) -> None:
    assert is_bf16(np.array(values)) is on_grid


@pytest.mark.parametrize(
    ("values", "count"),
    [([1.0, 20.0], 0), ([0.25, 1.5], 2), ([1e-7, 0.5], 7), ([1e-9], None), ([1 / 3, 0.5], None)],
)
def test_decimals_are_those_of_the_longest_value(values: list[float], count: int | None) -> None:
    assert decimals(np.array(values)) == count


def test_a_smooth_course_of_few_decimals_is_a_staircase() -> None:
    t = np.arange(400)
    rate = 3e-3 * np.minimum(t / 60, 0.5 * (1 + np.cos(np.pi * t / 400)))
    assert is_staircase(np.round(rate, 3))
    assert not is_staircase(rate)
    assert not is_staircase(np.array([0.001, 0.001, 0.002, 0.002]))  # two settings
    assert not is_staircase(np.array([0.001, 0.002, 0.003, 0.001]))  # a fall of two units
