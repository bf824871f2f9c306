"""The report in a cell of a notebook: a few kilobytes of HTML without a script.

Styles stand at the elements, and colours are those of the notebook or work on light and dark alike:
a cell has no head of its own, and what it says about the page around it would change that.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

from markupsafe import Markup, escape

from spikedoc.cleaning import name, one_line
from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Severity, Status
from spikedoc.model.metric import spoken
from spikedoc.model.report import Advice, Cause, Finding, Plot, Report
from spikedoc.renderers._closing import back_line, lost_lines
from spikedoc.renderers._html_text import LANG_ATTRIBUTE
from spikedoc.renderers._strings import Words
from spikedoc.renderers._wording import (
    FULL_CAUSES,
    causes_to_tell,
    facts,
    fixes_of,
    id_ranges,
    label,
    notes_of,
    place,
    score,
    split,
    to_cure,
    verdict_line,
    without_user_paths,
)
from spikedoc.text import Language, Text

# A cell is looked at between others; the page has it all.
FINDINGS: Final = 8
EVIDENCE: Final = 4
STEPS: Final = 6
COLUMNS: Final = 400  # points of the small curve

# White on these is readable, and so are they on white and on black.
BADGES: Final = {
    Status.HEALTHY: "#1a7f37",
    Status.WARNING: "#9a6700",
    Status.CRITICAL: "#cf222e",
    Status.UNKNOWN: "#6e7781",
}
SEVERITIES: Final = {
    Severity.INFO: "#6e7781",
    Severity.WARNING: "#9a6700",
    Severity.CRITICAL: "#cf222e",
}
SIGNS: Final = {Verdict.SUPPORTS: "+", Verdict.REFUTES: "−"}
LINE: Final = "border-bottom:1px solid rgba(128,128,128,.35);"
CELL: Final = f"text-align:left;vertical-align:top;padding:4px 10px 4px 0;{LINE}"
BADGE: Final = "color:#fff;border-radius:4px;padding:1px 7px;font-size:12px;font-weight:600;"
QUIET: Final = "opacity:.75;margin:4px 0;"
WIDTH, HEIGHT, PAD = 640, 90, 6


class Cell:
    """One report as the output of a cell; each method returns a part, empty without content."""

    def __init__(self, report: Report, language: Language) -> None:
        """Causes are taken in the order of their ranks."""
        self.report = report
        self.words = Words(language)
        self.is_calm = report.status in (Status.HEALTHY, Status.UNKNOWN)

    def markup(self) -> Markup:
        """Return the whole cell."""
        parts = (
            self.head(),
            self.curve(),
            self.findings(),
            self.causes(),
            self.steps("heading.checklist", [item.check for item in self.report.checklist]),
            self.steps(
                "heading.fixes", [fix for fix, _ in fixes_of(to_cure(self._ranked(), FULL_CAUSES))]
            ),
            self.rollback(),
            self.lines("heading.limits", map(self.of, self.report.limits)),
            self.lines("heading.notes", map(self.of, notes_of(self.report))),
        )
        return Markup(
            '<div lang="{}" style="font-family:sans-serif;font-size:14px;line-height:1.45;'
            'max-width:60em">{}</div>'
        ).format(LANG_ATTRIBUTE[self.words.language], Markup("").join(parts))

    def of(self, text: Text) -> str:
        """Return a text in the language of the cell, without folders that name a person."""
        return one_line(without_user_paths(self.words.of(text), self.report.run.path))

    def _ranked(self) -> list[Cause]:
        return sorted(self.report.causes, key=lambda cause: cause.rank)

    def head(self) -> Markup:
        """Return the verdict, the likeliest cause, and what there was to look at."""
        report, words = self.report, self.words
        badge = _badge(words(f"status.{report.status.value}"), BADGES[report.status])
        verdict = verdict_line(report, words)
        about = " · ".join([name(report.run.name), *facts(report, words)])
        return Markup('<p style="margin:4px 0">{} <strong>{}</strong></p>{}{}').format(
            badge,
            self.of(report.headline),
            Markup('<p style="margin:4px 0">{}</p>').format(verdict) if verdict else "",
            Markup('<p style="{}">{}</p>').format(QUIET, about),
        )

    def curve(self) -> Markup:
        """Return the main curve as a small picture."""
        plot = self.report.plot
        line = _path(plot) if plot else ""
        if plot is None or not line:
            return Markup("")
        title = name(spoken(plot.signal))
        if plot.log:
            title = self.words("plot.title_log", signal=title)
        return Markup(
            '<svg viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img" aria-label="{title}" '
            'style="max-width:100%;display:block">{shades}<path d="{line}" fill="none" '
            'stroke="currentColor" stroke-width="1.2"/></svg><p style="{quiet}">{title}</p>'
        ).format(w=WIDTH, h=HEIGHT, title=title, shades=self._shades(plot), line=line, quiet=QUIET)

    def _shades(self, plot: Plot) -> Markup:
        first, span = plot.steps[0], plot.steps[-1] - plot.steps[0]
        found = []
        for finding in self.report.findings[:FINDINGS]:
            anomaly = finding.anomaly
            left, right = (
                WIDTH * min(max((step - first) / span, 0.0), 1.0)
                for step in (anomaly.start_step, anomaly.end_step)
            )
            found.append(
                Markup(
                    '<rect x="{:.1f}" y="0" width="{:.1f}" height="{}" fill="{}" opacity=".25"/>'
                ).format(left, max(right - left, 2.0), HEIGHT, SEVERITIES[anomaly.severity])
            )
        return Markup("").join(found)

    def findings(self) -> Markup:
        """Return the table of findings."""
        found = self.report.findings
        key = "heading.seen" if self.is_calm else "heading.findings"
        rows = [self._finding(finding) for finding in found[:FINDINGS]]
        return self._section(key, _table(rows), len(found) - FINDINGS) if rows else Markup("")

    def _finding(self, finding: Finding) -> list[Markup]:
        severity = finding.anomaly.severity
        where = Markup("{}<br><span style='opacity:.75'>{}</span>").format(
            label(finding, self.words), place(finding, self.report, self.words)
        )
        return [
            escape(name(finding.id)),
            _badge(self.words(f"severity.{severity.value}"), SEVERITIES[severity]),
            where,
            self._prose(finding.summary),
        ]

    def causes(self) -> Markup:
        """Return the ranked causes, the first ones with their evidence."""
        heading, causes = causes_to_tell(self.report, verbose=False)
        rows = [self._cause(cause) for cause in causes[:FULL_CAUSES]]
        more = len(causes) - FULL_CAUSES
        return self._section(heading, _table(rows), more) if rows else Markup("")

    def _cause(self, cause: Cause) -> list[Markup]:
        found = split(cause.evidence)
        told = [
            Markup("<br><span style='opacity:.75'>{} {}</span>").format(
                sign, self._prose(evidence.statement)
            )
            for verdict, sign in SIGNS.items()
            for evidence in found[verdict][:EVIDENCE]
        ]
        title = Markup("<strong>{}</strong> ({}, {})").format(
            self.of(cause.rule.title), name(cause.rule.code), id_ranges(cause.findings)
        )
        return [escape(score(cause.score)), title + Markup("").join(told)]

    def steps(self, key: str, advice: list[Advice]) -> Markup:
        """Return checks or fixes, folded; a healthy run needs none."""
        if self.is_calm:
            return Markup("")
        lines = [self._prose(one.text) for one in advice[:STEPS]]
        return self._folded(key, lines, len(advice) - STEPS, tag="ol")

    def rollback(self) -> Markup:
        """Return where to go back to and what is lost by it."""
        back = self.report.rollback
        if back is None:
            return Markup("")
        where = back_line(back, self.report.run.path, self.words, str)
        return self.lines("heading.rollback", [where, *lost_lines(back, self.words)])

    def lines(self, key: str, lines: Iterable[str]) -> Markup:
        """Return lines of text, folded."""
        return self._folded(key, [escape(one_line(line)) for line in lines], 0, tag="ul")

    def _prose(self, text: Text) -> Markup:
        """Return a sentence; parts between backticks become code."""
        parts = self.of(text).split("`")
        if len(parts) % 2 == 0:
            return escape(self.of(text))
        return Markup("").join(
            Markup("<code>{}</code>").format(part) if place_ % 2 else escape(part)
            for place_, part in enumerate(parts)
        )

    def _section(self, key: str, body: Markup, more: int) -> Markup:
        rest = Markup('<p style="{}">{}</p>').format(QUIET, self.words("more.plain", n=more))
        return Markup('<p style="margin:12px 0 2px"><strong>{}</strong></p>{}{}').format(
            self.words(key), body, rest if more > 0 else ""
        )

    def _folded(self, key: str, lines: list[Markup], more: int, tag: str) -> Markup:
        if not lines:
            return Markup("")
        if more > 0:
            lines = [*lines, escape(self.words("more.plain", n=more))]
        items = Markup("").join(Markup("<li>{}</li>").format(line) for line in lines)
        return Markup(
            '<details style="margin:8px 0"><summary style="cursor:pointer">{}</summary>'
            "<{tag}>{}</{tag}></details>"
        ).format(self.words(key), items, tag=Markup(tag))


def cell(report: Report, language: Language) -> str:
    """Return the report as HTML for the output of a notebook's cell."""
    return str(Cell(report, language).markup())


def _badge(text: str, colour: str) -> Markup:
    return Markup('<span style="{}background:{}">{}</span>').format(BADGE, colour, text)


def _table(rows: list[list[Markup]]) -> Markup:
    cells = (
        Markup("").join(Markup('<td style="{}">{}</td>').format(CELL, cell) for cell in row)
        for row in rows
    )
    body = Markup("").join(Markup("<tr>{}</tr>").format(row) for row in cells)
    return Markup(
        '<table style="border-collapse:collapse;table-layout:auto;width:100%">{}</table>'
    ).format(body)


def _path(plot: Plot) -> str:
    """Return the commands of an SVG path through the finite points, "" when there are too few."""
    known = [
        (step, value)
        for step, value in zip(plot.steps, plot.values, strict=True)
        if math.isfinite(value) and (value > 0 or not plot.log)
    ]
    if len(known) < 2 or plot.steps[-1] <= plot.steps[0]:
        return ""
    heights = [math.log10(value) if plot.log else value / 2 for _, value in known]
    low, span = min(heights), max(heights) - min(heights)
    first, width = plot.steps[0], plot.steps[-1] - plot.steps[0]
    points = [
        (
            WIDTH * (step - first) / width,
            HEIGHT - PAD - (HEIGHT - 2 * PAD) * ((height - low) / span if span else 0.5),
        )
        for (step, _), height in zip(known, heights, strict=True)
    ]
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in _thinned(points))


def _thinned(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the lowest and the highest point of each stretch, in order."""
    width = max(1, -(-2 * len(points) // COLUMNS))
    kept: list[tuple[float, float]] = []
    for start in range(0, len(points), width):
        part = points[start : start + width]
        low, high = min(part, key=lambda p: p[1]), max(part, key=lambda p: p[1])
        kept.extend(sorted({low, high}))
    return kept
