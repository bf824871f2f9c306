"""A ranking for the terminal: what was found, the table, what to look at."""

from __future__ import annotations

from typing import Final

from spikedoc.cleaning import name, one_line
from spikedoc.renderers._page import Page, Span, clip, pad, width_of
from spikedoc.renderers.base import RenderOptions
from spikedoc.samples.formats.base import Format
from spikedoc.samples.result import Ranking, Sample, Verdict
from spikedoc.samples.words import (
    ADVICE_HEADING,
    APART,
    COLUMNS,
    NONE_APART,
    NOTES,
    cells,
    title,
)
from spikedoc.text import Language

STYLES: Final = {
    Verdict.NONFINITE: "critical",
    Verdict.STAYS_HIGH: "warning",
    Verdict.HIGH: "warning",
    Verdict.HIGH_ONCE: "info",
    Verdict.ORDINARY: "faint",
}
WIDEST_NAME: Final = 40
NARROWEST: Final = 40
WIDEST: Final = 200
GAP: Final = 2
# Columns left out first on a narrow page: share, place, worst, times the batch, loss.
DROPPED: Final = (7, 6, 5, 4, 3)


def render(ranking: Ranking, options: RenderOptions) -> str:
    """Return the ranking for people at a terminal."""
    page = Page(min(max(options.width, NARROWEST), WIDEST), options.color, options.unicode)
    language = options.language
    badge = APART if ranking.apart else NONE_APART
    style = "badge-warning" if ranking.apart else "badge-healthy"
    first: Span = (f" {badge.get(language)} ", style)
    page.add((one_line(ranking.statement.get(language)), "strong"), first=[first, (" ", "")])
    page.add((one_line(title(ranking).get(language)), "faint"))
    page.blank()
    _add_table(page, ranking, language)
    for heading, texts in ((ADVICE_HEADING, ranking.advice), (NOTES, ranking.notes)):
        if texts:
            page.heading(heading.get(language))
        for text in texts:
            page.add((one_line(text.get(language)), ""), first=[("  • ", "faint")])
    return page.text()


def _add_table(page: Page, ranking: Ranking, language: Language) -> None:
    head = [column.get(language) for column in COLUMNS]
    rows = [_shown(sample, ranking.unit, language) for sample in ranking.ranked]
    wide = [max(width_of(row[at]) for row in [head, *rows]) for at in range(len(head))]
    used = [at for at in range(len(head)) if at == 0 or any(row[at] for row in rows)]
    for at in DROPPED:
        if GAP + sum(wide[column] + GAP for column in used) > page.width:
            used = [column for column in used if column != at]
    wide[0] = min(wide[0], max(page.width - sum(wide[at] + GAP for at in used[1:]) - 2 * GAP, 8))
    page.raw((page.spell("  " + "".join(_padded(head[at], wide[at]) for at in used)), "faint"))
    for sample, row in zip(ranking.ranked, rows, strict=True):
        spans: list[Span] = [("  ", "")]
        for at in used:
            style = {0: "strong", 1: STYLES[sample.verdict]}.get(at, "")
            spans.append((_padded(row[at], wide[at]), style))
        page.raw(*((page.spell(text), style) for text, style in spans))


def _shown(sample: Sample, unit: str, language: Language) -> list[str]:
    row = [text.get(language) for text in cells(sample, unit)]
    return [clip(name(row[0]), WIDEST_NAME), *row[1:]]


def _padded(text: str, width: int) -> str:
    return pad(clip(text, width), width) + " " * GAP


FORMAT: Final[Format] = render
