"""Rows of numbers as they come, to columns."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import numpy as np

from spikedoc.model.run import FloatArray, IntArray
from spikedoc.readers import _notes
from spikedoc.readers._column import Column
from spikedoc.readers._columns import MOST_COLUMNS, named_counters, series_of
from spikedoc.readers._memory import ROWS_THINNED
from spikedoc.readers.base import RawSeries
from spikedoc.text import Text


class _Cells:
    """A column that grows; its rows are written down only once one row was left out."""

    __slots__ = ("_rows", "_values")

    def __init__(self, rows: IntArray | None = None, values: FloatArray | None = None) -> None:
        self._values = array("d") if values is None else array("d", values.tobytes())
        self._rows: array[int] | None = None
        if rows is not None and (rows != np.arange(rows.size)).any():
            self._rows = array("q", rows.tobytes())

    def __len__(self) -> int:
        return len(self._values)

    def append(self, row: int, value: float) -> None:
        """Append the value of `row`, which is not below the last one."""
        if self._rows is None and row != len(self._values):
            self._rows = array("q", range(len(self._values)))
        self._values.append(value)
        if self._rows is not None:
            self._rows.append(row)

    def extend(self, first: int, values: array[float]) -> None:
        """Append the values of the rows from `first` on."""
        if self._rows is None and first != len(self._values):
            self._rows = array("q", range(len(self._values)))
        self._values.extend(values)
        if self._rows is not None:
            self._rows.extend(range(first, first + len(values)))

    def column(self, every_row: IntArray) -> Column:
        """Return the column, which cannot grow afterwards; `every_row` counts 0, 1, 2, …."""
        values = np.frombuffer(self._values, dtype=np.float64)
        if self._rows is None:
            return Column(every_row[: values.size], values)
        return Column(np.frombuffer(self._rows, dtype=np.int64), values)


class ColumnsBuilder:
    """Collects rows of numbers; keeps eight bytes for a value, and eight more in sparse columns."""

    def __init__(self, most: int | None = None) -> None:
        """Start with no rows; of more than `most` numbers only some rows are kept."""
        self.row_count = 0
        self.is_full = False  # some columns were left out
        self._cells: dict[str, _Cells] = {}
        self._most, self._held, self._thinned = most, 0, 0
        self._numbers: IntArray | None = None  # of the rows kept, as the file counts them

    def add(self, row: Iterable[tuple[str, float]]) -> None:
        """Append one row; later cells of the same name in the row win when series are built."""
        index = self.row_count
        for tag, value in row:
            cells = self._cells.get(tag, None)
            cells = self._new(tag) if cells is None else cells
            if cells is not None:
                cells.append(index, value)
                self._held += 1
        self.row_count += 1
        if self._most is not None and self._held > self._most:
            self._thin(self._most)

    def add_block(self, tags: Sequence[str], rows: Sequence[Sequence[float]]) -> None:
        """Append rows with a number for each of `tags`; raises OverflowError, adding nothing."""
        self.add_columns(tags, [array("d", column) for column in zip(*rows, strict=True)])

    def add_columns(self, tags: Sequence[str], columns: Sequence[array[float]]) -> None:
        """Append rows given as one equally long column for each of `tags`."""
        for tag, values in zip(tags, columns, strict=True):
            cells = self._cells.get(tag, None)
            cells = self._new(tag) if cells is None else cells
            if cells is not None:
                cells.extend(self.row_count, values)
                self._held += len(values)
        self.row_count += len(columns[0])
        if self._most is not None and self._held > self._most:
            self._thin(self._most)

    def _thin(self, most: int) -> None:
        """Keep about half of the numbers that may be kept."""
        from spikedoc.readers._columns_thinning import chosen_rows  # few logs are that long

        every_row = np.arange(self.row_count, dtype=np.int64)
        columns = {tag: partial(_cells_of, one, every_row) for tag, one in self._cells.items()}
        per_row = max(1.0, self._held / self.row_count)
        wanted = max(2, int(most / per_row / 2))
        rows = chosen_rows(columns, self.row_count, wanted, named_counters(columns))
        self._numbers = self.numbers()[rows.kept]
        self._cells = {tag: _Cells(*rows.of(cells())) for tag, cells in columns.items()}
        self._thinned += self.row_count - rows.kept.size
        self._held = sum(len(one) for one in self._cells.values())
        self.row_count = rows.kept.size

    def numbers(self) -> IntArray:
        """Return the numbers of the rows as the file counts them."""
        if self._numbers is None:
            return np.arange(self.row_count, dtype=np.int64)
        more = self.row_count - self._numbers.size
        first = int(self._numbers[-1]) + 1
        return np.append(self._numbers, np.arange(first, first + more, dtype=np.int64))

    def _new(self, tag: str) -> _Cells | None:
        """A new column; None when there are too many already."""
        if len(self._cells) >= MOST_COLUMNS:
            self.is_full = True
            return None
        return self._cells.setdefault(tag, _Cells())

    def series(
        self, added: Mapping[str, Column] | None = None
    ) -> tuple[tuple[RawSeries, ...], tuple[Text, ...]]:
        """Return one series per column, `added` ones included, and notes; see `series_of`."""
        numbers = None if self._numbers is None else self.numbers()
        series, notes = series_of({**self.columns(), **(added or {})}, self.row_count, numbers)
        if self._thinned:
            notes = (*notes, ROWS_THINNED.fill({"count": self._thinned}))
        if self.is_full:
            notes = (*notes, _notes.QUANTITIES.fill({"most": MOST_COLUMNS}))
        return series, notes

    def columns(self) -> dict[str, Column]:
        """Return the columns in the order in which they first appeared."""
        every_row = np.arange(self.row_count, dtype=np.int64)
        return {tag: cells.column(every_row) for tag, cells in self._cells.items()}


def _cells_of(cells: _Cells, every_row: IntArray) -> tuple[IntArray, FloatArray]:
    column = cells.column(every_row)
    return column.rows, column.values
