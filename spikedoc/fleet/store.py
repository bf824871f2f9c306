"""Where results are kept: a file that grows while the scan goes on and can be read meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol

from spikedoc.errors import cannot_read, cannot_write, keep_off_devices, keep_off_pipes
from spikedoc.fleet.record import Record

SQLITE_SUFFIXES: Final = frozenset({".db", ".sqlite", ".sqlite3"})


class Store(Protocol):
    """Keeps records."""

    def load(self) -> list[Record]:
        """Return the newest record of each run."""

    def add(self, records: Sequence[Record]) -> None:
        """Keep the records of a place, all or none; a kill right afterwards does not lose them."""

    def close(self) -> None:
        """Write what is left, and let go of the file."""


class NoStore:
    """Keeps nothing."""

    def load(self) -> list[Record]:
        """Return nothing."""
        return []

    def add(self, records: Sequence[Record]) -> None:
        """Forget the records."""

    def close(self) -> None:
        """There is nothing to let go of."""


def open_store(path: Path | None) -> Store:
    """Return the store at `path`, SQLite or JSONL by its suffix, made if it is not there.

    Raises UsageError for a file that is something else, or that another scan writes to.
    """
    if path is None:
        return NoStore()
    keep_off_pipes(path)
    try:
        return _of_kind(path)
    except OSError as error:
        raise cannot_write(path, error) from None


def _of_kind(path: Path) -> Store:
    if path.suffix.lower() in SQLITE_SUFFIXES:
        from spikedoc.fleet.sqlite_store import SqliteStore

        return SqliteStore(path)
    from spikedoc.fleet.jsonl_store import JsonlStore

    return JsonlStore(path)


def read_store(path: Path) -> list[Record]:
    """Return the newest record of each run in a store, which may be written to meanwhile.

    Raises UsageError when there is none.
    """
    keep_off_devices(path)
    try:
        if path.suffix.lower() in SQLITE_SUFFIXES:
            from spikedoc.fleet.sqlite_store import read

            return read(path)
        from spikedoc.fleet import jsonl_store

        return jsonl_store.read(path)
    except OSError as error:
        raise cannot_read(path, error) from None
