"""A curve drawn with characters: braille dots, or points and apostrophes on an ASCII console.

Every point of the curve is on a line that is drawn, so a spike of one point survives any width.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from spikedoc.model.report import Plot
from spikedoc.renderers._ticks import step_ticks, value_ticks

# Bits of the Unicode braille block (U+2800), by row and column of the dot inside a cell.
BRAILLE_BITS: Final = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
BRAILLE_BASE: Final = 0x2800

# ASCII has no dots; two half rows per cell are told apart.
ASCII_BITS: Final = ((1,), (2,))
ASCII_CELLS: Final = " '.:"

# Bars of the spark line, lowest first.
SPARK_CELLS: Final = "▁▂▃▄▅▆▇█"
SPARK_NONFINITE: Final = "×"

# Trainers write a loss of 0 for NaN. When what is above the zeros spans more than this factor, a
# linear axis would show a single peak and nothing else.
MASKED_SPAN: Final = 1e3

# A loss that explodes by tens of decades would press everything before it into one row; beyond the
# first factor over the median the axis ends at the second.
LONGEST_RISE: Final = 1e6
SHOWN_RISE: Final = 1e3

# Labels of the value axis stand at least this many rows apart.
LABEL_ROWS: Final = 2

# A flat curve is drawn in the middle.
MIDDLE: Final = 0.5


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps a value to 0..1 over the finite range of a curve.

    On a log axis `low` is the smallest positive value; zeros are drawn at its height, and values
    beyond the axis at its top.
    """

    low: float
    high: float
    log: bool
    has_zeros: bool = False
    is_cut: bool = False

    def place(self, value: float) -> float:
        """Return 0.0 for the lowest and 1.0 for the highest value."""
        if self.log:
            low, high = math.log10(self.low), math.log10(self.high)
            value = math.log10(min(max(value, self.low), self.high))
        else:  # halved, because the range of two large floats may not be a float
            low, high, value = self.low / 2, self.high / 2, value / 2
        return (value - low) / (high - low) if high > low else MIDDLE


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawn curve: rows of cells from top to bottom, with the words for both axes."""

    rows: tuple[str, ...]
    labels: tuple[str, ...]  # of the value axis, one per row, "" where there is none
    ticks: tuple[int, ...]  # columns of the step axis that carry a label
    tick_labels: str
    nonfinite: tuple[int, ...]  # columns that hold a NaN or an infinity
    first: float  # step of the left edge
    last: float
    log: bool

    @property
    def width(self) -> int:
        """Return the number of columns."""
        return len(self.rows[0])

    def column(self, step: float) -> int:
        """Return the column in which `step` is drawn, the nearest edge when it is outside."""
        span = self.last - self.first
        share = (step - self.first) / span if span > 0 else 0.0
        return round(min(max(share, 0.0), 1.0) * (self.width - 1))


class _Canvas:
    """Dots on a grid of cells; y counts from the top."""

    def __init__(self, width: int, height: int, *, unicode: bool) -> None:
        self.bits = BRAILLE_BITS if unicode else ASCII_BITS
        self.unicode = unicode
        self.dots_x = width * len(self.bits[0])
        self.dots_y = height * len(self.bits)
        self.cells = [[0] * width for _ in range(height)]

    def dot(self, x: int, y: int) -> None:
        """Set one dot."""
        row, bit_row = divmod(y, len(self.bits))
        column, bit_column = divmod(x, len(self.bits[0]))
        self.cells[row][column] |= self.bits[bit_row][bit_column]

    def line(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        """Set the dots between two dots, both included."""
        (x0, y0), (x1, y1) = start, end
        steps = max(abs(x1 - x0), abs(y1 - y0), 1)
        for i in range(steps + 1):
            self.dot(x0 + round((x1 - x0) * i / steps), y0 + round((y1 - y0) * i / steps))

    def rows(self) -> tuple[str, ...]:
        """Return the rows as text."""
        return tuple("".join(self._cell(bits) for bits in row) for row in self.cells)

    def _cell(self, bits: int) -> str:
        if not self.unicode:
            return ASCII_CELLS[bits]
        return chr(BRAILLE_BASE + bits) if bits else " "


def draw(
    plot: Plot, width: int, height: int, *, unicode: bool, frame: Plot | None = None
) -> Chart | None:
    """Return the curve on `width` × `height` cells, or None when it has no two finite points.

    `frame` gives the range of both axes where several curves are to be read beside each other.
    """
    frame = frame or plot
    scale = _scale(frame)
    if scale is None or frame.steps[0] >= frame.steps[-1]:
        return None
    canvas = _Canvas(width, height, unicode=unicode)
    first, last = frame.steps[0], frame.steps[-1]
    nonfinite = _trace(canvas, plot, scale, (first, last - first))
    ticks, tick_labels = step_ticks(first, last, width)
    return Chart(
        rows=canvas.rows(),
        labels=_labels(scale, height, unicode=unicode),
        ticks=ticks,
        tick_labels=tick_labels,
        nonfinite=nonfinite,
        first=first,
        last=last,
        log=scale.log,
    )


def label_width(plot: Plot, height: int, *, unicode: bool) -> int:
    """Return the columns that the labels of the value axis take at this height."""
    scale = _scale(plot)
    return max(map(len, _labels(scale, height, unicode=unicode))) if scale else 0


def spark_line(plot: Plot, width: int) -> str:
    """Return the curve as one line of bars; each shows the value farthest from the one before."""
    scale = _scale(plot)
    if scale is None:
        return ""
    count = min(width, len(plot.values))
    out = []
    before = MIDDLE
    for i in range(count):
        lo, hi = i * len(plot.values) // count, (i + 1) * len(plot.values) // count
        part = plot.values[lo:hi]
        places = [scale.place(value) for value in part if math.isfinite(value)]
        if len(places) < len(part):
            out.append(SPARK_NONFINITE)
        else:
            place = max(places, key=lambda place: abs(place - before))
            out.append(SPARK_CELLS[min(int(place * len(SPARK_CELLS)), len(SPARK_CELLS) - 1)])
            before = sum(places) / len(places)
    return "".join(out)


def _scale(plot: Plot) -> Scale | None:
    finite = [value for value in plot.values if math.isfinite(value)]
    if len(finite) < 2 or not math.isfinite(plot.steps[-1] - plot.steps[0]):
        return None
    low, high = min(finite), max(finite)
    positive = min((value for value in finite if value > 0), default=high)
    hides_nan = low == 0.0 and high > positive * MASKED_SPAN
    if not hides_nan and not (plot.log and low > 0):
        return Scale(low, high, log=False)
    usual = max(sorted(finite)[len(finite) // 2], positive)
    is_cut = high > usual * LONGEST_RISE
    top = usual * SHOWN_RISE if is_cut else high
    return Scale(positive, top, log=True, has_zeros=hides_nan, is_cut=is_cut)


def _labels(scale: Scale, height: int, *, unicode: bool) -> tuple[str, ...]:
    """Return the label of each row: both extremes, then round numbers where there is room."""
    labels = [""] * height
    below = ("≤" if unicode else "<=") if scale.has_zeros else ""
    above = ("≥" if unicode else ">=") if scale.is_cut else ""
    extremes = [(scale.high, f"{above}{scale.high:.3g}"), (scale.low, f"{below}{scale.low:.3g}")]
    for value, label in [*extremes, *value_ticks(scale.low, scale.high, height, log=scale.log)]:
        row = round((1.0 - scale.place(value)) * (height - 1))
        near = labels[max(row + 1 - LABEL_ROWS, 0) : row + LABEL_ROWS]
        if not any(near):
            labels[row] = label
    return tuple(labels)


def _trace(
    canvas: _Canvas, plot: Plot, scale: Scale, steps: tuple[float, float]
) -> tuple[int, ...]:
    """Draw the curve, broken at non-finite points, and return the columns of those.

    `steps` are the first step of the axis and its length.
    """
    first, span = steps
    broken: set[int] = set()
    previous: tuple[int, int] | None = None
    low = high = 0  # dots already drawn in the column of `previous`
    for step, value in zip(plot.steps, plot.values, strict=True):
        x = round(min(max((step - first) / span, 0.0), 1.0) * (canvas.dots_x - 1))
        if not math.isfinite(value):
            broken.add(x // len(canvas.bits[0]))
            previous = None
            continue
        y = round((1.0 - scale.place(value)) * (canvas.dots_y - 1))
        if previous is not None and previous[0] == x and low <= y <= high:
            previous = (x, y)  # already drawn: keeps long curves cheap
            continue
        canvas.line(previous or (x, y), (x, y))
        inside = previous is not None and previous[0] == x
        low, high = (min(low, y), max(high, y)) if inside else (y, y)
        previous = (x, y)
    return tuple(sorted(broken))
