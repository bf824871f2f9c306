"""What records of one tag have in common: all bytes except times, steps, values and checksums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.model.run import IntArray
from spikedoc.readers._crc32c import Bytes
from spikedoc.readers._event_proto import (
    STEP,
    SUMMARY,
    WALL_TIME,
    ScalarValue,
    fields,
    parse_event,
)

# A record: length of the data (8 bytes), its checksum (4), the data, the checksum of the data (4).
HEADER: Final = 12
FOOTER: Final = 4
# An event begins with the wall time's key (1 byte), the wall time (8), the step's key (1).
WALL_AT: Final = HEADER + 1
STEP_AT: Final = HEADER + 10
# Steps of up to this many bytes (2^56) fit one word; longer ones, and negative ones, are walked.
LONGEST_STEP: Final = 8
_WALL_KEY: Final = 0x09
_STEP_KEY: Final = 0x10
# Bytes of the value where it comes last: a float, as most writers log it.
_LAST: Final = 4
# Patterns kept for other chunks and files.
MOST_KNOWN: Final = 4096
_MORE: Final = 0x80  # a varint goes on behind bytes with this bit
_SEVEN_BITS: Final = 0x7F
# Fields of an event of scalars, in the order of every writer; a step of 0 is absent.
_ORDERS: Final = ([WALL_TIME, STEP, SUMMARY], [WALL_TIME, SUMMARY])


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """Records that differ from an example in times, steps, values and checksums alone."""

    size: int  # of the record, header and checksums included
    step_width: int  # bytes; 0 when the step is absent, that is 0
    scalars: tuple[ScalarValue, ...]  # places count from the start of the record
    fixed: Bytes  # the bits of each byte that all these records share
    key: bytes  # the shared bits

    @property
    def shape(self) -> tuple[object, ...]:
        """Equal for patterns whose records hold their numbers at the same places."""
        places = tuple((scalar.place, scalar.format) for scalar in self.scalars)
        return (self.size, self.step_width, places)


def pattern_of(record: bytes) -> Pattern | None:
    """Return the pattern of a whole record; None unless it is an event of plain scalars."""
    if len(record) > STEP_AT + _LAST + FOOTER and record[HEADER] == _WALL_KEY:
        width = _step_width(record) if record[STEP_AT - 1] == _STEP_KEY else 0
        begin = STEP_AT + width - (0 if width else 1)
        known = _known(record[:HEADER], width, record[begin : -_LAST - FOOTER])
        if known is not None and known.size == len(record):
            return known
    return _parsed(record)


@lru_cache(MOST_KNOWN)
def _known(header: bytes, width: int, middle: bytes) -> Pattern | None:
    """The pattern of records with these bytes, if the four behind them are their only value.

    So most writers lay them out. Times, the bytes of a step and of the value have no say in where
    everything is, so such a record is taken apart once for all files.
    """
    step = bytes([_STEP_KEY, *[_MORE] * (width - 1), 1]) if width else b""
    example = header + bytes([_WALL_KEY]) + bytes(8) + step + middle + bytes(_LAST + FOOTER)
    pattern = _parsed(example)
    if pattern is None or pattern.step_width != width or len(pattern.scalars) != 1:
        return None
    value = pattern.scalars[0]
    is_last = value.place == pattern.size - FOOTER - _LAST
    return pattern if is_last and np.dtype(value.format).itemsize == _LAST else None


def _parsed(record: bytes) -> Pattern | None:
    data = record[HEADER:-FOOTER]
    try:
        order = [number for number, _, _, _ in fields(data, 0, len(data))]
        if order not in _ORDERS:
            return None
        event = parse_event(data)
    except ValueError:
        return None
    if event.texts or not event.scalars or any(scalar.place < 0 for scalar in event.scalars):
        return None
    width = _step_width(record) if STEP in order else 0
    if width > LONGEST_STEP:
        return None
    scalars = tuple(ScalarValue(s.tag, s.value, s.place + HEADER, s.format) for s in event.scalars)
    fixed = _fixed_bits(len(record), width, scalars)
    key = (np.frombuffer(record, dtype=np.uint8) & fixed).tobytes()
    return Pattern(len(record), width, scalars, fixed, key)


def _step_width(record: bytes) -> int:
    """Bytes of the step, more than LONGEST_STEP for a step that is too long or goes on and on."""
    step = record[STEP_AT : STEP_AT + LONGEST_STEP]
    return next((n for n, byte in enumerate(step, 1) if not byte & _MORE), LONGEST_STEP + 1)


def _fixed_bits(size: int, step_width: int, scalars: Sequence[ScalarValue]) -> Bytes:
    fixed = np.full(size, 0xFF, dtype=np.uint8)
    fixed[WALL_AT : WALL_AT + 8] = 0
    fixed[STEP_AT : STEP_AT + step_width] = _MORE  # equally many bytes, so equal marks
    for scalar in scalars:
        fixed[scalar.place : scalar.place + np.dtype(scalar.format).itemsize] = 0
    fixed[size - FOOTER :] = 0
    return fixed


def strided(data: Bytes, form: str, first: int, count: int, stride: int) -> NDArray[np.generic]:
    """Return a view of `count` numbers of type `form`, one every `stride` bytes from `first` on."""
    view: NDArray[np.generic] = np.ndarray(
        (count,), dtype=np.dtype(form), buffer=data.data, offset=first, strides=(stride,)
    )
    return view


def checksums(data: Bytes, first: int, count: int, stride: int) -> NDArray[np.uint32]:
    """Return a view of `count` stored checksums, one every `stride` bytes from `first` on."""
    view: NDArray[np.uint32] = np.ndarray(
        (count,), dtype=np.dtype("<u4"), buffer=data.data, offset=first, strides=(stride,)
    )
    return view


def step_words(data: Bytes, first: int, count: int, stride: int, width: int) -> NDArray[np.uint64]:
    """Return the `width` bytes of each step as one number; a record goes on behind its step."""
    words = strided(data, "<u8", first, count, stride).astype(np.uint64)
    words &= np.uint64((1 << (8 * width)) - 1)
    return words


def decoded(words: NDArray[np.uint64], width: int) -> IntArray:
    """Return the steps whose varints `step_words` gave: seven bits of each byte, low ones first."""
    steps = words & np.uint64(_SEVEN_BITS)
    for byte in range(1, width):
        seven = (words >> np.uint64(8 * byte)) & np.uint64(_SEVEN_BITS)
        steps |= seven << np.uint64(7 * byte)
    return steps.astype(np.int64)
