"""Numbers with a decimal comma: which commas of a table or a column are decimal signs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

# A comma within a cell is the decimal sign, unless all commas may group thousands and no semicolons
# stand between the cells: those are there for the sake of the commas.
_COMMA: Final = re.compile(r"[-+]?\d+,\d+(?:[eE][-+]?\d+)?")
_THOUSANDS: Final = re.compile(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+")
# 1,234,567 and 1,234.5: commas that group thousands for certain.
_SURE_THOUSANDS: Final = re.compile(r"[-+]?[1-9]\d{0,2}(?:(?:,\d{3}){2,}|(?:,\d{3})+\.\d*)")
# Where a comma is the decimal sign a point groups thousands: 1.234.567 and 1.234,5.
_POINTS: Final = re.compile(r"[-+]?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?")
# One group alone may as well be a number with a decimal point: 3.312.
_ONE_POINT: Final = re.compile(r"[-+]?[1-9]\d{0,2}\.\d{3}")


def is_number_with_comma(cell: str) -> bool:
    """Return whether a cell is a number with a decimal comma, or with points between thousands."""
    text = cell.strip()
    return (_COMMA.fullmatch(text) or _POINTS.fullmatch(text)) is not None


def are_decimal(cells: Sequence[str], points: Sequence[str], delimiter: str) -> bool:
    """Return whether commas are the decimal sign of a table.

    `cells` are those of its head, `points` those among them that are numbers with a point.
    """
    commas = [
        cell
        for cell in cells
        if _COMMA.fullmatch(cell) or ("," in cell and _POINTS.fullmatch(cell))
    ]
    if commas and all(_POINTS.fullmatch(cell) for cell in points):
        return delimiter == ";" or not all(_THOUSANDS.fullmatch(cell) for cell in commas)
    return False


def with_points(cells: Sequence[str], *, is_sure: bool = False) -> list[str]:
    """Return the cells of a column with decimal points in place of decimal commas.

    Without `is_sure` the column itself must show it: by `0,312`, which groups no thousands. Beside
    such cells `3.312` has a decimal point: two writers, or two countries, made the column.
    """
    bare = [cell.strip() for cell in cells]
    marked = [cell for cell in bare if "," in cell]
    if not is_sure and not _show_decimals(marked):
        return list(cells)
    is_mixed = any(_COMMA.fullmatch(cell) for cell in marked)
    return [_with_point(cell, is_mixed=is_mixed) for cell in bare]


def _show_decimals(marked: Sequence[str]) -> bool:
    shown = any(
        _POINTS.fullmatch(cell) or (_COMMA.fullmatch(cell) and not _THOUSANDS.fullmatch(cell))
        for cell in marked
    )
    return shown and not any(_SURE_THOUSANDS.fullmatch(cell) for cell in marked)


def _with_point(cell: str, *, is_mixed: bool) -> str:
    if is_mixed and _ONE_POINT.fullmatch(cell):
        return cell
    return (cell.replace(".", "") if _POINTS.fullmatch(cell) else cell).replace(",", ".")
