"""Tables of tens of megabytes and more, through pandas' C parser, in pieces."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from spikedoc.model.run import FloatArray, IntArray
from spikedoc.readers._columns import Column, series_of
from spikedoc.readers._csv_layout import Layout
from spikedoc.readers._numbers import numbers
from spikedoc.readers.base import Progress, Table

if TYPE_CHECKING:
    import pandas as pd

# Rows parsed at a time: 200,000 rows of ten columns are 16 MB of numbers.
ROWS_AT_A_TIME: Final = 200_000
# Row 0 of the file is the header, for those who count with an editor.


def read_large(path: Path, layout: Layout, progress: Progress | None) -> Table | None:
    """Return the table; None when pandas cannot parse it, so that the small parser must try.

    Only an empty cell is missing here. A column in which pandas meets a word (`nan`, `null`, a
    repeated header) comes as text and is turned into numbers by the rules of the small parser.
    """
    import pandas as pd

    parts: dict[str, list[tuple[IntArray, FloatArray]]] = {}
    offset, size = 0, path.stat().st_size
    try:
        with path.open("rb") as file:
            chunks = pd.read_csv(
                file,
                sep=layout.delimiter,
                names=layout.names,
                header=None,
                skiprows=layout.skip,
                index_col=False,
                keep_default_na=False,
                na_values=[""],
                skipinitialspace=True,
                chunksize=ROWS_AT_A_TIME,
                encoding="utf-8",
                encoding_errors="replace",
                on_bad_lines="skip",
                low_memory=False,
            )
            for chunk in chunks:
                _take(chunk, offset, parts)
                offset += len(chunk)
                if progress is not None:
                    progress(min(file.tell(), size), size)
    except (ValueError, pd.errors.ParserError, UnicodeError):
        return None
    columns = {
        tag: Column(np.concatenate([r for r, _ in found]), np.concatenate([v for _, v in found]))
        for tag, found in parts.items()
    }
    series, notes = series_of(columns, offset)
    return Table(series, notes=(*layout.notes, *notes)) if series else None


def _take(
    chunk: pd.DataFrame, offset: int, parts: dict[str, list[tuple[IntArray, FloatArray]]]
) -> None:
    for tag in chunk.columns:
        cells = chunk[tag].to_numpy()
        if cells.dtype.kind in "iuf":
            values = cells.astype(np.float64)
            rows = np.flatnonzero(~np.isnan(values)).astype(np.int64)
            values = values[rows]
        elif cells.dtype.kind == "b":
            continue
        else:
            rows, values = numbers(["" if cell != cell else str(cell) for cell in cells])  # noqa: PLR0124
        if values.size:
            parts.setdefault(str(tag), []).append((rows + offset, values))
