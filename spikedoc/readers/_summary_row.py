"""The last row of a table that names no step: what it repeats are results of the whole run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from spikedoc.readers._column import Column
from spikedoc.readers._notes import SUMMARY_ROW
from spikedoc.text import Text

# Rows that must name their step before, all of them but the last.
LEAST_ROWS: Final = 3


def without_summary(
    columns: Mapping[str, Column], row_count: int, counter: str | None
) -> tuple[Mapping[str, Column], tuple[Text, ...]]:
    """Return the columns without what a summary row says again of the last step, and a note.

    `counter` is the column of steps. A row of an evaluation names no step either where it is
    written behind that of the training; it does not say again what that row has said.
    """
    rows = columns[counter].rows if counter else None
    last = row_count - 1
    if rows is None or rows.size != last or last < LEAST_ROWS or rows[-1] != last - 1:
        return columns, ()
    again = [tag for tag, one in columns.items() if one.rows[-2:].tolist() == [last - 1, last]]
    if not again:
        return columns, ()
    cut = {tag: Column(columns[tag].rows[:-1], columns[tag].values[:-1]) for tag in again}
    return {**columns, **cut}, (SUMMARY_ROW,)
