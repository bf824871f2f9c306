"""Parquet and Arrow (feather) tables, such as exports of W&B; needs pyarrow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from spikedoc.errors import InputError
from spikedoc.readers._columns import MOST_COLUMNS, Column, series_of
from spikedoc.readers._numbers import numbers
from spikedoc.readers.base import Progress, Reader, Table

_PARQUET: Final = b"PAR1"
_ARROW: Final = b"ARROW1"
# Cells that are kept; at 16 bytes each this is 800 MB.
MOST_CELLS: Final = 50_000_000
# Rows decoded at a time, fewer in a table of many columns.
BATCH_ROWS: Final = 65_536
BATCH_CELLS: Final = 4_000_000
_HINT: Final = "pip install 'spikedoc[parquet]'"
Parts = dict[str, list[Column]]


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
            raise InputError(path, "Parquet and Arrow tables need pyarrow", _HINT) from None
        notes: list[str] = []
        try:
            parts, rows = _parts(_batches(path), path, notes, progress)
        except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
            reason = str(error).splitlines()[0][:200] if str(error) else "damaged"
            raise InputError(path, f"not a readable table: {reason}") from None
        series, axis_notes = series_of(_joined(parts), rows)
        if not series:
            raise InputError(path, "the table has no numbers", "is this a log of metrics?")
        return Table(series, notes=(*notes, *axis_notes))


def _batches(path: Path) -> Iterator[Any]:
    with path.open("rb") as file:
        head = file.read(len(_ARROW))
    if head.startswith(_PARQUET):
        from pyarrow import parquet

        with parquet.ParquetFile(path) as table:
            width = max(1, len(table.schema_arrow.names))
            yield from table.iter_batches(max(1, min(BATCH_ROWS, BATCH_CELLS // width)))
        return
    from pyarrow import ipc

    with ipc.open_file(str(path)) as table:
        for index in range(table.num_record_batches):
            yield table.get_batch(index)


def _parts(
    batches: Iterator[Any], path: Path, notes: list[str], progress: Progress | None
) -> tuple[Parts, int]:
    found: Parts = {}
    rows = cells = 0
    size = path.stat().st_size
    for batch in batches:
        for tag, values in list(zip(batch.schema.names, batch.columns, strict=True))[:MOST_COLUMNS]:
            column = _column(values)
            if column is not None and column.rows.size:
                cells += column.rows.size
                found.setdefault(tag, []).append(Column(column.rows + rows, column.values))
        rows += batch.num_rows
        if cells > MOST_CELLS:
            notes.append(f"only the first {rows} rows were read")
            break
        if progress is not None:
            progress(min(size, rows), size)
    return found, rows


def _column(values: Any) -> Column | None:
    """The numbers of a column; an empty cell is missing, a NaN is a value."""
    import pyarrow as pa

    kind = values.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        at, found = numbers(["" if cell is None else cell for cell in values.to_pylist()])
        return Column(at, found)
    if pa.types.is_timestamp(kind):
        values = values.cast(pa.timestamp("us")).cast(pa.int64())
        scale = 1e-6
    elif pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        scale = 1.0
    else:
        return None
    valid = np.asarray(values.is_valid(), dtype=np.bool_)
    filled = values.drop_null().cast(pa.float64(), safe=False)
    found = filled.to_numpy(zero_copy_only=False).astype(np.float64)
    return Column(np.flatnonzero(valid).astype(np.int64), found * scale)


def _joined(parts: Mapping[str, list[Column]]) -> dict[str, Column]:
    return {
        tag: Column(
            np.concatenate([p.rows for p in found]), np.concatenate([p.values for p in found])
        )
        for tag, found in parts.items()
    }


READER: Final[Reader] = ParquetReader()
