"""Records of an event file: where each begins and ends, and what is damaged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from spikedoc.model.run import IntArray
from spikedoc.readers import _crc32c
from spikedoc.readers._crc32c import Bytes
from spikedoc.readers._event_cycles import Block, Cycles
from spikedoc.readers._event_damage import Damage
from spikedoc.readers._event_pattern import FOOTER, HEADER
from spikedoc.readers._event_scan import (
    LONGEST_SCALAR_EVENT,
    Scan,
    all_headers,
    header_checksums,
    record_sizes,
)
from spikedoc.readers.base import Progress

# Bytes looked at together: enough for long arrays, few enough to stay in the processor's cache.
# Longer records are blobs (images, graphs) and skipped unread; configurations are shorter.
CHUNK: Final = 4_000_000
# Behind a blob so many records are followed one by one (0.3 µs each): another may be near.
SHORT_RUN: Final = 64
# The scan begins with this many bytes, and widens while there is no blob.
FIRST_WINDOW: Final = 16_384
_WIDER: Final = 4


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Records between blocks: `fast` look like scalar events, `other` must be walked."""

    fast: IntArray  # where these records start in the chunk, in their order
    other: tuple[tuple[int, int], ...]  # start in the chunk, length of the data


@dataclass(frozen=True, slots=True, eq=False)
class Frames:
    """Valid records of one chunk, in the order of the file."""

    data: Bytes
    offset: int  # of the chunk in the file
    share_read: float  # of the file, this chunk included
    pieces: tuple[Block | Batch, ...]


def frames(path: Path, damage: Damage, progress: Progress | None = None) -> Iterator[Frames]:
    """Yield the valid records chunk by chunk, each valid until the next; blobs are skipped."""
    size = path.stat().st_size
    store = bytearray(min(size, CHUNK))
    view = memoryview(store)
    with path.open("rb", buffering=0) as file:
        walk = _Walk(size, damage)
        while walk.position < size:
            file.seek(walk.position)
            count = 0
            while count < len(view) and (got := file.readinto(view[count:])):
                count += got
            if not count:
                break
            data = np.frombuffer(store, dtype=np.uint8, count=count)
            yield walk.through(data, ended=count < len(view))
            if progress is not None:
                progress(min(walk.position, size), size)
        walk.end_of_file()


class _Walk:
    """Goes along the chain of records; remembers where it was lost."""

    def __init__(self, size: int, damage: Damage) -> None:
        self.size = size
        self.damage = damage
        self.position = 0  # of the next record in the file
        self._cycles = Cycles()
        self._lost_since: int | None = None
        self._promised = False  # the record where it was lost had a valid header
        self._window = 0  # bytes scanned at once; 0: follow one by one
        self._new_chunk(np.zeros(0, dtype=np.uint8))

    def _new_chunk(self, data: Bytes) -> None:
        self._data, self._base = data, self.position
        self._pieces: list[Block | Batch] = []
        self._fast: list[IntArray] = []
        self._other: list[tuple[int, int]] = []
        self._scan: Scan | None = None
        self._headers: IntArray | None = None

    def through(self, data: Bytes, ended: bool = False) -> Frames:
        """Return the records of a chunk that begins at `position`, and move behind them.

        `ended` says that the file gave no more: it may have shrunk since its size was asked.
        """
        self._new_chunk(data)
        at_end = ended or self._base + data.size >= self.size
        place: int | None = 0
        while place is not None and place + HEADER <= data.size:
            if self._lost_since is not None or not self._header_at(place):
                place = self._found_again(place)
            else:
                place = self._take(place, at_end)
        if place is not None:
            self.position = self._base + place
            if at_end and self.position < self.size:
                self.damage.cut_short = True
                self.position = self.size
        self._end_batch()
        share = min(self.position / self.size, 1.0)
        return Frames(data, self._base, share, tuple(self._pieces))

    def _end_batch(self) -> None:
        if self._fast or self._other:
            fast = np.concatenate(self._fast) if self._fast else np.zeros(0, dtype=np.int64)
            self._pieces.append(Batch(fast, tuple(self._other)))
            self._fast, self._other = [], []

    def _take(self, place: int, at_end: bool) -> int | None:
        """Take the records from `place` on; return where the next begins, None if not in here."""
        before, block = self._cycles.take(self._data, place, header_checksums())
        if block is not None:
            if before:
                self._fast.append(np.array(before, dtype=np.int64))
            self._end_batch()
            self._pieces.append(block)
            self._window = 0
            return block.end
        if place > 0 and not at_end and self._data.size - place < self._cycles.unfinished:
            self.position = self._base + place  # the cycle goes on in the next chunk
            return None
        if self._end_of(place) - place > LONGEST_SCALAR_EVENT + HEADER + FOOTER:
            return self._single(place)
        run, end = self._run_from(place)
        if run.size:
            self._fast.append(run)
            self._cycles.passed(run.size)
            return end
        return self._single(place)

    def _run_from(self, place: int) -> tuple[IntArray, int]:
        """Scalar events from `place` on that follow each other."""
        if not self._window:
            return self._short_run(place)
        if self._scan is not None and place < self._scan.stop:
            run, end = self._scan.run_from(place)
            if run.size:
                return run, end
        if self._scan is not None and place >= self._scan.stop - LONGEST_SCALAR_EVENT:
            self._window *= _WIDER
        stop = min(self._data.size, place + self._window)
        self._scan = Scan(self._data, place, stop)
        return self._scan.run_from(place)

    def _short_run(self, place: int) -> tuple[IntArray, int]:
        starts: list[int] = []
        sizes, size, data = record_sizes(), self._data.size, self._data.data
        while len(starts) < SHORT_RUN:
            length = sizes.get(data[place : place + HEADER].tobytes())
            if length is None or place + length > size:
                break
            starts.append(place)
            place += length
        else:
            self._window = FIRST_WINDOW
        return np.array(starts, dtype=np.int64), place

    def _single(self, place: int) -> int | None:
        """Take one record that is no scalar event: a blob, a text, or a scalar of an odd kind."""
        end = self._end_of(place)
        if self._base + end > self.size:
            self._lost_since, self._promised = self._base + place, True
            return place
        if end - place > LONGEST_SCALAR_EVENT:  # more of its kind may follow
            self._window = 0
        if end > self._data.size:
            self.position = self._base + (end if end - place > self._data.size else place)
            return None
        self._other.append((place, end - place - HEADER - FOOTER))
        return end

    def _end_of(self, place: int) -> int:
        """Where the record at `place` ends, its checksum included."""
        length = int.from_bytes(self._data[place : place + 8].tobytes(), "little")
        return place + HEADER + length + FOOTER

    def _header_at(self, place: int) -> bool:
        """Whether the header at `place` fits its checksum."""
        header = self._data[place : place + HEADER].tobytes()
        return len(header) == HEADER and _crc32c.of_bytes(header[:8]) == int.from_bytes(
            header[8:], "little"
        )

    def _found_again(self, place: int) -> int | None:
        """Return the next valid record behind the damage, None when this chunk holds none."""
        if self._lost_since is None:
            self._lost_since, self._promised = self._base + place, False
        if self._headers is None:
            self._headers = all_headers(self._data)
        lost = self._lost_since
        behind = max(place, lost + 1 - self._base)
        for found in self._headers[np.searchsorted(self._headers, behind) :]:
            if self._base + self._end_of(int(found)) <= self.size:
                self.damage.gaps.append((lost, self._base + int(found)))
                self._lost_since = None
                return int(found)
        self.position = self._base + max(self._data.size - HEADER + 1, 1)
        return None

    def end_of_file(self) -> None:
        """Account for a place from which no valid record followed."""
        if self._lost_since is None:
            return
        if self._promised or self.size - self._lost_since < HEADER:
            self.damage.cut_short = True
        else:
            self.damage.gaps.append((self._lost_since, self.size))
