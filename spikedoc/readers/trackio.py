"""trackio's SQLite database, one per project."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Final

from spikedoc.errors import InputError
from spikedoc.model.run import ConfigValue
from spikedoc.readers._json_rows import flatten, numeric
from spikedoc.readers._notes import LOGGED_ANY, UNDECODED_ROWS
from spikedoc.readers._points import PointsBuilder
from spikedoc.readers._settings import scalars
from spikedoc.readers._sqlite import Database, holds, opened
from spikedoc.readers.base import Progress, Reader, Table
from spikedoc.text import Text

# Keys of its own that trackio puts into the settings of a run.
_OWN_SETTINGS: Final = "_"
# Older databases know runs by name alone.
_ID, _NAME = "run_id", "run_name"

NO_METRICS: Final = Text("a trackio database without metrics", "trackio 数据库中没有指标")


class TrackioReader:
    """Reads every run of a project."""

    @property
    def name(self) -> str:
        """Short name shown in reports."""
        return "trackio"

    def accepts(self, path: Path, head: bytes) -> bool:
        """Return whether the file is a database with trackio's table of metrics."""
        return holds(path, head, "metrics", "run_name", "step", "metrics", "timestamp")

    def read(self, path: Path, progress: Progress | None = None) -> Table:
        """Return a table per run; raises InputError when no run has a metric."""
        notes: list[Text] = []
        with opened(path) as database:
            names, builders = _points(database, notes)
            settings = _settings(database, notes)
        found = tuple(
            Table(
                builder.series(),
                settings.get(run, {}),
                notes=builder.notes(),
                framework="trackio",
                name=names[run],
            )
            for run, builder in builders.items()
            if builder.count
        )
        if progress is not None:
            progress(path.stat().st_size, path.stat().st_size)
        if not found:
            raise InputError(path, NO_METRICS, LOGGED_ANY)
        return Table(notes=tuple(notes), framework="trackio", runs=found)


def _key(database: Database, table: str) -> str:
    return _ID if database.has(table, _ID) else _NAME


def _points(
    database: Database, notes: list[Text]
) -> tuple[dict[str, str], dict[str, PointsBuilder]]:
    names: dict[str, str] = {}
    builders: dict[str, PointsBuilder] = {}
    odd = 0
    key = _key(database, "metrics")
    query = f"SELECT {key}, {_NAME}, step, timestamp, metrics FROM metrics ORDER BY rowid"
    for run, name, step, timestamp, record in database.rows(query, notes):
        try:
            content = json.loads(record)
            place, wall = int(step), _seconds(timestamp)
        except (TypeError, ValueError, OverflowError, RecursionError):
            odd += 1
            continue
        if not isinstance(content, dict):
            continue
        names[str(run)] = str(name or run)
        builder = builders.setdefault(str(run), PointsBuilder())
        for tag, value in numeric(flatten(content)):
            builder.add(tag, place, value, wall)
    if odd:
        notes.append(UNDECODED_ROWS.fill({"count": odd}))
    return names, builders


def _seconds(timestamp: object) -> float | None:
    try:
        return datetime.fromisoformat(str(timestamp)).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def _settings(database: Database, notes: list[Text]) -> dict[str, dict[str, ConfigValue]]:
    found: dict[str, dict[str, ConfigValue]] = {}
    key = _key(database, "configs")
    if not database.has("configs", key, "config"):
        return found
    for run, text in database.rows(f"SELECT {key}, config FROM configs", notes):
        try:
            content = json.loads(text)
        except (TypeError, ValueError, OverflowError, RecursionError):
            continue
        if isinstance(content, dict):
            found[str(run)] = {
                name: value
                for name, value in scalars(content).items()
                if not name.startswith(_OWN_SETTINGS)
            }
    return found


READER: Final[Reader] = TrackioReader()
