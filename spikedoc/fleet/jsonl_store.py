"""A store of one line of JSON a run. A line that a kill or a full disk cut off is dropped."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

from spikedoc.errors import UsageError
from spikedoc.fleet.kept import FOREIGN, newest, without_collection
from spikedoc.fleet.record import Record, from_line, to_line
from spikedoc.text import Text

# What is written is safe from a kill at once; from a power cut after this time.
SYNC_SECONDS: Final = 1.0
_BLOCK: Final = 1 << 16

IN_USE: Final = Text(
    "another scan writes to it; wait for it, or name another file",
    "另一个扫描正在写入；请等它结束，或换一个文件",
)


class JsonlStore:
    """Appends; a later line about a run stands for an earlier one."""

    def __init__(self, path: Path) -> None:
        """Open or make the file; raises UsageError for a file of something else, or one in use."""
        self._path = path
        self._file = path.open("a+b")
        try:
            _lock(self._file, path)
            _refuse_foreign(path)
            _cut_torn_line(self._file)
        except BaseException:
            self._file.close()
            raise
        self._synced = time.monotonic()

    @without_collection()
    def load(self) -> list[Record]:
        """Return the newest record of each run."""
        return newest(_records(self._path))

    def add(self, records: Sequence[Record]) -> None:
        """Append the lines of a place with one write."""
        self._file.write("".join(f"{to_line(record)}\n" for record in records).encode("ascii"))
        self._file.flush()
        if time.monotonic() - self._synced >= SYNC_SECONDS:
            self._sync()

    def close(self) -> None:
        """Write through to the disk."""
        self._sync()
        self._file.close()

    def _sync(self) -> None:
        with suppress(OSError):  # /dev/stdout and the like cannot
            os.fsync(self._file.fileno())
        self._synced = time.monotonic()


@without_collection()
def read(path: Path) -> list[Record]:
    """Return the newest record of each run; raises UsageError for a file of something else."""
    _refuse_foreign(path)
    return newest(_records(path))


def _records(path: Path) -> Iterator[Record]:
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            record = from_line(line) if line.endswith("\n") else None
            if record is not None:
                yield record


def _refuse_foreign(path: Path) -> None:
    """Raise UsageError when the file holds lines, but the first is none of a scan."""
    with path.open(encoding="utf-8", errors="replace") as file:
        first = file.readline(_BLOCK)
    is_torn = (
        first and not first.endswith("\n") and '{"schema":"spikedoc-scan/'.startswith(first[:25])
    )
    if first and not is_torn and from_line(first) is None:
        raise UsageError(FOREIGN.fill({"path": str(path)}))


def _cut_torn_line(file: BinaryIO) -> None:
    """Cut off what follows the last end of a line."""
    end = file.seek(0, os.SEEK_END)
    at = end
    while at > 0:
        begin = max(0, at - _BLOCK)
        file.seek(begin)
        place = file.read(at - begin).rfind(b"\n")
        if place >= 0:
            at = begin + place + 1
            break
        at = begin
    if at < end:
        file.truncate(at)


def _lock(file: BinaryIO, path: Path) -> None:
    """Keep other scans out as long as the file is open, where the system can."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UsageError(IN_USE, at=path) from None
    except OSError:  # file systems without locks
        return
