"""The final loss against the swept value, drawn with characters: a curve, and a mark per value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from spikedoc.model.report import Plot
from spikedoc.renderers._plot import Chart, draw
from spikedoc.sweep.proposal import shown_value
from spikedoc.sweep.result import Outcome, Sweep, Value
from spikedoc.sweep.setting import number

HEIGHT: Final = 9
# Values that span more than this factor stand on a logarithmic axis.
LOG_SPAN: Final = 10.0
SIGNS: Final = {
    Outcome.DIVERGING: ("×", "x"),
    Outcome.STUCK: ("■", "#"),
    Outcome.UNSTABLE: ("▲", "^"),
    Outcome.UNSTABLE_LATE: ("△", "~"),
    Outcome.TOO_SLOW: ("○", "o"),
    Outcome.WORSE: ("◇", "w"),
    Outcome.STEADY: ("●", "*"),
    Outcome.UNKNOWN: ("?", "?"),
}
FEWEST: Final = 3


@dataclass(frozen=True, slots=True)
class Drawn:
    """Rows of a chart: the curve as text, and the marks on it by row and column."""

    chart: Chart
    marks: dict[tuple[int, int], Outcome]
    ticks: tuple[int, ...]
    tick_labels: str


def draw_sweep(sweep: Sweep, width: int, *, unicode: bool) -> Drawn | None:
    """Return the chart, None where there are too few numbers to draw one."""
    values = [value for value in sweep.values if number(value.value) is not None]
    numbers = [number(value.value) or 0.0 for value in values]
    if len(values) < FEWEST or len(values) < len(sweep.values):
        return None
    log = numbers[0] > 0 and numbers[-1] >= LOG_SPAN * numbers[0]
    places = [math.log10(one) if log else one for one in numbers]
    levels = [math.nan if value.level is None else value.level for value in values]
    finite = [level for level in levels if math.isfinite(level)]
    is_log = bool(finite) and min(finite) > 0
    plot = Plot(sweep.signal, tuple(places), tuple(levels), is_log)
    chart = draw(plot, width, HEIGHT, unicode=unicode)
    if chart is None:
        return None
    marks = {
        (_row(level, finite, is_log=is_log), chart.column(place)): value.outcome
        for value, place, level in zip(values, places, levels, strict=True)
    }
    ticks, labels = _ticks(values, [chart.column(place) for place in places], width)
    return Drawn(chart, marks, ticks, labels)


def _row(level: float, finite: Sequence[float], *, is_log: bool) -> int:
    """The row of a level; a run without one stands at the top."""
    low, high = min(finite), max(finite)
    if not math.isfinite(level):
        return 0
    if is_log:
        low, high, level = math.log10(low), math.log10(high), math.log10(level)
    share = (level - low) / (high - low) if high > low else 0.5
    return round((1.0 - share) * (HEIGHT - 1))


def _ticks(
    values: Sequence[Value], columns: Sequence[int], width: int
) -> tuple[tuple[int, ...], str]:
    """The columns of the values, and their labels as far as there is room."""
    line = ""
    for value, column in zip(values, columns, strict=True):
        label = shown_value(value.value)
        start = min(max(column - len(label) // 2, 0), max(width - len(label), 0))
        if not line or start > len(line):
            line = line.ljust(start) + label
    return tuple(columns), line
