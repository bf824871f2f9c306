from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spikedoc.model.report import Plot
from spikedoc.renderers._plot import Chart, draw, spark_line
from spikedoc.renderers._ticks import step_ticks, value_ticks

# Dot numbers of Unicode braille, by (row, column) inside the cell.
DOTS = {(0, 0): 0, (1, 0): 1, (2, 0): 2, (0, 1): 3, (1, 1): 4, (2, 1): 5, (3, 0): 6, (3, 1): 7}


def dots(chart: Chart) -> set[tuple[int, int]]:
    """Return (x, y) of the dots set, y from the top: an independent reading of the picture."""
    found = set()
    for row, text in enumerate(chart.rows):
        for column, cell in enumerate(text):
            bits = 0 if cell == " " else ord(cell) - 0x2800
            for (y, x), bit in DOTS.items():
                if bits >> bit & 1:
                    found.add((column * 2 + x, row * 4 + y))
    return found


def plot(values: list[float], *, log: bool = False) -> Plot:
    return Plot("loss", tuple(float(i) for i in range(len(values))), tuple(values), log)


def test_a_diagonal_is_drawn_as_one() -> None:
    chart = draw(plot([0.0, 1.0]), 4, 2, unicode=True)
    assert chart is not None
    assert dots(chart) == {(x, 7 - x) for x in range(8)}


def test_a_spike_of_one_point_survives_any_width() -> None:
    values = [1.0] * 5000
    values[1234] = 9.0
    chart = draw(plot(values), 30, 5, unicode=True)
    assert chart is not None
    top = [x for x, y in dots(chart) if y == 0]
    assert top == [round(1234 / 4999 * 59)]


def test_log_axis_gives_each_decade_the_same_height() -> None:
    chart = draw(plot([0.01, 0.1, 1.0, 10.0], log=True), 2, 10, unicode=True)
    assert chart is not None
    assert chart.log
    assert {(0, 39), (1, 26), (2, 13), (3, 0)} <= dots(chart)
    assert chart.labels == ("10", "", "", "1", "", "", "0.1", "", "", "0.01")


def test_an_explosion_leaves_the_rest_visible() -> None:
    values = [1.0, 0.1, 1.0, 1.0, 1.0, 1e30]
    chart = draw(plot(values, log=True), 3, 9, unicode=True)
    assert chart is not None
    assert chart.labels[0] == "≥1e+03"
    assert (5, 0) in dots(chart)
    assert (1, 35) in dots(chart)
    assert (2, round(3 / 4 * 35)) in dots(chart)
    calm = draw(plot([1.0, 0.1, 1.0, 1e5], log=True), 3, 9, unicode=True)
    assert calm is not None
    assert calm.labels[0] == "1e+05"


def test_zeros_that_hide_nan_do_not_force_a_linear_axis() -> None:
    """A loss that explodes and is then logged as 0 keeps its shape on a log axis."""
    chart = draw(plot([1.0, 0.1, 0.01, 1e4, 0.0, 0.0]), 3, 9, unicode=True)
    assert chart is not None
    assert chart.log
    assert chart.labels[-1] == "≤0.01"
    assert (5, 35) in dots(chart)
    assert (0, round(4 / 6 * 35)) in dots(chart)
    ascii_chart = draw(plot([1.0, 0.01, 1e4, 0.0]), 3, 9, unicode=False)
    assert ascii_chart is not None
    assert ascii_chart.labels[-1] == "<=0.01"
    small = draw(plot([1.0, 0.5, 0.0]), 3, 9, unicode=True)
    assert small is not None
    assert not small.log


def test_log_axis_is_refused_for_values_that_have_no_logarithm() -> None:
    chart = draw(plot([-1.0, 1.0, 2.0], log=True), 10, 3, unicode=True)
    assert chart is not None
    assert not chart.log


def test_nonfinite_points_break_the_line_and_are_marked() -> None:
    values = [1.0, 1.0, math.nan, math.inf, 2.0, 2.0]
    chart = draw(plot(values), 12, 4, unicode=True)
    assert chart is not None
    lit = {x for x, _ in dots(chart)}
    between = set(range(round(1 / 5 * 23) + 1, round(4 / 5 * 23)))
    assert not lit & between
    assert chart.nonfinite == (round(2 / 5 * 23) // 2, round(3 / 5 * 23) // 2)


def test_ascii_uses_ascii() -> None:
    chart = draw(plot([math.sin(i / 5) for i in range(100)]), 40, 6, unicode=False)
    assert chart is not None
    assert set("".join(chart.rows)) <= set(" '.:")


@pytest.mark.parametrize("values", [[], [1.0], [math.nan, math.nan], [math.nan, 1.0]])
def test_no_curve_no_chart(values: list[float]) -> None:
    assert draw(plot(values), 20, 5, unicode=True) is None


def test_flat_curve_is_in_the_middle() -> None:
    chart = draw(plot([3.0, 3.0, 3.0]), 10, 3, unicode=True)
    assert chart is not None
    assert {y for _, y in dots(chart)} == {round(0.5 * 11)}


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.floats(), max_size=30),
    st.booleans(),
    st.booleans(),
    st.integers(20, 60),
    st.integers(2, 12),
)
def test_anything_can_be_drawn(
    values: list[float], log: bool, unicode: bool, width: int, height: int
) -> None:
    chart = draw(plot(values, log=log), width, height, unicode=unicode)
    finite = [v for v in values if math.isfinite(v)]
    assert (chart is None) == (len(finite) < 2)
    if chart is not None:
        assert len(chart.rows) == len(chart.labels) == height
        assert {len(row) for row in chart.rows} == {width}
        assert len(chart.tick_labels) <= width
        assert all(0 <= column < width for column in (*chart.ticks, *chart.nonfinite))
        assert bool(chart.nonfinite) == (len(finite) < len(values))
    assert len(spark_line(plot(values, log=log), width)) in (0, min(width, len(values)))


@pytest.mark.parametrize(
    ("low", "high", "log", "labels"),
    [
        (0.0, 10.0, False, ["0", "2", "4", "6", "8", "10"]),
        (0.03, 5.0, True, ["0.1", "1", "0.05", "0.2", "0.5", "2", "5"]),
        (0.001, 1000.0, True, ["0.001", "0.1", "10", "1000"]),
        (1.0, 1.0, False, []),
        (1e9, 1e9 + 0.1, False, []),
        (-1.7e308, 1.7e308, False, ["-1e+308", "0", "1e+308"]),
        (-1.0, 1.79e308, False, ["0", "5e+307", "1e+308", "1.5e+308"]),
        (1.0, 1.0000000000000002, False, []),
        (0.0, 5e-324, False, []),
        (-0.05, 0.05, False, ["-0.04", "-0.02", "0.00", "0.02", "0.04"]),
    ],
)
def test_value_ticks(low: float, high: float, log: bool, labels: list[str]) -> None:
    ticks = value_ticks(low, high, 10, log=log)
    assert [label for _, label in ticks] == labels
    assert all(low <= value <= high for value, _ in ticks)
    assert all(math.isclose(value, float(label), abs_tol=1e-12) for value, label in ticks)


def test_step_ticks_are_whole_and_apart() -> None:
    columns, line = step_ticks(0.0, 12_800.0, 70)
    assert line.split() == ["0", "2000", "4000", "6000", "8000", "10000", "12000"]
    assert columns[-1] == round(12_000 / 12_800 * 69)
    assert step_ticks(1.0, 3.0, 70)[1].split() == ["1", "2", "3"]
    assert step_ticks(0.0, 3e7, 60)[1].split() == ["0", "5M", "10M", "15M", "20M", "25M", "30M"]


def test_chart_column_stays_inside() -> None:
    chart = draw(plot([1.0, 2.0, 3.0]), 20, 3, unicode=True)
    assert chart is not None
    assert [chart.column(step) for step in (-5, 0, 1, 2, 99)] == [0, 0, 10, 19, 19]


def test_spark_line_shows_spike_and_nan() -> None:
    values = [1.0] * 100
    values[50] = 9.0
    values[99] = math.nan
    assert spark_line(plot(values), 10) == "▁▁▁▁▁█▁▁▁×"
