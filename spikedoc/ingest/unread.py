"""Folders of trackers whose stores are not read: told with what to do, never taken for text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from spikedoc.errors import InputError


@dataclass(frozen=True, slots=True)
class UnreadStore:
    """What lies in such a folder, and how its values get into a log that is read."""

    what: str
    way: str


UNREAD_STORES: Final = {
    ".aim": UnreadStore(
        "an Aim repository (RocksDB) is not read", "export its metrics to CSV with the Aim SDK"
    ),
    ".neptune": UnreadStore(
        "Neptune's offline data is not read",
        "write the LogFloats records of its data-*.log files to CSV",
    ),
}


def unread_store(folder: Path) -> InputError | None:
    """Return why the folder is passed over and what to do, in one line; None for others."""
    store = UNREAD_STORES.get(folder.name)
    return None if store is None else InputError(folder, f"{store.what}: {store.way}")
