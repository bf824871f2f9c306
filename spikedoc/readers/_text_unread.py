"""Lines that name a quantity and hold no number for it, `step 12 loss None`; no line at all."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Final

from spikedoc.readers._numbers import MISSING_WORDS
from spikedoc.readers.lines._pairs import NUMBER
from spikedoc.readers.lines._position import position
from spikedoc.readers.lines._spelling import plainly
from spikedoc.text import Text, listed

UNREAD_NOTE: Final = Text(
    "{count} {count|line names|lines name} {names} without a number that can be read (lines "
    "{first} to {last}, the first has {token})",
    "{count} 行写有 {names} 却没有可读的数值（第 {first} 至 {last} 行，首个为 {token}）",
)
NO_RECORD: Final = Text("no line holds a step and a value", "没有同时含有步数和数值的行")
ENDLESS: Final = Text("its first line is longer than 16 MB", "第一行超过 16 MB")
# What begins with more bytes than this in one line is no log, nor a table.
ENDLESS_LINE: Final = 16_000_000
# Fewer lines are told of when no record follows them: a log that ends so is no log that ends well.
LEAST_UNREAD: Final = 3
_LONGEST: Final = 2_000
# More quantities than this are not looked for; names beyond the first few are not told.
_MOST_TAGS: Final = 1_000
_MOST_NAMES: Final = 3
_NAMED: Final = re.compile(
    r"(?<![\w.])([A-Za-z][\w/.\-@]{0,60})(?:\s{0,4}[:=]\s{0,8}|\s{1,4})([^\s|;\])}]{1,40})"
)
_NUMBER: Final = re.compile(rf"(?:{NUMBER})(?:ms|sec|s|%)?")
# Stars of Fortran, numbers with marks of their own, and a division by nothing.
_NO_NUMBER: Final = re.compile(r"[*#?]{2,}|\d[\d.,'_]*|0/0")
_PREFIX: Final = "val_"
_AROUND: Final = ",.'\""


class UnreadValues:
    """Counts such lines."""

    def __init__(self) -> None:
        """Start with none."""
        self._names: dict[str, None] = {}  # last words of the tags
        self._known = 0
        self._count = self._first = self._last = 0
        self._token = ""
        self._missing: dict[str, None] = {}

    def see(self, line: str, number: int, tags: Collection[str], found: Iterable[str]) -> None:
        """Count line `number` if it is such a line; see `missing`."""
        missing = self.missing(line, tags, found)
        if not missing:
            return
        if not self._count:
            self._first, self._token = number, next(iter(missing.values())).strip(_AROUND)
        self._count, self._last = self._count + 1, number
        self._missing.update(dict.fromkeys(missing))

    def missing(self, line: str, tags: Collection[str], found: Iterable[str]) -> dict[str, str]:
        """Return what stands in place of numbers in a line that names a step or an epoch.

        `tags` are the quantities so far, `found` those that were read from the line.
        """
        if len(tags) > _MOST_TAGS or len(line) > _LONGEST:
            return {}
        if len(tags) != self._known:
            self._names, self._known = dict.fromkeys(map(_last_word, tags)), len(tags)
        missing = {n: t for n, t in _NAMED.findall(line) if n in self._names and _is_unread(t)}
        for tag in found if missing else ():
            missing.pop(_last_word(tag), None)
        if missing and position(plainly(line).lower()) is None:
            return {}
        return missing

    def notes(self, last_record: int) -> tuple[Text, ...]:
        """Return what is to be said; `last_record` is the number of the last line that was read."""
        if not self._count or (self._count < LEAST_UNREAD and self._last < last_record):
            return ()
        return (
            UNREAD_NOTE.fill(
                {
                    "count": self._count,
                    "names": listed(self._missing, _MOST_NAMES),
                    "first": self._first,
                    "last": self._last,
                    "token": self._token,
                }
            ),
        )


def may_be_unread(line: str) -> bool:
    """Return whether something that is no number stands where a name would have its number."""
    return any(_is_unread(token) for _, token in _NAMED.findall(line))


def _last_word(tag: str) -> str:
    return tag.removeprefix(_PREFIX).rpartition(" ")[2]


def _is_unread(token: str) -> bool:
    token = token.strip(_AROUND)
    if _NUMBER.fullmatch(token):
        return False
    return token.lower() in MISSING_WORDS - {"", "-", "--"} or bool(_NO_NUMBER.fullmatch(token))


def nothing_in(path: Path) -> Text:
    """Return why a text without a single record has none."""
    with path.open("rb") as file:
        head = file.read(ENDLESS_LINE)
    return ENDLESS if len(head) == ENDLESS_LINE and b"\n" not in head else NO_RECORD
