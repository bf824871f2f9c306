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
# Scalar events are shorter than this; longer records are walked or skipped one by one.
LONGEST_SCALAR_EVENT: Final = 512
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

    def walk(self, data: Bytes, at_end: bool) -> Frames:
        """Return the records of a chunk that begins at `position`, and move behind them."""
        chunk = _Chunk(data)
        base, place = self.position, 0
        runs: list[IntArray] = []
        other: list[tuple[int, int]] = []
        while True:
            if self.lost_since is not None or not chunk.header_at(place):
                place = self._resynchronise(chunk, base, place)
                if place < 0:
                    break
            length = chunk.length_at(place)
            run = chunk.run_from(place)
            if run.size:
                runs.append(run)
                place = int(run[-1]) + chunk.length_at(int(run[-1])) + HEADER + FOOTER
            elif base + place + HEADER + length + FOOTER > self.size:
                self._lose(base + place, promised=True)
                continue
            elif place + HEADER + length + FOOTER > data.size:
                if length > min(LONGEST_KEPT, data.size - HEADER - FOOTER):
                    place += HEADER + length + FOOTER
                break
            else:
                other.append((place, length))
                place += HEADER + length + FOOTER
            if place + HEADER > data.size:
                break
        if place >= 0:
            self.position = base + place
            if at_end and self.position < self.size and place + HEADER > data.size:
                self.damage.cut_short = True
                self.position = self.size
        fast = np.concatenate(runs) if runs else np.zeros(0, dtype=np.int64)
        return Frames(data, base, fast, chunk.lengths_at(fast), tuple(other))

    def _lose(self, position: int, promised: bool) -> None:
        if self.lost_since is None:
            self.lost_since, self._promised = position, promised

    def _resynchronise(self, chunk: _Chunk, base: int, place: int) -> int:
        """Find the next valid header behind `place`; -1 when this chunk holds none."""
        self._lose(base + place, promised=False)
        lost = self.lost_since if self.lost_since is not None else base + place
        found = chunk.next_header(max(place, lost - base + 1))
        if found < 0:
            self.position = base + max(chunk.data.size - HEADER + 1, 1)
            return -1
        if base + found + HEADER + chunk.length_at(found) + FOOTER > self.size:
            return self._after_false_promise(chunk, base, found)
        self.damage.gaps.append((lost, base + found))
        self.lost_since = None
        return found

    def _after_false_promise(self, chunk: _Chunk, base: int, place: int) -> int:
        """A header that promises more than the file has: look behind it."""
        for found in chunk.headers_after(place + 1):
            if base + found + HEADER + chunk.length_at(found) + FOOTER <= self.size:
                lost = self.lost_since if self.lost_since is not None else base + place
                self.damage.gaps.append((lost, base + found))
                self.lost_since = None
                return found
        self.position = base + max(chunk.data.size - HEADER + 1, 1)
        return -1

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

    def length_at(self, place: int) -> int:
        return int.from_bytes(self.data[place : place + 8].tobytes(), "little")

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

    def next_header(self, place: int) -> int:
        """First valid header at or behind `place`, -1 when there is none."""
        found = self.headers_after(place)
        return int(found[0]) if found.size else -1

    def headers_after(self, place: int) -> IntArray:
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
        return places[self._words[places + 8] == _crc32c.of_rows(rows, constant)]


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
