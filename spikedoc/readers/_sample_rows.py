"""The rows of a table of losses per sample: delimited, JSON lines, or one array of objects."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Final

from spikedoc.readers._csv_layout import DELIMITERS, cells_of, names_of
from spikedoc.readers._numbers import number

# A line longer than this is no row; a batch of samples is written one by one.
LONGEST_LINE: Final = 1_000_000
Row = list[Hashable]
_COMMENT: Final = "#"


def table_of(lines: Iterable[str]) -> tuple[list[str], Iterator[Row]] | None:
    """Return the names of the columns and the rows under them; None when there are none.

    Rows that are too short, and lines that are no JSON object among those that are, are left out.
    """
    waiting = (line for line in lines if line.strip() and len(line) <= LONGEST_LINE)
    first = next(waiting, None)
    while first is not None and first.lstrip().startswith(_COMMENT) and not _is_header(first):
        first = next(waiting, None)
    if first is None:
        return None
    first = first.lstrip().removeprefix(_COMMENT)
    if first.lstrip()[0] == "{":
        return _objects(_records(chain([first], waiting)))
    delimiter = max(DELIMITERS, key=first.count)
    names = names_of(cells_of(first.rstrip("\r\n"), delimiter))
    return (names, _cells(waiting, delimiter, len(names))) if len(names) > 1 else None


def _is_header(line: str) -> bool:
    """Whether a line that begins like a comment names columns, as NumPy writes them."""
    delimiter = max(DELIMITERS, key=line.count)
    names = names_of(cells_of(line.lstrip().removeprefix(_COMMENT), delimiter))
    return len(names) > 1 and all(len(name.split()) == 1 for name in names)


def _cells(lines: Iterable[str], delimiter: str, width: int) -> Iterator[Row]:
    for line in lines:
        row = cells_of(line.rstrip("\r\n"), delimiter)
        if len(row) >= width:
            yield [cell.strip() for cell in row]


def table_in(array: str) -> tuple[list[str], Iterator[Row]] | None:
    """Return the same of a text that is one JSON array, which may be cut short."""
    return _objects(_elements(array))


def _objects(records: Iterator[dict[str, Any]]) -> tuple[list[str], Iterator[Row]] | None:
    first = next(records, None)
    if first is None:
        return None
    names = list(first)
    return names, ([_plain(one.get(name)) for name in names] for one in chain([first], records))


def _records(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    for line in lines:
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found


def _elements(array: str) -> Iterator[dict[str, Any]]:
    """The objects of an array up to the first place that is no JSON."""
    decoder = json.JSONDecoder()
    at = array.find("{")
    while at >= 0:
        try:
            found, end = decoder.raw_decode(array, at)
        except (ValueError, RecursionError):
            return
        yield found
        at = array.find("{", end)


def _plain(value: object) -> Hashable:
    return value if isinstance(value, str | int | float) or value is None else str(value)


def numbers_of(row: Sequence[Hashable], places: Iterable[int | None]) -> list[float | None]:
    """Return the numbers at the places; None where there is no place or no number."""
    found: list[float | None] = []
    for place in places:
        cell = None if place is None or place >= len(row) else row[place]
        found.append(None if cell is None or isinstance(cell, bool) else number(str(cell)))
    return found
