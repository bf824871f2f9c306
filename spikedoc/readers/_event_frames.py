"""Records of an event file: where each begins and ends, and what is damaged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np

from spikedoc.model.run import IntArray
from spikedoc.readers import _crc32c
from spikedoc.readers._crc32c import Bytes, Crc
from spikedoc.readers.base import Progress

# Length (8 bytes) and its checksum (4), the data, the checksum of the data (4).
HEADER: Final = 12
FOOTER: Final = 4
# Bytes looked at together: large enough for long arrays, small enough to stay in little memory.
CHUNK: Final = 8_000_000
# Events of scalars are shorter than this; longer records are walked or skipped one by one.
LONGEST_SCALAR_EVENT: Final = 2048
SHORTEST_EVENT: Final = 14
# First byte of an event with a wall time, and the top byte of any time between 1970 and 2106.
_WALL_TIME_KEY: Final = 0x09
_WALL_TIME_TOP: Final = 0x41
# Longest record that is kept in memory: text records with a configuration are shorter.
LONGEST_KEPT: Final = 4_000_000
# Damaged places described one by one in the notes.
GAPS_DESCRIBED: Final = 5


@dataclass(slots=True)
class Damage:
    """What was skipped."""

    gaps: list[tuple[int, int]] = field(default_factory=list)  # byte ranges without a valid record
    bad_records: int = 0  # records whose data do not fit their checksum
    cut_short: bool = False  # the last record ends after the end of the file

    def notes(self) -> tuple[str, ...]:
        """Return one sentence per kind of damage."""
        notes = [f"damaged from byte {a} to {b}; read on behind it" for a, b in self.gaps]
        if len(notes) > GAPS_DESCRIBED:
            total = sum(b - a for a, b in self.gaps)
            notes = [*notes[:GAPS_DESCRIBED], f"{len(notes)} damaged places, {total} bytes in all"]
        if self.bad_records:
            notes.append(f"{self.bad_records} records with a wrong checksum were left out")
        if self.cut_short:
            notes.append("the last record is cut short: the writer was stopped")
        return tuple(notes)


@dataclass(frozen=True, slots=True, eq=False)
class Frames:
    """Records of one chunk: `fast` look like scalar events, `other` must be walked."""

    data: Bytes
    offset: int  # of the chunk in the file
    fast: IntArray  # where these records start in the chunk
    lengths: IntArray  # of their data
    other: tuple[tuple[int, int], ...]  # start in the chunk, length


def frames(path: Path, damage: Damage, progress: Progress | None = None) -> Iterator[Frames]:
    """Yield the valid records chunk by chunk; long blobs are skipped unread."""
    size = path.stat().st_size
    store = bytearray(min(size, CHUNK))
    view = memoryview(store)
    with path.open("rb") as file:
        state = _State(file, size, damage)
        while state.position < size and (count := _fill(state, view)) > 0:
            data = np.frombuffer(store, dtype=np.uint8, count=count)
            yield state.walk(data, at_end=state.position + count >= size)
            if progress is not None:
                progress(min(state.position, size), size)
        if state.lost_since is not None:
            state.end_of_file()


def _fill(state: _State, view: memoryview) -> int:
    state.file.seek(state.position)
    count = 0
    while count < len(view):
        got = state.file.readinto(view[count:])  # type: ignore[attr-defined]
        if not got:
            break
        count += got
    return count


class _State:
    """Walks along the chain of records; remembers where it was lost."""

    def __init__(self, file: BinaryIO, size: int, damage: Damage) -> None:
        self.file = file
        self.size = size
        self.damage = damage
        self.position = 0  # of the next record in the file
        self.lost_since: int | None = None
        self._promised = False  # the record where it was lost had a valid header
        self._fast: list[IntArray] = []
        self._other: list[tuple[int, int]] = []

    def walk(self, data: Bytes, at_end: bool) -> Frames:
        """Return the records of a chunk that begins at `position`, and move behind them."""
        chunk, base = _Chunk(data), self.position
        self._fast, self._other = [], []
        place: int | None = 0
        while place is not None and place + HEADER <= data.size:
            if self.lost_since is not None or not chunk.header_at(place):
                place = self._found_again(chunk, base, place)
            else:
                place = self._take(chunk, base, place)
        if place is not None:
            self.position = base + place
            if at_end and self.position < self.size:
                self.damage.cut_short = True
                self.position = self.size
        fast = np.concatenate(self._fast) if self._fast else np.zeros(0, dtype=np.int64)
        return Frames(data, base, fast, chunk.lengths_at(fast), tuple(self._other))

    def _take(self, chunk: _Chunk, base: int, place: int) -> int | None:
        """Take the records from `place` on; return where the next begins, None if not in here."""
        run = chunk.run_from(place)
        if run.size:
            self._fast.append(run)
            return chunk.end_of(int(run[-1]))
        end = chunk.end_of(place)
        if base + end > self.size:
            self.lost_since, self._promised = base + place, True
            return place
        if end > chunk.data.size:
            too_long = end - place > min(LONGEST_KEPT, chunk.data.size)
            self.position = base + (end if too_long else place)
            return None
        self._other.append((place, end - place - HEADER - FOOTER))
        return end

    def _found_again(self, chunk: _Chunk, base: int, place: int) -> int | None:
        """Return the next valid record behind the damage, None when this chunk holds none."""
        if self.lost_since is None:
            self.lost_since, self._promised = base + place, False
        lost = self.lost_since
        for found in chunk.headers_from(max(place, lost + 1 - base)):
            if base + chunk.end_of(int(found)) <= self.size:
                self.damage.gaps.append((lost, base + int(found)))
                self.lost_since = None
                return int(found)
        self.position = base + max(chunk.data.size - HEADER + 1, 1)
        return None

    def end_of_file(self) -> None:
        """Account for a place from which no valid record followed."""
        if self.lost_since is None:
            return
        if self._promised or self.size - self.lost_since < HEADER:
            self.damage.cut_short = True
        else:
            self.damage.gaps.append((self.lost_since, self.size))


class _Chunk:
    """Header positions in a stretch of bytes, found for all places at once."""

    def __init__(self, data: Bytes) -> None:
        self.data = data
        self._words = _unaligned(data, np.dtype("<u4"))
        self._starts = self._scalar_events()
        ends = self._starts + self.lengths_at(self._starts) + HEADER + FOOTER
        after = np.searchsorted(self._starts, ends)
        follows = (after < self._starts.size) & (after == np.arange(1, self._starts.size + 1))
        follows[follows] = self._starts[after[follows]] == ends[follows]
        self._breaks = np.flatnonzero(~follows)
        self._headers: IntArray | None = None

    def _scalar_events(self) -> IntArray:
        """Places that look like the header of a scalar event and have a valid checksum."""
        data, words = self.data, self._words
        last = data.size - HEADER - SHORTEST_EVENT - FOOTER
        places = np.flatnonzero(data[HEADER : max(HEADER, last + HEADER + 1)] == _WALL_TIME_KEY)
        places = places[data[places + HEADER + 8] == _WALL_TIME_TOP]
        places = places[words[places + 4] == 0]
        lengths = words[places]
        short = (lengths >= SHORTEST_EVENT) & (lengths <= LONGEST_SCALAR_EVENT)
        short &= places + lengths + (HEADER + FOOTER) <= data.size
        places, lengths = places[short], lengths[short]
        starts: IntArray = places[words[places + 8] == _header_checksums()[lengths]]
        return starts

    def end_of(self, place: int) -> int:
        """Where the record at `place` ends, its checksum included."""
        length = int.from_bytes(self.data[place : place + 8].tobytes(), "little")
        return place + HEADER + length + FOOTER

    def lengths_at(self, places: IntArray) -> IntArray:
        lengths: IntArray = self._words[places].astype(np.int64)
        return lengths

    def header_at(self, place: int) -> bool:
        """Whether the header at `place` fits its checksum."""
        header = self.data[place : place + HEADER].tobytes()
        return len(header) == HEADER and _crc32c.of_bytes(header[:8]) == int.from_bytes(
            header[8:], "little"
        )

    def run_from(self, place: int) -> IntArray:
        """Starts of the scalar events that follow each other without a gap from `place` on."""
        first = int(np.searchsorted(self._starts, place))
        if first == self._starts.size or self._starts[first] != place:
            return self._starts[:0]
        last = int(self._breaks[np.searchsorted(self._breaks, first)])
        return self._starts[first : last + 1]

    def headers_from(self, place: int) -> IntArray:
        """All valid headers at or behind `place`."""
        if self._headers is None:
            self._headers = self._all_headers()
        return self._headers[np.searchsorted(self._headers, place) :]

    def _all_headers(self) -> IntArray:
        # Lengths of 4 GB and more do not occur, so the upper half of the length is zero.
        places = np.flatnonzero(self._words[4:] == 0)
        places = places[places + HEADER <= self.data.size]
        rows = np.zeros((places.size, 8), dtype=np.uint8)
        for column in range(4):
            rows[:, column] = self.data[places + column]
        constant = np.array([False] * 4 + [True] * 4)
        if not places.size:
            return places
        valid: IntArray = places[self._words[places + 8] == _crc32c.of_rows(rows, constant)]
        return valid


def _unaligned(data: Bytes, dtype: np.dtype[np.uint32]) -> Crc:
    """A view with one number of type `dtype` beginning at every byte."""
    count = max(0, data.size - dtype.itemsize + 1)
    return np.ndarray((count,), dtype=dtype, buffer=data.data, strides=(1,))


@cache
def _header_checksums() -> Crc:
    """Checksum of the header of each length a scalar event may have."""
    rows = np.zeros((LONGEST_SCALAR_EVENT + 1, 8), dtype=np.uint8)
    lengths = np.arange(LONGEST_SCALAR_EVENT + 1)
    rows[:, 0], rows[:, 1] = lengths & 0xFF, lengths >> 8
    return _crc32c.of_rows(rows)
