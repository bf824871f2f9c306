"""Makes text of a log safe to show: no control codes, no tricks, no secrets, one line."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from spikedoc.redaction import redacted_name

# ECMA-48: control sequences (colour, cursor), operating-system commands (title, links), two-byte
# escapes; with the seven-bit and the eight-bit introducers.
ESCAPES: Final = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"
)

# Unicode categories that show nothing or act on what is around them: control, format (direction
# overrides, zero-width), surrogates, line and paragraph separators.
UNSHOWABLE: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})

# What a CI system takes for an order when it reads the output of a job: GitHub `::error::` after
# blanks, and older GitHub, Azure and TeamCity `##[error]`, `##vso[…]` anywhere in a line.
ORDER_AT_START: Final = re.compile(r"(?:^|(?<=\s)):(?=:[a-z])")
ORDER_ANYWHERE: Final = re.compile(r"##\w*(?=\[)")

# Longest name of a run, tag or file shown in full; one terminal line at the usual widths.
NAME_LIMIT: Final = 80

# Longest single text; the catalogue's own are far shorter, so only a hostile log reaches it.
TEXT_LIMIT: Final = 1500

# How signs that are not ASCII are spelt on a console that has nothing else.
ASCII_SPELLING: Final = str.maketrans(
    {
        "–": "-",
        "—": "-",
        "−": "-",
        "‑": "-",
        "…": "...",
        "→": "->",
        "←": "<-",
        "×": "x",
        "·": "|",
        "•": "*",
        "≈": "~",
        "≥": ">=",
        "≤": "<=",
        "≠": "!=",
        "±": "+-",
        "√": "sqrt ",
        "∞": "inf",
        "°": " deg",
        "²": "^2",
        "³": "^3",
        "β": "beta",
        "ε": "eps",
        "γ": "gamma",
        "λ": "lambda",
        "σ": "sigma",
        "µ": "u",
        "μ": "mu",
        "Δ": "delta ",
        "“": '"',
        "”": '"',
        "‘": "'",
        "’": "'",
        "\N{NO-BREAK SPACE}": " ",
    }
)


def one_line(text: str, limit: int = TEXT_LIMIT) -> str:
    """Return `text` without control codes, on one line, shortened in the middle beyond `limit`.

    What a run holds has no secrets any more; messages about files and options may have.
    """
    shown = redacted_name(" ".join(_showable(text[: limit * 8]).split()))
    return shorten(_without_orders(shown) if ":" in shown or "#" in shown else shown, limit)


def _without_orders(text: str) -> str:
    """Return `text` with a blank inside what a CI system would obey."""
    return ORDER_ANYWHERE.sub(r"\g<0> ", ORDER_AT_START.sub(": ", text))


def lines(text: str) -> list[str]:
    """Return the lines of a text of several lines, each made safe; empty ones are left out."""
    found = [one_line(line) for line in text[: TEXT_LIMIT * 8].splitlines()]
    return [line for line in found if line]


def name(text: str) -> str:
    """Return the name of a run, tag, file or setting, made safe and short enough for a line."""
    return one_line(text, NAME_LIMIT) or "?"


def shorten(text: str, limit: int) -> str:
    """Return `text`, with an ellipsis in its middle when it has more than `limit` characters."""
    if len(text) <= limit:
        return text
    head = (limit - 1) // 2
    return text[:head] + "…" + text[len(text) - (limit - 1 - head) :]


def ascii_spelling(text: str) -> str:
    """Return `text` with dashes, arrows and the like spelt in ASCII; Chinese stays as it is."""
    return text.translate(ASCII_SPELLING)


def _showable(text: str) -> str:
    text = ESCAPES.sub("", text)
    if text.isascii() and text.isprintable():
        return text
    return "".join(_sign(sign) for sign in text)


def _sign(sign: str) -> str:
    if sign.isspace():
        return " "
    category = unicodedata.category(sign)
    if category == "Cs":
        return "\N{REPLACEMENT CHARACTER}"
    return "" if category in UNSHOWABLE else sign
