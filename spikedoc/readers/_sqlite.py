"""SQLite databases of trackers, opened so that nothing is written and nothing runs for ever."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from spikedoc.errors import InputError
from spikedoc.text import Text

HEAD: Final = b"SQLite format 3\x00"
# Steps of SQLite's machine between two looks, and looks before a query is stopped: some minutes.
_STEPS_PER_LOOK: Final = 1_000_000
MOST_LOOKS: Final = 20_000
# Longest text or blob that is fetched: a record of metrics or a configuration is shorter.
LONGEST_CELL: Final = 16_000_000
# A database that is being written is copied with its journal to be read whole, up to this size.
LARGEST_COPY: Final = 1_000_000_000
_JOURNAL: Final = "-wal"

# SQLite quotes damaged names in its messages, which need not be text.
# SQLite asks for the memory that a damaged page claims to need.
_DAMAGE: Final = (sqlite3.Error, UnicodeDecodeError, MemoryError)

Tables = dict[str, frozenset[str]]

DAMAGED: Final = Text(
    "the database is damaged ({error}); rows before that were kept",
    "数据库已损坏（{error}），损坏处之前的行已保留",
)
UNREADABLE: Final = Text(
    "not a readable SQLite database: {error}", "不是可读的 SQLite 数据库：{error}"
)


class Database:
    """An open database and the columns of its tables; views do not count."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Look up the tables."""
        self._connection = connection
        self.tables: Tables = {}
        rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        for (name,) in rows.fetchall():
            quoted = str(name).replace('"', '""')
            columns = connection.execute(f'PRAGMA table_info("{quoted}")').fetchall()
            self.tables[str(name)] = frozenset(str(column[1]) for column in columns)

    def has(self, table: str, *columns: str) -> bool:
        """Return whether there is a `table` with these columns."""
        return self.tables.get(table, frozenset()) >= {*columns}

    def rows(self, query: str, notes: list[Text]) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of `query`; damage on the way ends them with a note."""
        try:
            yield from self._connection.execute(query)
        except _DAMAGE as error:
            notes.append(DAMAGED.fill({"error": _said(error)}))


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    """Open the database at `path`, changes in its journal included; raises InputError."""
    try:
        with _place(path) as uri:
            connection = sqlite3.connect(uri, uri=True)
            try:
                _harden(connection)
                yield Database(connection)
            finally:
                connection.close()
    except _DAMAGE as error:
        hint = Text("still being copied, or cut short?", "是否仍在复制，或被截断？")
        raise InputError(path, UNREADABLE.fill({"error": _said(error)}), hint) from None


def _said(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "a page claims more than there is memory"
    return "damaged text" if isinstance(error, UnicodeError) else " ".join(str(error).split())


@contextmanager
def _place(path: Path) -> Iterator[str]:
    """Where to open: the file itself, never written, or a copy together with its journal."""
    journal = path.with_name(path.name + _JOURNAL)
    try:
        has_journal = journal.stat().st_size > 0
    except OSError:
        has_journal = False
    if not has_journal or path.stat().st_size + journal.stat().st_size > LARGEST_COPY:
        yield f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1"
        return
    with tempfile.TemporaryDirectory(prefix="spikedoc-") as folder:
        copy = Path(folder) / "copy.db"
        shutil.copyfile(path, copy)
        shutil.copyfile(journal, copy.with_name(copy.name + _JOURNAL))
        yield f"file:{quote(str(copy))}"


def _harden(connection: sqlite3.Connection) -> None:
    """Bound time and memory; functions named in a foreign schema are not called."""
    looks = 0

    def look() -> int:
        nonlocal looks
        looks += 1
        return int(looks > MOST_LOOKS)

    connection.set_progress_handler(look, _STEPS_PER_LOOK)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_CELL)
    for pragma in ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON"):
        connection.execute(f"PRAGMA {pragma}")
    connection.text_factory = lambda raw: raw.decode("utf-8", errors="replace")


def holds(path: Path, head: bytes, table: str, *columns: str) -> bool:
    """Return whether the file is a database with this table; False when it cannot be opened."""
    if not head.startswith(HEAD):
        return False
    try:
        with opened(path) as database:
            return database.has(table, *columns)
    except (InputError, OSError):
        return False
