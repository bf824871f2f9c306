"""Tables of tens of megabytes and more, through pandas' C parser, in pieces."""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import numpy as np

from spikedoc.model.run import FloatArray, IntArray
from spikedoc.readers._column import Column
from spikedoc.readers._columns import MOST_COLUMNS, named_counters, series_of, with_counters
from spikedoc.readers._columns_thinning import chosen_rows
from spikedoc.readers._csv_end import BUFFER_BYTES, whole_rows_of
from spikedoc.readers._csv_headerless import with_position_step
from spikedoc.readers._csv_layout import Layout, surplus_notes
from spikedoc.readers._csv_long import places_in
from spikedoc.readers._csv_long_large import LongPieces
from spikedoc.readers._csv_torn import TORN_ROWS, WholeRows
from spikedoc.readers._long_phases import long_codes, piece_of
from spikedoc.readers._memory import ROWS_THINNED, keep_freed_memory
from spikedoc.readers._numbers import numbers
from spikedoc.readers._phases import Codes, Phases, codes_of, notes_of, phases_among
from spikedoc.readers.base import Progress, RawSeries, Table
from spikedoc.text import Text

if TYPE_CHECKING:
    import pandas as pd

# Rows parsed at a time: of 25,000, 50,000, 100,000 and 200,000 rows, 50,000 were read fastest.
ROWS_AT_A_TIME: Final = 50_000
# Of tables with hundreds of columns fewer rows are held at a time.
CELLS_AT_A_TIME: Final = 5_000_000
# Bytes handed on at a time; those that were read ahead count as rows that are there.
HANDED_BYTES: Final = 65_536
# Room beyond the number of rows that the first piece lets expect; untouched room costs nothing.
ROOM_FACTOR: Final = 1.1


def read_large(
    path: Path, layout: Layout, head: str, most: int, progress: Progress | None
) -> Table | None:
    """Return the table; None when pandas cannot parse it, so that the small parser must try.

    Only an empty cell is missing here. A column in which pandas meets a word (`nan`, `null`, a
    repeated header) comes as text and is turned into numbers by the rules of the small parser.
    `head` is the beginning of the file. Of more than `most` numbers only some rows are kept.
    """
    keep_freed_memory()
    source = _Source(path, layout, head, path.stat().st_size, most, progress)
    return source.read_even() or source.read()


@dataclass(frozen=True, slots=True)
class _Source:
    """A large table, and how to read it."""

    path: Path
    layout: Layout
    head: str
    size: int  # when reading began; a writer may add to the file
    most: int
    progress: Progress | None

    def read_even(self) -> Table | None:
        """Return the table when all of its rows have one width, else None.

        pandas sees that itself: it refuses a longer row, and a shorter one lacks its last cell. To
        look for torn rows beforehand takes a third more time.
        """
        import pandas as pd

        if len(self.layout.names) > MOST_COLUMNS:  # of such a table pandas looks at no more
            return None
        options = _options(self.layout, self.head) | {"on_bad_lines": "error"}
        try:
            pieces = _pieces(self.layout, self.most, self._codes(torn=False))
            with self.path.open("rb") as file, warnings.catch_warnings():
                warnings.simplefilter("error", pd.errors.ParserWarning)  # a long first row
                begun, cut = whole_rows_of(file, self.size, self.layout.delimiter)
                for chunk in pd.read_csv(begun, **options):
                    if chunk[len(self.layout.names) - 1].isna().any():
                        return None
                    self._add(chunk, pieces, file, file.tell())
        except (ValueError, pd.errors.ParserWarning):
            return None
        return self._table(pieces, 0, cut)

    def read(self) -> Table | None:
        """Return the table without torn rows; None when pandas cannot parse it."""
        import pandas as pd

        try:
            pieces = _pieces(self.layout, self.most, self._codes(torn=True))
            with self.path.open("rb") as file:
                begun, cut = whole_rows_of(file, self.size, self.layout.delimiter)
                rows, handed = self._whole_rows(begun)
                for chunk in pd.read_csv(handed, **_options(self.layout, self.head)):
                    self._add(chunk, pieces, file, rows.given)
                return self._table(pieces, rows.count, cut)
        except ValueError:  # those of pandas and of decoding included
            return None

    def _whole_rows(self, begun: BinaryIO) -> tuple[WholeRows, BinaryIO]:
        rows = WholeRows(begun, self.layout.delimiter, len(self.layout.names), BUFFER_BYTES)
        return rows, io.BufferedReader(rows, HANDED_BYTES)

    def _codes(self, *, torn: bool) -> Codes:
        """What 0 and 1 mean in the columns that may tell phases, over the whole file."""
        import pandas as pd

        names, long = self.layout.names[:MOST_COLUMNS], places_in(self.layout.names)
        phases = long.phase if long else phases_among(names)
        if not phases:
            return {}
        places = [place for _, place in phases]
        only = [*places, long.tag, long.step] if long else with_counters(names, places)
        with self.path.open("rb") as file:
            begun = whole_rows_of(file, self.size, self.layout.delimiter)[0]
            rows = self._whole_rows(begun)[1] if torn else begun
            chunks = pd.read_csv(rows, **_options(self.layout, self.head) | {"usecols": only})
            if long:
                return long_codes(piece_of(chunk, long.tag, phases, long.step) for chunk in chunks)
            return codes_of([(names[p], chunk[p].to_numpy()) for p in only] for chunk in chunks)

    def _add(
        self, chunk: pd.DataFrame, pieces: _Growing | LongPieces, file: BinaryIO, done: int
    ) -> None:
        expected = len(chunk) * max(1.0, self.size / max(1, done))  # by the bytes so far
        pieces.expect(int(ROOM_FACTOR * expected) + ROWS_AT_A_TIME)
        pieces.add(chunk)
        if self.progress is not None:
            self.progress(min(file.tell(), self.size), self.size)

    def _table(self, pieces: _Growing | LongPieces, torn: int, cut: Text | None) -> Table | None:
        series, notes = pieces.result()
        told = (TORN_ROWS.fill({"count": torn}) if torn else None, cut)
        ends = (*filter(None, told), *surplus_notes(self.layout))
        return Table(series, notes=(*self.layout.notes, *notes, *ends)) if series else None


def _options(layout: Layout, head: str) -> dict[str, Any]:
    """How pandas is to read the table; columns are called by their place."""
    width = len(layout.names)
    return {
        "sep": layout.delimiter,
        "names": range(width),
        # skips the header: takes a fifth less time than to say that there is none
        "header": 0 if layout.header else None,
        "skiprows": layout.skip - (layout.header_lines if layout.header else 0),
        "index_col": False,
        "keep_default_na": False,
        "na_values": [""],
        "skipinitialspace": f"{layout.delimiter} " in head,  # takes a third more time
        "usecols": range(MOST_COLUMNS) if width > MOST_COLUMNS else None,
        "chunksize": max(1, min(ROWS_AT_A_TIME, CELLS_AT_A_TIME // width)),
        "encoding": "utf-8",
        "encoding_errors": "replace",
        "decimal": "," if layout.decimal_comma else ".",
        "on_bad_lines": "skip",
        "low_memory": False,
    }


def _pieces(layout: Layout, most: int, codes: Codes) -> _Growing | LongPieces:
    """What collects the rows: a table of columns, or one that names the series in a column."""
    places = places_in(layout.names)
    return _Growing(layout, most, codes) if places is None else LongPieces(places, most, codes)


class _Growing:
    """The columns read so far, each in one array with room for the rest of the file."""

    def __init__(self, layout: Layout, most: int, codes: Codes) -> None:
        """Start empty; of more than `most` numbers only some rows are kept."""
        self._layout = layout
        self._codes = codes
        self._room = 0
        self._most = most
        self._row_count = 0
        self._thinned = 0  # rows that were left out
        self._numbers: IntArray | None = None  # of the rows kept, as the file counts them
        self._parts: dict[str, _GrowingColumn] = {}
        self._notes: dict[Text, None] = {}

    def expect(self, room: int) -> None:
        """Make room for so many rows, unless there is some already."""
        self._room = self._room or room

    def add(self, chunk: pd.DataFrame) -> None:
        """Append the numbers of a piece of the table, whose columns are called by their place."""
        held = self._layout.names[: len(chunk.columns)]
        cells = ((name, chunk[place].to_numpy()) for name, place in phases_among(held))
        phases = Phases.of(cells, self._codes)
        self._notes.update(dict.fromkeys(notes_of(phases)))
        for place, name in enumerate(held):
            rows, values = _numbers_in(chunk[place].to_numpy(), self._layout)
            if not values.size or not name:
                continue
            if phases is None:
                self._add(name, rows, values)
                continue
            rows = np.arange(values.size, dtype=np.int64) if rows is None else rows
            for own_name, own_rows, own in phases.parts(name, rows, values):
                self._add(own_name, own_rows, own)
        if self._numbers is not None:
            first = self._thinned + self._row_count
            self._numbers = np.append(self._numbers, np.arange(first, first + len(chunk)))
        self._row_count += len(chunk)
        kept = sum(part.size for part in self._parts.values())
        if kept > self._most:
            self._thin(max(2, int(self._most / 2 / kept * self._row_count)))

    def _add(self, name: str, rows: IntArray | None, values: FloatArray) -> None:
        part = self._parts.get(name)
        if part is None:
            part = self._parts[name] = _GrowingColumn(self._room)
        part.add(self._row_count, rows, values)

    def result(self) -> tuple[tuple[RawSeries, ...], tuple[Text, ...]]:
        """Return one series per column, and notes on their steps and on what was left out."""
        table = with_position_step((self._columns(), self._row_count), self._layout)
        series, notes = series_of(*table, self._numbers)
        notes = (*self._notes, *notes)
        if self._thinned:
            notes = (*notes, ROWS_THINNED.fill({"count": self._thinned}))
        return series, notes

    def _thin(self, most: int) -> None:
        """Keep at most `most` rows."""
        every_row = np.arange(self._row_count, dtype=np.int64)
        columns = {tag: partial(_cells_of, one, every_row) for tag, one in self._parts.items()}
        rows = chosen_rows(columns, self._row_count, most, named_counters(columns))
        self._numbers = (every_row if self._numbers is None else self._numbers)[rows.kept]
        for tag, cells in columns.items():
            self._parts[tag] = _GrowingColumn.of(*rows.of(cells()))
        self._thinned += self._row_count - rows.kept.size
        self._row_count = rows.kept.size

    def _columns(self) -> dict[str, Column]:
        """The columns; those with a number in each row share their row numbers."""
        every_row = np.arange(self._row_count, dtype=np.int64)
        return {tag: part.column(every_row) for tag, part in self._parts.items()}


class _GrowingColumn:
    def __init__(self, room: int) -> None:
        self._values: FloatArray = np.empty(room, dtype=np.float64)
        self._rows: IntArray | None = None  # None as long as there is a number in each row
        self.size = 0

    def add(self, first: int, rows: IntArray | None, values: FloatArray) -> None:
        """Append values; `rows` counts from `first`, None means one value for each row."""
        end = self.size + values.size
        if end > self._values.size:
            self._values = np.resize(self._values, 2 * end)
            self._rows = None if self._rows is None else np.resize(self._rows, 2 * end)
        if self._rows is None and (rows is not None or first != self.size):
            self._rows = np.arange(self._values.size, dtype=np.int64)
        self._values[self.size : end] = values
        if self._rows is not None:
            self._rows[self.size : end] = first + (np.arange(values.size) if rows is None else rows)
        self.size = end

    @classmethod
    def of(cls, rows: IntArray, values: FloatArray) -> _GrowingColumn:
        """Return a column with these cells, and room for as many more."""
        column = cls(2 * values.size)
        column.add(0, None if np.array_equal(rows, np.arange(rows.size)) else rows, values)
        return column

    def column(self, every_row: IntArray) -> Column:
        """Return the column."""
        rows = every_row if self._rows is None else self._rows
        return Column(rows[: self.size], self._values[: self.size])


def _cells_of(part: _GrowingColumn, every_row: IntArray) -> tuple[IntArray, FloatArray]:
    column = part.column(every_row)
    return column.rows, column.values


def _numbers_in(cells: FloatArray, layout: Layout) -> tuple[IntArray | None, FloatArray]:
    """Rows and values of the cells with a number; None for the rows when that is all of them."""
    if cells.dtype.kind == "b":
        return None, np.zeros(0)
    if cells.dtype.kind not in "iuf":
        texts = ["" if cell != cell else str(cell) for cell in cells]  # noqa: PLR0124
        return numbers(texts, decimal_comma=layout.decimal_comma)
    missing = np.isnan(cells) if cells.dtype.kind == "f" else np.zeros(0, dtype=bool)
    if not missing.any():
        return None, cells
    rows = np.flatnonzero(~missing).astype(np.int64)
    return rows, cells[rows].astype(np.float64)
