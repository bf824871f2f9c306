"""A comparison as Markdown for an issue or a chat."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.cleaning import name
from spikedoc.coincidence.section import in_markdown
from spikedoc.renderers._github import plain, prose, table
from spikedoc.renderers.base import RenderOptions
from spikedoc.sweep.formats.base import Format
from spikedoc.sweep.result import Comparison, Sweep
from spikedoc.sweep.words import (
    BADGES,
    COLUMNS,
    RANGE_TEST,
    is_chosen,
    row,
    statement,
    title,
    window_line,
)
from spikedoc.text import Language

NUMBERS: Final = re.compile(r"[-+.\de ]*")


def render(comparison: Comparison, options: RenderOptions) -> str:
    """Return the comparison as GitHub-flavoured Markdown."""
    language = options.language
    blocks = [block for sweep in comparison.sweeps for block in _sweep(sweep, language)]
    for test in comparison.range_tests:
        blocks += [
            f"### {RANGE_TEST.get(language)}: {plain(name(test.name))}",
            prose(test.text.get(language)),
        ]
    if comparison.coincidences:
        blocks.append(in_markdown(comparison.coincidences, language))
    blocks += [prose(note.get(language)) for note in comparison.notes]
    return "\n\n".join(blocks) + "\n"


def _sweep(sweep: Sweep, language: Language) -> list[str]:
    badge = BADGES[sweep.proposal.kind].get(language)
    blocks = [f"### {prose(title(sweep, language))}"]
    blocks.append(f"**{badge}** – {prose(statement(sweep, language))}")
    steady = window_line(sweep, language)
    if steady:
        blocks.append(prose(steady))
    rows = [[_cell(cell) for cell in row(value, language)] for value in sweep.values]
    for value, cells in zip(sweep.values, rows, strict=True):
        cells[0] = f"**{cells[0]}**" if is_chosen(value, sweep) else cells[0]
    head = [plain(name(sweep.setting.key)), *(column.get(language) for column in COLUMNS)]
    used = [at for at in range(len(head)) if at == 0 or any(cells[at] for cells in rows)]
    blocks.append(table([head[at] for at in used], [[cells[at] for at in used] for cells in rows]))
    if sweep.notes:
        blocks.append("\n".join(f"- {prose(note.get(language))}" for note in sweep.notes))
    return blocks


def _cell(text: str) -> str:
    """Numbers as they are: only at the start of a line would they begin a list."""
    return text if NUMBERS.fullmatch(text) else plain(text)


FORMAT: Final[Format] = render
