"""Signs that stand for those of numbers and tables: real minus, full-width forms, curly quotes."""

from __future__ import annotations

from string import ascii_letters, digits
from typing import Final

_FULL_WIDTH: Final = {0xFEE0 + ord(sign): sign for sign in ascii_letters + digits}
# Minus signs and dashes that word processors and plotting libraries put before a number.
_MINUS: Final = dict.fromkeys(map(ord, "\u2212\uff0d\ufe63"), "-")
_OTHERS: Final = {
    "＋": "+",
    "．": ".",
    "，": ",",
    "；": ";",
    "：": ":",
    "＝": "=",
    "％": "%",
    "∞": "inf",
}
_QUOTES: Final = dict.fromkeys(map(ord, "“”„‟«»＂"), '"')
_IN_TEXT: Final = {**_FULL_WIDTH, **_MINUS, **{ord(sign): one for sign, one in _OTHERS.items()}}
_IN_TABLE: Final = {**_IN_TEXT, **_QUOTES}


def plainly(text: str) -> str:
    """Return the text with ASCII letters, digits, minus and punctuation for their look-alikes."""
    return text if text.isascii() else text.translate(_IN_TEXT)


def plain_table(text: str) -> str:
    """Return the text of a table as `plainly` does, with straight quotes in place of curly ones."""
    return text if text.isascii() else text.translate(_IN_TABLE)
