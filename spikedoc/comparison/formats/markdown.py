"""The comparison as GitHub-flavoured Markdown."""

from __future__ import annotations

from typing import Final

from spikedoc.comparison.formats._content import Part, Table, Words, parts, run_line
from spikedoc.comparison.formats.base import Format, Options
from spikedoc.comparison.result import Comparison
from spikedoc.renderers._github import plain, prose


def render(comparison: Comparison, options: Options) -> str:
    """Return a page whose every text from a log is escaped."""
    words = Words(options.language)
    blocks = [
        f"## {plain(words('title'))}",
        f"**{plain(words(comparison.outcome.value))}** {prose(words.of(comparison.headline))}",
        "\n".join(
            f"- {side}: {plain(run_line(run, words))}"
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
        heading = f"{heading}: {words(replay.verdict.value)}"
    blocks = [f"### {plain(heading)}"]
    if part.table is not None:
        blocks.append(_table(part.table))
    if part.sentences:
        blocks.append("\n".join(f"- {prose(sentence)}" for sentence in part.sentences))
    return blocks


def _table(table: Table) -> str:
    lines = [f"| {' | '.join(plain(cell) for cell in row)} |" for row in table.rows]
    rule = f"|{' --- |' * len(table.rows[0])}"
    return "\n".join([lines[0], rule, *lines[1:]])


FORMAT: Final[Format] = render
