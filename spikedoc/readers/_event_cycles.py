"""Records that repeat in a cycle, as a training loop writes them: read through strided views.

A loop that logs ten tags a step writes ten records of constant length in turn. Seen as a matrix
with one cycle per row, every step, value and wall time is in a column of its own, and everything
else is equal in all rows. Whether it is equal, two passes over the bytes tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from spikedoc.readers import _crc32c
from spikedoc.readers._crc32c import Bytes
from spikedoc.readers._event_damage import Damage
from spikedoc.readers._event_pattern import (
    FOOTER,
    HEADER,
    STEP_AT,
    WALL_AT,
    Pattern,
    checksums,
    decoded,
    pattern_of,
    step_words,
    strided,
)
from spikedoc.readers._event_points import Collected, Part, one_time, own_times

# Loops that log more tags a step than this are read by the scan, which is nearly as fast.
LONGEST_CYCLE: Final = 64
# A cycle that repeats less often was not worth the learning (15 µs a record).
LEAST_ROWS: Final = 8
LEAST_RECORDS: Final = 128
# Records that are read otherwise before the next attempt; doubles with every failure.
FIRST_WAIT: Final = 64
LONGEST_WAIT: Final = 1 << 16
# Cycles shorter than this are laid side by side, since each row of a reduction costs 30 ns.
_WIDE_ROW: Final = 4096
_TRIAL_ROWS: Final = 4


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Complete cycles that follow each other without a gap."""

    start: int  # in the chunk
    rows: int
    slots: tuple[Pattern, ...]

    @property
    def width(self) -> int:
        """Bytes of one cycle."""
        return sum(slot.size for slot in self.slots)

    @property
    def end(self) -> int:
        """Place behind the last cycle."""
        return self.start + self.rows * self.width


class Cycles:
    """Learns the cycle of a file, and finds where it holds."""

    def __init__(self) -> None:
        self._slots: tuple[Pattern, ...] = ()
        self._width = 0
        self._fixed: Bytes = np.zeros(0, dtype=np.uint8)
        self._key: Bytes = np.zeros(0, dtype=np.uint8)
        self._wait = FIRST_WAIT
        self._passed = FIRST_WAIT  # so that the first attempt is made at once

    @property
    def unfinished(self) -> int:
        """Bytes a chunk must still have for a cycle to be found in it, 0 when none is known."""
        return self._width

    def passed(self, records: int) -> None:
        """Take note that so many records were read otherwise."""
        self._passed += records

    def take(self, data: Bytes, place: int, lengths: Lengths) -> tuple[list[int], Block | None]:
        """Return the block that begins at `place`, or soon behind it, and the records before it."""
        if self._slots:
            rows = self._rows_at(data, place)
            if rows:
                return [], Block(place, rows, self._slots)
            if data.size - place >= self._width:
                self._forget()
        if self._slots or self._passed < self._wait:
            return [], None
        return self._learn(data, place, lengths)

    def _learn(self, data: Bytes, place: int, lengths: Lengths) -> tuple[list[int], Block | None]:
        starts, patterns = [place], [_pattern_at(data, place, lengths)]
        first = 0  # where the step changes for the first time: cycles begin with a new step
        while len(starts) <= first + LONGEST_CYCLE and (last := patterns[-1]) is not None:
            starts.append(starts[-1] + last.size)
            patterns.append(_pattern_at(data, starts[-1], lengths))
            if not first and _step_changes(data, starts, patterns):
                first = len(starts) - 1
                continue
            again, head = patterns[-1], patterns[first]
            if again is None or head is None or again.key != head.key:
                continue
            slots = [slot for slot in patterns[first:-1] if slot is not None]
            self._become(slots)
            rows = self._rows_at(data, starts[first])
            if rows >= LEAST_ROWS and rows * len(slots) >= LEAST_RECORDS:
                self._wait = FIRST_WAIT
                return starts[:first], Block(starts[first], rows, self._slots)
        self._forget()
        self._passed, self._wait = 0, min(2 * self._wait, LONGEST_WAIT)
        return [], None

    def _become(self, slots: Sequence[Pattern]) -> None:
        self._slots = tuple(slots)
        self._width = sum(slot.size for slot in slots)
        self._fixed = np.concatenate([slot.fixed for slot in slots])
        self._key = np.frombuffer(b"".join(slot.key for slot in slots), dtype=np.uint8)

    def _forget(self) -> None:
        self._slots, self._width = (), 0

    def _rows_at(self, data: Bytes, place: int) -> int:
        """How many cycles follow each other from `place` on."""
        count = (data.size - place) // self._width
        rows = data[place : place + count * self._width].reshape(count, self._width)
        trial = ((rows[:_TRIAL_ROWS] & self._fixed) != self._key).any(axis=1)
        if trial.any():
            return int(np.argmax(trial))
        if not count:
            return 0
        varying = folded(np.bitwise_or, rows) ^ folded(np.bitwise_and, rows)
        if not (varying & self._fixed).any():
            return count
        return int(np.argmax(((rows & self._fixed) != self._key).any(axis=1)))


Number = TypeVar("Number", bound=np.generic)
Lengths = NDArray[np.uint32]  # checksum of the header of each length a scalar event may have


def _pattern_at(data: Bytes, place: int, lengths: Lengths) -> Pattern | None:
    """The pattern of the record at `place` if it is short, complete, and has a valid header."""
    head = data[place : place + HEADER].tobytes()
    length = int.from_bytes(head[:8], "little")
    end = place + HEADER + length + FOOTER
    if len(head) < HEADER or length >= lengths.size or end > data.size:
        return None
    if int(lengths[length]) != int.from_bytes(head[8:], "little"):
        return None
    return pattern_of(data[place:end].tobytes())


def _step_changes(data: Bytes, starts: list[int], patterns: list[Pattern | None]) -> bool:
    before, last = patterns[-2:]
    if before is None or last is None:
        return False
    if before.step_width != last.step_width:
        return True
    a, b = (place + STEP_AT for place in starts[-2:])
    width = last.step_width
    return data[a : a + width].tobytes() != data[b : b + width].tobytes()


def folded(operation: np.ufunc, rows: Bytes) -> Bytes:
    """Return the bitwise `operation` over all rows, column by column."""
    count, width = rows.shape
    side = max(1, _WIDE_ROW // width)
    wide = count // side * side
    result: Bytes = rows[0]
    if wide > side:
        result = operation.reduce(rows[:wide].reshape(-1, side * width), axis=0)
        result = operation.reduce(result.reshape(side, width), axis=0)
        if wide < count:
            result = operation(result, operation.reduce(rows[wide:], axis=0))
        return result
    narrow: Bytes = operation.reduce(rows, axis=0)
    return narrow


def collect_block(data: Bytes, offset: int, block: Block, found: Collected, damage: Damage) -> None:
    """Add the points of a block; records with a wrong checksum are counted and left out."""
    count, width = block.rows, block.width
    rows = data[block.start : block.end].reshape(count, width)
    total = folded(np.bitwise_xor, rows)
    places = offset + block.start + width * np.arange(count, dtype=np.int64)
    first = block.slots[0]
    words = step_words(data, block.start + STEP_AT, count, width, first.step_width)
    steps = decoded(words, first.step_width)
    clock = own_times(strided(data, "<f8", block.start + WALL_AT, count, width))
    found.records += count * len(block.slots)
    parts: list[Part] = []
    for at, slot in _with_places(block.slots):
        start = block.start + at
        own = step_words(data, start + STEP_AT, count, width, slot.step_width)
        same = slot.step_width == first.step_width and np.array_equal(own, words)
        # One step is one row: its tags share the place of the first, and so the memory.
        row = (places, steps) if same else (places + at, decoded(own, slot.step_width))
        columns_of = slice(at, at + slot.size)
        stored = checksums(data, start + slot.size - FOOTER, count, width)
        good = _good(rows[:, columns_of], stored, total[columns_of], slot.fixed)
        damage.bad_records += 0 if good is None else int((~good).sum())
        columns = _of(places, good), at, _of(row[0], good), _of(row[1], good)
        walls = strided(data, "<f8", start + WALL_AT, count, width)
        walls = _of(clock if same and one_time(walls, clock) else walls, good)
        for scalar in slot.scalars:
            values = strided(data, scalar.format, start + scalar.place, count, width)
            parts.append(Part(scalar.tag, *columns, walls, _of(values, good)))
    found.add(parts)


def _of(column: NDArray[Number], kept: NDArray[np.bool_] | None) -> NDArray[Number]:
    """The column itself when all rows are kept: arrays that are one need no comparison later."""
    return column if kept is None else column[kept]


def _with_places(slots: Sequence[Pattern]) -> Iterator[tuple[int, Pattern]]:
    at = 0
    for slot in slots:
        yield at, slot
        at += slot.size


def _good(
    rows: Bytes, stored: NDArray[np.uint32], total: Bytes, fixed: Bytes
) -> NDArray[np.bool_] | None:
    """Which rows fit their checksums; None when all do, as their sum tells."""
    length = rows.shape[1] - FOOTER
    if _crc32c.fits_sum(total[HEADER:length], stored):
        return None
    constant = fixed[HEADER:length] == 0xFF
    good: NDArray[np.bool_] = _crc32c.of_rows(rows[:, HEADER:length], constant) == stored
    return good
