"""A run from a table in memory: a pandas DataFrame, or a mapping of names to arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from spikedoc.errors import InputError
from spikedoc.ingest.assemble import assemble
from spikedoc.ingest.naming import check_mapping
from spikedoc.model.run import FloatArray, Run
from spikedoc.readers._columns import Column, series_of
from spikedoc.readers._numbers import plain
from spikedoc.readers.base import RawSeries, Table

_INDEX_NAME: Final = "step"


def load_frame(frame: Any, name: str = "frame", mapping: Mapping[str, str] | None = None) -> Run:
    """Return the run in a DataFrame or a mapping of names to equally long arrays.

    Floating NaN is NaN as logged; None and `pandas.NA` are missing. An index that is named, or not
    a plain row count, serves as step when no column does. Raises InputError without numbers.
    """
    columns, row_count = _columns(frame, name)
    if _INDEX_NAME not in columns:
        index = _index(frame)
        if index is not None and len(index) == row_count:
            columns = {_INDEX_NAME: Column(np.arange(row_count), index), **columns}
    series, notes = series_of(columns, row_count)
    if not series:
        raise InputError(name, "the table has no numbers")
    check_mapping(mapping or {}, [one.tag for one in series])
    runs = assemble([(name, Table(series, notes=notes))], name, name, mapping or {})
    return runs[-1]


def load_series(series: tuple[RawSeries, ...], name: str) -> Run:
    """Return the run made of ready series."""
    return assemble([(name, Table(series))], name, name, {})[-1]


def _columns(frame: Any, name: str) -> tuple[dict[str, Column], int]:
    columns: dict[str, Column] = {}
    row_count = 0
    for key in list(frame.keys()):
        rows, values, length = _cells(frame[key])
        if columns and length != row_count:
            raise InputError(name, f"column {key} has {length} rows, others have {row_count}")
        row_count = length
        columns[str(key)] = Column(rows, values)
    return {key: column for key, column in columns.items() if column.rows.size}, row_count


def _cells(cells: Any) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], FloatArray, int]:
    array = np.asarray(cells)
    if array.ndim != 1:
        return np.zeros(0, dtype=np.int64), np.zeros(0), len(array) if array.ndim else 0
    if array.dtype.kind in "iuf":
        return np.arange(array.size), array.astype(np.float64), array.size
    found = [(i, v) for i, cell in enumerate(array.tolist()) if (v := plain(cell)) is not None]
    rows = np.array([i for i, _ in found], dtype=np.int64)
    return rows, np.array([v for _, v in found], dtype=np.float64), array.size


def _index(frame: Any) -> FloatArray | None:
    """A DataFrame's index when it carries information."""
    index = getattr(frame, "index", None)
    if index is None or callable(index) or type(index).__name__ == "RangeIndex":
        return None
    values = np.asarray(index)
    return values.astype(np.float64) if values.dtype.kind in "iuf" else None
