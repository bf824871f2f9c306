"""GitHub-flavoured Markdown from text that may hold anything: escaping and the size of an issue."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from spikedoc.cleaning import name, one_line

# GitHub refuses a body of more than 65,536 characters; the rest is left for the reader's own words.
BUDGET: Final = 60_000

# Signs with a meaning inside a line; `$` begins a formula on GitHub.
INLINE_SIGNS: Final = re.compile(r"([\\*\[\]|~$])")
UNDERSCORE_AT_WORD_EDGE: Final = re.compile(r"(?<![^\W_])_|_(?![^\W_])")

# A mention or an issue number notifies people or links to something unrelated.
REFERENCE: Final = re.compile(r"([@#])(?=\w)|(?<=GH)(-)(?=\d)")
ZERO_WIDTH_SPACE: Final = "\N{ZERO WIDTH SPACE}"

# A pipe ends a cell even inside a code span.
BARE_PIPE: Final = re.compile(r"(?<!\\)\|")

# Code that holds backticks stands between longer runs of them.
BACKTICKS: Final = re.compile("`+")
FENCE: Final = 3

# Signs that begin a block when they are first on a line: heading, list, rule, number.
BLOCK_START: Final = re.compile(r"^([#+\-=>]|\d+(?=[.)]))")


def prose(text: str) -> str:
    """Return a sentence as Markdown; parts between backticks stay code, all else is plain text."""
    parts = one_line(text).split("`")
    if len(parts) % 2 == 0:
        return "\\`".join(plain(part) for part in parts)
    return "".join(_span(part) if i % 2 else plain(part) for i, part in enumerate(parts))


def plain(text: str) -> str:
    """Return text so that Markdown shows it as it is."""
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    text = INLINE_SIGNS.sub(r"\\\1", text)
    text = UNDERSCORE_AT_WORD_EDGE.sub(r"\\_", text)
    text = BLOCK_START.sub(_escape_start, text)
    return REFERENCE.sub(lambda found: found.group() + ZERO_WIDTH_SPACE, text)


def _escape_start(found: re.Match[str]) -> str:
    sign = found.group()
    return f"{sign}\\" if sign.isdigit() else f"\\{sign}"


def code(text: str) -> str:
    """Return a name as a code span: no mention, tag or emphasis acts in it."""
    return _span(name(text))


def code_line(text: str) -> str:
    """Return a line of code as a code span, in full."""
    return _span(one_line(text))


def listing(lines: Sequence[str]) -> str:
    """Return lines of Python as a fenced block."""
    safe = [one_line(line) for line in lines]
    fence = "`" * max(FENCE, *(_longest_run(line) + 1 for line in safe))
    return "\n".join([f"{fence}python", *safe, fence])


def _span(text: str) -> str:
    safe = text.strip()
    if "`" not in safe:
        return f"`{safe}`" if safe else ""
    fence = "`" * (_longest_run(safe) + 1)
    return f"{fence} {safe} {fence}"


def _longest_run(text: str) -> int:
    """Return the length of the longest run of backticks."""
    return max((len(run) for run in BACKTICKS.findall(text)), default=0)


def html(text: str) -> str:
    """Return text for the inside of an HTML tag such as `<summary>`."""
    safe = (
        one_line(text)
        .replace("`", "")
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
    )
    return REFERENCE.sub(lambda found: found.group() + ZERO_WIDTH_SPACE, safe)


def table(columns: list[str], rows: list[list[str]]) -> str:
    """Return a table of cells that are Markdown already."""
    safe = [[BARE_PIPE.sub(r"\\|", cell) for cell in row] for row in rows]
    lines = [columns, ["---"] * len(columns), *safe]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def fold(summary: str, body: str) -> str:
    """Return a folded block; GitHub needs the empty lines around its body."""
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of the report; the highest `tier` is left out first when it grows too long."""

    tier: int
    name: str  # for the sentence that says what was left out
    body: str


def fit(
    blocks: list[Block], budget: int, measure: Callable[[str], int] = len
) -> tuple[list[Block], list[str]]:
    """Return the blocks that fit, in order, and the names of those left out."""
    kept = [block for block in blocks if block.body]
    dropped: list[str] = []
    while sum(measure(block.body) + len("\n\n") for block in kept) > budget and len(kept) > 1:
        worst = max(range(len(kept)), key=lambda place: (kept[place].tier, place))
        dropped.append(kept.pop(worst).name)
    return kept, list(dict.fromkeys(reversed(dropped)))
