"""Missing, NaN and infinity are three things."""

from __future__ import annotations

import math

import numpy as np
import pytest

from spikedoc.readers._numbers import are_wall_times, number, numbers, plain


@pytest.mark.parametrize("token", ["", " ", "NA", "n/a", "null", "None", "-", "abc", "1.2.3"])
def test_no_value(token: str) -> None:
    assert number(token) is None


@pytest.mark.parametrize(
    ("token", "value"),
    [
        ("1e-3", 0.001),
        (" 2.5 ", 2.5),
        ('"3"', 3.0),
        ("1,234.5", 1234.5),
        ("45%", 45.0),
        ("inf", math.inf),
        ("-Infinity", -math.inf),
        ("tensor(0.25, device='cuda:0')", 0.25),
        ("1.#INF", math.inf),
        ("-1.#INF00", -math.inf),
        ("∞", math.inf),
        ("-∞", -math.inf),
    ],
)
def test_value(token: str, value: float) -> None:
    assert number(token) == value


@pytest.mark.parametrize(
    "token", ["nan", "NaN", "-nan", "tensor(nan)", "1.#QNAN", "-1.#IND00", "nan(ind)", "-nan(snan)"]
)
def test_nan_is_a_value(token: str) -> None:
    value = number(token)
    assert value is not None
    assert math.isnan(value)


def test_positions_of_missing_cells_are_skipped() -> None:
    rows, values = numbers(["1", "", "nan", "null", "4"])
    assert rows.tolist() == [0, 2, 4]
    np.testing.assert_array_equal(values, [1.0, np.nan, 4.0])


def test_a_long_text_is_not_tried() -> None:
    assert number("9" * 100_000 + "x") is None
    assert plain("9" * 100_000) is None


@pytest.mark.parametrize("cell", [True, None, [1], {"a": 1}, "text", 10**400])
def test_cells_without_a_number(cell: object) -> None:
    assert plain(cell) is None


@pytest.mark.parametrize("odd", [math.inf, -math.inf, math.nan, 12.5])
def test_a_clock_shows_times_of_day_only(odd: float) -> None:
    assert are_wall_times(np.array([1.7e9, 1.8e9]))
    assert not are_wall_times(np.array([1.7e9, odd]))
