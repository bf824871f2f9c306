"""CatBoost's folder `catboost_info`: catboost_training.json beside tables of the same numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from spikedoc.errors import InputError
from spikedoc.readers._columns import STEP
from spikedoc.readers._columns_builder import ColumnsBuilder
from spikedoc.readers._numbers import LARGEST_STEP, number
from spikedoc.readers._sniff import decode
from spikedoc.readers.base import Progress, RawSeries, Reader, Table
from spikedoc.readers.csv import READER as CSV
from spikedoc.text import Text

_JSON: Final = "catboost_training.json"
_TABLES: Final = ("learn_error.tsv", "test_error.tsv", "time_left.tsv")
# Those with the numbers of a data set, which the JSON calls so.
_SETS: Final = {"learn_error.tsv": "learn", "test_error.tsv": "test"}
_HEAD: Final = re.compile(rb'\{\s{0,9}"meta":\s{0,9}\{.{0,60000}?"learn_sets"', re.DOTALL)
_TABLE_HEAD: Final = b"iter\t"
# An iteration is one line: a number for each metric of each data set.
LONGEST_ROW: Final = 1_000_000
CUT_NOTE: Final = Text(
    "iterations that are no JSON were left out: {count}", "不是 JSON 的迭代记录已略去：{count} 条"
)
NO_ITERATION: Final = Text("no iteration in this CatBoost log", "这份 CatBoost 日志中没有迭代记录")


class CatboostReader:
    """Reads the JSON of a training, or its tables, which hold the same, where it is not there."""

    @property
    def name(self) -> str:
        """Short name shown in reports."""
        return "catboost"

    def accepts(self, path: Path, head: bytes) -> bool:
        """Return whether the file is the JSON, or one of the tables beside it."""
        is_table = path.name in _TABLES and head.startswith(_TABLE_HEAD)
        return _HEAD.match(head) is not None or (is_table and self.log_folder(path) is not None)

    def log_folder(self, path: Path) -> Path | None:
        """Return the folder that holds the JSON, or a table of each data set."""
        is_ours = path.name == _JSON or path.name in _TABLES
        whole = (path.parent / _JSON).is_file() or all(map(_is_table, _tables(path.parent)))
        return path.parent if is_ours and whole else None

    def read(self, path: Path, progress: Progress | None = None) -> Table:
        """Return a series per data set and metric; raises InputError when there is none."""
        folder = path if path.is_dir() else self.log_folder(path)
        file = path if folder is None else folder / _JSON
        if folder is not None and not file.is_file():
            return _of_tables(folder)
        builder, size, done, damaged = ColumnsBuilder(), file.stat().st_size, 0, 0
        names: dict[str, list[str]] = {}
        with file.open("rb") as lines:
            while raw := lines.readline(LONGEST_ROW):
                done += len(raw)
                row = _parsed(raw)
                if row is None:
                    damaged += raw.startswith(b'{"')
                elif "meta" in row:
                    names = _names(row["meta"])
                else:
                    builder.add(_cells(row, names))
                if progress is not None:
                    progress(done, size)
        series, notes = builder.series()
        if not series:
            raise InputError(path, NO_ITERATION, Text("did the training start?", "训练开始了吗？"))
        if damaged:
            notes = (*notes, CUT_NOTE.fill({"count": damaged}))
        return Table(series, notes=notes, framework="boosting")


def _tables(folder: Path) -> list[Path]:
    return [folder / name for name in _SETS]


def _is_table(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_TABLE_HEAD)) == _TABLE_HEAD
    except OSError:
        return False


def _of_tables(folder: Path) -> Table:
    """The tables of a folder without the JSON, under the names that it would give."""
    found: list[RawSeries] = []
    notes: dict[Text, None] = {}
    for path in _tables(folder):
        table = CSV.read(path)
        found += [replace(one, tag=f"{_SETS[path.name]}/{one.tag}") for one in table.series]
        notes.update(dict.fromkeys(table.notes))
    return Table(tuple(found), notes=tuple(notes), framework="boosting")


def _parsed(raw: bytes) -> dict[str, Any] | None:
    """The object in a line of the JSON; None for its brackets and for what is cut short."""
    text = decode(raw).strip().rstrip(",")
    text = "{" + text + "}" if text.startswith('"meta"') else text
    try:
        row = json.loads(text) if text.startswith('{"') else None
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def _names(meta: object) -> dict[str, list[str]]:
    """The metrics of each data set, in the order of the numbers."""
    if not isinstance(meta, Mapping):
        return {}

    def named(key: str) -> list[str]:
        return [str(one.get("name")) for one in _list(meta.get(key)) if isinstance(one, Mapping)]

    found = {}
    for sets, metrics in (("learn_sets", "learn_metrics"), ("test_sets", "test_metrics")):
        listed = meta.get(sets)
        found.update({str(one): named(metrics) for one in _list(listed)})
    return found


def _cells(row: Mapping[str, Any], names: Mapping[str, Sequence[str]]) -> list[tuple[str, float]]:
    cells = []
    step = row.get("iteration")
    if isinstance(step, int) and not isinstance(step, bool) and abs(step) < LARGEST_STEP:
        cells.append((STEP, float(step)))
    for data, metrics in names.items():
        for metric, one in zip(metrics, _list(row.get(data)), strict=False):
            value = number(str(one)) if isinstance(one, int | float | str) else None
            if value is not None:
                cells.append((f"{data}/{metric}", value))
    return cells


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


READER: Final[Reader] = CatboostReader()
