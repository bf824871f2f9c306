"""Where results are kept: a file that grows while the scan goes on and can be read meanwhile."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol

from spikedoc.errors import cannot_read, cannot_write
from spikedoc.fleet.record import Record
from spikedoc.text import Text

SQLITE_SUFFIXES: Final = frozenset({".db", ".sqlite", ".sqlite3"})
FOREIGN: Final = Text(
    "{path} exists and holds no results of a scan; name another file",
    "{path} 已存在，但不是扫描结果；请换一个文件",
)


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
    try:
        if path.suffix.lower() in SQLITE_SUFFIXES:
            from spikedoc.fleet.sqlite_store import read

            return read(path)
        from spikedoc.fleet import jsonl_store

        return jsonl_store.read(path)
    except OSError as error:
        raise cannot_read(path, error) from None


@contextmanager
def without_collection() -> Iterator[None]:
    """Put off the search for cycles: records have none, and it is a third of the time to read."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def newest(records: Iterable[Record]) -> list[Record]:
    """Return the last record of each run, without what is left of places that had more runs."""
    found: dict[tuple[str, str], dict[int, Record]] = {}
    for record in records:
        place = found.setdefault((record.root, record.path), {})
        if record.part == 1 or any(one.key != record.key for one in place.values()):
            place.clear()
        place[record.part] = record
    return [record for place in found.values() for record in place.values()]


def finished(records: Iterable[Record]) -> dict[str, tuple[Record, ...]]:
    """Return the records by the key of their place, of those that are complete."""
    found: dict[str, list[Record]] = {}
    for record in records:
        found.setdefault(record.key, []).append(record)
    places = {key: tuple(sorted(group, key=lambda r: r.part)) for key, group in found.items()}
    return {key: group for key, group in places.items() if _is_whole(group)}


def _is_whole(group: Sequence[Record]) -> bool:
    parts = group[0].parts
    return len(group) == parts and [one.part for one in group] == list(range(1, parts + 1))
