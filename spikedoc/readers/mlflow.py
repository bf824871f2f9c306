"""MLflow's file store: a folder per run, with a file per metric and one per parameter."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import numpy as np

from spikedoc.errors import InputError
from spikedoc.model.run import ConfigValue
from spikedoc.readers._metric_folder import (
    DEEPEST_NAME,
    in_one_order,
    metric_files,
    metric_text,
)
from spikedoc.readers._notes import LOGGED_ANY
from spikedoc.readers._numbers import LARGEST_STEP, numbers
from spikedoc.readers._settings import setting
from spikedoc.readers._sniff import decode, is_text
from spikedoc.readers.base import Progress, RawSeries, Reader, Table
from spikedoc.text import Text

METRICS: Final = "metrics"
PARAMS: Final = "params"
META: Final = "meta.yaml"
# A line of a metric: milliseconds since 1970, value, step; the first releases wrote no step.
_LINE: Final = re.compile(rb"\d{10,16} [-+\w.]{1,40}(?: -?\d{1,16})?\r?\n")
_RUN_NAME: Final = re.compile(r"^run_name:\s*(\S.*?)\s*$", re.MULTILINE)
_MILLISECONDS: Final = 1000.0
# Bounds: parameters of one run, the length of a value.
MOST_PARAMS: Final = 500
LONGEST_PARAM: Final = 8_000

NO_POINTS: Final = Text(
    "{tag}: {count} {count|line that is no point was|lines that are no points were} left out",
    "{tag}：{count} 行不是数据点，已略去",
)
NO_METRIC: Final = Text("no metric in this MLflow run", "这份 MLflow 训练记录中没有指标")


class MlflowReader:
    """Reads a run's folder, its `metrics` folder, or the file of one metric."""

    @property
    def name(self) -> str:
        """Short name shown in reports."""
        return "mlflow"

    def accepts(self, path: Path, head: bytes) -> bool:  # noqa: ARG002 - the bytes tell
        """Return whether `head` holds lines of a metric."""
        return is_text(head) and _LINE.match(head) is not None

    def log_folder(self, path: Path) -> Path | None:
        """Return the folder of the run of a metric's file."""
        above = list(path.parents)[:DEEPEST_NAME]
        metrics = next((folder for folder in above if folder.name == METRICS), None)
        return metrics.parent if metrics is not None else None

    def read(self, path: Path, progress: Progress | None = None) -> Table:
        """Return one series per metric, with the parameters; raises InputError for none."""
        notes: list[Text] = []
        if path.is_dir():
            run = path.parent if path.name == METRICS else path
            top = run / METRICS
            files = list(metric_files(top, notes))
        else:
            found = self.log_folder(path)
            run, files = found or path.parent, [path]
            top = path.parent if found is None else found / METRICS
        series = []
        for done, file in enumerate(files, 1):
            one = _metric(file, file.relative_to(top).as_posix(), notes)
            if one is not None:
                series.append(one)
            if progress is not None:
                progress(done, len(files))
        if not series:
            raise InputError(path, NO_METRIC, LOGGED_ANY)
        return Table(
            in_one_order(series),
            _params(run),
            notes=tuple(notes),
            framework="mlflow",
            name=_name(run),
        )


def _metric(path: Path, tag: str, notes: list[Text]) -> RawSeries | None:
    """The points of one file; None when it is gone, too large, or holds none."""
    whole = metric_text(path, tag, notes)
    quick = _clean_metric(whole, tag)
    if quick is not None:
        return quick
    rows = [cells for line in whole.split("\n") if len(cells := line.split()) in (2, 3)]
    odd = sum(1 for line in whole.split("\n") if line.strip()) - len(rows)
    if not rows:
        return None
    kept, values = numbers([cells[1] for cells in rows])
    at, steps = numbers([cells[2] if len(cells) > 2 else str(i) for i, cells in enumerate(rows)])
    timed, walls = numbers([cells[0] if cells[0].isdigit() else "" for cells in rows])
    good = np.isin(kept, np.intersect1d(at[np.abs(steps) < LARGEST_STEP], timed))
    odd += len(rows) - int(good.sum())
    if odd:
        notes.append(NO_POINTS.fill({"tag": tag, "count": odd}))
    if not good.any():
        return None
    places = kept[good]
    return RawSeries(
        tag=tag,
        steps=steps[np.searchsorted(at, places)].astype(np.int64),
        values=values[good],
        wall_times=walls[np.searchsorted(timed, places)] / _MILLISECONDS,
    )


def _clean_metric(whole: str, tag: str) -> RawSeries | None:
    """The points of a text in which every line has a time, a value and a step; else None."""
    lines, cells = whole.split("\n")[:-1], whole.split()
    if not lines or len(cells) != 3 * len(lines) or any(one.count(" ") != 2 for one in lines):
        return None
    try:
        table = np.fromiter(map(float, cells), dtype=np.float64, count=len(cells)).reshape(-1, 3)
    except ValueError:
        return None
    walls, values, steps = table.T
    exact = np.isfinite(walls) & (np.abs(steps) < LARGEST_STEP)
    if not exact.all() or np.any(steps != np.rint(steps)):
        return None
    return RawSeries(tag, steps.astype(np.int64), values.copy(), walls / _MILLISECONDS)


def _params(run: Path) -> dict[str, ConfigValue]:
    folder, found = run / PARAMS, dict[str, ConfigValue]()
    try:
        for entry in sorted(folder.rglob("*"))[:MOST_PARAMS]:
            if entry.is_file() and entry.stat().st_size <= LONGEST_PARAM:
                name = entry.relative_to(folder).as_posix()
                found[name] = setting(decode(entry.read_bytes()).strip())
    except OSError:
        return found
    return found


def _name(run: Path) -> str:
    try:
        with (run / META).open("rb") as file:
            match = _RUN_NAME.search(decode(file.read(LONGEST_PARAM)))
    except OSError:
        return ""
    return match.group(1).strip("'\"") if match else ""


READER: Final[Reader] = MlflowReader()
