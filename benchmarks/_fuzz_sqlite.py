"""Changes of SQLite databases that keep them readable: odd cells, missing columns, views."""

from __future__ import annotations

import sqlite3
from random import Random
from typing import Final

from _fuzz_bytes import mutant

_HEAD: Final = b"SQLite format 3\x00"
# Share of changed databases whose pages are damaged on top.
_DAMAGED_SHARE: Final = 0.2
_CELLS: Final = (
    None, 0, -1, 2**63 - 1, -(2**63), 2**53 + 1, 1e308, -1e308, 5e-324, -0.0, float("inf"),
    "", "nan", "NaN", "1e999", "x" * 5000, "loss", "{}", "[1", '{"loss": NaN}', b"", b"\xff" * 40,
    "9" * 400, "2024-01-01", "\x00", 1.5,
)  # fmt: skip


def is_sqlite(content: bytes) -> bool:
    """Return whether it is a database."""
    return content.startswith(_HEAD)


def changed_sqlite(content: bytes, random: Random) -> bytes:
    """Return the database with some cells, columns or tables changed."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.deserialize(content)
        for _ in range(random.choice((1, 1, 3, 8))):
            _change(connection, random)
        connection.commit()
        made = connection.serialize()
    except (sqlite3.Error, OverflowError, UnicodeError):
        return mutant(content, content, random)
    finally:
        connection.close()
    return mutant(made, content, random) if random.random() < _DAMAGED_SHARE else made


def _change(connection: sqlite3.Connection, random: Random) -> None:
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    filled = [
        name
        for (name,) in found
        if connection.execute(f'SELECT 1 FROM "{name}" LIMIT 1').fetchall()
    ]
    table = random.choice(filled or [name for (name,) in found])
    columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
    column, choice = random.choice(columns), random.randrange(12)
    if choice == 0:
        connection.execute(f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO "other"')
    elif choice == 1:
        connection.execute(f'DELETE FROM "{table}"')
    elif choice == 2:
        connection.execute(f'ALTER TABLE "{table}" RENAME TO "kept"')
        connection.execute(f'CREATE VIEW "{table}" AS SELECT * FROM "kept"')
    else:
        where = "" if choice < 5 else "WHERE rowid % 3 = 1"
        query = f'UPDATE OR IGNORE "{table}" SET "{column}" = ? {where}'
        connection.execute(query, (random.choice(_CELLS),))
