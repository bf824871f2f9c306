"""MLflow's SQLite store, `mlflow.db`: all runs of a tracking server."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final

from spikedoc.errors import InputError
from spikedoc.model.run import ConfigValue
from spikedoc.readers._notes import LOGGED_ANY, ROWS_WITHOUT_NUMBER
from spikedoc.readers._points import PointsBuilder
from spikedoc.readers._settings import setting
from spikedoc.readers._sqlite import Database, holds, opened
from spikedoc.readers.base import Progress, Reader, Table
from spikedoc.text import Text

# What MLflow stores in place of an infinite value, which its databases cannot hold.
INFINITE: Final = 1.797e308
_MILLISECONDS: Final = 1000.0
# Runs of one database that are read, the newest ones.
MOST_RUNS: Final = 1_000
_DELETED: Final = "deleted"
_RUNS: Final = "SELECT run_uuid, name, lifecycle_stage FROM runs ORDER BY start_time, rowid"
_METRICS: Final = """SELECT run_uuid, key, step, value, is_nan, timestamp FROM metrics
ORDER BY rowid"""

DELETED: Final = Text(
    "{count} deleted {count|run was|runs were} left out", "{count} 个已删除的训练已略去"
)
NEWEST: Final = Text(
    "{count} runs; only the newest {most} were read", "共 {count} 次训练，只读取了最新的 {most} 次"
)
NO_METRICS: Final = Text("an MLflow database without metrics", "MLflow 数据库中没有指标")


class MlflowDbReader:
    """Reads every run that was not deleted."""

    @property
    def name(self) -> str:
        """Short name shown in reports."""
        return "mlflow_db"

    def accepts(self, path: Path, head: bytes) -> bool:
        """Return whether the file is a database with MLflow's table of metrics."""
        return holds(path, head, "metrics", "run_uuid", "key", "value", "is_nan", "step")

    def read(self, path: Path, progress: Progress | None = None) -> Table:
        """Return a table per run; raises InputError when no run has a metric."""
        notes: list[Text] = []
        with opened(path) as database:
            names = _names(database, notes)
            builders = _points(database, names, notes)
            settings = _settings(database, notes)
        found = tuple(
            Table(
                builder.series(),
                settings.get(run, {}),
                notes=builder.notes(),
                framework="mlflow",
                name=names[run],
            )
            for run, builder in builders.items()
        )
        if progress is not None:
            progress(path.stat().st_size, path.stat().st_size)
        if not found:
            raise InputError(path, NO_METRICS, LOGGED_ANY)
        return Table(notes=tuple(notes), framework="mlflow", runs=found)


def _names(database: Database, notes: list[Text]) -> dict[str, str]:
    """Name of each run that was not deleted, by its id."""
    if not database.has("runs", "run_uuid", "name", "lifecycle_stage", "start_time"):
        return {}
    rows = list(database.rows(_RUNS, notes))
    kept = [(str(run), str(name or run)) for run, name, stage in rows if stage != _DELETED]
    if len(kept) < len(rows):
        notes.append(DELETED.fill({"count": len(rows) - len(kept)}))
    if len(kept) > MOST_RUNS:
        notes.append(NEWEST.fill({"count": len(kept), "most": MOST_RUNS}))
        kept = kept[-MOST_RUNS:]
    return dict(kept)


def _points(
    database: Database, names: dict[str, str], notes: list[Text]
) -> dict[str, PointsBuilder]:
    found: dict[str, PointsBuilder] = {run: PointsBuilder() for run in names}
    odd = 0
    for run, key, step, value, is_nan, timestamp in database.rows(_METRICS, notes):
        builder = found.get(run)
        if builder is None:
            continue
        try:
            number = _value(float(value), bool(is_nan))
            builder.add(str(key), int(step), number, float(timestamp) / _MILLISECONDS)
        except (TypeError, ValueError, OverflowError):
            odd += 1
    if odd:
        notes.append(ROWS_WITHOUT_NUMBER.fill({"count": odd}))
    return {run: builder for run, builder in found.items() if builder.count}


def _value(stored: float, is_nan: bool) -> float:
    if is_nan:
        return math.nan
    return math.copysign(math.inf, stored) if abs(stored) >= INFINITE else stored


def _settings(database: Database, notes: list[Text]) -> dict[str, dict[str, ConfigValue]]:
    found: dict[str, dict[str, ConfigValue]] = {}
    if database.has("params", "run_uuid", "key", "value"):
        for run, key, value in database.rows("SELECT run_uuid, key, value FROM params", notes):
            found.setdefault(str(run), {})[str(key)] = setting(str(value))
    return found


READER: Final[Reader] = MlflowDbReader()
