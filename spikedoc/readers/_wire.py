"""The wire format of protocol buffers: fields by number, without message classes."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

# Kinds of field on the wire.
VARINT: Final = 0
FIXED64: Final = 1
LENGTH: Final = 2
FIXED32: Final = 5
_SEVEN_BITS: Final = 0x7F
_MORE: Final = 0x80
# A 64-bit number takes ten bytes of seven bits at most.
_LONGEST_SHIFT: Final = 63
_SIGN: Final = 1 << 63
_ALL: Final = 1 << 64

Value = int | bytes
Field = tuple[int, int, Value]


def varint(data: bytes, place: int) -> tuple[int, int]:
    """Return the number that begins at `place` and where it ends; raises ValueError."""
    result = shift = 0
    while True:
        try:
            byte = data[place]
        except IndexError:
            raise ValueError("cut short") from None
        place += 1
        result |= (byte & _SEVEN_BITS) << shift
        if byte < _MORE:
            return result % _ALL, place
        shift += 7
        if shift > _LONGEST_SHIFT:
            raise ValueError("a number of more than ten bytes")


def fields(data: bytes) -> Iterator[Field]:
    """Yield number, kind and raw value of each field of a message; raises ValueError."""
    place, end = 0, len(data)
    while place < end:
        key = data[place]
        place += 1
        if key >= _MORE:
            key, place = varint(data, place - 1)
        number, kind = key >> 3, key & 7
        if kind == LENGTH:
            size = data[place] if place < end else _MORE
            place += 1
            if size >= _MORE:
                size, place = varint(data, place - 1)
        elif kind == VARINT:
            value, place = varint(data, place)
            yield number, kind, value
            continue
        elif kind in (FIXED64, FIXED32):
            size = 8 if kind == FIXED64 else 4
        else:
            raise ValueError(f"a field of kind {kind}")
        if place + size > end:
            raise ValueError("cut short")
        yield number, kind, data[place : place + size]
        place += size


def messages(data: bytes, wanted: int) -> Iterator[bytes]:
    """Yield the bytes of each field `wanted` that holds a message or text."""
    for number, _, value in fields(data):
        if number == wanted and isinstance(value, bytes):
            yield value


def text(value: Value) -> str:
    """Return the text in a field; bytes that are no UTF-8 become U+FFFD."""
    return value.decode("utf-8", errors="replace") if isinstance(value, bytes) else ""


def signed(value: Value) -> int:
    """Return a varint as the signed 64-bit number it stands for."""
    if isinstance(value, bytes):
        raise ValueError("not a number")
    return value - _ALL if value >= _SIGN else value


def double(value: Value) -> float:
    """Return the number in a field of 8 or 4 bytes; raises ValueError for another kind."""
    if not isinstance(value, bytes) or len(value) not in (4, 8):
        raise ValueError("not a floating-point number")
    return float(struct.unpack("<d" if len(value) == 8 else "<f", value)[0])
