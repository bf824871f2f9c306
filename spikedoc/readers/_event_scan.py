"""Where records begin in a stretch of bytes: candidates that follow each other without a gap."""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np

from spikedoc.model.run import IntArray
from spikedoc.readers import _crc32c
from spikedoc.readers._crc32c import Bytes, Crc
from spikedoc.readers._event_pattern import FOOTER, HEADER

# Events of scalars are shorter than this; longer records are walked or skipped one by one.
LONGEST_SCALAR_EVENT: Final = 2048
SHORTEST_EVENT: Final = 14
# First byte of an event with a wall time, and the top byte of any time between 1970 and 2106.
_WALL_TIME_KEY: Final = 0x09
_WALL_TIME_TOP: Final = 0x41


class Scan:
    """The scalar events that begin in `data[start:stop]`, and which of them follow each other."""

    def __init__(self, data: Bytes, start: int, stop: int) -> None:
        self.start, self.stop = start, stop
        part = data[start:stop]
        words = unaligned(part)
        found = _scalar_events(part, words)
        lengths = words[found].astype(np.int64)
        ends = found + lengths + HEADER + FOOTER
        self._breaks = np.flatnonzero(np.append(found[1:] != ends[:-1], found.size > 0))
        self._starts: IntArray = found + start
        self._ends: IntArray = ends + start

    def run_from(self, place: int) -> tuple[IntArray, int]:
        """Return the events that follow each other from `place` on, and where the last one ends."""
        first = int(np.searchsorted(self._starts, place))
        if first == self._starts.size or self._starts[first] != place:
            return self._starts[:0], place
        last = int(self._breaks[np.searchsorted(self._breaks, first)])
        return self._starts[first : last + 1], int(self._ends[last])


def _scalar_events(data: Bytes, words: Crc) -> IntArray:
    """Places that look like the header of a scalar event and have a valid checksum."""
    last = data.size - HEADER - SHORTEST_EVENT - FOOTER
    places = np.flatnonzero(data[HEADER : max(HEADER, last + HEADER + 1)] == _WALL_TIME_KEY)
    places = places[data[places + HEADER + 8] == _WALL_TIME_TOP]
    places = places[words[places + 4] == 0]
    lengths = words[places]
    short = (lengths >= SHORTEST_EVENT) & (lengths <= LONGEST_SCALAR_EVENT)
    short &= places + lengths + (HEADER + FOOTER) <= data.size
    places, lengths = places[short], lengths[short]
    starts: IntArray = places[words[places + 8] == header_checksums()[lengths]]
    return starts


def all_headers(data: Bytes) -> IntArray:
    """Return every place where a valid header begins, whatever its record holds."""
    # Lengths of 4 GB and more do not occur, so the upper half of the length is zero.
    words = unaligned(data)
    places = np.flatnonzero(words[4:] == 0)
    places = places[places + HEADER <= data.size]
    if not places.size:
        return places
    rows = np.zeros((places.size, 8), dtype=np.uint8)
    for column in range(4):
        rows[:, column] = data[places + column]
    constant = np.array([False] * 4 + [True] * 4)
    valid: IntArray = places[words[places + 8] == _crc32c.of_rows(rows, constant)]
    return valid


def unaligned(data: Bytes) -> Crc:
    """Return a view with one number of four bytes beginning at every byte."""
    count = max(0, data.size - 3)
    return np.ndarray((count,), dtype=np.dtype("<u4"), buffer=data.data, strides=(1,))


@cache
def header_checksums() -> Crc:
    """Return the checksum of the header of each length a scalar event may have."""
    rows = np.zeros((LONGEST_SCALAR_EVENT + 1, 8), dtype=np.uint8)
    lengths = np.arange(LONGEST_SCALAR_EVENT + 1)
    rows[:, 0], rows[:, 1] = lengths & 0xFF, lengths >> 8
    return _crc32c.of_rows(rows)


@cache
def record_sizes() -> dict[bytes, int]:
    """Return how long the record of a scalar event with each header is, for a loop."""
    sums = header_checksums()[SHORTEST_EVENT:].tolist()
    return {
        length.to_bytes(8, "little") + checksum.to_bytes(4, "little"): HEADER + length + FOOTER
        for length, checksum in enumerate(sums, SHORTEST_EVENT)
    }
