"""Columns of a table to series: which column is the step, and what if none is."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from spikedoc.model.run import FloatArray, IntArray
from spikedoc.readers._numbers import LARGEST_STEP
from spikedoc.readers.base import RawSeries

# Names of a step counter, the best first: what frameworks call the number of optimizer steps,
# then of iterations, then of environment steps.
STEP_NAMES: Final = (
    "step", "global_step", "globalstep", "trainer_global_step", "train_global_step", "train_step",
    "current_steps", "current_step", "steps", "num_updates", "iteration", "iterations", "iter",
    "iters", "it", "n_iter", "num_iter", "global_iter", "cur_iter", "training_iteration",
    "update", "updates", "time_total_timesteps", "total_timesteps", "timestepssofar", "timesteps",
    "totalenvsteps", "total_env_steps", "env_steps", "global_env_step", "batch", "batch_idx",
)  # fmt: skip
EPOCH_NAMES: Final = ("epoch", "epochs", "current_epoch", "train_epoch", "trainer_epoch", "ep")
# Columns with the time of day of a row.
WALL_NAMES: Final = ("wall_time", "walltime", "timestamp", "_timestamp", "wall", "time")
# Seconds since 1970 lie above this (1980); smaller numbers are durations.
FIRST_WALL_TIME: Final = 3.2e8
# A counter must be there in at least this share of the rows to be the x axis.
LEAST_STEP_SHARE: Final = 0.3
# Share of the counter's cells that must be whole numbers; a damaged one is passed over.
LEAST_WHOLE_SHARE: Final = 0.99
# Rows per epoch and tag above which an epoch column is too coarse to be the x axis.
MOST_ROWS_PER_EPOCH: Final = 1.5
# Share of a counter's jumps back that must coincide with a new epoch to call it "within the epoch".
LEAST_EPOCH_SHARE: Final = 0.8
# A log has tens of columns, one per layer thousands; a dumped data set has more.
MOST_COLUMNS: Final = 5_000
_NOT_A_WORD: Final = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """The cells of one column that hold a number: their row and their value."""

    rows: IntArray
    values: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class StepAxis:
    """The step of each row, where it came from, and what was assumed."""

    steps: IntArray
    column: str | None
    notes: tuple[str, ...] = ()


class ColumnsBuilder:
    """Collects rows of numbers; keeps eight bytes for a value and its row each."""

    def __init__(self) -> None:
        """Start with no rows."""
        self.row_count = 0
        self.is_full = False  # some columns were left out
        self._cells: dict[str, tuple[array[int], array[float]]] = {}

    def add(self, row: Iterable[tuple[str, float]]) -> None:
        """Append one row; later cells of the same name in the row win when series are built."""
        index = self.row_count
        for tag, value in row:
            cells = self._cells.get(tag) or self._new(tag)
            if cells is not None:
                cells[0].append(index)
                cells[1].append(value)
        self.row_count += 1

    def add_block(self, tags: Sequence[str], rows: Sequence[Sequence[float]]) -> None:
        """Append rows with a number for each of `tags`; raises OverflowError, adding nothing."""
        columns = [array("d", column) for column in zip(*rows, strict=True)]
        places = array("q", range(self.row_count, self.row_count + len(rows)))
        for tag, values in zip(tags, columns, strict=True):
            cells = self._cells.get(tag) or self._new(tag)
            if cells is not None:
                cells[0].extend(places)
                cells[1].extend(values)
        self.row_count += len(rows)

    def _new(self, tag: str) -> tuple[array[int], array[float]] | None:
        """A new column; None when there are too many already."""
        if len(self._cells) >= MOST_COLUMNS:
            self.is_full = True
            return None
        return self._cells.setdefault(tag, (array("q"), array("d")))

    def series(
        self, added: Mapping[str, Column] | None = None
    ) -> tuple[tuple[RawSeries, ...], tuple[str, ...]]:
        """Return one series per column, `added` ones included, and notes; see `series_of`."""
        series, notes = series_of({**self.columns(), **(added or {})}, self.row_count)
        if self.is_full:
            notes = (*notes, f"more than {MOST_COLUMNS} quantities; the rest was left out")
        return series, notes

    def columns(self) -> dict[str, Column]:
        """Return the columns in the order in which they first appeared."""
        return {
            tag: Column(np.array(rows, dtype=np.int64), np.array(values, dtype=np.float64))
            for tag, (rows, values) in self._cells.items()
        }


def series_of(
    columns: Mapping[str, Column], row_count: int
) -> tuple[tuple[RawSeries, ...], tuple[str, ...]]:
    """Return one series per column except the step column, and notes on how steps were found."""
    axis = step_axis(columns, row_count)
    walls, wall_column = _wall_times(columns, row_count)
    series = tuple(
        RawSeries(
            tag=tag,
            steps=axis.steps[column.rows],
            values=column.values,
            wall_times=None if walls is None else walls[column.rows],
            order=column.rows,
        )
        for tag, column in columns.items()
        if tag not in (axis.column, wall_column) and column.rows.size
    )
    return series, axis.notes


def step_axis(columns: Mapping[str, Column], row_count: int) -> StepAxis:
    """Return the step of every row.

    A counter column by name, else an epoch column with one row per epoch, else the row number.
    A counter that starts again in each epoch is made global. Rows without a step take that of the
    row before.
    """
    for tag in _named(columns, STEP_NAMES):
        counter = _counter(tag, columns, row_count)
        if counter is None:
            continue
        epoch = next(iter(_named(columns, EPOCH_NAMES)), None)
        within = _global_steps(counter, columns[epoch], row_count) if epoch else None
        if within is not None:
            steps, length = within
            note = f"{tag} starts again in each epoch; counted through with {length} per epoch"
            return StepAxis(steps, tag, (note,))
        return StepAxis(_filled(counter, row_count), tag)
    for tag in _named(columns, EPOCH_NAMES):
        counter = _counter(tag, columns, row_count)
        if counter is not None and _one_row_each(tag, columns):
            return StepAxis(_filled(counter, row_count), tag, (f"steps are {tag} numbers",))
    rows = np.arange(row_count, dtype=np.int64)
    return StepAxis(rows, None, ("no step column: steps are row numbers, the first row is 0",))


def _named(columns: Mapping[str, Column], names: tuple[str, ...]) -> list[str]:
    """Columns called by one of `names`: first by full name, then by the last part of a path."""
    full = {_NOT_A_WORD.sub("_", tag.lower()).strip("_"): tag for tag in reversed(list(columns))}
    last = {
        _NOT_A_WORD.sub("_", re.split(r"[/.]", tag.lower())[-1]).strip("_"): tag
        for tag in reversed(list(columns))
        if "/" in tag or "." in tag
    }
    found = [full[name] for name in names if name in full]
    return found + [last[name] for name in names if name in last and last[name] not in found]


def _counter(tag: str, columns: Mapping[str, Column], row_count: int) -> Column | None:
    """The column's whole numbers when it counts: in most rows, not one number all the time."""
    values = columns[tag].values
    if values.size < max(1.0, LEAST_STEP_SHARE * row_count):
        return None
    whole = np.isfinite(values) & (np.abs(values) < LARGEST_STEP)
    whole[whole] = values[whole] == np.round(values[whole])
    if whole.mean() < LEAST_WHOLE_SHARE:
        return None
    counts = bool((values[whole] != values[whole][0]).any()) or _densest(columns, without=tag) <= 1
    return Column(columns[tag].rows[whole], values[whole]) if counts else None


def _densest(columns: Mapping[str, Column], without: str) -> int:
    """Number of values in the fullest other column."""
    return max((c.rows.size for tag, c in columns.items() if tag != without), default=0)


def _filled(column: Column, row_count: int) -> IntArray:
    """Steps of all rows; a row without one takes the step of the row before it."""
    place = np.full(row_count, -1, dtype=np.int64)
    place[column.rows] = np.arange(column.rows.size)
    place = np.maximum.accumulate(place)
    place[place < 0] = 0
    filled: IntArray = column.values.astype(np.int64)[place]
    return filled


def _global_steps(column: Column, epoch: Column, row_count: int) -> tuple[IntArray, int] | None:
    """Steps counted through all epochs, and the steps of one; None when the counter goes on."""
    shared, in_step, in_epoch = np.intersect1d(column.rows, epoch.rows, return_indices=True)
    if shared.size < 2:
        return None
    steps, epochs = column.values[in_step], epoch.values[in_epoch]
    if not np.all(np.isfinite(epochs)) or not np.all(epochs == np.round(epochs)):
        return None
    back = np.flatnonzero(np.diff(steps) < 0)
    if not back.size or np.mean(np.diff(epochs)[back] > 0) < LEAST_EPOCH_SHARE:
        return None
    stride = int(np.median(np.diff(steps)[np.diff(steps) > 0])) if steps.size > 2 else 1
    length = int(steps.max()) + (stride if steps.min() == 0 else 0)
    base = min(1.0, float(epochs.min()))
    counted = Column(shared, (epochs - base) * length + steps)
    if np.abs(counted.values).max() >= LARGEST_STEP:
        return None
    return _filled(counted, row_count), length


def _one_row_each(epoch: str, columns: Mapping[str, Column]) -> bool:
    distinct = np.unique(columns[epoch].values).size
    return bool(_densest(columns, without=epoch) <= MOST_ROWS_PER_EPOCH * distinct)


def _wall_times(
    columns: Mapping[str, Column], row_count: int
) -> tuple[FloatArray | None, str | None]:
    for name in WALL_NAMES:
        for tag, column in columns.items():
            full = tag.lower().replace(" ", "_") == name and column.rows.size == row_count > 0
            if full and bool(np.all(column.values > FIRST_WALL_TIME)):
                return column.values, tag
    return None, None
