from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import fleets
import pytest

from spikedoc.errors import UsageError
from spikedoc.fleet.record import State
from spikedoc.fleet.sqlite_store import APPLICATION_ID, SqliteStore, read


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


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"


@pytest.mark.parametrize(
    "odd",
    [
        f"DROP TABLE runs; CREATE VIEW Runs AS SELECT i AS root, i AS record FROM ({ENDLESS})",
        f"CREATE TABLE other (i); CREATE TRIGGER t AFTER INSERT ON RUNS BEGIN "
        f"INSERT INTO other {ENDLESS.replace('WITH', 'SELECT * FROM (WITH')}); END",
    ],
)
def test_a_store_that_computes_is_refused(tmp_path: Path, odd: str) -> None:
    file = tmp_path / "runs.db"
    SqliteStore(file).close()
    with closing(sqlite3.connect(file)) as base:
        base.executescript(odd)
    for use in (read, SqliteStore):
        with pytest.raises(UsageError, match="exists and holds no results of a scan"):
            use(file)


def test_own_views_beside_the_table_are_welcome(tmp_path: Path) -> None:
    file = tmp_path / "runs.db"
    SqliteStore(file).close()
    with closing(sqlite3.connect(file)) as base:
        base.executescript("CREATE VIEW ill AS SELECT path FROM runs WHERE status = 'critical'")
    assert read(file) == []
