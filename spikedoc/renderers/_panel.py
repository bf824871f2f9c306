"""The plot of a terminal report: curve, axes, and one lane under it per finding."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from spikedoc.cleaning import name
from spikedoc.model.label import Severity
from spikedoc.model.metric import spoken
from spikedoc.model.report import Finding, Report
from spikedoc.renderers._page import Line, Page, clip, pad, width_of
from spikedoc.renderers._plot import Chart, draw, label_width
from spikedoc.renderers._strings import Words

# Rows of the curve: enough to see a shape, few enough to leave the verdict on the screen.
FULL_HEIGHT: Final = 10
SMALL_HEIGHT: Final = 6

# Lanes for single findings; when there are more, those of a severity share one.
LANES: Final = 4

# Columns of a finding id in the margin.
WIDEST_ID: Final = 16

# Wider curves show no more of a log that was thinned for display.
WIDEST_CURVE: Final = 150
NARROWEST_CURVE: Final = 20


@dataclass(frozen=True, slots=True)
class Marks:
    """The signs a plot is made of."""

    axis: str
    tick: str
    corner: str
    line: str
    line_tick: str
    span: str
    point: str
    nonfinite: str
    resumed: str


UNICODE_MARKS: Final = Marks("│", "┤", "└", "─", "┬", "━", "▲", "×", "↑")
ASCII_MARKS: Final = Marks("|", "+", "+", "-", "+", "=", "^", "x", "^")


def add_plot(page: Page, report: Report, words: Words) -> None:
    """Add the plot of the report; nothing when it has no curve that can be drawn."""
    if report.plot is None:
        return
    lanes = _lanes(report, words)
    height = FULL_HEIGHT if lanes else SMALL_HEIGHT
    restarts = [first for first, _ in report.run.segments[1:]]
    labels = [lane.label for lane in lanes] + [words("plot.nonfinite"), words("plot.resumed")]
    wide = label_width(report.plot, height, unicode=page.unicode)
    gutter = max([wide, *map(width_of, labels)]) + 2
    room = min(page.width - gutter - 2, WIDEST_CURVE)
    chart = draw(report.plot, max(room, NARROWEST_CURVE), height, unicode=page.unicode)
    if chart is None:
        return
    marks = UNICODE_MARKS if page.unicode else ASCII_MARKS
    page.blank()
    title = name(spoken(report.plot.signal))
    if chart.log:
        title = words("plot.title_log", signal=title)
    page.raw((" " * gutter + clip(page.spell(title), chart.width), "faint"))
    _add_curve(page, chart, _severities(chart, report), gutter, marks)
    _add_step_axis(page, chart, gutter, marks, words)
    for lane in lanes:
        _add_lane(page, lane.label, lane.draw(chart, marks), lane.style, gutter)
    if chart.nonfinite:
        drawn = _points(chart.width, chart.nonfinite, marks.nonfinite)
        _add_lane(page, words("plot.nonfinite"), drawn, "critical", gutter)
    if restarts:
        drawn = _points(chart.width, [chart.column(step) for step in restarts], marks.resumed)
        _add_lane(page, words("plot.resumed"), drawn, "info", gutter)


@dataclass(frozen=True, slots=True)
class Lane:
    """A row under the curve that marks where findings lie."""

    label: str
    style: str
    findings: tuple[Finding, ...]

    def draw(self, chart: Chart, marks: Marks) -> str:
        """Return the row: a line for a span of steps, a point for a single column."""
        cells = [" "] * chart.width
        for finding in self.findings:
            lo, hi = _columns(chart, finding)
            if lo < hi:
                cells[lo : hi + 1] = [marks.span] * (hi + 1 - lo)
            elif cells[lo] == " ":
                cells[lo] = marks.point
        return "".join(cells)


def _lanes(report: Report, words: Words) -> list[Lane]:
    """Return a lane per finding, or one per severity when there are many findings."""
    shown = [f for f in report.findings if f.anomaly.severity is not Severity.INFO]
    if len(shown) <= LANES:
        return [Lane(clip(name(f.id), WIDEST_ID), f.anomaly.severity.value, (f,)) for f in shown]
    lanes = []
    for severity in (Severity.CRITICAL, Severity.WARNING):
        found = tuple(f for f in shown if f.anomaly.severity is severity)
        if found:
            lanes.append(Lane(words(f"severity.{severity.value}"), severity.value, found))
    return lanes


def _severities(chart: Chart, report: Report) -> list[str]:
    """Return the style of each column: that of the worst finding on the plotted series."""
    styles = ["curve"] * chart.width
    shown = [f for f in report.findings if report.plot and f.anomaly.signal == report.plot.signal]
    for finding in sorted(shown, key=lambda f: f.anomaly.severity.rank):
        lo, hi = _columns(chart, finding)
        if finding.anomaly.severity is not Severity.INFO:
            styles[lo : hi + 1] = [finding.anomaly.severity.value] * (hi + 1 - lo)
    return styles


def _columns(chart: Chart, finding: Finding) -> tuple[int, int]:
    return chart.column(finding.anomaly.start_step), chart.column(finding.anomaly.end_step)


def _add_curve(page: Page, chart: Chart, styles: list[str], gutter: int, marks: Marks) -> None:
    for row, label in zip(chart.rows, chart.labels, strict=True):
        axis = marks.tick if label else marks.axis
        line: Line = [(label.rjust(gutter - 1) + axis, "faint")]
        line.extend(zip(row, styles, strict=True))
        page.raw(*line)


def _add_step_axis(page: Page, chart: Chart, gutter: int, marks: Marks, words: Words) -> None:
    axis = "".join(
        marks.line_tick if column in chart.ticks else marks.line for column in range(chart.width)
    )
    page.raw((" " * (gutter - 1) + marks.corner + axis, "faint"))
    unit = words("plot.step")
    labels = chart.tick_labels
    if len(labels) + 1 + width_of(unit) <= chart.width + 1:
        labels = f"{labels} {unit}"
    page.raw((" " * gutter + labels, "faint"))


def _points(width: int, columns: Iterable[int], mark: str) -> str:
    wanted = set(columns)
    return "".join(mark if column in wanted else " " for column in range(width))


def _add_lane(page: Page, label: str, lane: str, style: str, gutter: int) -> None:
    page.raw(
        (" " * (gutter - 1 - width_of(label)) + pad(label, width_of(label)) + " ", style),
        (lane, style),
    )
