"""Scalars of many events at once: same bytes, same tag, one gather for steps and values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from spikedoc.model.run import FloatArray, IntArray
from spikedoc.readers import _crc32c
from spikedoc.readers._crc32c import Bytes
from spikedoc.readers._event_frames import FOOTER, HEADER, Damage, Frames
from spikedoc.readers._event_proto import ScalarValue, TextValue, parse_event
from spikedoc.readers.base import RawSeries

# Steps of up to five varint bytes (2^35) are read in bulk; longer ones, and negative ones, singly.
LONGEST_STEP: Final = 5
_STEP_KEY: Final = 0x10
_SUMMARY_KEY: Final = 0x2A
_MESSAGE_KEY: Final = 0x0A
_WALL_AT: Final = 1  # behind its key byte
_STEP_AT: Final = 10
# Odd multipliers that spread the bits of a hash (golden ratio and a large prime).
_SPREAD: Final = np.uint64(0x9E3779B97F4A7C15)
_SPREAD_LENGTH: Final = np.uint64(0xD6E8FEB86659FD93)
# Records without scalars are checked up to this length: a damaged scalar may look like one.
LONGEST_CHECKED: Final = 256
MOST_TEXTS: Final = 2_000

Part = tuple[IntArray, IntArray, FloatArray, FloatArray]  # place in the file, step, wall, value


@dataclass(slots=True)
class Collected:
    """Everything found so far."""

    parts: dict[str, list[Part]] = field(default_factory=dict)
    texts: list[TextValue] = field(default_factory=list)
    records: int = 0
    first_wall_time: float = 0.0

    def series(self) -> tuple[RawSeries, ...]:
        """Return one series per tag, in the order of the file."""
        return tuple(_joined(tag, parts) for tag, parts in self.parts.items())


def _joined(tag: str, parts: Sequence[Part]) -> RawSeries:
    places, steps, walls, values = (np.concatenate(column) for column in zip(*parts, strict=True))
    if np.any(np.diff(places) < 0):
        order = np.argsort(places, kind="stable")
        places, steps, walls, values = (x[order] for x in (places, steps, walls, values))
    return RawSeries(tag, steps, values, walls, order=places)


def collect(chunk: Frames, found: Collected, damage: Damage) -> None:
    """Add the scalars and texts of one chunk; records with a wrong checksum are counted."""
    found.records += chunk.fast.size + len(chunk.other)
    single = list(chunk.other)
    if chunk.fast.size:
        odd = _collect_fast(chunk, found, damage)
        single += [
            (int(s), int(n)) for s, n in zip(chunk.fast[odd], chunk.lengths[odd], strict=True)
        ]
    _collect_singly(chunk, sorted(single), found, damage)


def _collect_singly(
    chunk: Frames, records: Sequence[tuple[int, int]], found: Collected, damage: Damage
) -> None:
    points: dict[str, list[tuple[int, int, float, float]]] = {}
    for start, length in records:
        data = chunk.data[start + HEADER : start + HEADER + length].tobytes()
        try:
            event = parse_event(data)
        except ValueError:
            damage.bad_records += 1
            continue
        if not event.scalars and not event.texts and length > LONGEST_CHECKED:
            continue  # a histogram or an image is not worth the time
        end = start + HEADER + length
        stored = chunk.data[end : end + FOOTER].tobytes()
        if _crc32c.of_bytes(data) != int.from_bytes(stored, "little"):
            damage.bad_records += 1
            continue
        for scalar in event.scalars:
            point = (chunk.offset + start, event.step, event.wall_time, scalar.value)
            points.setdefault(scalar.tag, []).append(point)
        if len(found.texts) < MOST_TEXTS:
            found.texts.extend(event.texts)
    for tag, rows in points.items():
        places, steps, walls, values = zip(*rows, strict=True)
        found.parts.setdefault(tag, []).append(
            (
                np.array(places, dtype=np.int64),
                np.array(steps, dtype=np.int64),
                np.array(walls, dtype=np.float64),
                np.array(values, dtype=np.float64),
            )
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Layout:
    """Where things are in each fast record, as offsets from the start of its data."""

    steps: IntArray
    tail: IntArray  # behind the step
    key: np.ndarray[tuple[int], np.dtype[np.uint64]]  # equal for records of one tag and length
    regular: np.ndarray[tuple[int], np.dtype[np.bool_]]


def _collect_fast(chunk: Frames, found: Collected, damage: Damage) -> IntArray:
    """Collect the records that are scalar events; return the indices of those that are not."""
    begin = chunk.fast + HEADER
    layout = _layout(chunk.data, begin, chunk.lengths)
    odd = [np.flatnonzero(~layout.regular)]
    regular = np.flatnonzero(layout.regular)
    order = regular[np.argsort(layout.key[regular], kind="stable")]
    borders = np.flatnonzero(np.diff(layout.key[order])) + 1
    groups = [group for group in np.split(order, borders) if group.size]
    odd += [_collect_group(chunk, begin, layout, group, found, damage) for group in groups]
    return np.sort(np.concatenate(odd))


def _layout(data: Bytes, begin: IntArray, lengths: IntArray) -> _Layout:
    end = begin + lengths
    has_step = data[begin + _STEP_AT - 1] == _STEP_KEY
    steps = np.zeros(begin.size, dtype=np.int64)
    place = begin + _STEP_AT - 1 + has_step
    more = has_step.copy()
    for shift in range(LONGEST_STEP):
        byte = data[np.minimum(place, end)].astype(np.int64)
        steps |= np.where(more, (byte & 0x7F) << (7 * shift), 0)
        place += more
        more = more & (byte >= 0x80)
    tail = place - begin
    regular = ~more & _opens(data, place, end, _SUMMARY_KEY)
    length, place = _small_varint(data, place + 1, end)
    regular &= place + length == end  # the summary is the last field
    regular &= _opens(data, place, end, _MESSAGE_KEY)
    length, place = _small_varint(data, place + 1, end)
    regular &= place + length <= end  # its first value
    regular &= _opens(data, place, end, _MESSAGE_KEY)
    tag_length, place = _small_varint(data, place + 1, end)
    regular &= place + tag_length < end
    key = _hash(data, place, np.where(regular, tag_length, 0))
    key ^= (lengths * 64 + tail).astype(np.uint64) * _SPREAD_LENGTH
    return _Layout(steps, tail, key, regular)


def _opens(
    data: Bytes, place: IntArray, end: IntArray, key: int
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    opens: np.ndarray[tuple[int], np.dtype[np.bool_]] = (place < end) & (
        data[np.minimum(place, end)] == key
    )
    return opens


def _small_varint(data: Bytes, place: IntArray, end: IntArray) -> tuple[IntArray, IntArray]:
    first = data[np.minimum(place, end)].astype(np.int64)
    second = data[np.minimum(place + 1, end)].astype(np.int64)
    long = first >= 0x80
    return np.where(long, (first & 0x7F) | (second << 7), first), place + 1 + long


def _hash(
    data: Bytes, place: IntArray, length: IntArray
) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """A hash of `length` bytes from each place on, eight bytes at a time."""
    words = np.ndarray((data.size - 7,), dtype=np.dtype("<u8"), buffer=data.data, strides=(1,))
    value = length.astype(np.uint64) * _SPREAD
    for offset in range(0, int(length.max(initial=0)), 8):
        left = length - offset
        word = words[np.minimum(place + offset, words.size - 1)]
        unused = np.clip(8 - left, 0, 7).astype(np.uint64) * np.uint64(8)
        word = np.where(left > 0, (word << unused) >> unused, np.uint64(0))
        value = (value ^ word) * _SPREAD
        value ^= value >> np.uint64(29)
    return value


def _collect_group(
    chunk: Frames,
    begin: IntArray,
    layout: _Layout,
    group: IntArray,
    found: Collected,
    damage: Damage,
) -> IntArray:
    """Collect records of one length and first tag; return the indices of those to be walked.

    The first record is the pattern: the others must equal it outside of times, steps and values.
    """
    length = int(chunk.lengths[group[0]])
    windows = np.lib.stride_tricks.sliding_window_view(chunk.data, length + FOOTER)
    rows = windows[begin[group]]
    scalars = _pattern(rows[0, :length].tobytes())
    if not scalars:
        return group
    varying = (rows[:, :length] != rows[0, :length]).any(axis=0)
    fixed = np.ones(length, dtype=bool)
    fixed[_WALL_AT : _WALL_AT + 8] = False
    fixed[_STEP_AT : int(layout.tail[group[0]])] = False
    for scalar in scalars:
        fixed[scalar.place : scalar.place + np.dtype(scalar.format).itemsize] = False
    odd = group[:0]
    if np.any(varying & fixed):
        same = (rows[:, :length][:, fixed] == rows[0, :length][fixed]).all(axis=1)
        group, odd, rows = group[same], group[~same], rows[same]
    good = _crc32c.of_rows(rows[:, :length], ~varying) == _numbers(rows, length, "<u4")
    if not good.all():
        damage.bad_records += int((~good).sum())
        group, rows = group[good], rows[good]
    places, steps = chunk.fast[group] + chunk.offset, layout.steps[group]
    walls = _numbers(rows, _WALL_AT, "<f8").astype(np.float64)
    for scalar in scalars if group.size else ():
        values = _numbers(rows, scalar.place, scalar.format).astype(np.float64)
        found.parts.setdefault(scalar.tag, []).append((places, steps, walls, values))
    return odd


def _pattern(data: bytes) -> tuple[ScalarValue, ...]:
    """The scalars of an event that holds nothing else, each with its place; empty otherwise."""
    try:
        event = parse_event(data)
    except ValueError:
        return ()
    plain = not event.texts and all(scalar.place >= 0 for scalar in event.scalars)
    return event.scalars if plain else ()


def _numbers(rows: Bytes, place: int, form: str) -> np.ndarray[tuple[int], np.dtype[np.generic]]:
    """The number of type `form` at column `place` of every row."""
    dtype = np.dtype(form)
    return np.ascontiguousarray(rows[:, place : place + dtype.itemsize]).view(dtype)[:, 0]
