"""Columns of a table to series: which column is the step, and what if none is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from spikedoc.model.run import FloatArray, IntArray
from spikedoc.readers import _notes
from spikedoc.readers._chinese_names import in_english
from spikedoc.readers._column import Column
from spikedoc.readers._european_names import in_english as european
from spikedoc.readers._numbers import LARGEST_STEP, are_steps, are_wall_times
from spikedoc.readers._phase_steps import with_held_out
from spikedoc.readers._phases import MARK, by_code
from spikedoc.readers._summary_row import without_summary
from spikedoc.readers.base import RawSeries
from spikedoc.text import Text, listed

# Names of a step counter, the best first: what frameworks call the number of optimizer steps,
# then of iterations, then of environment steps.
STEP_NAMES: Final = (
    "step", "global_step", "globalstep", "trainer_global_step", "train_global_step", "train_step",
    "current_steps", "current_step", "steps", "num_updates", "iteration", "iterations", "iter",
    "iters", "it", "n_iter", "num_iter", "global_iter", "cur_iter", "training_iteration",
    "update", "updates", "progress_tick", "time_total_timesteps", "total_timesteps",
    "timestepssofar", "timesteps", "totalenvsteps", "total_env_steps", "env_steps",
    "global_env_step", "batch", "batch_idx",
)  # fmt: skip
STEP: Final = STEP_NAMES[0]
EPOCH_NAMES: Final = ("epoch", "epochs", "current_epoch", "train_epoch", "trainer_epoch", "ep")
# Columns with the time of day of a row.
WALL_NAMES: Final = ("wall_time", "walltime", "timestamp", "_timestamp", "wall", "time")
# A counter must be there in at least this share of the rows to be the x axis.
LEAST_STEP_SHARE: Final = 0.3
# Share of the counter's cells that must be whole numbers; a damaged one is passed over.
LEAST_WHOLE_SHARE: Final = 0.99
# Rows per epoch and tag above which an epoch column is too coarse to be the x axis.
MOST_ROWS_PER_EPOCH: Final = 1.5
# Share of a counter's jumps back that must coincide with a new epoch to call it "within the epoch".
LEAST_EPOCH_SHARE: Final = 0.8
# Fewer epochs than this do not show that each one is logged.
LEAST_EPOCHS: Final = 4
MOST_GAPS_LISTED: Final = 10
# Fewer rows whose counter falls may be the ends of trainings, one each.
LEAST_DOWN: Final = 10
_YOLO_TAG: Final = "train/box_loss"
MOST_COLUMNS: Final = 5_000  # a log has tens, one per layer thousands; a dumped data set more
_Kind = TypeVar("_Kind", np.float64, np.int64)
# stepIdx, global_step_num: a counter by another word.
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_COUNTED: Final = re.compile(r"_(?:idx|index|no|nr|num|number|count|counter)$")
_NOT_A_WORD: Final = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True, eq=False)
class StepAxis:
    """The step of each row, where it came from, and what was assumed."""

    steps: IntArray
    column: str | None
    notes: tuple[Text, ...] = ()


def series_of(
    columns: Mapping[str, Column], row_count: int, numbers: IntArray | None = None
) -> tuple[tuple[RawSeries, ...], tuple[Text, ...]]:
    """Return one series per column except the step column, and notes on how steps were found.

    `numbers` are those of the rows where not all were kept.
    """
    columns, code_notes = by_code(columns, row_count, named_counters)
    columns, phase_notes = _unmarked(columns)
    axis = step_axis(columns, row_count, numbers)
    columns, summary_notes = without_summary(columns, row_count, axis.column)
    walls, wall_column = _wall_times(columns, row_count)
    series = tuple(
        RawSeries(
            tag=tag,
            steps=_at(axis.steps, column),
            values=column.values,
            wall_times=None if walls is None else _at(walls, column),
            order=column.rows,
        )
        for tag, column in columns.items()
        if tag not in (axis.column, wall_column) and column.rows.size
    )
    return series, (*code_notes, *axis.notes, *phase_notes, *summary_notes)


def _unmarked(columns: Mapping[str, Column]) -> tuple[Mapping[str, Column], tuple[Text, ...]]:
    """The columns with those of held-out rows in their places."""
    if not any(MARK in tag for tag in columns):
        return columns, ()
    bare = {tag.rpartition(MARK)[2]: column for tag, column in columns.items()}
    clocks = [
        tag
        for tag, column in bare.items()
        if tag.lower().replace(" ", "_") in WALL_NAMES and are_wall_times(column.values)
    ]
    return with_held_out(columns, named_counters(bare), clocks)


def _at(of_rows: NDArray[_Kind], column: Column) -> NDArray[_Kind]:
    """What `of_rows` holds for the rows of the column; the same array when that is all rows."""
    whole = column.rows.size == of_rows.size and column.rows[-1] == of_rows.size - 1
    return of_rows if whole else of_rows[column.rows]


def step_axis(
    columns: Mapping[str, Column], row_count: int, numbers: IntArray | None = None
) -> StepAxis:
    """Return the step of every row.

    A counter column by name, else an epoch column with one row per epoch, else the row number.
    A counter that starts again in each epoch is made global. Rows without a step take that of the
    row before.
    """
    for tag in _named(columns, STEP_NAMES):
        counter = _counter(tag, columns, row_count)
        epoch = next(iter(_named(columns, EPOCH_NAMES)), None)
        if counter is None or (epoch and _counts_down(counter, columns[epoch])):
            continue
        within = _global_steps(counter, columns[epoch], row_count) if epoch else None
        if within is not None:
            steps, length = within
            note = _notes.COUNTED_THROUGH.fill({"tag": tag, "length": length})
            return StepAxis(steps, tag, (note,))
        return StepAxis(_filled(counter, row_count), tag)
    for tag in _named(columns, EPOCH_NAMES):
        counter = _counter(tag, columns, row_count)
        if counter is not None and _one_row_each(tag, columns):
            notes = (_notes.EPOCH_STEPS.fill({"tag": tag}), *_gaps(tag, counter, columns))
            return StepAxis(_filled(counter, row_count), tag, notes)
    rows = np.arange(row_count, dtype=np.int64) if numbers is None else numbers
    unfit = [tag for tag in _named(columns, STEP_NAMES) if not _count(columns[tag].values)]
    told = tuple(_notes.NO_STEPS.fill({"tag": tag}) for tag in unfit[:1])
    return StepAxis(rows, None, (*told, _notes.ROW_STEPS))


def named_counters(columns: Mapping[str, object]) -> frozenset[str]:
    """Return the columns that are called like a counter of steps or epochs."""
    return frozenset(_named(columns, (*STEP_NAMES, *EPOCH_NAMES)))


def with_counters(names: Sequence[str], phases: Sequence[int]) -> list[int]:
    """Return `phases`, the places of columns, and behind them those of counters; if any, all."""
    counters = named_counters(dict.fromkeys(names)) if phases else frozenset()
    return [
        *phases,
        *(at for at, name in enumerate(names) if name in counters and at not in phases),
    ]


def _gaps(tag: str, epoch: Column, columns: Mapping[str, Column]) -> tuple[Text, ...]:
    """A note on epochs without a row where all others have one."""
    present = np.unique(epoch.values)
    if present.size < LEAST_EPOCHS or np.median(np.diff(present)) != 1:
        return ()
    absent_count = present[-1] - present[0] + 1 - present.size
    if not 0 < absent_count <= present.size:  # one wrong number must not become a long list
        return ()
    absent = np.setdiff1d(np.arange(present[0], present[-1]), present)
    gaps = listed((str(int(one)) for one in absent), MOST_GAPS_LISTED)
    told = _notes.NO_ROW_OF_YOLO if _YOLO_TAG in columns else _notes.NO_ROW
    return (told.fill({"tag": tag, "listed": gaps}),)


def _named(columns: Mapping[str, object], names: tuple[str, ...]) -> list[str]:
    """Columns called by one of `names`: first by full name, then by the last part of a path."""
    tags = list(reversed(list(columns)))
    full = {_plain(tag): tag for tag in tags}
    full = {**{_COUNTED.sub("", _plain(_CAMEL.sub("_", tag))): tag for tag in tags}, **full}
    last = {_plain(re.split(r"[/.]", tag)[-1]): tag for tag in tags if "/" in tag or "." in tag}
    found = [full[name] for name in names if name in full]
    return found + [last[name] for name in names if name in last and last[name] not in found]


def _plain(tag: str) -> str:
    return _NOT_A_WORD.sub("_", in_english(european(tag)).lower()).strip("_")


def _counter(tag: str, columns: Mapping[str, Column], row_count: int) -> Column | None:
    """The column's whole numbers when it counts: in most rows, not one number all the time."""
    values = columns[tag].values
    if values.size < max(1.0, LEAST_STEP_SHARE * row_count):
        return None
    whole = are_steps(values)
    if not _count(values):
        return None
    column = columns[tag]
    if not whole.all():
        column = Column(column.rows[whole], values[whole])
    moves = bool((column.values != column.values[0]).any())
    return column if moves or _densest(columns, without=tag) <= 1 else None


def _count(values: FloatArray) -> bool:
    return values.size == 0 or bool(are_steps(values).mean() >= LEAST_WHOLE_SHARE)


def _densest(columns: Mapping[str, Column], without: str) -> int:
    """Number of values in the fullest other column."""
    return max((c.rows.size for tag, c in columns.items() if tag != without), default=0)


def _filled(column: Column, row_count: int) -> IntArray:
    """Steps of all rows; a row without one takes the step of the row before it."""
    if column.rows.size == row_count:
        return column.values.astype(np.int64)
    place = np.full(row_count, -1, dtype=np.int64)
    place[column.rows] = np.arange(column.rows.size)
    place = np.maximum.accumulate(place)
    place[place < 0] = 0
    filled: IntArray = column.values.astype(np.int64)[place]
    return filled


def _counts_down(column: Column, epoch: Column) -> bool:
    """Return whether a counter falls from row to row as epochs go by: it counts what is left."""
    shared, in_step, in_epoch = np.intersect1d(column.rows, epoch.rows, return_indices=True)
    if shared.size < LEAST_DOWN:
        return False
    steps, epochs = column.values[in_step], epoch.values[in_epoch]
    rise = bool((np.diff(epochs) >= 0).all() and epochs[-1] > epochs[0])
    return rise and bool((np.diff(steps) < 0).all())


def _global_steps(column: Column, epoch: Column, row_count: int) -> tuple[IntArray, int] | None:
    """Steps counted through all epochs, and the steps of one; None when the counter goes on."""
    shared, in_step, in_epoch = np.intersect1d(column.rows, epoch.rows, return_indices=True)
    if shared.size < 2:
        return None
    steps, epochs = column.values[in_step], epoch.values[in_epoch]
    if not np.all(np.abs(epochs) < LARGEST_STEP) or not np.all(epochs == np.round(epochs)):
        return None
    back = np.flatnonzero(np.diff(steps) < 0)
    if not back.size or np.mean(np.diff(epochs)[back] > 0) < LEAST_EPOCH_SHARE:
        return None
    up = np.diff(steps)[np.diff(steps) > 0]
    if not up.size:
        return None  # a counter that only falls counts what is left
    stride = int(np.median(up)) if steps.size > 2 else 1
    length = int(steps.max()) + (stride if steps.min() == 0 else 0)
    base = min(1.0, float(epochs.min()))
    counted = Column(shared, (epochs - base) * length + steps)
    if np.abs(counted.values).max() >= LARGEST_STEP:
        return None
    return _filled(counted, row_count), length


def _one_row_each(epoch: str, columns: Mapping[str, Column]) -> bool:
    # a log that was continued, or begun anew, comes to its epochs again
    visits = 1 + int(np.sum(np.diff(columns[epoch].values) != 0))
    return bool(_densest(columns, without=epoch) <= MOST_ROWS_PER_EPOCH * visits)


def _wall_times(
    columns: Mapping[str, Column], row_count: int
) -> tuple[FloatArray | None, str | None]:
    for name in WALL_NAMES:
        for tag, column in columns.items():
            full = tag.lower().replace(" ", "_") == name and column.rows.size == row_count > 0
            if full and are_wall_times(column.values):
                return column.values, tag
    return None, None
