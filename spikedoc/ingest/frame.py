"""A run from what is in memory: a table, a mapping of names to arrays, a list of records."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

import numpy as np

from spikedoc.cleaning import name as shown
from spikedoc.errors import InputError
from spikedoc.ingest.assemble import assemble
from spikedoc.ingest.config import inferred
from spikedoc.ingest.naming import check_mapping
from spikedoc.ingest.redaction import redacted_run
from spikedoc.model.run import FloatArray, Run
from spikedoc.readers._column import Column
from spikedoc.readers._columns import EPOCH_NAMES, STEP_NAMES, series_of
from spikedoc.readers._columns_builder import ColumnsBuilder
from spikedoc.readers._json_rows import flatten, numeric
from spikedoc.readers._notes import NO_NUMBERS_IN_TABLE
from spikedoc.readers._numbers import plain
from spikedoc.readers._phases import Phases, marked, may_tell_phase, notes_of, parts_of, word_of
from spikedoc.readers._wandb_panel import PANEL, with_runs_apart
from spikedoc.readers.base import Table
from spikedoc.readers.trainer_state import SUMMARY_KEY, history_table
from spikedoc.text import Text, listed

_INDEX_NAME: Final = "step"
_WANTED: Final = Text(
    "give a path, a table, a dict of arrays or a list of dicts",
    "请给出路径、表、数组的字典或字典的列表",
)
SAME_NAME: Final = Text("two columns are called {key}", "有两列都叫 {key}")
ONE_RUN: Final = Text("give the columns of one run", "请只给出一次训练的各列")
NO_NUMBERS: Final = Text("column {key} is no list of numbers", "列 {key} 不是数字列表")
UNEVEN: Final = Text(
    "column {key} has {size} {size|row|rows}, others have {others}",
    "列 {key} 有 {size} 行，其他列有 {others} 行",
)
_EPOCH_NAME: Final = "epoch"
# What tells the records of the Hugging Face Trainer.
_EVALUATION_KEY: Final = "eval_runtime"
_TRAINER_KEYS: Final = frozenset({"loss", "learning_rate", "epoch", "step"})
# Median distance in rows between two numbers of a column above which it is logged now and then.
DENSE_DISTANCE: Final = 1.0


def load_frame(frame: Any, name: str = "frame", mapping: Mapping[str, str] | None = None) -> Run:
    """Return the run in a table, a mapping of names to arrays, or a list of records.

    Tables are those of pandas, Polars and Arrow; records may have different keys, like the
    `log_history` of the Hugging Face Trainer. What holds such a thing is taken too: the `History`
    of Keras, the `state` of a Trainer.

    A frame cannot tell NaN from an empty cell. NaN is taken as missing in a column that has
    numbers only now and then, and in rows in which only such columns have numbers; elsewhere it is
    NaN as logged. None and `pandas.NA` are missing. An index that is not a plain row count serves
    as step when no column does. Raises InputError without numbers, and for a panel of several runs.
    """
    table = _table_of(frame, name)
    if not table.series:
        raise InputError(name, NO_NUMBERS_IN_TABLE)
    runs = with_runs_apart(table).runs
    if runs:
        told = PANEL.fill({"count": len(runs), "names": listed(one.name for one in runs[:2])})
        raise InputError(name, told, ONE_RUN)
    check_mapping(mapping or {}, [one.tag for one in table.series])
    run = assemble([(name, table)], name, name, mapping or {})[-1]
    config, _ = inferred(run, table.config)
    notes = tuple(dict.fromkeys((*table.notes, *run.notes)))
    config = {**config, **table.config}
    return redacted_run(Run(run.name, run.path, run.series, run.restarts, config, notes=notes))


def _table_of(frame: Any, name: str) -> Table:
    if hasattr(frame, "log_history"):
        frame = frame.log_history
    if isinstance(frame, Sequence) and not isinstance(frame, str | bytes):
        return _records(frame, name)
    try:
        held = _mapping_of(frame, name)
        cells, row_count = _cells_of(held, name)
        phases = Phases.of(
            (str(key), list(held[key])) for key in list(held.keys()) if may_tell_phase(str(key))
        )
    except InputError:
        raise
    except Exception as error:  # whatever a thing that only looks like a table may raise
        kind = type(frame).__name__
        told = Text(f"a {kind} without columns", f"是没有列的 {kind}")
        raise InputError(name, told, _WANTED) from error
    return _columns(cells, row_count, _index(held), phases)


def _records(records: Sequence[Any], name: str) -> Table:
    """Return the series of records; a key that a record lacks was not logged there."""
    odd = next((type(one).__name__ for one in records if not isinstance(one, Mapping)), None)
    if odd is not None:
        raise InputError(name, Text(f"a list of {odd}", f"是 {odd} 的列表"), _WANTED)
    rows = [{key: _native(value) for key, value in one.items()} for one in records]
    if any(_is_of_trainer(row) for row in rows):
        return history_table({"log_history": rows})
    builder = ColumnsBuilder()
    for row in rows:
        flat = flatten(row)
        word = word_of(flat)
        cells = {marked(word, k) if word else k: _native(cell) for k, cell in flat.items()}
        builder.add(numeric(cells))
    series, notes = builder.series()
    return Table(series, notes=notes)


def _native(value: Any) -> Any:
    """Return a number of NumPy, PyTorch or `decimal` as one of Python, all else as it is."""
    if getattr(value, "ndim", None) == 0 and hasattr(value, "item"):
        value = value.item()
    if isinstance(value, Decimal | Fraction | np.floating):
        try:
            number = float(value)
        except (ValueError, OverflowError):  # a signalling NaN, a fraction beyond all floats
            return None
        return None if math.isinf(number) and abs(value) != math.inf else number
    return value


def _is_of_trainer(row: Mapping[str, Any]) -> bool:
    """Tell whether the Hugging Face Trainer has written a record."""
    return SUMMARY_KEY in row or _EVALUATION_KEY in row or row.keys() >= _TRAINER_KEYS


def _mapping_of(frame: Any, name: str) -> Any:
    """Return something with `keys()` and columns: a mapping, or a DataFrame of pandas."""
    if hasattr(frame, "get_columns"):  # Polars
        return {column.name: column.to_list() for column in frame.get_columns()}
    if hasattr(frame, "to_pydict"):  # Arrow
        return frame.to_pydict()
    if isinstance(history := getattr(frame, "history", None), Mapping):  # Keras
        return {_EPOCH_NAME: frame.epoch, **history} if hasattr(frame, "epoch") else history
    if not hasattr(frame, "keys") or isinstance(frame, type):
        kind = type(frame).__name__
        raise InputError(name, Text(f"a {kind}", f"是 {kind}"), _WANTED)
    return frame


def _columns(
    cells: dict[str, _Cells], row_count: int, index: FloatArray | None, phases: Phases | None
) -> Table:
    whole = {key: _column(array) for key, array in _without_gaps(cells, row_count).items()}
    columns = {
        name: Column(rows, values)
        for key, column in whole.items()
        if column.rows.size
        for name, rows, values in parts_of(phases, key, column.rows, column.values)
    }
    if _INDEX_NAME not in columns and index is not None and index.size == row_count:
        columns = {_INDEX_NAME: Column(np.arange(row_count, dtype=np.int64), index), **columns}
    series, notes = series_of(columns, row_count)
    return Table(series, notes=(*notes_of(phases), *notes))


def _cells_of(frame: Any, name: str) -> tuple[dict[str, _Cells], int]:
    found: dict[str, _Cells] = {}
    row_count = 0
    for key in list(frame.keys()):
        if str(key) in found:
            raise InputError(name, SAME_NAME.fill({"key": shown(str(key))}))
        cells = _Cells.of(frame[key])
        if cells is None:
            raise InputError(name, NO_NUMBERS.fill({"key": shown(str(key))}), _WANTED)
        if found and cells.values.size != row_count:
            rows = {"size": cells.values.size, "others": row_count}
            raise InputError(name, UNEVEN.fill({"key": shown(str(key)), **rows}))
        row_count = cells.values.size
        found[str(key)] = cells
    return found, row_count


class _Cells:
    """One column: its numbers, and which cells are missing for certain."""

    def __init__(self, values: FloatArray, missing: np.ndarray[Any, np.dtype[np.bool_]]) -> None:
        self.values = values
        self.missing = missing

    @classmethod
    def of(cls, cells: Any) -> _Cells | None:
        """Return the cells; those of more than one number are missing. None for a single value."""
        try:
            array = np.asarray(cells)
        except ValueError:  # lists of different lengths
            array = np.asarray(cells, dtype=object)
        if array.ndim == 0:
            return None
        if array.ndim > 1:
            return cls(np.full(len(array), np.nan), np.ones(len(array), bool))
        if array.dtype.kind in "iuf":
            return cls(array.astype(np.float64), np.zeros(array.size, dtype=bool))
        numbers = [plain(_native(cell)) for cell in array.tolist()]
        missing = np.array([number is None for number in numbers], dtype=bool)
        values = [np.nan if number is None else number for number in numbers]
        return cls(np.array(values, dtype=np.float64), missing)


def _without_gaps(cells: Mapping[str, _Cells], row_count: int) -> dict[str, _Cells]:
    """Mark NaN cells that mean "not logged here"."""
    counters = {key for key in cells if key.lower() in (*STEP_NAMES, *EPOCH_NAMES)}
    others = {key: column for key, column in cells.items() if key not in counters}
    dense = {key for key, column in others.items() if _is_dense(column)}
    any_dense = np.zeros(row_count, dtype=bool)
    any_sparse = np.zeros(row_count, dtype=bool)
    for key, column in others.items():
        target = any_dense if key in dense else any_sparse
        target |= ~np.isnan(column.values)
    of_sparse_only = any_sparse & ~any_dense
    for key, column in cells.items():
        if column.missing.any():
            continue  # what is missing is marked, so NaN is a value
        column.missing = np.isnan(column.values)
        if key in dense:
            column.missing &= of_sparse_only
    return dict(cells)


def _is_dense(column: _Cells) -> bool:
    rows = np.flatnonzero(~np.isnan(column.values))
    return rows.size > 0 and (rows.size == 1 or float(np.median(np.diff(rows))) <= DENSE_DISTANCE)


def _column(cells: _Cells) -> Column:
    rows = np.flatnonzero(~cells.missing).astype(np.int64)
    return Column(rows, cells.values[rows])


def _index(frame: Any) -> FloatArray | None:
    """A DataFrame's index when it carries information."""
    index = getattr(frame, "index", None)
    if index is None or callable(index) or _only_counts_rows(index):
        return None
    values = np.asarray(index)
    return values.astype(np.float64) if values.dtype.kind in "iuf" else None


def _only_counts_rows(index: Any) -> bool:
    """Tell whether an index is the one that pandas gives to a table by itself: 0, 1, 2 …

    pandas 3 makes a RangeIndex of a regular step column too: that one has a name or another start.
    """
    if type(index).__name__ != "RangeIndex" or str(index.name).lower() in STEP_NAMES:
        return False
    return bool(index.start == 0 and index.step == 1)
