"""Members of zip archives, read in place: nothing is written to disk, sizes are bounded."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from spikedoc.errors import InputError
from spikedoc.text import Text

HEAD: Final = b"PK\x03\x04"
# The end of an archive names its directory, which is read as a whole; a tracker writes some files.
_END: Final = b"PK\x05\x06"
_END_BYTES: Final = 22 + 65_535
LARGEST_DIRECTORY: Final = 4_000_000
# Unpacked bytes of a member that are read; what is longer is not the log of one run.
MOST_UNPACKED: Final = 1_000_000_000
LONGEST_LINE: Final = 4_000_000
ONLY_FIRST: Final = Text(
    "{member}: only the first {size} GB were read", "{member}：只读取了前 {size} GB"
)
DAMAGED_MEMBER: Final = Text(
    "{member} is damaged ({error}); what was before that was kept",
    "{member} 已损坏（{error}），损坏处之前的内容已保留",
)
TOO_MANY_FILES: Final = Text("an archive of too many files", "压缩包中的文件过多")
NO_ARCHIVE: Final = Text("not a readable zip archive: {error}", "不是可读的 zip 压缩包：{error}")
# What a damaged or foreign archive may raise while it is read.
Damaged: Final = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError),
    ValueError,  # a name that is no text is one
)


def names(path: Path, head: bytes) -> frozenset[str]:
    """Return the names of the members; none when `path` is no archive that can be read."""
    if not head.startswith(HEAD):
        return frozenset()
    try:
        with opened(path) as archive:
            return frozenset(archive.namelist())
    except (InputError, OSError):
        return frozenset()


@contextmanager
def opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open an archive whose directory is small enough; raises InputError."""
    with path.open("rb") as file:
        if _directory_bytes(file) > LARGEST_DIRECTORY:
            raise InputError(path, TOO_MANY_FILES, Text("unpack it yourself", "请自行解压"))
        try:
            archive = zipfile.ZipFile(file)
        except Damaged as error:
            raise InputError(path, NO_ARCHIVE.fill({"error": str(error)})) from None
        with archive:
            yield archive


def _directory_bytes(file: BinaryIO) -> int:
    size = file.seek(0, 2)
    file.seek(max(0, size - _END_BYTES))
    tail = file.read()
    file.seek(0)
    place = tail.rfind(_END)
    return int.from_bytes(tail[place + 12 : place + 16], "little") if place >= 0 else 0


def lines(archive: zipfile.ZipFile, member: str, notes: list[Text]) -> Iterator[bytes]:
    """Yield the lines of a member up to the bound or to the damage, which are noted."""
    done = 0
    try:
        with archive.open(member) as file:
            while line := file.readline(LONGEST_LINE):
                done += len(line)
                if done > MOST_UNPACKED:
                    told = {"member": member, "size": f"{MOST_UNPACKED / 1e9:.0f}"}
                    notes.append(ONLY_FIRST.fill(told))
                    return
                yield line
    except (*Damaged, KeyError, OSError) as error:
        notes.append(DAMAGED_MEMBER.fill({"member": member, "error": str(error)}))


def small(archive: zipfile.ZipFile, member: str) -> bytes:
    """Return a short member, at most a line's bound of it; empty when it cannot be read."""
    try:
        with archive.open(member) as file:
            return file.read(LONGEST_LINE)
    except (*Damaged, KeyError, OSError):
        return b""
