"""Headers that name one column fewer than the rows have: which column lacks its name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise, takewhile
from typing import Final

from spikedoc.readers._columns import STEP, named_counters
from spikedoc.readers._numbers import number

# Rows with one cell more than the header has names, for the first column to be their number.
LEAST_INDEXED_ROWS: Final = 3
_QUOTES: Final = "\"'"
_COMMA: Final = ","
# What is counted, though it may be no step of the optimizer; its column rises.
_COUNTED: Final = re.compile(
    r"(?:n|num|no)?[ _.]?(?:episode|ep|round|generation|gen|game|trial|frame|sample|update|epoch"
    r"|step|iter|iteration|batch)s?(?:[ _.]?(?:id|idx|index|num|number|no|nr|count))?",
    re.IGNORECASE,
)


def one_wider(rows: Sequence[list[str]], width: int) -> list[list[str]]:
    """Return the first rows, of one cell more than `width`; none where there are too few."""
    wide = list(takewhile(lambda row: len(row) == width + 1, rows))
    return wide if len(wide) >= min(LEAST_INDEXED_ROWS, len(rows)) else []


def lacks_last_name(names: Sequence[str], wide: Sequence[list[str]]) -> bool:
    """Return whether the first name is that of a counter, as which only the first column will do.

    Then the last column lacks its name. Cells without a single decimal point may be halves of
    numbers with decimal commas.
    """
    is_counted = _COUNTED.fullmatch(names[0].strip()) is not None
    return is_counted and _has_points(wide) and _rises(wide, 0) and not _rises(wide, 1)


def index_of(names: Sequence[str], wide: Sequence[list[str]], delimiter: str) -> str | None:
    """Return the name of the first column where the header leaves it out; None where it does not.

    R's write.table and a printed DataFrame have no name above the numbers of the rows. Cells
    without a single decimal point may be halves of numbers with decimal commas.
    """
    if not _rises(wide, 0) or (delimiter == _COMMA and not _has_points(wide)):
        return None
    counters = named_counters(dict.fromkeys(names))
    # else the counter may be the first column, and the last one lacks its name
    at = [place for place, name in enumerate(names, 1) if name in counters]
    if any(len(_whole_cells(wide, place)) < len(wide) for place in at):
        return None
    return "" if counters else STEP


def _has_points(rows: Sequence[Sequence[str]]) -> bool:
    return any("." in cell for row in rows for cell in row)


def _rises(rows: Sequence[list[str]], place: int) -> bool:
    index = _whole_cells(rows, place)
    return len(index) == len(rows) and all(b > a for a, b in pairwise(index))


def _whole_cells(rows: Sequence[list[str]], place: int) -> list[float]:
    found = (number(row[place].strip().strip(_QUOTES)) for row in rows)
    return [one for one in found if one is not None and one == one // 1]
