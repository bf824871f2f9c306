"""Folders of trackers whose stores are not read: told with what to do, never taken for text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from spikedoc.errors import InputError
from spikedoc.text import Text


@dataclass(frozen=True, slots=True)
class UnreadStore:
    """What lies in such a folder, and how its values get into a log that is read."""

    what: Text
    way: Text


NOT_READ: Final = Text("{what}: {way}", "{what}：{way}")
UNREAD_STORES: Final = {
    ".aim": UnreadStore(
        Text("an Aim repository (RocksDB) is not read", "不读取 Aim 仓库（RocksDB）"),
        Text("export its metrics to CSV with the Aim SDK", "请用 Aim SDK 将指标导出为 CSV"),
    ),
    ".neptune": UnreadStore(
        Text("Neptune's offline data is not read", "不读取 Neptune 的离线数据"),
        Text(
            "write the LogFloats records of its data-*.log files to CSV",
            "请将其 data-*.log 文件中的 LogFloats 记录写成 CSV",
        ),
    ),
}


def unread_store(folder: Path) -> InputError | None:
    """Return why the folder is passed over and what to do, in one line; None for others."""
    store = UNREAD_STORES.get(folder.name)
    if store is None:
        return None
    return InputError(folder, NOT_READ.fill({"what": store.what, "way": store.way}))
