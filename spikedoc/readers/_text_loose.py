"""Lines of a printed log that count only where others do not tell the same, or tell it better."""

from __future__ import annotations

import re
from array import array
from typing import Final

import numpy as np

from spikedoc.readers._column import Column
from spikedoc.readers._text_writers import names_place
from spikedoc.readers.lines._pairs import is_held_out
from spikedoc.readers.lines.base import Record
from spikedoc.readers.lines.nanogpt import ESTIMATE, ESTIMATE_NOTE, EVAL_NOTE
from spikedoc.text import Text

_LOSS: Final = "loss"
_WORD_BREAK: Final = re.compile(r"[_/.\-]")


class LooseRows:
    """The rows of lines that name no place, and what the lines that name one hold."""

    def __init__(self) -> None:
        """Start with none."""
        self._rows = array("q")
        self._first_placed: int | None = None
        self.placed_tags: set[str] = set()

    def see(self, record: Record, rows: range) -> None:
        """Note that `rows` say what `record` says."""
        is_placed = names_place(record)
        if record.is_loose and not is_placed:
            self._rows.extend(rows)
        elif is_placed:
            self._first_placed = rows[0] if self._first_placed is None else self._first_placed
            self.placed_tags.update(record.values)

    def without(self, columns: dict[str, Column]) -> dict[str, Column]:
        """Drop what lines without a place say when other lines say it, or only once."""
        if self._first_placed is None or not self._rows:
            return columns
        rows = np.array(self._rows, dtype=np.int64)
        kept = {}
        for tag, column in columns.items():
            is_loose = np.isin(column.rows, rows)
            stays = ~is_loose | (column.rows > self._first_placed)
            is_single = int(stays.sum()) == 1 and not is_held_out(_WORD_BREAK.sub(" ", tag))
            if tag in self.placed_tags or is_single:
                stays &= ~is_loose
            if stays.any():
                kept[tag] = Column(column.rows[stays], column.values[stays])
        return kept


def settled_estimate(columns: dict[str, Column]) -> tuple[Text, ...]:
    """Make the training loss of evaluation lines the loss where no iteration told its own.

    Where one did it is taken out of `columns`. Returns a note that says which of both was done.
    """
    estimate = columns.pop(ESTIMATE, None)
    if estimate is None:
        return ()
    if _LOSS in columns:
        return (EVAL_NOTE,)
    columns[_LOSS] = estimate
    return (ESTIMATE_NOTE,)
