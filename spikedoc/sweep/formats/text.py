"""A comparison for the terminal: proposal, curve, table, notes."""

from __future__ import annotations

from typing import Final

from spikedoc.cleaning import name, one_line
from spikedoc.coincidence.section import add_to_page
from spikedoc.renderers._page import Page, Span, clip, pad, width_of
from spikedoc.renderers.base import RenderOptions
from spikedoc.sweep.chart import SIGNS, draw_sweep
from spikedoc.sweep.formats.base import Format
from spikedoc.sweep.result import Comparison, Kind, Outcome, RangeTest, Sweep
from spikedoc.sweep.words import (
    BADGES,
    COLUMNS,
    NOTES,
    RANGE_TEST,
    RUNS,
    is_chosen,
    legend,
    row,
    statement,
    title,
    window_line,
)
from spikedoc.text import Language

STYLES: Final = {
    Outcome.DIVERGING: "critical",
    Outcome.STUCK: "critical",
    Outcome.UNSTABLE: "warning",
    Outcome.UNSTABLE_LATE: "warning",
    Outcome.TOO_SLOW: "info",
    Outcome.WORSE: "info",
    Outcome.STEADY: "healthy",
    Outcome.UNKNOWN: "unknown",
}
BADGE_STYLES: Final = {
    Kind.PROPOSED: "badge-healthy",
    Kind.EXTEND_UP: "badge-warning",
    Kind.EXTEND_DOWN: "badge-warning",
    Kind.UNTOLD: "badge-unknown",
}
WIDEST_VALUE: Final = 28
WIDEST_CURVE: Final = 100
NARROWEST_CURVE: Final = 20
# Columns left out first on a narrow page, and the room kept for what was seen.
DROPPED: Final = (3, 4)
NARROWEST_REMARK: Final = 10
NARROWEST: Final = 40
WIDEST: Final = 200


def render(comparison: Comparison, options: RenderOptions) -> str:
    """Return the comparison for people at a terminal."""
    page = Page(min(max(options.width, NARROWEST), WIDEST), options.color, options.unicode)
    language = options.language
    for sweep in comparison.sweeps:
        page.blank()
        _add_sweep(page, sweep, language)
    for test in comparison.range_tests:
        page.blank()
        _add_range_test(page, test, language)
    add_to_page(page, comparison.coincidences, language)
    _add_texts(page, [note.get(language) for note in comparison.notes])
    return page.text()


def _add_sweep(page: Page, sweep: Sweep, language: Language) -> None:
    kind = sweep.proposal.kind
    badge: Span = (f" {BADGES[kind].get(language)} ", BADGE_STYLES[kind])
    page.add((one_line(statement(sweep, language)), "strong"), first=[badge, (" ", "")])
    steady = window_line(sweep, language)
    if steady:
        page.add((steady, ""))
    page.add((one_line(title(sweep, language)), "faint"))
    _add_chart(page, sweep, language)
    _add_table(page, sweep, language)
    if sweep.notes:
        page.heading(NOTES.get(language))
    for note in sweep.notes:
        page.add((one_line(note.get(language)), "faint"), first=[("  • ", "faint")])


def _add_chart(page: Page, sweep: Sweep, language: Language) -> None:
    room = min(page.width - 12, WIDEST_CURVE)
    drawn = draw_sweep(sweep, max(room, NARROWEST_CURVE), unicode=page.unicode)
    if drawn is None:
        return
    chart, uni = drawn.chart, page.unicode
    axis, tick, corner, line, line_tick = "│┤└─┬" if uni else "|++-+"
    gutter = max(map(width_of, chart.labels)) + 2
    page.blank()
    page.raw((" " * (gutter + 1) + clip(name(sweep.signal), chart.width), "faint"))
    for at, (cells, label) in enumerate(zip(chart.rows, chart.labels, strict=True)):
        edge = tick if label else axis
        spans: list[Span] = [(label.rjust(gutter - 1) + " " + edge, "faint")]
        spans += [_cell(cells[c], drawn.marks.get((at, c)), unicode=uni) for c in range(len(cells))]
        page.raw(*spans)
    base = "".join(line_tick if c in drawn.ticks else line for c in range(chart.width))
    page.raw((" " * gutter + corner + base, "faint"))
    ticks = " " * (gutter + 1) + f"{drawn.tick_labels}  {name(sweep.setting.key)}"
    page.raw((clip(ticks, page.width), "faint"))
    outcomes = legend(set(drawn.marks.values()), language)
    entries = [span for one in outcomes for span in _entry(one, unicode=uni)]
    page.add(*entries, first=[(" " * (gutter + 1), "")])


def _cell(sign: str, outcome: Outcome | None, *, unicode: bool) -> Span:
    if outcome is None:
        return sign, "curve"
    return SIGNS[outcome][0 if unicode else 1], STYLES[outcome]


def _entry(entry: tuple[Outcome, str], *, unicode: bool) -> list[Span]:
    outcome, words = entry
    return [_cell("", outcome, unicode=unicode), (f" {words}   ", "faint")]


def _add_table(page: Page, sweep: Sweep, language: Language) -> None:
    page.heading(RUNS.get(language))
    head = [clip(name(sweep.setting.key), WIDEST_VALUE), *(c.get(language) for c in COLUMNS)]
    rows = [row(value, language) for value in sweep.values]
    for cells in rows:
        cells[0] = clip(cells[0], WIDEST_VALUE)
    used = [at for at in range(len(head)) if at == 0 or any(cells[at] for cells in rows)]
    wide = {at: max(width_of(cells[at]) for cells in [head, *rows]) for at in used}
    fixed = [at for at in used if at != len(head) - 1]
    for at in DROPPED:
        if sum(wide[column] + 2 for column in fixed) > page.width - NARROWEST_REMARK:
            fixed = [column for column in fixed if column != at]
    line = _joined(head, fixed, wide) + (head[-1] if len(head) - 1 in used else "")
    page.raw((clip(line, page.width), "faint"))
    for value, cells in zip(sweep.values, rows, strict=True):
        arrow = "> " if is_chosen(value, sweep) else "  "
        first: list[Span] = [(f"{arrow}{pad(cells[0], wide[0])}  ", "strong")]
        for at in fixed[1:]:
            style = STYLES[value.outcome] if at == 1 else ""
            first.append((f"{pad(cells[at], wide[at])}  ", style))
        page.add((one_line(cells[-1]), "faint"), first=first)


def _joined(cells: list[str], used: list[int], wide: dict[int, int]) -> str:
    return "  " + "".join(pad(cells[at], wide[at]) + "  " for at in used)


def _add_range_test(page: Page, test: RangeTest, language: Language) -> None:
    badge: Span = (f" {RANGE_TEST.get(language)} ", "badge-unknown")
    page.add((name(test.name), "strong"), first=[badge, (" ", "")])
    page.add((one_line(test.text.get(language)), ""))


def _add_texts(page: Page, texts: list[str]) -> None:
    if texts:
        page.blank()
    for text in texts:
        page.add((one_line(text), "faint"))


FORMAT: Final[Format] = render
