"""Records as the stores keep them: which of them count, and what is no store."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from spikedoc.fleet.record import Record
from spikedoc.text import Text

FOREIGN: Final = Text(
    "{path} exists and holds no results of a scan; name another file",
    "{path} 已存在，但不是扫描结果；请换一个文件",
)


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
