"""Records in blocks of 32 KiB, as LevelDB's log and the trackers after it keep them.

A record has a checksum (4 bytes), a length (2) and a type (1): whole, first, middle or last part.
No record reaches over the end of a block, so behind damage reading goes on at the next block.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from spikedoc.readers._notes import CUT_RECORD
from spikedoc.readers.base import Progress
from spikedoc.text import Text

BLOCK: Final = 32768
_HEADER: Final = struct.Struct("<IHB")
_WHOLE, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4
# A record put together from parts that is longer than this holds no scalars (a table, a picture).
LONGEST_RECORD: Final = 16_000_000

BLOCKS: Final = Text(
    "{count} damaged blocks; read on behind them", "{count} 个数据块损坏，已从其后继续读取"
)
PARTS: Final = Text(
    "{count} {count|record|records} with a missing part {count|was|were} left out",
    "{count} 条缺少片段的记录已略去",
)
LONG: Final = Text(
    "{count} {count|record|records} longer than any scalars {count|was|were} left out",
    "{count} 条过长、不可能是标量的记录已略去",
)


@dataclass(slots=True)
class Losses:
    """What could not be read."""

    blocks: int = 0  # blocks left at a record whose checksum or length is wrong
    parts: int = 0  # records of which a part is missing
    long: int = 0
    cut_short: bool = False

    def notes(self) -> tuple[Text, ...]:
        """Return one sentence per kind of loss."""
        told: list[Text] = []
        if self.blocks:
            told.append(BLOCKS.fill({"count": self.blocks}))
        if self.parts:
            told.append(PARTS.fill({"count": self.parts}))
        if self.long:
            told.append(LONG.fill({"count": self.long}))
        if self.cut_short:
            told.append(CUT_RECORD)
        return tuple(told)


def records(
    path: Path, head: int, losses: Losses, progress: Progress | None = None
) -> Iterator[bytes]:
    """Yield the data of each record behind the first `head` bytes of the file."""
    size, done = path.stat().st_size, 0
    joined = _Joined(losses)
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            start = head if done == 0 else 0
            done += len(block)
            for kind, data in _parts(block, start, len(block) < BLOCK, losses):
                record = joined.add(kind, data)
                if record is not None:
                    yield record
            if progress is not None:
                progress(min(done, size), size)
    if joined.is_open:
        losses.cut_short = True


def _parts(block: bytes, place: int, at_end: bool, losses: Losses) -> Iterator[tuple[int, bytes]]:
    while place + _HEADER.size <= len(block):
        checksum, length, kind = _HEADER.unpack_from(block, place)
        begin, place = place + _HEADER.size, place + _HEADER.size + length
        if not checksum and not length and not kind:
            return  # the rest of a block that was laid out and never written
        if at_end and place > len(block):
            losses.cut_short = True
            return
        data = block[begin:place]
        if place > len(block) or zlib.crc32(data, zlib.crc32(block[begin - 1 : begin])) != checksum:
            losses.blocks += 1
            return
        yield kind, data
    losses.cut_short |= at_end and place < len(block)


class _Joined:
    """Puts records together that were written in parts."""

    def __init__(self, losses: Losses) -> None:
        self._losses = losses
        self._parts: list[bytes] = []
        self._size = 0
        self.is_open = False

    def add(self, kind: int, data: bytes) -> bytes | None:
        """Return the record that this part completes, if any."""
        if kind in (_WHOLE, _FIRST):
            self._losses.parts += self.is_open
            self._parts, self._size, self.is_open = [], 0, kind == _FIRST
            if kind == _WHOLE:
                return data
        elif kind not in (_MIDDLE, _LAST) or not self.is_open:
            self._losses.parts += kind == _LAST
            return None
        self._size += len(data)
        if self._size <= LONGEST_RECORD:
            self._parts.append(data)
        if kind != _LAST:
            return None
        self.is_open = False
        if self._size > LONGEST_RECORD:
            self._losses.long += 1
            return None
        return b"".join(self._parts)
