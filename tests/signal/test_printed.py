"""Digits of numbers as they are written, and the grid of bfloat16."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.signal.printed import is_bf16, significant_digits


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
