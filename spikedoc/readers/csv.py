"""Tables: comma, tab, semicolon or bar between the cells; wide or long."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Literal

import numpy as np

from spikedoc.errors import InputError
from spikedoc.model.run import FloatArray, IntArray
from spikedoc.readers._columns import Column, series_of
from spikedoc.readers._csv_large import read_large
from spikedoc.readers._csv_layout import Layout, find_layout, is_header, names_of
from spikedoc.readers._csv_long import long_format
from spikedoc.readers._numbers import numbers
from spikedoc.readers._sniff import decode, is_text
from spikedoc.readers.base import Progress, Reader, Table

# Above this size pandas' parser repays its start-up time (0.8 CPU seconds) and saves memory.
LARGE_FILE_BYTES: Final = 30_000_000


# TensorBoard's download button writes "Wall time,Step,Value" to run-NAME-tag-TAG.csv.
_EXPORTED_TAGS: Final = {"Value"}
_TAG_IN_NAME: Final = "-tag-"


@dataclass(slots=True)
class _Block:
    """Rows under one header; a header that comes again in the middle starts a new block."""

    header: list[str]
    rows: list[list[str]] = field(default_factory=list)


class CsvReader:
    """Reads delimited tables whose first row names the columns."""

    @property
    def name(self) -> str:
        """Short name shown in reports."""
        return "csv"

    def accepts(self, path: Path, head: bytes) -> bool:  # noqa: ARG002 - the name tells nothing
        """Return whether `head` holds a header and rows of numbers under it."""
        return is_text(head) and find_layout(decode(head)) is not None

    def read(self, path: Path, progress: Progress | None = None) -> Table:
        """Return one series per column; raises InputError when there is no number at all."""
        size = path.stat().st_size
        data = _head_or_all(path, size)
        text = decode(data)
        layout = find_layout(text[:_SNIFF_CHARS])
        if layout is None:
            raise InputError(
                path, "no table of numbers found", "the first row must name the columns"
            )
        if size > LARGE_FILE_BYTES and layout.header:
            large = read_large(path, layout, progress)
            if large is not None:
                return large
            text = decode(path.read_bytes())
        table = _named_by_file(_parse(text, layout), path)
        if progress is not None:
            progress(size, size)
        if not table.series:
            raise InputError(path, "the table has no numbers", "only a header row, or text alone")
        return table


_SNIFF_CHARS: Final = 65536


def _head_or_all(path: Path, size: int) -> bytes:
    if size <= LARGE_FILE_BYTES:
        return path.read_bytes()
    with path.open("rb") as file:
        return file.read(_SNIFF_CHARS)


def _parse(text: str, layout: Layout) -> Table:
    notes: list[str] = list(layout.notes)
    blocks = _blocks(text, layout, notes)
    long = long_format(blocks[0].header, [row for block in blocks for row in block.rows])
    if long is not None:
        return Table(long, notes=tuple(notes))
    columns, row_count = _columns(blocks)
    series, axis_notes = series_of(columns, row_count)
    return Table(series, notes=(*notes, *axis_notes))


def _named_by_file(table: Table, path: Path) -> Table:
    """The table; one that TensorBoard exported holds a single tag, named by the file."""
    if {one.tag for one in table.series} != _EXPORTED_TAGS:
        return table
    stem = path.stem.partition(_TAG_IN_NAME)[2] or path.stem
    return replace(table, series=tuple(replace(one, tag=stem) for one in table.series))


def _blocks(text: str, layout: Layout, notes: list[str]) -> list[_Block]:
    """Split the rows at each header; notes what was dropped."""
    width = len(layout.names)
    blocks = [_Block(layout.names)]
    wide = short = 0
    last: list[str] = []
    for row in filter(None, _rows(text, layout)):
        if row[0].strip() in layout.first_cells and is_header(row, layout.names):
            blocks.append(_Block(names_of(row)))
            width = len(row)
            continue
        wide += len(row) > width
        short += len(row) < width
        last = row if len(row) == width else row[:width] + [""] * (width - len(row))
        blocks[-1].rows.append(last)
    if short and blocks[-1].rows and last[-1] == "" and not text.endswith(("\n", "\r")):
        blocks[-1].rows.pop()
        notes.append("the last row is cut short and was left out")
    if len(blocks) > 1:
        notes.append(f"the header is repeated {len(blocks) - 1} times: the log was continued")
    if wide:
        notes.append(f"{wide} rows have more cells than the header; the surplus was left out")
    return blocks


def _rows(text: str, layout: Layout) -> Iterator[list[str]]:
    # An odd number of quotes would swallow all rows after the last one.
    quoting: Literal[0, 3] = csv.QUOTE_NONE if text.count('"') % 2 else csv.QUOTE_MINIMAL
    lines = io.StringIO(text, newline="")
    for _ in range(layout.skip):
        lines.readline()
    reader = csv.reader(lines, delimiter=layout.delimiter, quoting=quoting, skipinitialspace=True)
    while True:
        try:
            yield next(reader)
        except StopIteration:
            return
        except csv.Error:
            continue


def _columns(blocks: Sequence[_Block]) -> tuple[dict[str, Column], int]:
    parts: dict[str, list[tuple[IntArray, FloatArray]]] = {}
    offset = 0
    for block in blocks:
        for tag, cells in zip(block.header, zip(*block.rows, strict=True), strict=False):
            rows, values = numbers(cells)
            if values.size and tag:
                parts.setdefault(tag, []).append((rows + offset, values))
        offset += len(block.rows)
    columns = {
        tag: Column(np.concatenate([r for r, _ in found]), np.concatenate([v for _, v in found]))
        for tag, found in parts.items()
    }
    return columns, offset


READER: Final[Reader] = CsvReader()
