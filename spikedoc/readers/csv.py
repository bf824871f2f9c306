"""Tables: comma, tab, semicolon or bar between the cells; wide or long."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from operator import methodcaller
from pathlib import Path
from typing import Final, Literal

import numpy as np

from spikedoc.errors import InputError
from spikedoc.model.budget import DEFAULT
from spikedoc.model.run import FloatArray, IntArray
from spikedoc.readers._column import Column
from spikedoc.readers._columns import MOST_COLUMNS, series_of, with_counters
from spikedoc.readers._csv_end import END_CHARS, cut_row
from spikedoc.readers._csv_headerless import with_position_step
from spikedoc.readers._csv_large import read_large
from spikedoc.readers._csv_layout import (
    BLANK,
    Layout,
    find_layout,
    is_header,
    names_of,
    surplus_notes,
)
from spikedoc.readers._csv_long import long_format, places_in
from spikedoc.readers._csv_names import named_by_file
from spikedoc.readers._csv_torn import TORN_ROWS, torn_rows, width_of
from spikedoc.readers._decimal_comma import with_points
from spikedoc.readers._marked_table import unmarked
from spikedoc.readers._memory import points_in, refuse_whole
from spikedoc.readers._notes import NO_NUMBERS_IN_TABLE, ONLY_A_HEADER
from spikedoc.readers._numbers import numbers
from spikedoc.readers._phases import Phases, codes_of, notes_of, parts_of, phase_places
from spikedoc.readers._signs import plain_table
from spikedoc.readers._sniff import HEAD_BYTES, decode, is_text
from spikedoc.readers._table_runs import divided, may_tell_runs
from spikedoc.readers._wandb_panel import with_runs_apart
from spikedoc.readers.base import Progress, Reader, Table
from spikedoc.text import Text

# Above this size pandas' parser repays its start-up time (0.3 to 0.8 CPU seconds), saves memory.
LARGE_FILE_BYTES: Final = 10_000_000


HEADER: Final = Text("the first row must name the columns", "第一行必须写出列名")
NO_TABLE: Final = Text("no table of numbers found", "未找到数值表格")
REPEATED_HEADER: Final = Text(
    "the header is repeated {count} {count|time|times}: the log was continued",
    "表头重复出现 {count} 次：日志曾被续写",
)
WIDE_ROWS: Final = Text(
    "{count} {count|row has|rows have} more cells than the header; the surplus was left out",
    "{count} 行的单元格多于表头，多出的部分已略去",
)


@dataclass(slots=True)
class _Block:
    """Rows under one header; a header that comes again in the middle starts a new block."""

    header: list[str]
    rows: list[list[str]] = field(default_factory=list)

    def even_out(self) -> tuple[int, int]:
        """Give all rows the width of the header; how many were cut to it, and were left out."""
        width = len(self.header)
        widths = [width_of(row, width) for row in self.rows]
        torn = torn_rows(widths, width)
        wide = sum(found > width for place, found in enumerate(widths) if place not in torn)
        self.rows = [
            row if len(row) == width else row[:width] + [""] * (width - len(row))
            for place, row in enumerate(self.rows)
            if place not in torn
        ]
        return wide, len(torn)

    def columns(self) -> list[tuple[str, ...]]:
        """Return the cells by column; the rows have one width."""
        return list(islice(zip(*self.rows, strict=True), MOST_COLUMNS))

    def put_points(self) -> None:
        """Put decimal points in place of decimal commas; the rows have one width."""
        columns = [with_points(cells, is_sure=True) for cells in zip(*self.rows, strict=True)]
        self.rows = list(map(list, zip(*columns, strict=True)))


class CsvReader:
    """Reads delimited tables whose first row names the columns."""

    @property
    def name(self) -> str:
        """Short name shown in reports."""
        return "csv"

    def accepts(self, path: Path, head: bytes) -> bool:
        """Return whether `head` holds a header and rows of numbers under it."""
        if not is_text(head):
            return False
        return find_layout(unmarked(plain_table(decode(_with_whole_rows(path, head))))) is not None

    def read(self, path: Path, progress: Progress | None = None) -> Table:
        """Return what `read_within` does within the bound that is usual."""
        return self.read_within(path, DEFAULT.memory, progress)

    def read_within(self, path: Path, memory: int, progress: Progress | None = None) -> Table:
        """Return one series per column; raises InputError when there is no number at all.

        Rows are thinned where all would take too much; a large table that only the small parser can
        read is refused then.
        """
        size = path.stat().st_size
        decoded = decode(_head_or_all(path, size))
        text = unmarked(plain_table(decoded))
        layout = find_layout(text[: _sniffed(text)])
        if layout is None:
            raise InputError(path, NO_TABLE, HEADER)
        is_large = size > LARGE_FILE_BYTES
        large = None
        if is_large and text == decoded:  # signs of other alphabets mean nothing to pandas
            large = read_large(path, layout, text, points_in(memory), progress)
        if large is not None:
            return with_runs_apart(named_by_file(large, path))
        if is_large:
            refuse_whole(path, memory)
            text = plain_table(decode(path.read_bytes()))
        length, cut = cut_row(text[-END_CHARS:], size, layout.delimiter)
        table = named_by_file(_parse(text[: len(text) - length], layout), path)
        told = (*table.notes, *([cut] if cut else []), *surplus_notes(layout))
        if progress is not None:
            progress(size, size)
        if not table.series and not table.runs:
            raise InputError(path, NO_NUMBERS_IN_TABLE, ONLY_A_HEADER)
        return with_runs_apart(replace(table, notes=told))


_SNIFF_CHARS: Final = HEAD_BYTES
# Lines that must be seen to tell a table: a header and rows under it.
LEAST_LINES: Final = 4
# A header of 100,000 names of 40 characters, and some rows.
LONGEST_HEAD: Final = 16_000_000


def _sniffed(text: str) -> int:
    """How much of the text shows the layout: rows of thousands of columns are long."""
    return _SNIFF_CHARS if text.count("\n", 0, _SNIFF_CHARS) >= LEAST_LINES else LONGEST_HEAD


def _with_whole_rows(path: Path, head: bytes) -> bytes:
    """The head of the file, as much of it as holds some rows."""
    if len(head) < HEAD_BYTES or head.count(b"\n") >= LEAST_LINES:
        return head
    try:
        with path.open("rb") as file:
            return file.read(LONGEST_HEAD)
    except OSError:  # a packed file is known by its head alone
        return head


def _head_or_all(path: Path, size: int) -> bytes:
    if size <= LARGE_FILE_BYTES:
        return path.read_bytes()
    with path.open("rb") as file:
        return _with_whole_rows(path, file.read(_SNIFF_CHARS))


def _parse(text: str, layout: Layout) -> Table:
    quick = _plain_columns(text, layout)
    if quick is not None:
        series, axis_notes = series_of(*with_position_step(quick, layout))
        return Table(series, notes=(*layout.notes, *axis_notes))
    notes: list[Text] = list(layout.notes)
    blocks = _blocks(text, layout, notes)
    header, rows = blocks[0].header, [row for block in blocks for row in block.rows]
    places = places_in(header) if all(block.header == header for block in blocks) else None
    if places is not None:
        long, more = long_format(places, rows)
        return Table(long, notes=(*notes, *more))
    series, axis_notes = series_of(*with_position_step(_columns(blocks, notes), layout))
    whole = Table(series, notes=(*notes, *axis_notes))
    if any(block.header != header for block in blocks):
        return whole
    plain = Table(series, notes=tuple(notes))
    parted = divided(header, rows, plain, _read_run)
    return whole if parted is plain else parted


def _read_run(header: list[str], rows: list[list[str]]) -> Table:
    """The table of the rows of one run."""
    notes: list[Text] = []
    series, axis_notes = series_of(*_columns([_Block(header, rows)], notes))
    return Table(series, notes=(*notes, *axis_notes))


def _plain_columns(text: str, layout: Layout) -> tuple[dict[str, Column], int] | None:
    """The columns of a table that has a number in each cell, None for any other."""
    if '"' in text or "\r" in text or layout.delimiter == BLANK or layout.decimal_comma:
        return None
    if phase_places(layout.names) or places_in(layout.names) or may_tell_runs(layout.names):
        return None
    lines = text.rstrip("\n").split("\n")[layout.skip :]
    width = len(layout.names)
    if set(map(methodcaller("count", layout.delimiter), lines)) != {width - 1}:
        return None
    try:
        cells = map(float, layout.delimiter.join(lines).split(layout.delimiter))
        values = np.fromiter(cells, dtype=np.float64, count=width * len(lines))
    except ValueError:
        return None
    rows = np.arange(len(lines), dtype=np.int64)
    table = np.ascontiguousarray(values.reshape(-1, width).T)
    named = zip(layout.names, table[:MOST_COLUMNS], strict=False)
    return {name: Column(rows, column) for name, column in named if name}, len(lines)


def _blocks(text: str, layout: Layout, notes: list[Text]) -> list[_Block]:
    """Split the rows at each header; notes what was dropped."""
    blocks = [_Block(layout.names)]
    for row in filter(None, _rows(text, layout)):
        if row[0].strip() in layout.first_cells and is_header(row, layout.names):
            unnamed = layout.names[: len(layout.names) - len(row)] if layout.is_indexed else []
            blocks.append(_Block([*unnamed, *names_of(row)]))
            continue
        blocks[-1].rows.append(row)
    if len(blocks) > 1:
        notes.append(REPEATED_HEADER.fill({"count": len(blocks) - 1}))
    counts = [block.even_out() for block in blocks]
    if layout.decimal_comma:
        for block in blocks:
            block.put_points()
    wide, torn = sum(wide for wide, _ in counts), sum(torn for _, torn in counts)
    if wide:
        notes.append(WIDE_ROWS.fill({"count": wide}))
    if torn:
        notes.append(TORN_ROWS.fill({"count": torn}))
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


def _phase_cells(
    block: _Block, columns: Sequence[tuple[str, ...]]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    names = block.header[: len(columns)]
    return ((names[place], columns[place]) for place in with_counters(names, phase_places(names)))


def _columns(blocks: Sequence[_Block], notes: list[Text]) -> tuple[dict[str, Column], int]:
    parts: dict[str, list[tuple[IntArray, FloatArray]]] = {}
    offset = 0
    codes = codes_of(_phase_cells(block, block.columns()) for block in blocks)
    for block in blocks:
        cells_of = block.columns()
        phases = Phases.of(_phase_cells(block, cells_of), codes)
        notes.extend(note for note in notes_of(phases) if note not in notes)
        for tag, cells in zip(block.header, cells_of, strict=False):
            rows, values = numbers(cells)
            if values.size and tag:
                for name, at, own in parts_of(phases, tag, rows, values):
                    parts.setdefault(name, []).append((at + offset, own))
        offset += len(block.rows)
    columns = {
        tag: Column(np.concatenate([r for r, _ in found]), np.concatenate([v for _, v in found]))
        for tag, found in parts.items()
    }
    return columns, offset


READER: Final[Reader] = CsvReader()
