"""A ranking as Markdown for an issue or a chat."""

from __future__ import annotations

from typing import Final

from spikedoc.renderers._github import plain, prose, table
from spikedoc.renderers.base import RenderOptions
from spikedoc.samples.formats.base import Format
from spikedoc.samples.result import Ranking
from spikedoc.samples.words import ADVICE_HEADING, APART, COLUMNS, NONE_APART, cells, title


def render(ranking: Ranking, options: RenderOptions) -> str:
    """Return the ranking as GitHub-flavoured Markdown."""
    language = options.language
    badge = (APART if ranking.apart else NONE_APART).get(language)
    blocks = [f"### {prose(title(ranking).get(language))}"]
    blocks.append(f"**{badge}** – {prose(ranking.statement.get(language))}")
    rows = [
        [plain(text.get(language)) for text in cells(sample, ranking.unit)]
        for sample in ranking.ranked
    ]
    if rows:
        blocks.append(table([column.get(language) for column in COLUMNS], rows))
    if ranking.advice:
        blocks.append(f"**{ADVICE_HEADING.get(language)}**")
        blocks.append("\n".join(f"- {prose(text.get(language))}" for text in ranking.advice))
    blocks += [prose(note.get(language)) for note in ranking.notes]
    return "\n\n".join(blocks) + "\n"


FORMAT: Final[Format] = render
