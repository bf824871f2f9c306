"""The comparison as GitHub-flavoured Markdown."""

from __future__ import annotations

from typing import Final

from spikedoc.comparison.formats._content import Part, Table, Words, parts, run_line
from spikedoc.comparison.formats.base import Format, Options
from spikedoc.comparison.result import Comparison
from spikedoc.renderers._github import plain, prose, table


def render(comparison: Comparison, options: Options) -> str:
    """Return a page whose every text from a log is escaped."""
    words = Words(options.language)
    blocks = [
        f"## {plain(words('title'))}",
        f"**{plain(words(comparison.outcome.value))}** {prose(words.of(comparison.headline))}",
        "\n".join(
            f"- {side}{words('colon')}{plain(run_line(run, words))}"
            for side, run in (("A", comparison.a), ("B", comparison.b))
        ),
    ]
    for part in parts(comparison, words):
        blocks += _part(part, comparison, words)
    return "\n\n".join(blocks) + "\n"


def _part(part: Part, comparison: Comparison, words: Words) -> list[str]:
    replay = comparison.replay
    heading = part.heading
    if replay is not None and heading == words("heading.replay"):
        heading += words("verdict", verdict=words(replay.verdict.value))
    blocks = [f"### {plain(heading)}"]
    if part.table is not None:
        blocks.append(_table(part.table))
    if part.sentences:
        blocks.append("\n".join(f"- {prose(sentence)}" for sentence in part.sentences))
    return blocks


def _table(content: Table) -> str:
    head, *rows = [[_cell(cell) for cell in row] for row in content.rows]
    return table(head, rows)


def _cell(text: str) -> str:
    """Return text for a cell: no sign begins a block there, so a number keeps its point."""
    return plain(f"x{text}").removeprefix("x")


FORMAT: Final[Format] = render
