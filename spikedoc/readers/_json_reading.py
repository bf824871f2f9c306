"""JSON records of one file while they are read, or of one run of several in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, groupby
from typing import Any, Final

import numpy as np

from spikedoc.model.run import FloatArray
from spikedoc.readers._columns import EPOCH_NAMES
from spikedoc.readers._columns_builder import ColumnsBuilder
from spikedoc.readers._json_events import JsonEvents
from spikedoc.readers._json_nulls import Nulls
from spikedoc.readers._json_quick import QuickLines
from spikedoc.readers._json_rows import NULLS, RowProfile, flatten, is_plain, numeric, with_lost
from spikedoc.readers._json_runs import Named, run_named
from spikedoc.readers.base import RawSeries, Table
from spikedoc.text import Text, listed

IN_TURN: Final = Text(
    "several runs write into this file; their records bear their names: {names}",
    "多次训练写入同一文件，各条记录带有各自的名称：{names}",
)
# Values of the longest series at one step, on average, from which on runs may take turns.
LEAST_AT_ONE_STEP: Final = 1.5


class Reading:
    """State of one file: the rows so far and what the profile learnt."""

    def __init__(self, size: int, most: int) -> None:
        """Start a file of `size` bytes, of which at most `most` points are kept."""
        self.most: Final = most
        self.builder = ColumnsBuilder(most)
        self.profile = RowProfile()
        self.notes: list[Text] = []
        self.quick = QuickLines(is_plain, size)
        self.nulls = Nulls()
        self.events = JsonEvents()
        self.named = Named()
        self.series: tuple[tuple[RawSeries, ...], tuple[Text, ...]] | None = None

    def add_lines(self, block: bytes) -> bool:
        """Add a block of lines that all look alike; returns False, adding nothing, for others."""
        columns = None if self.profile.framework else self.quick.columns(block)
        if columns is None:
            return False
        self.builder.add_columns(self.quick.keys, columns)
        self._see_columns(self.quick.keys, columns)
        return True

    def _see_columns(self, keys: Sequence[str], columns: Sequence[Sequence[float]]) -> None:
        """Look for runs in records that hold nothing but numbers."""
        self.named.see_count(len(columns[0]) if columns else 0)
        if columns and columns[0]:
            self.events.see_block(keys, [column[-1] for column in columns])
        for key, column in zip(keys, columns, strict=True):
            self.named.see_column(key, column)

    def add_all(self, records: Sequence[dict[str, Any]]) -> None:
        """Add records; runs of flat records with the same keys go in as one block."""
        for keys, group in groupby(records, tuple):
            rows = list(group)
            if not self._added_as_block(keys, rows):
                for record in rows:
                    self.add(record)

    def _added_as_block(self, keys: tuple[str, ...], rows: Sequence[dict[str, Any]]) -> bool:
        if self.profile.framework or not is_plain(keys):
            return False
        values = [tuple(record.values()) for record in rows]
        if not set(map(type, chain.from_iterable(values))) <= {int, float}:
            return False
        try:
            self.builder.add_block(keys, values)
        except OverflowError:
            return False
        self._see_columns(keys, list(zip(*values, strict=True)))
        return True

    def add(self, record: dict[str, Any]) -> None:
        """Add one record of any shape."""
        self.named.see(record)
        if self.events.see(record):
            return
        whole = with_lost(record)
        if whole is not record and NULLS not in self.notes:
            self.notes.append(NULLS)
        row = self.profile.apply(flatten(whole))
        self.nulls.see(row)
        cells = numeric(row)
        if cells:
            self.builder.add(cells)

    def table(self) -> Table:
        """Return what was read; without series where no record held a number."""
        series, axis_notes = self.series or self.builder.series()
        nulls = self.nulls.notes(series, self.builder.row_count)
        notes = (*self.notes, *self.profile.notes, *axis_notes, *nulls)
        return Table(
            series,
            self.profile.config,
            notes=notes,
            framework=self.profile.framework,
            events=self.events.all(),
        )


class DividedReading(Reading):
    """The records of each run by themselves."""

    def __init__(self, size: int, most: int, key: str) -> None:
        """Start a file whose records name their runs under `key`."""
        super().__init__(size, most)
        self._size, self._key = size, key
        self._readings: dict[str, Reading] = {}

    def add_lines(self, block: bytes) -> bool:  # noqa: ARG002 - names are no numbers
        """Return False: each record is looked at."""
        return False

    def add_all(self, records: Sequence[dict[str, Any]]) -> None:
        """Give each record to its run; one without a name is of none."""
        for record in records:
            name = run_named(self._key, record)
            if name not in self._readings and name:
                self._readings[name] = Reading(self._size, self.most)
            if name:
                self._readings[name].add({k: v for k, v in record.items() if k != self._key})

    def runs(self) -> tuple[Table, ...]:
        """Return the tables of the runs; none where steps come again in one of them, too."""
        tables = {name: reading.table() for name, reading in self._readings.items()}
        found = {name: table for name, table in tables.items() if table.series}
        if len(found) < 2 or any(come_again(table.series) for table in found.values()):
            return ()
        note = IN_TURN.fill({"names": listed(found)})
        return tuple(
            replace(table, name=name, notes=(note, *self.notes, *table.notes))
            for name, table in found.items()
        )


def come_again(series: Sequence[RawSeries]) -> bool:
    """Return whether the steps of the longest series come more than once on average.

    Where none are named the epochs are looked at instead: rows are counted then.
    """
    longest = max(series, key=lambda one: one.steps.size)
    places: FloatArray = longest.steps.astype(np.float64)
    if np.array_equal(places, np.arange(places.size)):
        epochs = (one.values for one in series if one.tag.lower() in EPOCH_NAMES)
        places = next(epochs, places)
    return bool(np.unique(places).size * LEAST_AT_ONE_STEP <= places.size)
