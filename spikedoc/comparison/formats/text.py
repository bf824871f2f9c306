"""The comparison for a terminal: the answer, both losses on the same axes, then the numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from spikedoc.cleaning import one_line
from spikedoc.comparison.formats._content import STATUS, Part, Table, Words, parts, run_line
from spikedoc.comparison.formats.base import Format, Options
from spikedoc.comparison.result import Comparison
from spikedoc.model.report import Plot

if TYPE_CHECKING:
    from spikedoc.renderers._page import Page

NARROWEST: Final = 40
WIDEST: Final = 200
# Rows of one curve, and the widest: a thinned curve shows no more.
HEIGHT: Final = 5
WIDEST_CURVE: Final = 120
# Spaces between two columns of a table, before it, and the widest first column.
GAP: Final = 2
WIDEST_NAME: Final = 22


def render(comparison: Comparison, options: Options) -> str:
    """Return the comparison laid out for `options.width` columns."""
    from spikedoc.renderers._page import Page, code_spans  # draws with rich

    words = Words(options.language)
    page = Page(min(max(options.width, NARROWEST), WIDEST), options.color, options.unicode)
    badge = (f" {words(comparison.outcome.value)} ", f"badge-{STATUS[comparison.outcome]}")
    headline = one_line(words.of(comparison.headline))
    page.add(*code_spans(headline, "strong"), first=[badge, (" ", "")])
    for side, run in (("A", comparison.a), ("B", comparison.b)):
        page.add((run_line(run, words), "faint"), first=[(f"{side}  ", "strong")])
    _add_curves(page, comparison)
    for part in parts(comparison, words):
        _add_part(page, part, comparison, words)
    return page.text()


def _add_part(page: Page, part: Part, comparison: Comparison, words: Words) -> None:
    from spikedoc.renderers._page import code_spans

    replay = comparison.replay
    is_replay = replay is not None and part.heading == words("heading.replay")
    heading = part.heading
    if replay is not None and is_replay:
        heading += words("verdict", verdict=words(replay.verdict.value))
    page.heading(heading)
    if part.table is not None:
        _add_table(page, part.table)
    for sentence in part.sentences:
        page.add(*code_spans(one_line(sentence)), first=[("  • ", "faint")])


def _add_table(page: Page, table: Table) -> None:
    """Add a table; where it is too wide, each row becomes a paragraph."""
    from spikedoc.renderers._page import clip, pad, width_of

    rows = [
        (clip(page.spell(row[0]), WIDEST_NAME), *map(page.spell, row[1:])) for row in table.rows
    ]
    widths = [max(map(width_of, column)) for column in zip(*rows, strict=True)]
    if sum(widths) + GAP * len(widths) <= page.width:
        for index, row in enumerate(rows):
            cells = [pad(cell, width + GAP) for cell, width in zip(row, widths, strict=True)]
            page.raw((" " * GAP + "".join(cells), "faint" if index == 0 else ""))
        return
    head = rows[0]
    for row in rows[1:]:
        told = [f"{label} {cell}" for label, cell in zip(head[1:], row[1:], strict=True)]
        page.add((" · ".join(told), ""), first=[(f"  {pad(row[0], widths[0])}  ", "code")])


def _add_curves(page: Page, comparison: Comparison) -> None:
    """Add both losses, one above the other, on the same axes."""
    from spikedoc.renderers._plot import draw, label_width

    frame = _frame(comparison.plots)
    if frame is None:
        return
    gutter = label_width(frame, HEIGHT, unicode=page.unicode) + 2
    room = min(page.width - gutter - 2, WIDEST_CURVE)
    axis = "│" if page.unicode else "|"
    page.blank()
    for side, plot in zip("AB", comparison.plots, strict=True):
        chart = plot and draw(plot, max(room, 20), HEIGHT, unicode=page.unicode, frame=frame)
        if not chart:
            continue
        for index, (row, label) in enumerate(zip(chart.rows, chart.labels, strict=True)):
            left = side if index == 0 else " "
            margin = left + label.rjust(gutter - 1)
            page.raw((margin, "strong" if index == 0 else "faint"), (axis, "faint"), (row, "curve"))
    if chart:
        page.raw((" " * (gutter + 1) + chart.tick_labels, "faint"))


def _frame(plots: tuple[Plot | None, Plot | None]) -> Plot | None:
    """Return a curve that has the range of both, None when one is missing."""
    a, b = plots
    if a is None or b is None or not a.steps or not b.steps:
        return None
    points = sorted(
        [*zip(a.steps, a.values, strict=True), *zip(b.steps, b.values, strict=True)],
        key=lambda point: point[0],
    )
    return Plot(
        a.signal, tuple(step for step, _ in points), tuple(v for _, v in points), a.log or b.log
    )


FORMAT: Final[Format] = render
