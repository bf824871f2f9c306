"""Text of the catalogue as Markdown that GitHub shows unchanged."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

# Outside code spans these start markup on GitHub: HTML, emphasis, formulas.
SPECIAL: Final = {"<": "&lt;", "*": r"\*", "$": r"\$"}
CODE_SPAN: Final = re.compile(r"(`+[^`]*`+)")
ARXIV: Final = re.compile(r"\barXiv:(\d{4}\.\d{4,5})")


def prose(text: str) -> str:
    """Return `text` with what GitHub would take for markup escaped; code spans stay."""
    parts = CODE_SPAN.split(text)
    return "".join(part if i % 2 else _escaped(part) for i, part in enumerate(parts))


def _escaped(text: str) -> str:
    for mark, written in SPECIAL.items():
        text = text.replace(mark, written)
    return text


def source(text: str) -> str:
    """Return a source with its arXiv numbers as links."""
    return ARXIV.sub(r"[arXiv:\1](https://arxiv.org/abs/\1)", prose(text))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; a bar inside a cell is escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(c.replace("|", r"\|") for c in row) + " |" for row in lines)


def page(made_from: str, blocks: Iterable[str]) -> str:
    """Return a page of blocks set apart by empty lines, with a note on where it comes from."""
    note = f"<!-- Written by docs/generate.py from {made_from}; change that and run it again. -->"
    return "\n\n".join([note, *(block for block in blocks if block)]) + "\n"
