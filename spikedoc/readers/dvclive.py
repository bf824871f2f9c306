"""DVCLive's folder: a table per metric under plots/metrics."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import numpy as np

from spikedoc.errors import InputError
from spikedoc.readers._metric_folder import (
    DEEPEST_NAME,
    in_one_order,
    metric_files,
    metric_text,
)
from spikedoc.readers._notes import LOGGED_ANY
from spikedoc.readers._numbers import LARGEST_STEP, number
from spikedoc.readers.base import Progress, RawSeries, Reader, Table
from spikedoc.text import Text

_SUFFIX: Final = ".tsv"
# The header of a metric's table: its step, the time if that was asked for, the metric.
_HEADER: Final = re.compile(rb"(?:timestamp\t)?step\t[^\t\r\n]+\r?\n")
_FOLDERS: Final = ("plots", "metrics")

NO_NUMBER: Final = Text(
    "{tag}: {count} {count|row|rows} without a number {count|was|were} left out",
    "{tag}：{count} 行没有数值，已略去",
)
NO_METRIC: Final = Text("no metric in this DVCLive folder", "这个 DVCLive 目录中没有指标")


class DvcliveReader:
    """Reads the folder of a run, or the table of one metric in it."""

    @property
    def name(self) -> str:
        """Short name shown in reports."""
        return "dvclive"

    def accepts(self, path: Path, head: bytes) -> bool:
        """Return whether the file is the table of one metric in a DVCLive folder."""
        return _HEADER.match(head) is not None and self.log_folder(path) is not None

    def log_folder(self, path: Path) -> Path | None:
        """Return the folder of the run of a metric's table."""
        if path.suffix.lower() != _SUFFIX:
            return None
        for folder in list(path.parents)[:DEEPEST_NAME]:
            if (folder.parent.name, folder.name) == _FOLDERS:
                return folder.parent.parent
        return None

    def read(self, path: Path, progress: Progress | None = None) -> Table:
        """Return one series per metric; raises InputError when there is none."""
        notes: list[Text] = []
        run = path if path.is_dir() else self.log_folder(path) or path.parent
        top = run.joinpath(*_FOLDERS)
        files = list(metric_files(top, notes)) if path.is_dir() else [path]
        series = []
        for done, file in enumerate(files, 1):
            if file.suffix.lower() == _SUFFIX:
                tag = file.relative_to(top if top in file.parents else file.parent)
                one = _metric(file, tag.with_suffix("").as_posix(), notes)
                series.extend([one] if one is not None else [])
            if progress is not None:
                progress(done, len(files))
        if not series:
            raise InputError(path, NO_METRIC, LOGGED_ANY)
        return Table(in_one_order(series), notes=tuple(notes), framework="dvclive")


def _metric(path: Path, tag: str, notes: list[Text]) -> RawSeries | None:
    header, *rows = metric_text(path, tag, notes).splitlines() or [""]
    width = max(2, len(header.split("\t")))
    steps, values = [], []
    for row in rows:
        cells = row.split("\t")
        if len(cells) != width:
            continue
        step, value = number(cells[-2]), number(cells[-1])
        if step is not None and value is not None and abs(step) < LARGEST_STEP:
            steps.append(int(step))
            values.append(value)
    if len(values) < len(rows):
        notes.append(NO_NUMBER.fill({"tag": tag, "count": len(rows) - len(values)}))
    if not values:
        return None
    return RawSeries(tag, np.array(steps, dtype=np.int64), np.array(values, dtype=np.float64))


READER: Final[Reader] = DvcliveReader()
