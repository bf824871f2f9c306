"""Tables as fastai, skorch, spaCy and the Trainer's notebook print them: a heading, then rows."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers._numbers import LARGEST_STEP, number
from spikedoc.readers.lines._quantities import PLACED
from spikedoc.readers.lines.base import NOTHING, LineProfile, Record, Remembering

_BREAK: Final = re.compile(r"\s{2,40}|\t|\s?[|│┃]\s?")
_COUNTERS: Final = ("epoch", "epochs", "step", "steps", "iter", "iteration", "global_step")
# spaCy counts epochs in one column and steps in the next.
_SPACY: Final = ["E", "#"]
_RULE: Final = re.compile(r"[-=─━+|\s┼╇┿]{3,400}")
# `3,`, `3/50` and `loss:0.5` are values of a record, no names of columns.
_VALUE: Final = re.compile(r"\d|.{0,60}[:=](?:[-+]?\.?\d|[-+]?nan|[-+]?inf)", re.IGNORECASE)
# fastai draws its bar where the next row will be.
_BAR: Final = re.compile(r"Epoch \d{1,6}/\d{1,6} :.{0,400}")
# Chainer draws its bars under each row: `120 iter, 3 epoch / 15 epochs`, `1.2 iters/sec. …`.
_CHAINER_BAR: Final = re.compile(r"\d{1,12}(?:\.\d{1,12})? iters?(?:, |/sec).{0,200}")
# A table of results has tens of columns at most.
MOST_COLUMNS: Final = 60
MOST_NAME: Final = 60


class _Parser(Remembering):
    """Rows count while they have as many cells as the heading."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.first = 0  # column of the counter

    def take(self, line: str) -> Record | None:
        if not self.names and line[:1].isdigit():
            return None
        cells = _cells(line)
        if cells and (cells[:2] == _SPACY or cells[0].lower() in _COUNTERS) and _is_heading(cells):
            self.names, self.first = cells, int(cells[:2] == _SPACY)
            return NOTHING
        if not self.names:
            return None
        if any(one.fullmatch(line) for one in (_RULE, _BAR, _CHAINER_BAR)):
            return NOTHING
        if len(cells) != len(self.names):
            self.names = []
            return None
        place = number(cells[self.first])
        if place is None or not 0 <= place < LARGEST_STEP or place != int(place):
            return None
        pairs = list(zip(self.names, cells, strict=True))[self.first + 1 :]
        values = {name: value for name, cell in pairs if (value := number(cell)) is not None}
        if self.names[self.first].lower().startswith("epoch"):
            return Record(values, None, str(int(place)))
        return Record(values, int(place))


def _cells(line: str) -> list[str]:
    cells = [cell.strip() for cell in _BREAK.split(line.strip("|│┃ \t")) if cell.strip()]
    return cells if len(cells) > 1 else line.split()


def _is_heading(cells: list[str]) -> bool:
    if not 2 <= len(cells) <= MOST_COLUMNS or any(len(cell) > MOST_NAME for cell in cells):
        return False
    words = " ".join(cells[1:]).lower()
    return PLACED.search(words) is not None and not any(
        number(cell) is not None or cell[-1:] in ":=" or "=" in cell or _VALUE.match(cell)
        for cell in cells
    )


def _claims(line: str) -> bool:
    first = line.lstrip("|│┃ \t")[:1]
    return first.isdigit() or first in "eEsSiIgG-=─━+"


PROFILE: Final = LineProfile("columns", 700, _claims, _Parser)
