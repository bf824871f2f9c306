"""Rows of a table with fewer or more cells than its header: another layout, or torn."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import BinaryIO, Final

import numpy as np

from spikedoc.text import Text

_LINE_END: Final = ord("\n")
# A width that a writer uses comes in so many rows one after the other, …
LEAST_RUN: Final = 3
# … or scattered over this share of all rows, as where some rows have no validation. Two processes
# that write at once tear fewer: a row in hundreds.
LEAST_SHARE: Final = 0.05
TORN_ROWS: Final = Text(
    "{count} {count|row|rows} with another number of cells than the header {count|was|were} left "
    "out: torn, or written by two processes at once",
    "{count} 行的单元格数与表头不符，已略去：可能被截断，或由两个进程同时写入",
)


def torn_rows(widths: Sequence[int], usual: int) -> frozenset[int]:
    """Return the places of the rows that are torn, by the number of cells in each row."""
    counts = Counter(widths)
    if counts.keys() <= {usual}:
        return frozenset()
    least = min(LEAST_RUN, len(widths))
    frequent = {width for width, count in counts.items() if 1 < count >= LEAST_SHARE * len(widths)}
    torn: list[int] = []
    place = 0
    for width, run in groupby(widths):
        length = sum(1 for _ in run)
        if width != usual and width not in frequent and length < least:
            torn.extend(range(place, place + length))
        place += length
    return frozenset(torn)


def width_of(cells: Sequence[str], usual: int) -> int:
    """Return the number of cells in a row; empty ones beyond the usual number do not count."""
    surplus = any(cell.strip() for cell in cells[usual:])
    return len(cells) if surplus else min(len(cells), usual)


def is_regular(text: bytes, delimiter: bytes, most: int) -> bool:
    """Return whether each line of `text` has `most` delimiters; looks at all lines at once."""
    if b"\r" in text and text.count(b"\r") != text.count(b"\r\n"):
        return False  # a line end of its own: left to who splits lines
    data = np.frombuffer(text, np.uint8)
    ends, marks = np.flatnonzero(data == _LINE_END), np.flatnonzero(data == delimiter[0])
    if not text.endswith(b"\n"):
        ends = np.append(ends, data.size)
    if not most or marks.size != most * ends.size:
        return False
    last, first = marks[most - 1 :: most], marks[::most]
    return bool((last < ends).all() and (first[1:] > ends[:-1]).all())


class WholeRows(io.RawIOBase):
    """The lines of a file but those of torn rows.

    `count` is how many were left out, `given` how many bytes were handed on.
    """

    def __init__(self, file: BinaryIO, delimiter: str, usual: int, block: int) -> None:
        """Read lines of `usual` cells from `file`, about `block` bytes at a time."""
        self.count = self.given = 0
        self._file, self._block = file, block
        self._delimiter, self._usual = delimiter.encode("ascii"), usual
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill the buffer; returns how many bytes it was given, 0 at the end."""
        while not self._ready:
            lines = self._file.read(self._block)
            if not lines:
                return 0
            self._ready = memoryview(self._kept(lines + self._file.readline()))
        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        self.given += size
        return size

    def _kept(self, text: bytes) -> bytes:
        if b'"' in text:  # a cell may hold delimiters and line ends
            return text
        more = self._usual - 1
        if is_regular(text, self._delimiter, more):
            return text
        lines = text.splitlines(keepends=True)
        counts = [line.count(self._delimiter) for line in lines]
        if set(counts) <= {more}:
            return text
        widths = [
            count + 1 if count == more else self._width(line)
            for count, line in zip(counts, lines, strict=True)
        ]
        torn = torn_rows(widths, self._usual)
        self.count += len(torn)
        ends = {p for p, count in enumerate(counts) if count > more and widths[p] == self._usual}
        kept = (p for p in range(len(lines)) if p not in torn)
        return b"".join(self._cut(lines[p]) if p in ends else lines[p] for p in kept)

    def _cut(self, line: bytes) -> bytes:
        """The line without empty cells at its end."""
        return (
            self._delimiter.join(line.split(self._delimiter)[: self._usual]).rstrip(b"\r\n") + b"\n"
        )

    def _width(self, line: bytes) -> int:
        if not line.strip():
            return self._usual
        return width_of(line.decode("latin-1").split(self._delimiter.decode()), self._usual)
