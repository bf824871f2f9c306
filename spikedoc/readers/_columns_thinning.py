"""Rows of a table that grew too long: those on an even grid, and those that stand out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from spikedoc.model.run import FloatArray, IntArray
from spikedoc.signal.decimation import FIRST, chosen, prominence

Cells = tuple[IntArray, FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The rows that were kept; they are counted anew from 0 on."""

    kept: IntArray  # ascending

    def of(self, column: Cells) -> Cells:
        """Return the cells of a column in the rows that were kept, by their new numbers."""
        rows, values = column
        at = np.searchsorted(self.kept, rows)
        stays = self.kept[np.minimum(at, self.kept.size - 1)] == rows
        return at[stays].astype(np.int64), values[stays]


def chosen_rows(
    columns: Mapping[str, Callable[[], Cells]], row_count: int, most: int, counters: frozenset[str]
) -> Rows:
    """Return at most `most` rows to keep.

    Columns are asked for one by one. Where one of the `counters` goes back, the log was continued:
    these rows stay, as far as there is room.
    """
    score = np.zeros(row_count)
    for tag, cells in columns.items():
        rows, values = cells()
        if tag in counters:
            back = np.flatnonzero(values[1:] < values[:-1])
            score[rows[back]] = score[rows[back + 1]] = FIRST
        else:
            score[rows] = np.maximum(score[rows], prominence(values))
    return Rows(chosen(score, most))
