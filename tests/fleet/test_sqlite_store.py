from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import fleets

from spikedoc.fleet.record import State
from spikedoc.fleet.sqlite_store import APPLICATION_ID, SqliteStore


def test_it_can_be_asked_in_sql(tmp_path: Path) -> None:
    file = tmp_path / "runs.db"
    store = SqliteStore(file)
    store.add([fleets.record("p/a", State.CRITICAL, modified=7.0)])
    store.add([fleets.record("p/b")])
    with closing(sqlite3.connect(file)) as base:  # while it is open
        rows = base.execute("SELECT path, project, status, rule, time FROM runs ORDER BY path")
        assert rows.fetchall() == [
            ("p/a", "p", "critical", "SD401", 7.0),
            ("p/b", "p", "healthy", None, None),
        ]
        (mode,) = base.execute("PRAGMA journal_mode").fetchone()
        (owner,) = base.execute("PRAGMA application_id").fetchone()
    assert (mode, owner) == ("wal", APPLICATION_ID)
    store.close()
