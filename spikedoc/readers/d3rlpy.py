"""d3rlpy's folder: a table per quantity, `epoch,step,value`, or the spread of a gradient."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import numpy as np

from spikedoc.errors import InputError
from spikedoc.readers._metric_folder import in_one_order, metric_files, metric_text
from spikedoc.readers._notes import LOGGED_ANY
from spikedoc.readers._numbers import LARGEST_STEP, number
from spikedoc.readers.base import Progress, RawSeries, Reader, Table
from spikedoc.text import Text

_SUFFIX: Final = ".csv"
# What d3rlpy writes beside the tables; without it such numbers are an ordinary table.
_SETTINGS: Final = "params.json"
# One value a row, without a header; rows of gradients have one.
_VALUE_ROW: Final = re.compile(rb"\d{1,12},\d{1,15},[-+]?(?:[\d.]+(?:e[-+]?\d+)?|nan|inf)\s")
_SPREAD: Final = "epoch,step,min,max,mean,std"
_PARTS: Final = _SPREAD.split(",")[2:]

ROWS_LEFT_OUT: Final = Text(
    "{tag}: {count} {count|row was|rows were} left out", "{tag}：{count} 行已略去"
)
NO_TABLE: Final = Text("no table with numbers in it", "其中没有含数值的表格")


class D3rlpyReader:
    """Reads the folder of a run, or one table in it."""

    @property
    def name(self) -> str:
        """Short name shown in reports."""
        return "d3rlpy"

    def accepts(self, path: Path, head: bytes) -> bool:
        """Return whether the file is a table in a folder of d3rlpy."""
        looks = _VALUE_ROW.match(head) is not None or head.startswith(_SPREAD.encode())
        return looks and self.log_folder(path) is not None

    def log_folder(self, path: Path) -> Path | None:
        """Return the folder of the run of a table."""
        beside = path.parent / _SETTINGS
        return path.parent if path.suffix.lower() == _SUFFIX and beside.is_file() else None

    def read(self, path: Path, progress: Progress | None = None) -> Table:
        """Return the series of each table; raises InputError when there is none."""
        notes: list[Text] = []
        files = list(metric_files(path, notes)) if path.is_dir() else [path]
        tables = [file for file in files if file.suffix.lower() == _SUFFIX]
        series: list[RawSeries] = []
        for done, file in enumerate(tables, 1):
            series += _series(file, notes)
            if progress is not None:
                progress(done, len(tables))
        if not series:
            raise InputError(path, NO_TABLE, LOGGED_ANY)
        return Table(in_one_order(series), notes=tuple(notes), framework="d3rlpy")


def _series(path: Path, notes: list[Text]) -> list[RawSeries]:
    """The one series of a quantity, or the four of a gradient's spread."""
    tag = path.stem
    rows = metric_text(path, tag, notes).splitlines()
    has_header = bool(rows) and rows[0] == _SPREAD
    tags = [f"{tag}/{part}" for part in _PARTS] if has_header else [tag]
    found = [cells for row in rows[has_header:] if (cells := _cells(row, len(tags))) is not None]
    left_out = len(rows) - has_header - len(found)
    if left_out:
        notes.append(ROWS_LEFT_OUT.fill({"tag": tag, "count": left_out}))
    if not found:
        return []
    steps = np.array([step for step, *_ in found], dtype=np.int64)
    return [
        RawSeries(name, steps, np.array([row[n] for row in found], dtype=np.float64))
        for n, name in enumerate(tags, 1)
    ]


def _cells(row: str, count: int) -> list[float] | None:
    """Step and values of a row; None when it is cut short or no row of numbers."""
    numbers = [number(cell) for cell in row.split(",")[1:]]
    given = [value for value in numbers if value is not None]
    if len(numbers) != count + 1 or len(given) != len(numbers):
        return None
    is_step = 0 <= given[0] < LARGEST_STEP and given[0] == round(given[0])
    return given if is_step else None


READER: Final[Reader] = D3rlpyReader()
