"""Commas in printed lines: as decimal signs, `loss: 0,838`, and behind names, `loss, 0.838`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import NUMBER

# A comma between digits, behind a name and a sign or a blank; no member of a list of numbers.
_COMMA: Final = re.compile(r"(?<=[:=\s])([-+]?\d{1,15}),(\d{1,20})(?![\d.]|,\d|\s?,\s?\d)")
_POINT: Final = re.compile(r"\d\.\d")
# 1,234 may be a thousand odd; 0,838 and 2,5 are none, nor is a loss that is no whole number.
_THOUSANDS: Final = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}")
_OF_LOSS: Final = re.compile(
    r"loss\w{0,20}\s{0,4}[:=\s]\s{0,4}[-+]?\d{1,2},\d{3}(?!\d)", re.IGNORECASE
)
# `loss, 0.5 acc, 0.7`, in pieces between commas: a name, a number, or a number and the next name.
_NAME: Final = re.compile(r"[A-Za-z_][\w /.\-]{0,60}")
_VALUE: Final = re.compile(
    rf"\s{{0,8}}(?:{NUMBER})"
    r"(?:(?:\s{0,4}[;|])?\s{1,8}(?P<name>[A-Za-z_][\w /.\-]{0,60}))?\s{0,4}"
)
# What is left, in place of a number: eta, 00:12:00.
_CLOCK: Final = re.compile(r"\s{0,8}\d{1,4}(?::\d\d){1,2}(?:\.\d{1,9})?\s{0,4}")
_SIGNS: Final = re.compile(r"\W{0,4}")
MOST_PIECES: Final = 42
MOST_SIGNS: Final = 4
_AROUND: Final = " \t|;,.)]}>*#="
_BEHIND_NAME: Final = re.compile(rf"(?<=[\w]),(?=\s{{0,8}}(?:{NUMBER}))(?:(?<=[A-Za-z_],)|(?=\s))")


def may_have_commas(line: str) -> bool:
    """Return whether numbers of the line may have decimal commas."""
    return _COMMA.search(line) is not None and not _POINT.search(line)


def are_decimal(line: str) -> bool:
    """Return whether some comma of such a line can be nothing but a decimal sign."""
    found = (match.group() for match in _COMMA.finditer(line))
    return not all(map(_THOUSANDS.fullmatch, found)) or _OF_LOSS.search(line) is not None


def with_points(line: str) -> str:
    """Return the line with decimal points in place of decimal commas."""
    return _COMMA.sub(r"\1.\2", line)


def with_colons(line: str) -> str:
    """Return a line of nothing but `name, number` with colons behind the names."""
    return _BEHIND_NAME.sub(":", line) if _is_named_throughout(line) else line


def _is_named_throughout(line: str) -> bool:
    """Whether names and numbers take turns; piece by piece, as a whole line has many readings."""
    pieces = _without_signs(line).split(",", MOST_PIECES)
    if not 1 < len(pieces) <= MOST_PIECES:
        return False
    name: str | None = None  # of the number that is due; without one a name is
    for piece in pieces:
        if name is None:
            name = piece.strip()
            if not _NAME.fullmatch(name):
                return False
            continue
        if _CLOCK.fullmatch(piece):
            name = None
            continue
        found = _VALUE.fullmatch(piece)
        # Behind a digit the comma may stand inside of a number.
        if found is None or (name[-1].isdigit() and not piece[0].isspace()):
            return False
        name = found["name"]
    return name is None


def _without_signs(line: str) -> str:
    """The line without up to four characters before and behind it that are no part of a word."""
    begin = _SIGNS.match(line)
    line = line[begin.end() :] if begin else line
    ends = len(line) - len(line.rstrip(_AROUND))
    return line[: len(line) - min(ends, MOST_SIGNS)]
