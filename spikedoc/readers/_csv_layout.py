"""Where a delimited table starts, what separates its cells, and which row is the header."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import takewhile
from typing import Final

from spikedoc.readers._columns import MOST_COLUMNS
from spikedoc.readers._csv_index import index_of, lacks_last_name, one_wider
from spikedoc.readers._csv_torn import width_of
from spikedoc.readers._decimal_comma import are_decimal, is_number_with_comma
from spikedoc.readers._numbers import MISSING_WORDS, number
from spikedoc.text import Text

DELIMITERS: Final = (",", "\t", ";", "|")
# Columns lined up with blanks: only where nothing but numbers stands under the first line.
BLANK: Final = " "
# Lines looked at to find the table; a preamble may stand before it.
LINES_LOOKED_AT: Final = 60
LONGEST_PREAMBLE: Final = 20
# Rows of the header's width that must follow it at once, if there are as many.
LEAST_ROWS: Final = 2
# Rows of another width that may come first; more of them have another header.
MOST_TORN_FIRST: Final = 10
# Share of the filled cells under a header that must be numbers: logs hold little else.
LEAST_NUMBERS: Final = 0.4
# Longest column name met in practice is about 100 characters (parameter paths).
LONGEST_NAME: Final = 200
# Share of the header's cells that must come again to call a row a repeated header.
LEAST_SAME_NAMES: Final = 0.5
# A table without a header must have at least this many rows, all of numbers.
LEAST_HEADERLESS_ROWS: Final = 3
# One column without a header is a list of losses only if it is longer than a list of sizes.
LEAST_SINGLE_ROWS: Final = 10
# `name: 3.2` and `name=3.2` are lines of a text log, not names of columns.
_PAIR: Final = re.compile(r"[:=]\s*[-+]?[\d.]")
_LINE_ENDS: Final = re.compile(r"\r\n|\n|\r")
# A record of another kind begins with a bracket; "[val] loss" is only the name of a later column.
NO_NAMES: Final = ("{", "[")
QUOTES: Final = "\"'"
# A cell that begins with a quote and does not end in the line; its name has so many line ends.
_OPEN_QUOTE: Final = re.compile(r'(?:^|[,;\t|])\s*"[^"]*$')
MOST_BREAKS: Final = 9

DECIMAL_COMMA: Final = Text("a comma is the decimal sign", "逗号是小数点")
NO_HEADER: Final = Text(
    "no header: columns are called col0, col1, …; a column of rising whole numbers is the step",
    "没有表头：各列依次命名为 col0、col1……；递增的整数列视为步数",
)
SHORT_HEADER: Final = Text(
    "the line above names fewer columns than the rows have; where commas are decimal signs, write "
    "; between the cells",
    "上一行写出的列名少于各行的列数；若逗号是小数点，请用 ; 分隔单元格",
)
LAST_UNNAMED: Final = Text(
    "the header names one column fewer than the rows have: the last one is called {name}",
    "表头比各行少一列：最后一列命名为 {name}",
)
SURPLUS: Final = Text(
    "{count} columns; those after the first {most} were left out",
    "共 {count} 列，前 {most} 列之后的已略去",
)


@dataclass(frozen=True, slots=True)
class Layout:
    """How to read the table: the names of its columns, and the lines to skip before the rows."""

    delimiter: str
    names: list[str]
    skip: int
    header: bool = True
    decimal_comma: bool = False
    notes: tuple[Text, ...] = ()
    header_lines: int = 1  # of the file; a name in quotes may go over several
    is_indexed: bool = False  # the numbers of the rows have no name in the header

    @property
    def first_cells(self) -> frozenset[str]:
        """What the first cell of a repeated header may be: any name, since columns may change."""
        return frozenset(self.names) if self.header else frozenset()


def find_layout(text: str) -> Layout | None:
    """Return the layout of the table in `text`, None when it holds none."""
    lines = _LINE_ENDS.split(text, maxsplit=LINES_LOOKED_AT)[:LINES_LOOKED_AT]
    torn, breaks = _joined_header(lines)
    filled = [i for i, line in enumerate(lines) if line.strip()]
    # Each line may be the header of all that follow: they are split once for all of them.
    split = cache(lambda delimiter: [cells_of(lines[i], delimiter) for i in filled])
    for place, index in enumerate(filled[:LONGEST_PREAMBLE]):
        if lines[index].lstrip("#").lstrip().startswith(NO_NAMES):
            continue
        below = [lines[i] for i in filled[1:]] if place == 0 else []
        for delimiter in _delimiters(below):
            layout = _layout_at(lines[index], split(delimiter)[place + 1 :], delimiter, index)
            if layout is not None and _follows_names(layout, place, lines, filled):
                layout = replace(layout, notes=(*layout.notes, SHORT_HEADER))
            if layout is not None and index == torn:
                return replace(layout, skip=layout.skip + breaks, header_lines=1 + breaks)
            if layout is not None:
                return layout
    return None


def _follows_names(layout: Layout, place: int, lines: list[str], filled: list[int]) -> bool:
    """Whether rows without a header have one above that names fewer columns than they have."""
    if layout.header or place == 0:
        return False
    names = cells_of(lines[filled[place - 1]], layout.delimiter)
    return 1 < len(names) < len(layout.names) and _is_names(names)


def _joined_header(lines: list[str]) -> tuple[int, int]:
    """Put a header together that line ends inside of quotes have torn; its place and their number.

    The lines that went into it are left empty, so that the others keep their place.
    """
    for index in range(min(LONGEST_PREAMBLE, len(lines))):
        if not _OPEN_QUOTE.search(lines[index]):
            continue
        for more in range(1, MOST_BREAKS + 1):
            whole = " ".join(lines[index : index + more + 1])
            if not whole.count('"') % 2:
                lines[index : index + more + 1] = [whole, *[""] * more]
                return index, more
    return -1, 0


def _delimiters(below: Sequence[str]) -> Iterator[str]:
    yield from DELIMITERS
    if _all_numbers(below):
        yield BLANK


def _all_numbers(lines: Sequence[str]) -> bool:
    """Whether the lines hold equally many numbers and nothing else; the last may be cut short."""
    rows = [line.split() for line in lines]
    full = rows[:-1] if len(rows) > LEAST_HEADERLESS_ROWS else rows
    return bool(full) and all(
        len(row) == len(full[0]) and all(number(cell) is not None for cell in row) for row in full
    )


def _layout_at(line: str, rows: Sequence[list[str]], delimiter: str, index: int) -> Layout | None:
    cells = cells_of(line.lstrip("#").strip("\r"), delimiter)
    if len(cells) < 2:
        return _single_column(cells, rows, index) if delimiter == DELIMITERS[0] else None
    has_names = _is_names(cells)
    rows = _without_empty_ends(rows, len(cells)) if has_names else rows
    wide = one_wider(rows, len(cells)) if has_names else []
    if wide and _mostly_numbers(wide):
        if lacks_last_name(cells, wide):
            names = [*names_of(cells), f"col{len(cells)}"]
            return Layout(
                delimiter, names, index + 1, notes=(LAST_UNNAMED.fill({"name": names[-1]}),)
            )
        index_name = index_of(cells, wide, delimiter)
        if index_name is not None:
            return Layout(delimiter, [index_name, *names_of(cells)], index + 1, is_indexed=True)
    torn = _torn_at_first(rows, len(cells)) if has_names else 0
    same = list(takewhile(lambda row: len(row) == len(cells), rows[torn:]))
    is_row = not has_names and all(map(_is_number, cells))
    if not has_names and not (is_row and len(same) + 1 >= LEAST_HEADERLESS_ROWS):
        return None
    if len(same) < min(LEAST_ROWS, len(rows) // 2 + 1) or not _mostly_numbers(same):
        return None
    decimal_comma = _has_decimal_commas([cells, *same], delimiter)
    notes = (DECIMAL_COMMA,) if decimal_comma else ()
    if has_names:
        return Layout(delimiter, names_of(cells), index + 1, True, decimal_comma, notes)
    return _headerless(len(cells), delimiter, index, decimal_comma, notes)


def _without_empty_ends(rows: Sequence[list[str]], width: int) -> Sequence[list[str]]:
    """The rows without what a delimiter at their ends adds to them."""
    if all(len(row) <= width or width_of(row, width) == width for row in rows):
        return [row[:width] for row in rows]
    return rows


def _torn_at_first(rows: Sequence[list[str]], width: int) -> int:
    """How many rows of numbers of another width stand between the names and the whole rows.

    A writer that lacks a quantity at first writes shorter rows; two that write at once tear them.
    """
    other = list(takewhile(lambda row: len(row) != width, rows[: MOST_TORN_FIRST + 1]))
    whole = rows[len(other) : len(other) + LEAST_ROWS]
    if len(other) > MOST_TORN_FIRST or len(whole) < LEAST_ROWS or not _mostly_numbers(other):
        return 0
    return len(other) if all(len(row) == width for row in whole) else 0


def _headerless(
    width: int,
    delimiter: str,
    index: int,
    decimal_comma: bool = False,
    notes: tuple[Text, ...] = (),
) -> Layout:
    names = [f"col{i}" for i in range(width)]
    return Layout(delimiter, names, index, False, decimal_comma, (*notes, NO_HEADER))


def _has_decimal_commas(rows: Sequence[Sequence[str]], delimiter: str) -> bool:
    cells = [cell.strip() for row in rows for cell in row]
    points = [cell for cell in cells if "." in cell and number(cell) is not None]
    return are_decimal(cells, points, delimiter)


def _is_number(cell: str) -> bool:
    """Whether a cell is a number, with a decimal point or a decimal comma."""
    return number(cell.strip()) is not None or is_number_with_comma(cell)


def _single_column(
    cells: Sequence[str], rows: Sequence[Sequence[str]], index: int
) -> Layout | None:
    if not cells or not rows or any(len(r) != 1 or number(r[0]) is None for r in rows[:-1]):
        return None
    if cells[0].strip() == "0" and all(any(s in r[0] for s in ".en") for r in rows[:-1]):
        return Layout(DELIMITERS[0], names_of(cells), index + 1)  # the name pandas gives it
    if number(cells[0]) is not None:
        is_list = len(rows) >= LEAST_SINGLE_ROWS and any("." in row[0] for row in rows if row)
        return _headerless(1, DELIMITERS[0], index) if is_list else None
    is_name = _is_names(cells) and cells[0].replace("_", "a").isidentifier()
    if not is_name or number(rows[0][0]) is None:
        return None
    return Layout(DELIMITERS[0], names_of(cells), index + 1)


def cells_of(line: str, delimiter: str) -> list[str]:
    """Return the cells of one line; a quote without its other half is an ordinary sign."""
    if line.count('"') % 2:
        return line.split(delimiter)
    try:
        return next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
    except csv.Error:
        return line.split(delimiter)


def _is_names(cells: Sequence[str]) -> bool:
    filled = [cell.strip() for cell in cells if cell.strip()]
    if len(filled) * 2 < len(cells):
        return False
    if sum(bool(_PAIR.search(cell)) for cell in filled) * 2 > len(filled):
        return False
    return not filled[0].startswith(NO_NAMES) and all(
        not _is_number(cell) and len(cell) <= LONGEST_NAME for cell in filled
    )


def _mostly_numbers(rows: Sequence[Sequence[str]]) -> bool:
    cells = [cell.strip() for row in rows for cell in row]
    filled = [cell for cell in cells if cell.lower() not in MISSING_WORDS]
    hits = sum(map(_is_number, filled))
    return hits > 0 and hits >= LEAST_NUMBERS * len(filled)


def names_of(cells: Sequence[str]) -> list[str]:
    """Return clean column names; one that occurs twice gets its position appended."""
    names: dict[str, None] = {}
    found = []
    for index, cell in enumerate(cells):
        name = _LINE_ENDS.sub(" ", cell).strip().strip(QUOTES).strip()
        name = f"{name}.{index}" if name and name in names else name
        names[name] = None
        found.append(name)
    return found


def surplus_notes(layout: Layout) -> tuple[Text, ...]:
    """Return a note on a table with more columns than are read."""
    if len(layout.names) <= MOST_COLUMNS:
        return ()
    return (SURPLUS.fill({"count": len(layout.names), "most": MOST_COLUMNS}),)


def is_header(row: Sequence[str], names: Sequence[str]) -> bool:
    """Return whether `row` is a header again, possibly with other columns than before."""
    cells = [_LINE_ENDS.sub(" ", cell).strip() for cell in row if cell.strip()]
    known = set(names)
    same = sum(cell in known for cell in cells)
    return same >= LEAST_SAME_NAMES * len(cells) and all(number(cell) is None for cell in cells)
