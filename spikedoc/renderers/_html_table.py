"""Curves as tables: what the pictures say, for who cannot see them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from markupsafe import Markup

from spikedoc.cleaning import name
from spikedoc.model.charts import FoldedCurve
from spikedoc.model.metric import spoken
from spikedoc.model.report import Plot, Report
from spikedoc.renderers._html_text import Wording
from spikedoc.text import format_value

# Rows of the table; each stands for an equal part of the run.
ROWS: Final = 20
FINDINGS_SHOWN: Final = 8


@dataclass(frozen=True, slots=True)
class Row:
    """A part of the run: its extremes, how many values are not finite, which findings touch it."""

    first: int
    last: int
    low: str
    high: str
    nonfinite: int
    findings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FoldView:
    """A folded curve: what it is of, how to read it, and its numbers."""

    finding: str
    signal: str
    title: Markup
    explanation: Markup
    rows: tuple[tuple[str, ...], ...]  # phase, low, middle, high

    @classmethod
    def of(cls, fold: FoldedCurve, wording: Wording) -> FoldView:
        """Return the view of a folded curve."""
        signal, period = name(spoken(fold.signal)), format_value(fold.period)
        columns = (fold.phases, fold.low, fold.middle, fold.high)
        return cls(
            finding=name(fold.finding),
            signal=signal,
            title=wording.words("page.fold", signal=signal, cycles=fold.cycles, period=period),
            explanation=wording.words(
                "page.fold_ratio" if fold.is_ratio else "page.fold_difference"
            ),
            rows=tuple(
                tuple(format_value(cell) for cell in row) for row in zip(*columns, strict=True)
            ),
        )


def loss_rows(report: Report) -> list[Row]:
    """Return the main curve in equal parts of the run; none without a curve."""
    points, bad = _points(report)
    steps = [step for step, _ in points] + [step for step, _ in bad]
    if not steps:
        return []
    first, last = min(steps), max(steps)
    borders = [first + (last - first + 1) * i // ROWS for i in range(ROWS + 1)]
    rows = []
    for start, end in pairwise(borders):
        inside = [value for step, value in points if start <= step < end]
        lost = sum(count for step, count in bad if start <= step < end)
        if inside or lost:
            rows.append(_row(report, start, end - 1, inside, lost))
    return rows


def _row(report: Report, first: int, last: int, values: list[float], lost: int) -> Row:
    touching = [
        name(finding.id)
        for finding in report.findings
        if finding.anomaly.start_step <= last and finding.anomaly.end_step >= first
    ]
    return Row(
        first=first,
        last=last,
        low=format_value(min(values)) if values else "–",
        high=format_value(max(values)) if values else "–",
        nonfinite=lost,
        findings=tuple(touching[:FINDINGS_SHOWN]),
    )


def _points(report: Report) -> tuple[list[tuple[int, float]], list[tuple[int, int]]]:
    """Return the finite points, and step and number of those that are not."""
    if report.charts is not None and report.charts.curves:
        curve = report.charts.curves[0]
        pairs = list(zip(curve.steps, curve.values, strict=True))
        return pairs, [(bad.first_step, bad.count) for bad in curve.nonfinite]
    if report.plot is None:
        return [], []
    both = saved_points(report.plot)
    finite = [(step, value) for step, value in both if math.isfinite(value)]
    return finite, [(step, 1) for step, value in both if not math.isfinite(value)]


def saved_points(plot: Plot) -> list[tuple[int, float]]:
    """Return steps and values of a saved curve in order; a step that is no number is left out."""
    both = zip(plot.steps, plot.values, strict=False)
    return sorted(((int(s), v) for s, v in both if math.isfinite(s)), key=lambda point: point[0])
