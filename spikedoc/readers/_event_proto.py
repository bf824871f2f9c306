"""The few protobuf fields of an event that matter here, walked byte by byte."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

# Wire types of protobuf.
_VARINT: Final = 0
_FIXED64: Final = 1
_BYTES: Final = 2
_FIXED32: Final = 5
LONGEST_VARINT: Final = 10
# Field numbers of tensorboard's Event, Summary.Value, SummaryMetadata and TensorProto messages.
WALL_TIME, STEP, SUMMARY = 1, 2, 5
TAG, SIMPLE_VALUE, TENSOR, METADATA = 1, 2, 8, 9
_DTYPE, _SHAPE, _CONTENT, _FLOATS, _DOUBLES, _INTS, _STRINGS = 1, 2, 4, 5, 6, 7, 8
_INTS64, _HALVES = 10, 13
# Tensor data types: number → (struct format, bytes).
_NUMBER_TYPES: Final = {1: "<f", 2: "<d", 3: "<i", 4: "<B", 5: "<h", 6: "<b", 9: "<q", 19: "<e"}
_STRING_TYPE: Final = 7
# A text record longer than this is no configuration.
LONGEST_TEXT: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class ScalarValue:
    """One scalar of an event; `place` is the offset of its bytes, or -1 when they are a varint."""

    tag: str
    value: float
    place: int
    format: str


@dataclass(frozen=True, slots=True)
class TextValue:
    """One text or plugin record of an event."""

    tag: str
    plugin: str
    content: bytes


@dataclass(frozen=True, slots=True)
class EventValues:
    """What one event holds."""

    wall_time: float
    step: int
    scalars: tuple[ScalarValue, ...]
    texts: tuple[TextValue, ...]


# A view spares copying an image of which only the keys are looked at.
Buffer = bytes | memoryview
Field = tuple[int, int, int, int]  # number, wire type, first byte, one past the last byte


def fields(data: Buffer, start: int, end: int) -> Iterator[Field]:
    """Yield the fields of the message in `data[start:end]`; raises ValueError if malformed."""
    place = start
    while place < end:
        key, place = varint(data, place, end)
        kind = key & 7
        if kind == _VARINT:
            _, stop = varint(data, place, end)
        elif kind == _BYTES:
            length, place = varint(data, place, end)
            stop = place + length
        elif kind in (_FIXED64, _FIXED32):
            stop = place + (8 if kind == _FIXED64 else 4)
        else:
            raise ValueError("unknown wire type")
        if stop > end:
            raise ValueError("field longer than its message")
        yield key >> 3, kind, place, stop
        place = stop


def varint(data: Buffer, place: int, end: int) -> tuple[int, int]:
    """Return the unsigned number at `place` and the offset behind it."""
    value = 0
    for shift in range(0, 7 * LONGEST_VARINT, 7):
        if place >= end:
            break
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
    raise ValueError("number longer than its message")


def signed(value: int) -> int:
    """Return an int64 as its varint means it."""
    return value - (1 << 64) if value >= 1 << 63 else value


def _text(data: Buffer, start: int, end: int) -> str:
    return str(data[start:end], "utf-8", "replace")


def parse_event(data: Buffer) -> EventValues:
    """Return the scalars and texts of one event; raises ValueError when it is malformed."""
    wall, step = 0.0, 0
    scalars: list[ScalarValue] = []
    texts: list[TextValue] = []
    for number, kind, start, stop in fields(data, 0, len(data)):
        if number == WALL_TIME and kind == _FIXED64:
            wall = struct.unpack_from("<d", data, start)[0]
        elif number == STEP and kind == _VARINT:
            step = signed(varint(data, start, stop)[0])
        elif number == SUMMARY and kind == _BYTES:
            for inner, inner_kind, a, b in fields(data, start, stop):
                if inner == 1 and inner_kind == _BYTES:
                    _parse_value(data, a, b, scalars, texts)
    return EventValues(wall, step, tuple(scalars), tuple(texts))


def _parse_value(
    data: Buffer, start: int, end: int, scalars: list[ScalarValue], texts: list[TextValue]
) -> None:
    found = {number: (kind, a, b) for number, kind, a, b in fields(data, start, end)}
    if TAG not in found:
        return
    tag = _text(data, *found[TAG][1:])
    if SIMPLE_VALUE in found and found[SIMPLE_VALUE][0] == _FIXED32:
        place = found[SIMPLE_VALUE][1]
        value = struct.unpack_from("<f", data, place)[0]
        scalars.append(ScalarValue(tag, value, place, "<f"))
        return
    plugin, content = _plugin(data, found[METADATA]) if METADATA in found else ("", b"")
    if TENSOR in found:
        _parse_tensor(data, found[TENSOR][1:], tag, plugin, scalars, texts)
    if content and plugin == "hparams":
        texts.append(TextValue(tag, plugin, content[:LONGEST_TEXT]))


def _plugin(data: Buffer, field: tuple[int, int, int]) -> tuple[str, bytes]:
    """Name and content of the plugin that wrote the value."""
    name, content = "", b""
    for number, _, start, stop in fields(data, field[1], field[2]):
        if number == 1:
            for inner, _, a, b in fields(data, start, stop):
                if inner == 1:
                    name = _text(data, a, b)
                elif inner == 2:
                    content = bytes(data[a:b])
    return name, content


def _parse_tensor(
    data: Buffer,
    span: tuple[int, int],
    tag: str,
    plugin: str,
    scalars: list[ScalarValue],
    texts: list[TextValue],
) -> None:
    found: dict[int, tuple[int, int, int]] = {}
    strings: list[bytes] = []
    for number, kind, start, stop in fields(data, *span):
        found[number] = (kind, start, stop)
        if number == _STRINGS:
            strings.append(bytes(data[start : min(stop, start + LONGEST_TEXT)]))
    dtype = varint(data, found[_DTYPE][1], found[_DTYPE][2])[0] if _DTYPE in found else 0
    if dtype == _STRING_TYPE:
        if strings:
            texts.append(TextValue(tag, plugin, strings[0]))
        return
    if plugin in ("", "scalars") and _is_single(data, found.get(_SHAPE)):
        scalar = _tensor_number(data, dtype, found, tag)
        if scalar is not None:
            scalars.append(scalar)


def _is_single(data: Buffer, shape: tuple[int, int, int] | None) -> bool:
    """Whether the shape has one element: no dimension, or all of size 1."""
    if shape is None:
        return True
    for number, _, start, stop in fields(data, shape[1], shape[2]):
        if number == 2:
            sizes = [varint(data, a, b)[0] for n, _, a, b in fields(data, start, stop) if n == 1]
            if sizes != [1]:
                return False
    return True


def _tensor_number(
    data: Buffer, dtype: int, found: dict[int, tuple[int, int, int]], tag: str
) -> ScalarValue | None:
    pattern = _NUMBER_TYPES.get(dtype)
    if pattern is None:
        return None
    for number, form in ((_CONTENT, pattern), (_FLOATS, "<f"), (_DOUBLES, "<d")):
        if number in found:
            _, start, stop = found[number]
            if stop - start >= struct.calcsize(form):
                return ScalarValue(
                    tag, float(struct.unpack_from(form, data, start)[0]), start, form
                )
    for number in (_INTS, _INTS64):
        if number in found:
            _, start, stop = found[number]
            value = signed(varint(data, start, stop)[0])
            return ScalarValue(tag, float(value), -1, "")
    if _HALVES in found:  # the bits of a half as a number
        bits = varint(data, found[_HALVES][1], found[_HALVES][2])[0] & 0xFFFF
        return ScalarValue(tag, float(struct.unpack("<e", struct.pack("<H", bits))[0]), -1, "")
    return None
