"""Text cells that a spreadsheet program must not take for formulas, nor a terminal for orders."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

# Spreadsheet programs run a cell that begins with one of these.
FORMULA_SIGNS: Final = ("=", "+", "-", "@", "\t", "\r")
# A CI system obeys a line that begins so, and `##[…]` anywhere in one.
ORDER_SIGN: Final = "::"
ORDER: Final = re.compile(r"(##\w*)\[")
# A quote before the text makes it text; spikedoc's own reader takes it off again.
TEXT_MARK: Final = "'"
# Unicode categories of signs that show nothing or act on what is around them: control, format
# (direction overrides, zero width), surrogates, line and paragraph separators.
UNSHOWABLE: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def text_cell(text: str) -> str:
    """Return a name from a log as a CSV cell, quoted where CSV needs it and never a formula.

    Signs that a terminal would obey are spelt, as in `\\x1b[31m`.
    """
    one_line = _spelt(" ".join(text.replace("\x00", "").splitlines())) if text else ""
    safe = TEXT_MARK + one_line if one_line.startswith((*FORMULA_SIGNS, ORDER_SIGN)) else one_line
    safe = ORDER.sub(r"\1\\x5b", safe)
    if any(sign in safe for sign in ',"\n\r'):
        return '"' + safe.replace('"', '""') + '"'
    return safe


def _spelt(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        sign.encode("unicode_escape").decode("ascii")
        if unicodedata.category(sign) in UNSHOWABLE
        else sign
        for sign in text
    )
