"""Tables of tens of megabytes and more, through pandas' C parser, in pieces."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from spikedoc.model.run import FloatArray, IntArray
from spikedoc.readers._columns import MOST_COLUMNS, Column, series_of
from spikedoc.readers._csv_end import whole_rows_of
from spikedoc.readers._csv_layout import Layout, surplus_notes
from spikedoc.readers._memory import keep_freed_memory
from spikedoc.readers._numbers import numbers
from spikedoc.readers.base import Progress, Table

if TYPE_CHECKING:
    import pandas as pd

# Rows parsed at a time: of 25,000, 50,000, 100,000 and 200,000 rows, 50,000 were read fastest.
ROWS_AT_A_TIME: Final = 50_000
# Of tables with hundreds of columns fewer rows are held at a time.
CELLS_AT_A_TIME: Final = 5_000_000
# Room beyond the number of rows that the first piece lets expect; untouched room costs nothing.
ROOM_FACTOR: Final = 1.1


def read_large(path: Path, layout: Layout, head: str, progress: Progress | None) -> Table | None:
    """Return the table; None when pandas cannot parse it, so that the small parser must try.

    Only an empty cell is missing here. A column in which pandas meets a word (`nan`, `null`, a
    repeated header) comes as text and is turned into numbers by the rules of the small parser.
    `head` is the beginning of the file.
    """
    import pandas as pd

    keep_freed_memory()
    size, table, width = path.stat().st_size, _Growing(), len(layout.names)
    try:
        with path.open("rb") as file:
            rows, cut = whole_rows_of(file, size, layout.delimiter)
            chunks = pd.read_csv(
                rows,
                sep=layout.delimiter,
                names=range(width),
                header=0,  # takes a fifth less time than to skip it and to say that there is none
                skiprows=layout.skip - 1,
                index_col=False,
                keep_default_na=False,
                na_values=[""],
                skipinitialspace=f"{layout.delimiter} " in head,  # takes a third more time
                usecols=range(MOST_COLUMNS) if width > MOST_COLUMNS else None,
                chunksize=max(1, min(ROWS_AT_A_TIME, CELLS_AT_A_TIME // width)),
                encoding="utf-8",
                encoding_errors="replace",
                decimal="," if layout.decimal_comma else ".",
                on_bad_lines="skip",
                low_memory=False,
            )
            for chunk in chunks:
                table.room = table.room or _room(len(chunk), file.tell(), size)
                table.add(layout.names, chunk)
                if progress is not None:
                    progress(min(file.tell(), size), size)
    except (ValueError, pd.errors.ParserError, UnicodeError):
        return None
    series, notes = series_of(table.columns(), table.row_count)
    told = (*layout.notes, *notes, *([cut] if cut else []), *surplus_notes(layout))
    return Table(series, notes=told) if series else None


def _room(rows: int, done: int, size: int) -> int:
    """Rows to expect in the file, from the rows in its first `done` bytes."""
    return int(ROOM_FACTOR * rows * max(1.0, size / max(1, done))) + ROWS_AT_A_TIME


class _Growing:
    """The columns read so far, each in one array with room for the rest of the file."""

    def __init__(self) -> None:
        self.room = 0
        self.row_count = 0
        self._parts: dict[str, _GrowingColumn] = {}

    def add(self, names: Sequence[str], chunk: pd.DataFrame) -> None:
        """Append the numbers of a piece of the table, whose columns are called by their place."""
        for place, name in enumerate(names[: len(chunk.columns)]):
            rows, values = _numbers_in(chunk[place].to_numpy())
            if values.size and name:
                part = self._parts.setdefault(name, _GrowingColumn(self.room))
                part.add(self.row_count, rows, values)
        self.row_count += len(chunk)

    def columns(self) -> dict[str, Column]:
        """Return the columns; those with a number in each row share their row numbers."""
        every_row = np.arange(self.row_count, dtype=np.int64)
        return {tag: part.column(every_row) for tag, part in self._parts.items()}


class _GrowingColumn:
    def __init__(self, room: int) -> None:
        self._values: FloatArray = np.empty(room, dtype=np.float64)
        self._rows: IntArray | None = None  # None as long as there is a number in each row
        self._size = 0

    def add(self, first: int, rows: IntArray | None, values: FloatArray) -> None:
        """Append values; `rows` counts from `first`, None means one value for each row."""
        end = self._size + values.size
        if end > self._values.size:
            self._values = np.resize(self._values, 2 * end)
            self._rows = None if self._rows is None else np.resize(self._rows, 2 * end)
        if self._rows is None and (rows is not None or first != self._size):
            self._rows = np.arange(self._values.size, dtype=np.int64)
        self._values[self._size : end] = values
        if self._rows is not None:
            self._rows[self._size : end] = first + (
                np.arange(values.size) if rows is None else rows
            )
        self._size = end

    def column(self, every_row: IntArray) -> Column:
        """Return the column."""
        rows = every_row if self._rows is None else self._rows
        return Column(rows[: self._size], self._values[: self._size])


def _numbers_in(cells: FloatArray) -> tuple[IntArray | None, FloatArray]:
    """Rows and values of the cells with a number; None for the rows when that is all of them."""
    if cells.dtype.kind == "b":
        return None, np.zeros(0)
    if cells.dtype.kind not in "iuf":
        return numbers(["" if cell != cell else str(cell) for cell in cells])  # noqa: PLR0124
    missing = np.isnan(cells) if cells.dtype.kind == "f" else np.zeros(0, dtype=bool)
    if not missing.any():
        return None, cells
    rows = np.flatnonzero(~missing).astype(np.int64)
    return rows, cells[rows].astype(np.float64)
