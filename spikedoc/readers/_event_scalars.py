"""Scalars of records in any order: records of one length at once, then one by one what is left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.model.run import IntArray
from spikedoc.readers import _crc32c
from spikedoc.readers._crc32c import Bytes
from spikedoc.readers._event_blobs import blobs
from spikedoc.readers._event_cycles import collect_block, folded
from spikedoc.readers._event_damage import Damage
from spikedoc.readers._event_frames import Batch, Frames
from spikedoc.readers._event_pattern import (
    FOOTER,
    HEADER,
    LONGEST_STEP,
    STEP_AT,
    WALL_AT,
    Pattern,
    checksums,
    pattern_of,
    strided,
)
from spikedoc.readers._event_points import Collected, Part
from spikedoc.readers._event_proto import parse_event
from spikedoc.readers._event_scan import unaligned

_STEP_KEY: Final = 0x10
# Groups smaller than this are walked: some fifty calls of numpy cost more than a few walks.
LEAST_GROUP: Final = 6
# Kinds of events of one length that are told apart in bulk; what is left is walked.
MOST_SHAPES: Final = 8
# Odd multiplier that spreads the bits of a hash (golden ratio).
_SPREAD: Final = np.uint64(0x9E3779B97F4A7C15)
# Records without scalars are checked up to this length: a damaged scalar may look like one.
LONGEST_CHECKED: Final = 256
MOST_TEXTS: Final = 2_000
# Patterns kept for the next chunk.
_MOST_KNOWN: Final = 10_000


class Collector:
    """Adds the scalars and texts of chunk after chunk to what was found."""

    def __init__(self, found: Collected, damage: Damage) -> None:
        self._found = found
        self._damage = damage
        self._parts: list[Part] = []
        self._known: dict[tuple[object, ...], Pattern | None] = {}

    def add(self, chunk: Frames) -> None:
        """Add one chunk; records with a wrong checksum are counted and left out."""
        self._found.share_read = chunk.share_read
        for piece in chunk.pieces:
            if isinstance(piece, Batch):
                self._batch(chunk, piece)
            else:
                collect_block(chunk.data, chunk.offset, piece, self._found, self._damage)

    def _batch(self, chunk: Frames, batch: Batch) -> None:
        self._found.records += batch.fast.size + len(batch.other)
        single = [
            (start, length, chunk.offset + start) for start, length in _walked(chunk, batch.other)
        ]
        if batch.fast.size:
            records = _records(chunk, batch.fast)
            for group in _groups(records):
                odd = group
                if group.size >= LEAST_GROUP:
                    odd = self._group(chunk.data, records, group)
                starts, sizes = records.starts[odd], records.sizes[odd] - HEADER - FOOTER
                rows = (starts.tolist(), sizes.tolist(), records.places[odd].tolist())
                single += zip(*rows, strict=True)
        for start, length, place in single:
            self._single(chunk, start, length, place)
        self._found.add(self._parts)
        self._parts.clear()

    def _group(self, data: Bytes, records: _Records, group: IntArray) -> IntArray:
        """Collect records of one size and one width of step; return those to be walked."""
        rows = _rows(data, records.starts[group], int(records.sizes[group[0]]))
        left, odd = np.arange(group.size), []
        for _ in range(MOST_SHAPES):
            if not left.size:
                break
            pattern = pattern_of(rows[left[0]].tobytes())
            if pattern is None:
                odd.append(left[:1])
                left = left[1:]
                continue
            kinds = _kinds(rows if left.size == group.size else rows[left], pattern.fixed)
            patterns = [self._pattern_like(pattern, rows[left[first]]) for first in kinds.firsts]
            mine = np.array([p is not None for p in patterns])[kinds.of_row] & kinds.certain
            self._emit(rows, records, group, left[mine], kinds.of_row[mine], patterns)
            left = left[~mine]
        rest: IntArray = group[np.sort(np.concatenate([*odd, left]))]
        return rest

    def _pattern_like(self, wanted: Pattern, row: Bytes) -> Pattern | None:
        """The pattern of a row if its numbers are where those of `wanted` are."""
        key = (wanted.shape, (row & wanted.fixed).tobytes())
        if key not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            pattern = pattern_of(row.tobytes())
            fits = pattern is not None and pattern.shape == wanted.shape
            self._known[key] = pattern if fits else None
        return self._known[key]

    def _emit(
        self,
        rows: Bytes,
        records: _Records,
        group: IntArray,
        mine: IntArray,
        kind_of: IntArray,
        patterns: Sequence[Pattern | None],
    ) -> None:
        """Add the points of the rows `mine`, sorted by kind."""
        good = _good(rows if mine.size == len(rows) else rows[mine])
        if good is not None:
            self._damage.bad_records += int((~good).sum())
            mine, kind_of = mine[good], kind_of[good]
        if not mine.size:
            return
        if len(patterns) > 1:
            order = np.argsort(kind_of.astype(np.uint16), kind="stable")
            mine, kind_of = mine[order], kind_of[order]
        starts, places, steps = (
            column[group[mine]] for column in (records.starts, records.places, records.steps)
        )
        walls = _numbers(rows, WALL_AT, "<f8")[mine]
        borders = [0, *(np.flatnonzero(np.diff(kind_of)) + 1).tolist(), mine.size]
        for first, last in pairwise(borders):
            pattern = patterns[kind_of[first]] if last > first else None
            part = slice(first, last)
            for scalar in pattern.scalars if pattern is not None else ():
                values = _numbers(rows, scalar.place, scalar.format)[mine[part]]
                columns = starts[part], 0, places[part], steps[part], walls[part], values
                self._parts.append(Part(scalar.tag, *columns))

    def _single(self, chunk: Frames, start: int, length: int, place: int) -> None:
        begin, found = start + HEADER, self._found
        data = chunk.data[begin : begin + length].data
        try:
            event = parse_event(data)
        except ValueError:
            self._damage.bad_records += 1
            return
        if not event.scalars and not event.texts and length > LONGEST_CHECKED:
            return  # a histogram or an image is not worth the time
        stored = chunk.data[begin + length : begin + length + FOOTER].tobytes()
        if _crc32c.of_bytes(data.tobytes()) != int.from_bytes(stored, "little"):
            self._damage.bad_records += 1
            return
        columns = np.array([start]), 0, np.array([place]), np.array([event.step])
        wall = np.array([event.wall_time])
        for scalar in event.scalars:
            self._parts.append(Part(scalar.tag, *columns, wall, np.array([scalar.value])))
        if len(found.texts) < MOST_TEXTS:
            found.texts.extend(event.texts)


@dataclass(frozen=True, slots=True, eq=False)
class _Records:
    """Records that look like scalar events, in the order of the file."""

    starts: IntArray  # in the chunk
    sizes: IntArray  # header and checksums included
    steps: IntArray
    widths: IntArray  # bytes of each step; 0 when it is absent, -1 when it is too long
    places: IntArray  # in the file, of the first record of the row: those of one step in succession
    skipped: NDArray[np.bool_]  # histograms and the like


def _records(chunk: Frames, starts: IntArray) -> _Records:
    data = chunk.data
    sizes = unaligned(data)[starts].astype(np.int64) + HEADER + FOOTER
    steps, widths = _steps(data, starts)
    follows = (starts[1:] == starts[:-1] + sizes[:-1]) & (steps[1:] == steps[:-1])
    row_starts = np.where(np.append(False, follows), 0, starts)
    places = np.maximum.accumulate(row_starts) + chunk.offset
    return _Records(starts, sizes, steps, widths, places, blobs(data, starts, sizes, widths))


def _walked(chunk: Frames, other: Sequence[tuple[int, int]]) -> Sequence[tuple[int, int]]:
    """Records to be taken apart: not images and histograms, which are too many and too long."""
    if len(other) < LEAST_GROUP:
        return other
    starts, lengths = np.array(other, dtype=np.int64).T
    sizes = lengths + HEADER + FOOTER
    _, widths = _steps(chunk.data, starts)
    skipped = blobs(chunk.data, starts, sizes, widths) & (lengths > LONGEST_CHECKED)
    return [other[n] for n in np.flatnonzero(~skipped).tolist()]


def _steps(data: Bytes, starts: IntArray) -> tuple[IntArray, IntArray]:
    # The last record may end before the place of the step.
    more = data[np.minimum(starts + (STEP_AT - 1), data.size - 1)] == _STEP_KEY
    steps, widths = np.zeros(starts.size, dtype=np.int64), more.astype(np.int64)
    for byte in range(LONGEST_STEP):
        if not more.any():
            break
        found = data[np.minimum(starts + (STEP_AT + byte), data.size - 1)]
        steps |= np.where(more, (found & 0x7F).astype(np.int64) << (7 * byte), 0)
        more &= found >= 0x80
        widths += more
    widths[more] = -1
    return steps, widths


def _groups(records: _Records) -> Iterator[IntArray]:
    """Indices of records of one size and width of step, in the order of the file."""
    regular = np.flatnonzero(~records.skipped)
    key = records.sizes[regular] * (LONGEST_STEP + 2) + records.widths[regular] + 1
    order = np.argsort(key.astype(np.uint16), kind="stable")
    borders = np.flatnonzero(np.diff(key[order])) + 1
    return (regular[part] for part in np.split(order, borders) if part.size)


@dataclass(frozen=True, slots=True, eq=False)
class _Kinds:
    """Rows sorted out by the bits that are not times, steps or values."""

    firsts: IntArray  # first row of each kind
    of_row: IntArray
    certain: NDArray[np.bool_]  # rows that do equal the first of their kind


def _kinds(rows: Bytes, fixed: Bytes) -> _Kinds:
    """Sort out rows by the bits of `fixed`, of which most are equal in all of them."""
    varying = (folded(np.bitwise_or, rows) ^ folded(np.bitwise_and, rows)) & fixed
    columns = np.flatnonzero(varying)
    count = len(rows)
    certain = np.ones(count, dtype=bool)
    if not columns.size:
        return _Kinds(np.zeros(1, dtype=np.int64), np.zeros(count, dtype=np.int64), certain)
    padded = np.zeros((count, -(-columns.size // 8) * 8), dtype=np.uint8)
    np.bitwise_and(rows[:, columns], fixed[columns], out=padded[:, : columns.size])
    words = padded.view(np.uint64)
    odd = (np.arange(1, words.shape[1] + 1, dtype=np.uint64) * _SPREAD) | np.uint64(1)
    hashes = words[:, 0] if words.shape[1] == 1 else (words ^ (words >> np.uint64(31))) @ odd
    _, firsts, of_row = np.unique(hashes, return_index=True, return_inverse=True)
    same = words == words[firsts[of_row]]
    if not same.all():
        certain = same.all(axis=1)
    return _Kinds(firsts, of_row.astype(np.int64), certain)


def _good(rows: Bytes) -> NDArray[np.bool_] | None:
    """Which records fit their checksums; None when all do, as their sum tells."""
    if not len(rows):
        return None
    count, size = rows.shape
    stored = checksums(rows.reshape(-1), size - FOOTER, count, size)
    if _crc32c.fits_sum(folded(np.bitwise_xor, rows)[HEADER:-FOOTER], stored):
        return None
    good: NDArray[np.bool_] = _crc32c.of_rows(rows[:, HEADER:-FOOTER]) == stored
    return good


def _rows(data: Bytes, starts: IntArray, size: int) -> Bytes:
    """The `size` bytes from each start on, one record a row."""
    records = strided(data, f"V{size}", 0, data.size - size + 1, 1)[starts]
    return records.view(np.uint8).reshape(starts.size, size)


def _numbers(rows: Bytes, place: int, form: str) -> NDArray[np.generic]:
    """The number of type `form` at column `place` of every row."""
    count, size = rows.shape
    return strided(rows.reshape(-1), form, place, count, size)
