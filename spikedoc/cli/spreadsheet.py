"""Text cells that a spreadsheet program must not take for formulas."""

from __future__ import annotations

from typing import Final

# Spreadsheet programs run a cell that begins with one of these.
FORMULA_SIGNS: Final = ("=", "+", "-", "@", "\t", "\r")
# A quote before the text makes it text; spikedoc's own reader takes it off again.
TEXT_MARK: Final = "'"


def text_cell(text: str) -> str:
    """Return a name from a log as a CSV cell, quoted where CSV needs it and never a formula."""
    one_line = " ".join(text.replace("\x00", "").splitlines()) if text else ""
    safe = TEXT_MARK + one_line if one_line.startswith(FORMULA_SIGNS) else one_line
    if any(sign in safe for sign in ',"\n\r'):
        return '"' + safe.replace('"', '""') + '"'
    return safe
