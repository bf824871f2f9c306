"""Lines of a printed log that count only where others do not tell the same, or tell it better."""

from __future__ import annotations

import re
from array import array
from collections.abc import Collection, Mapping
from typing import Final

import numpy as np

from spikedoc.readers._column import Column
from spikedoc.readers.lines._pairs import is_held_out
from spikedoc.readers.lines.nanogpt import ESTIMATE, ESTIMATE_NOTE, EVAL_NOTE
from spikedoc.text import Text

_LOSS: Final = "loss"
_WORD_BREAK: Final = re.compile(r"[_/.\-]")


def without_loose(
    columns: Mapping[str, Column],
    loose: array[int],
    first_placed: int,
    placed_tags: Collection[str],
) -> dict[str, Column]:
    """Drop what lines without a place say when other lines say it, or only once.

    `loose` are the rows of such lines, `first_placed` is the first row of a line with a place.
    """
    rows = np.array(loose, dtype=np.int64)
    kept = {}
    for tag, column in columns.items():
        is_loose = np.isin(column.rows, rows)
        stays = ~is_loose | (column.rows > first_placed)
        is_single = int(stays.sum()) == 1 and not is_held_out(_WORD_BREAK.sub(" ", tag))
        if tag in placed_tags or is_single:
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
