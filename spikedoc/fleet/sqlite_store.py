"""A store that can be asked in SQL: a row a run, with the whole record as JSON."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

from spikedoc.errors import UsageError
from spikedoc.fleet.kept import FOREIGN, without_collection
from spikedoc.fleet.record import Record, from_line, to_line
from spikedoc.text import Text

# "spkd" in ASCII: tells a store from other databases.
APPLICATION_ID: Final = 0x73706B64
# Seconds to wait for somebody who reads.
PATIENCE_SECONDS: Final = 30.0
_TABLE: Final = """
CREATE TABLE IF NOT EXISTS runs (
  root TEXT NOT NULL, path TEXT NOT NULL, part INTEGER NOT NULL, key TEXT NOT NULL,
  run TEXT NOT NULL, status TEXT NOT NULL, project TEXT NOT NULL, time REAL,
  rule TEXT, record TEXT NOT NULL,
  PRIMARY KEY (root, path, part)
)
"""
# A view or a trigger of a stranger may compute without end, so only plain tables are asked.
_ODD: Final = """
SELECT count(*) FROM sqlite_master WHERE
  (name = 'runs' COLLATE NOCASE AND (type <> 'table' OR sql NOT LIKE 'CREATE TABLE%'))
  OR (type = 'trigger' AND tbl_name = 'runs' COLLATE NOCASE)
"""
_FORGET: Final = "DELETE FROM runs WHERE root = ? AND path = ?"
_KEEP: Final = "INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


class SqliteStore:
    """Replaces the rows of a place, each time in a transaction."""

    def __init__(self, path: Path) -> None:
        """Open or make the database; raises UsageError for one of something else."""
        self._path = path
        _refuse_foreign(path)
        with _told(path):
            self._base = sqlite3.connect(path, timeout=PATIENCE_SECONDS, isolation_level=None)
            self._base.execute("PRAGMA journal_mode = WAL")
            # With WAL, what is committed survives a kill; at a power cut the last may be lost.
            self._base.execute("PRAGMA synchronous = NORMAL")
            self._base.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            self._base.execute(_TABLE)

    def load(self) -> list[Record]:
        """Return the record of each run."""
        with _told(self._path):
            return _records(self._base)

    def add(self, records: Sequence[Record]) -> None:
        """Put the rows of a place in the place of those it had."""
        with _told(self._path):
            self._base.execute("BEGIN IMMEDIATE")
            self._base.executemany(_FORGET, {(_plain(r.root), _plain(r.path)) for r in records})
            self._base.executemany(_KEEP, map(_row, records))
            self._base.execute("COMMIT")

    def close(self) -> None:
        """Close the database."""
        self._base.close()


def read(path: Path) -> list[Record]:
    """Return the record of each run; raises UsageError for a database of something else."""
    path.stat()
    _refuse_foreign(path)
    with _told(path), closing(_opened(path)) as base:
        return _records(base)


def _opened(path: Path) -> sqlite3.Connection:
    address = f"file:{quote(str(path.absolute()))}?mode=ro"
    return sqlite3.connect(address, uri=True, timeout=PATIENCE_SECONDS)


def _refuse_foreign(path: Path) -> None:
    if not path.exists() or not path.stat().st_size:
        return
    with _told(path), closing(_opened(path)) as base:
        (found,) = base.execute("PRAGMA application_id").fetchone()
        (odd,) = base.execute(_ODD).fetchone()
    if found != APPLICATION_ID or odd:
        raise UsageError(FOREIGN.fill({"path": str(path)}))


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Say in one line what is wrong with the database."""
    try:
        yield
    except sqlite3.OperationalError as error:
        told = Text(str(error), f"数据库报告：{error}")
        raise UsageError(told, at=path) from None
    except sqlite3.Error as error:
        told = Text(
            f"{path} is damaged: {error}; name another file",
            f"{path} 已损坏：{error}；请换一个文件",
        )
        raise UsageError(told) from None


@without_collection()
def _records(base: sqlite3.Connection) -> list[Record]:
    rows = base.execute("SELECT record FROM runs ORDER BY root, path, part")
    return [record for (line,) in rows if (record := from_line(line)) is not None]


def _row(record: Record) -> tuple[str | int | float | None, ...]:
    rule = _plain(record.causes[0].rule) if record.causes else None
    return (
        _plain(record.root),
        _plain(record.path),
        record.part,
        _plain(record.key),
        _plain(record.run),
        record.status.value,
        _plain(record.project),
        record.time,
        rule,
        to_line(record),
    )


def _plain(text: str) -> str:
    """The text in UTF-8, also of a file name that is not."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
