"""Long Parquet and Arrow tables: one row per value, with a column that names the series."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np

from spikedoc.model.run import FloatArray
from spikedoc.readers._column import Column
from spikedoc.readers._csv_long import Places
from spikedoc.readers._long_phases import coded_notes, long_words
from spikedoc.readers._parquet_cells import column_of
from spikedoc.readers._phases import Codes, prefixed
from spikedoc.readers._points import PointsBuilder
from spikedoc.readers.base import RawSeries
from spikedoc.text import Text

# Between the name of a run and the tag of its series.
_JOINED: Final = "/"


def long_series(
    batches: Iterable[Any], places: Places, codes: Codes
) -> tuple[tuple[RawSeries, ...], tuple[Text, ...]]:
    """Return one series per name in the tag column, and notes; of several runs with their names.

    `codes` say what yes and no mean in the columns that may tell phases.
    """
    builder, runs = PointsBuilder(), set[str]()
    for batch in batches:
        for run, tag, step, value, wall in _points(batch, places, codes):
            runs.add(run)
            builder.add(f"{run}{_JOINED}{tag}" if run and tag else tag, step, value, wall)
    series = builder.series()
    if len(runs) == 1:
        prefix = f"{next(iter(runs))}{_JOINED}"
        series = tuple(replace(one, tag=one.tag.removeprefix(prefix)) for one in series)
    return series, (*coded_notes(codes), *builder.notes())


def _points(
    batch: Any, places: Places, codes: Codes
) -> Iterator[tuple[str, str, int, float, float]]:
    values = column_of(batch.column(places.value))
    if values is None:
        return
    tags = _texts(batch, places.tag)
    for name, place in places.phase:
        cells = _texts(batch, place)
        known = long_words(name, cells, codes)
        tags = [prefixed(known.get(cell, ""), tag) for cell, tag in zip(cells, tags, strict=True)]
    runs = _texts(batch, places.run) if places.run is not None else [""] * batch.num_rows
    walls, steps = _filled(batch, places.wall), _filled(batch, places.step)
    whole = steps == np.round(steps)
    for row, value in zip(values.rows.tolist(), values.values.tolist(), strict=True):
        if whole[row]:
            yield runs[row], tags[row], int(steps[row]), value, float(walls[row])


def _texts(batch: Any, place: int) -> list[str]:
    cells = batch.column(place).to_pylist()
    return ["" if cell is None else str(cell).strip() for cell in cells]


def _filled(batch: Any, place: int | None) -> FloatArray:
    """The numbers of a column by row; NaN where there is none."""
    filled: FloatArray = np.full(batch.num_rows, np.nan)
    column: Column | None = None if place is None else column_of(batch.column(place))
    if column is not None:
        filled[column.rows] = np.where(np.isfinite(column.values), column.values, np.nan)
    return filled
