"""The series of a run as rows of a long or a wide table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from spikedoc.cli.spreadsheet import text_cell
from spikedoc.errors import UsageError
from spikedoc.model.json_text import safe
from spikedoc.text import Text

if TYPE_CHECKING:
    from spikedoc.model.run import FloatArray, IntArray, Run, Series

CSV: Final = "csv"
JSONL: Final = "jsonl"
PARQUET: Final = "parquet"
FORMATS: Final = (CSV, JSONL, PARQUET)
LONG: Final = "long"
WIDE: Final = "wide"
SHAPES: Final = (WIDE, LONG)
# Rows turned into text at a time.
ROWS_AT_A_TIME: Final = 10_000
NEEDS_PYARROW: Final = Text(
    "writing Parquet needs pyarrow: pip install pyarrow",
    "写入 Parquet 需要 pyarrow：pip install pyarrow",
)
STEP: Final = "step"
WALL_TIME: Final = "wall_time"
_LONG_NAMES: Final = ("run", STEP, "metric", "role", "value", WALL_TIME)
# Strict JSON has no such numbers; spikedoc's reader takes these words for them.
_JSON_WORDS: Final = {"nan": '"NaN"', "inf": '"Infinity"', "-inf": '"-Infinity"'}


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    """A column of a wide table: the rows that have a value, and the values."""

    name: str
    rows: IntArray
    values: FloatArray


def lines(run: Run, format_: str, *, long: bool) -> Iterator[str]:
    """Yield the table as text, some thousand lines at a time.

    Series that spikedoc computed itself, as a sum of terms, are left out.
    """
    if long:
        return _long_csv(run) if format_ == CSV else _long_jsonl(run)
    return _wide_csv(run) if format_ == CSV else _wide_jsonl(run)


def logged(run: Run) -> list[tuple[str, Series]]:
    """Return the series that the log holds, each with a name that no other has."""
    from spikedoc.ingest.naming import SUM_TAG

    found: dict[str, Series] = {}
    for one in run.series:
        if one.tag == SUM_TAG:
            continue
        tag = one.tag
        if one.rank is not None and not one.tag.lower().endswith(f"rank{one.rank}"):
            tag = f"{one.tag}/rank{one.rank}"
        name, count = tag, 2
        while name in found or name in (STEP, WALL_TIME):
            name, count = f"{tag}#{count}", count + 1
        found[name] = one
    return list(found.items())


def _long_rows(run: Run) -> Iterator[list[tuple[str, str, int, str, float | None]]]:
    for name, one in logged(run):
        for start in range(0, len(one), ROWS_AT_A_TIME):
            part = slice(start, start + ROWS_AT_A_TIME)
            walls = [None] * len(one.steps[part])
            times = walls if one.wall_times is None else one.wall_times[part].tolist()
            values = map(repr, one.values[part].tolist())
            yield [
                (name, one.metric.value, step, value, time)
                for step, value, time in zip(one.steps[part].tolist(), values, times, strict=True)
            ]


def _long_csv(run: Run) -> Iterator[str]:
    title = text_cell(run.name)
    yield ",".join(_LONG_NAMES) + "\n"
    for rows in _long_rows(run):
        first = f"{text_cell(rows[0][0])},{rows[0][1]}"
        yield "".join(
            f"{title},{step},{first},{value},{'' if time is None else repr(time)}\n"
            for _, _, step, value, time in rows
        )


def _long_jsonl(run: Run) -> Iterator[str]:
    for rows in _long_rows(run):
        names = dict(zip(("run", "metric", "role"), (run.name, *rows[0][:2]), strict=True))
        head = _json(names)[:-1]
        yield "".join(
            f'{head}, "step": {step}, "value": {_JSON_WORDS.get(value, value)}{_wall(time)}}}\n'
            for _, _, step, value, time in rows
        )


def _json(value: object) -> str:
    """The value as JSON in ASCII; DEL, which JSON allows in the open, is spelt as well."""
    return safe(json.dumps(value))


def _wall(time: float | None) -> str:
    return "" if time is None or time != time else f', "wall_time": {time!r}'  # noqa: PLR0124


def _wide(run: Run) -> tuple[IntArray, list[_Column]]:
    """All steps of the run, and its columns."""
    import numpy as np

    found = logged(run)
    steps = np.unique(np.concatenate([one.steps for _, one in found] or [np.zeros(0, np.int64)]))
    columns = [
        _Column(name, np.searchsorted(steps, one.steps).astype(np.int64), one.values)
        for name, one in found
    ]
    walls = np.full(steps.size, np.nan)
    for column, (_, one) in zip(columns, found, strict=True):
        if one.wall_times is not None:
            known = np.isnan(walls[column.rows])
            walls[column.rows[known]] = one.wall_times[known]
    rows = np.flatnonzero(~np.isnan(walls)).astype(np.int64)
    return steps, [*columns, _Column(WALL_TIME, rows, walls[rows])] if rows.size else columns


def _text(columns: list[_Column], first: int, last: int) -> Iterator[list[str]]:
    """The cells of each column between two rows; empty where there is no value."""
    import numpy as np

    for column in columns:
        start, end = np.searchsorted(column.rows, [first, last])
        texts = list(map(repr, column.values[start:end].tolist()))
        if len(texts) < last - first:
            cells = [""] * (last - first)
            for row, text in zip((column.rows[start:end] - first).tolist(), texts, strict=True):
                cells[row] = text
            texts = cells
        yield texts


def _wide_csv(run: Run) -> Iterator[str]:
    steps, columns = _wide(run)
    yield ",".join([STEP, *(text_cell(column.name) for column in columns)]) + "\n"
    for first in range(0, steps.size, ROWS_AT_A_TIME):
        last = min(first + ROWS_AT_A_TIME, steps.size)
        cells = [map(str, steps[first:last].tolist()), *_text(columns, first, last)]
        yield "\n".join(map(",".join, zip(*cells, strict=True))) + "\n"


def _wide_jsonl(run: Run) -> Iterator[str]:
    steps, columns = _wide(run)
    keys = [f", {_json(column.name)}: " for column in columns]
    for first in range(0, steps.size, ROWS_AT_A_TIME):
        last = min(first + ROWS_AT_A_TIME, steps.size)
        rows = zip(steps[first:last].tolist(), *_text(columns, first, last), strict=True)
        yield "".join(
            f'{{"step": {step}'
            + "".join(
                key + _JSON_WORDS.get(cell, cell)
                for key, cell in zip(keys, cells, strict=True)
                if cell
            )
            + "}\n"
            for step, *cells in rows
        )


def write_parquet(run: Run, output: Path, *, long: bool) -> None:
    """Write the table as Parquet; raises UsageError without the package for it."""
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError:
        raise UsageError(NEEDS_PYARROW) from None
    table = _long_arrow(arrow, run) if long else _wide_arrow(arrow, run)
    parquet.write_table(table, output)


def _wide_arrow(arrow: Any, run: Run) -> Any:
    import numpy as np

    steps, columns = _wide(run)
    arrays = {STEP: arrow.array(steps)}
    for column in columns:
        values, is_missing = np.zeros(steps.size), np.ones(steps.size, dtype=bool)
        values[column.rows], is_missing[column.rows] = column.values, False
        arrays[column.name] = arrow.array(values, mask=is_missing, from_pandas=False)
    return arrow.table(arrays)


def _long_arrow(arrow: Any, run: Run) -> Any:
    parts = []
    for name, one in logged(run):
        walls = one.wall_times
        times = arrow.nulls(len(one), arrow.float64()) if walls is None else arrow.array(walls)
        texts = [arrow.array([text] * len(one)) for text in (run.name, name, one.metric.value)]
        cells = [
            texts[0],
            arrow.array(one.steps),
            texts[1],
            texts[2],
            arrow.array(one.values),
            times,
        ]
        parts.append(arrow.table(cells, names=list(_LONG_NAMES)))
    return arrow.concat_tables(parts)
