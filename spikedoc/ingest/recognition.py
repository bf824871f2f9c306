"""Which reader reads a file, told by its first bytes; and why a file cannot be read."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

import spikedoc.readers
from spikedoc import plugins
from spikedoc.errors import InputError, said_by
from spikedoc.ingest.packing import packed_head, packing_of, plain_path
from spikedoc.readers._sniff import HEAD_BYTES, LFS_POINTER
from spikedoc.readers.base import Reader
from spikedoc.text import Text

LARGEST_FILE: Final = 4_000_000_000
NEVER_WRITTEN: Final = Text(
    "the job stopped before it wrote, or the disk was full", "作业在写入之前就停止了，或磁盘已满"
)
EMPTY: Final = Text("empty file", "空文件")
ZEROS: Final = Text("nothing but NUL bytes", "全是 NUL 字节")
POINTER: Final = Text(
    "a Git LFS pointer: the log itself was not downloaded", "Git LFS 指针文件：日志本身并未下载"
)
TOO_LARGE: Final = Text(
    "{size} GB is more than spikedoc reads", "{size} GB 超出 spikedoc 的读取上限"
)
# Reasons that are common in folders and no loss.
NOTHING_IN_IT: Final = frozenset({EMPTY, ZEROS})
LAST_READER: Final = "text"
# Readers of layouts that other logs have as well; these are tried when no tracker owns the file.
_GENERAL: Final = ("csv", "jsonl", LAST_READER)


@cache
def readers() -> Mapping[str, Reader]:
    """Return the readers by module name, in the order in which they are tried.

    Tables, records and prose come last: what trackers write may look like them.
    """
    return {name: _reader(name) for name in _names()}


@cache
def _names() -> tuple[str, ...]:
    special = [name for name in plugins.names(spikedoc.readers) if name not in _GENERAL]
    return (*special, *_GENERAL)


@cache
def _reader(name: str) -> Reader:
    reader: Reader = plugins.load(spikedoc.readers, name, "READER")
    return reader


def recognise(path: Path) -> tuple[Reader | None, int, str]:
    """Return the reader of a file if one knows it, its size, and the program that packed it.

    Raises InputError when the file cannot be opened or holds nothing that could be read.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
    except OSError as error:
        raise InputError(path, said_by(error)) from None
    _refuse_unreadable(path, head, size)
    packing = packing_of(head)
    if packing:
        head = packed_head(path, packing)
        _refuse_unreadable(path, head, size)
    plain = plain_path(path) if packing else path
    # One after the other: those behind the one that reads the file need not be loaded.
    reader = next((r for r in map(_reader, _names()) if r.accepts(plain, head)), None)
    return reader, size, packing


def _refuse_unreadable(path: Path, head: bytes, size: int) -> None:
    if not head:
        raise InputError(path, EMPTY, NEVER_WRITTEN)
    if head.startswith(LFS_POINTER):
        raise InputError(path, POINTER, Text("git lfs pull", "请运行 git lfs pull"))
    if size > LARGEST_FILE:
        raise InputError(
            path, TOO_LARGE.fill({"size": f"{size / 1e9:.1f}"}), Text("cut the log", "请截短日志")
        )
    if not head.strip(b"\x00"):
        raise InputError(path, ZEROS, Text("the disk lost the data", "磁盘丢失了数据"))
