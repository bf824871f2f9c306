"""Several reports in one issue: whole while they fit, else a table and what there is room for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from spikedoc.cleaning import shorten
from spikedoc.model.report import Report
from spikedoc.renderers._github import BUDGET, code, plain, prose, table
from spikedoc.renderers._strings import Words
from spikedoc.text import Text

RULE: Final = "\n---\n\n"
# A report shorter than this says little more than its line in the table.
LEAST: Final = 2_500
# Lines of the table, and characters of a verdict in it: a third of an issue at most.
LINES: Final = 60
VERDICT: Final = 160


class Part(Protocol):
    """One report that can be written at several lengths."""

    @property
    def report(self) -> Report:
        """The report itself."""

    def text(self, budget: int = BUDGET) -> str:
        """Return the report in at most `budget` characters where it can."""

    def of(self, text: Text) -> str:
        """Return a text in the language of the document."""


def together(parts: Sequence[Part], words: Words) -> str:
    """Return all reports in at most `BUDGET` characters, those cut that are too long."""
    whole = [part.text() for part in parts]
    if sum(map(len, whole)) + len(RULE) * (len(parts) - 1) <= BUDGET:
        return RULE.join(whole)
    head = _table(parts, words)
    room = BUDGET - len(head) - len(RULE) - VERDICT
    shown = min(len(parts), room // (LEAST + len(RULE)))
    shares = fair_shares([len(text) + len(RULE) for text in whole[:shown]], room)
    cut = [
        text if len(text) + len(RULE) <= share else part.text(share - len(RULE))
        for part, text, share in zip(parts, whole, shares, strict=False)
    ]
    while cut and sum(len(text) + len(RULE) for text in cut) > room:
        cut.pop()  # heads alone can be longer than their shares
    _fill(cut, parts, room)
    rest = len(parts) - len(cut)
    told = f"{words('markdown.listed_only', n=rest)}\n" if rest else ""
    return RULE.join([head + (f"\n{told}" if told else ""), *cut])


def _fill(cut: list[str], parts: Sequence[Part], room: int) -> None:
    """Give the room that whole blocks left over to the first reports that can use it."""
    left = room - sum(len(text) + len(RULE) for text in cut)
    for place, text in enumerate(cut):
        longer = parts[place].text(min(BUDGET, len(text) + left))
        if len(text) < len(longer) <= len(text) + left:
            left -= len(longer) - len(text)
            cut[place] = longer


def fair_shares(lengths: Sequence[int], room: int) -> list[int]:
    """Return how much of `room` each gets: what it needs, or as much as all the others that lack.

    The sum is at most `room`.
    """
    shares = [0] * len(lengths)
    waiting = sorted(range(len(lengths)), key=lambda place: lengths[place])
    for done, place in enumerate(waiting):
        shares[place] = min(lengths[place], room // (len(waiting) - done))
        room -= shares[place]
    return shares


def _table(parts: Sequence[Part], words: Words) -> str:
    columns = [words(f"page.{key}") for key in ("status", "run", "headline")]
    rows = [
        [
            words(f"status.{part.report.status.value}"),
            code(part.report.run.name),
            prose(shorten(part.of(part.report.headline), VERDICT)),
        ]
        for part in parts[:LINES]
    ]
    title = plain(words("markdown.runs", n=len(parts)))
    more = len(parts) - LINES
    tail = f"\n\n{words('markdown.rows_left_out', n=more)}" if more > 0 else ""
    return f"## {title}\n\n{table(columns, rows)}{tail}\n\n{words('markdown.cut')}\n"
