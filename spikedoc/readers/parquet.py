"""Parquet and Arrow (feather) tables, such as exports of W&B; needs pyarrow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np

from spikedoc.errors import InputError
from spikedoc.readers._column import Column
from spikedoc.readers._columns import MOST_COLUMNS, series_of, with_counters
from spikedoc.readers._csv_long import Places, places_in
from spikedoc.readers._long_phases import long_codes
from spikedoc.readers._notes import NO_NUMBERS_IN_TABLE, OF_METRICS
from spikedoc.readers._parquet_cells import column_of, may_hold_numbers
from spikedoc.readers._parquet_long import long_series
from spikedoc.readers._phases import Codes, Phases, codes_of, notes_of, parts_of, phase_places
from spikedoc.readers._wandb_panel import with_runs_apart
from spikedoc.readers.base import Progress, RawSeries, Reader, Table
from spikedoc.text import Text

_PARQUET: Final = b"PAR1"
_ARROW: Final = b"ARROW1"
# Cells that are kept, and rows; at 16 bytes each this is 800 MB.
MOST_CELLS: Final = 50_000_000
# Rows decoded at a time, fewer in a table of many columns.
BATCH_ROWS: Final = 65_536
BATCH_CELLS: Final = 4_000_000
HINT: Final = Text("pip install pyarrow", "请运行 pip install pyarrow")
Parts = dict[str, list[Column]]

FIRST_ROWS: Final = Text("only the first {rows} rows were read", "只读取了前 {rows} 行")
NEEDS_PYARROW: Final = Text(
    "Parquet and Arrow tables need pyarrow", "读取 Parquet 与 Arrow 表格需要 pyarrow"
)
UNREADABLE: Final = Text("not a readable table: {reason}", "不是可读的表格：{reason}")


class ParquetReader:
    """Reads the columns that hold numbers, or text of numbers."""

    @property
    def name(self) -> str:
        """Short name shown in reports."""
        return "parquet"

    def accepts(self, path: Path, head: bytes) -> bool:  # noqa: ARG002 - the bytes tell
        """Return whether `head` is that of a Parquet or an Arrow file."""
        return head.startswith((_PARQUET, _ARROW))

    def read(self, path: Path, progress: Progress | None = None) -> Table:
        """Return one series per column; raises InputError without pyarrow or without numbers."""
        try:
            import pyarrow as pa
        except ImportError:
            raise InputError(path, NEEDS_PYARROW, HINT) from None
        notes: list[Text] = []
        try:
            series, more = _series(path, notes, progress)
        except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
            reason = str(error).splitlines()[0][:200] if str(error) else "damaged"
            raise InputError(path, UNREADABLE.fill({"reason": reason})) from None
        if not series:
            raise InputError(path, NO_NUMBERS_IN_TABLE, OF_METRICS)
        return with_runs_apart(Table(series, notes=(*notes, *more)))


def _series(
    path: Path, notes: list[Text], progress: Progress | None
) -> tuple[tuple[RawSeries, ...], tuple[Text, ...]]:
    """The series of a long or a wide table, and notes on their steps."""
    found = batches(path)
    first = next(found, None)
    if first is None:
        return (), ()
    bounded = _bounded(chain([first], found), path, notes, progress)
    places = places_in(first.schema.names)
    if places is not None:
        return long_series(bounded, places, _long_codes(path, places))
    codes = codes_of(_phase_cells(path, first.schema.names[:MOST_COLUMNS]))
    return series_of(*_parts(bounded, codes, notes))


def _long_codes(path: Path, places: Places) -> Codes:
    names = [name for name, _ in places.phase]
    if not names:
        return {}
    every = next(batches(path)).schema.names
    told = _cells_of(path, [every[places.tag], every[places.step], *names])
    return long_codes((tags, phases, steps) for (_, tags), (_, steps), *phases in told)


def _phase_cells(path: Path, names: Sequence[str]) -> Iterator[list[tuple[str, list[Any]]]]:
    """The columns that may tell phases, and the counters beside them, batch by batch."""
    return _cells_of(path, [names[at] for at in with_counters(names, phase_places(names))])


def _cells_of(path: Path, told: list[str]) -> Iterator[list[tuple[str, list[Any]]]]:
    """The columns of these names, batch by batch."""
    rows = 0
    for batch in batches(path, told) if told else ():
        rows += batch.num_rows
        if rows > MOST_CELLS:
            return
        yield [(name, batch.column(name).to_pylist()) for name in told]


def batches(path: Path, only: list[str] | None = None) -> Iterator[Any]:
    """Yield the batches of rows of a Parquet or an Arrow file; raises errors of pyarrow.

    Where it takes less time, `only` the columns of these names are there.
    """
    with path.open("rb") as file:
        head = file.read(len(_ARROW))
    if head.startswith(_PARQUET):
        from pyarrow import parquet

        with parquet.ParquetFile(path) as table:
            width = max(1, len(table.schema_arrow.names))
            yield from table.iter_batches(
                max(1, min(BATCH_ROWS, BATCH_CELLS // width)), columns=only
            )
        return
    from pyarrow import ipc

    with ipc.open_file(str(path)) as table:
        for index in range(table.num_record_batches):
            batch = table.get_batch(index)
            # Damaged offsets of text would be followed out of the file.
            batch.validate(full=True)
            yield batch


def _bounded(
    batches: Iterable[Any], path: Path, notes: list[Text], progress: Progress | None
) -> Iterator[Any]:
    """Batches until more cells than are kept were given; raises ValueError for one too long.

    Columns of nothing but null take no place in the file, however many rows they claim.
    """
    rows = cells = 0
    size = path.stat().st_size
    for batch in batches:
        if batch.num_rows > MOST_CELLS:
            raise ValueError(f"a batch claims {batch.num_rows} rows")
        yield batch
        rows += batch.num_rows
        columns = batch.columns[:MOST_COLUMNS]
        cells += sum(len(one) - one.null_count for one in columns if may_hold_numbers(one.type))
        if max(cells, rows) > MOST_CELLS:
            notes.append(FIRST_ROWS.fill({"rows": rows}))
            return
        if progress is not None:
            progress(min(size, rows), size)


def _parts(
    batches: Iterable[Any], codes: Codes, notes: list[Text]
) -> tuple[dict[str, Column], int]:
    found: Parts = {}
    rows = 0
    for batch in batches:
        names, columns = batch.schema.names[:MOST_COLUMNS], batch.columns
        cells = ((names[at], columns[at].to_pylist()) for at in phase_places(names))
        phases = Phases.of(cells, codes)
        notes.extend(note for note in notes_of(phases) if note not in notes)
        for tag, values in zip(names, columns, strict=False):
            column = column_of(values)
            if column is None or not column.rows.size:
                continue
            for name, at, own in parts_of(phases, tag, column.rows, column.values):
                found.setdefault(name, []).append(Column(at + rows, own))
        rows += batch.num_rows
    return _joined(found), rows


def _joined(parts: Mapping[str, list[Column]]) -> dict[str, Column]:
    return {
        tag: Column(
            np.concatenate([p.rows for p in found]), np.concatenate([p.values for p in found])
        )
        for tag, found in parts.items()
    }


READER: Final[Reader] = ParquetReader()
