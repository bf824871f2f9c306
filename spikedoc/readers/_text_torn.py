"""Printed lines that break off: the number at their end may be the beginning of a longer one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from spikedoc.readers._numbers import LONGEST_ENDING, ending, is_shortened, number
from spikedoc.readers._text_lines import CleanLine
from spikedoc.readers._text_pattern import Pattern
from spikedoc.readers.lines.base import Record
from spikedoc.text import Text

CUT_NOTE: Final = Text("the last line is not finished and was left out", "最后一行尚未写完，已略去")
TORN: Final = Text(
    "{count} {count|line breaks|lines break} off within a number, which was left out",
    "{count} 行在数字中间中断，该数字已略去",
)
GLUED: Final = Text(
    "{count} {count|line holds|lines hold} two records that ran into each other; only the second "
    "was read",
    "{count} 行中有两条记录连在一起，只读取了后一条",
)
# A record that begins right behind a number: `loss=0.12step=8 …`, `lr=0.0I1130 07:01:16 …`.
_SECOND: Final = re.compile(
    r"(?:[=:\s][-+]?\d{0,20}\.?\d{0,20}(?:e[-+]?\d{0,3})?(?<=[\d.])|(?<=\w)=\s?)"
    r"((?:(?:global_?)?step|iter(?:ation)?|epoch)\s?[=: #\[]\s?\d"
    r"|[iwef]\d{4}\s\d\d:\d\d|\d{4}-\d\d-\d\d[ t]\d\d:\d\d)",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"[-+]?\d[\d.]{0,60}(?:[eE][-+]?\d{0,4})?")
# Lines that must show how long the number at their end usually is.
LEAST_SEEN: Final = 3
# A number that breaks off behind so many digits is wrong by a tenth at most: a log of a thousand
# numbers with all their digits holds one that ends in zeros by itself.
ENOUGH_DIGITS: Final = 2
# Where the decimals of whole lines differ in number, as `%g` prints them, short numbers come by
# themselves; one of 10,000 random ones lacks four digits.
LEAST_MISSING: Final = 4
# How the pattern of lines ends that end with a number, which is caught.
_NUMBER_LAST: Final = b")\\\n"
# A sign, a digit and a point before the decimals.
_AROUND: Final = 3
# Lines that name their counter, after which one that does not is the rest of a torn line.
ENOUGH_NAMED: Final = 12
# A line of this many characters is no record that could have been torn.
LONGEST: Final = 2_000
# Forms of whole lines that are remembered.
MOST_FORMS: Final = 256


class LineEnds:
    """What lines of records usually end with, and which of them end too early."""

    def __init__(self) -> None:
        """Start with no line."""
        self.torn_count = self.glued_count = 0
        self._ending: tuple[int, int] | None = None
        self._tags: tuple[str, ...] = ()
        self._last: str | bytes = ""
        self._least: tuple[int, int] | None = None  # the shortest ending of lines of these tags
        self._most = 0  # the most decimals of them
        self._seen = 0
        self._was_torn = False
        self._named = 0  # lines so far that name their counter, -1 once one did not
        self._forms: set[str] = set()

    def parted(self, line: CleanLine) -> CleanLine:
        """Return the line; the second record of two in one, as the first lacks its end."""
        if not self._tags or len(line.text) > LONGEST:
            return line
        found = _SECOND.search(line.text)
        if found is None:
            return line
        self.glued_count += 1
        return replace(line, text=line.text[found.start(1) :], plain=b"")

    def is_cut(self, text: str) -> bool:
        """Return whether an unfinished line ends in a shorter number than the record before."""
        last, before = ending(text), self._ending
        if before is not None and self._least is not None and self._varies:
            before = (min(self._least[0], before[0]), before[1])
        return last is not None and before is not None and is_shortened(last, before)

    def whole(self, record: Record, text: str) -> Record:
        """Return the record without a last number that is only the beginning of one.

        That is the case in a line that begins like the one of the record before, ends within or
        behind a number, and has fewer digits there; unless such short lines come otherwise, too.
        """
        tags = tuple(record.values)
        if not self.trusts(record, 1):
            return Record()
        kept = None
        if len(tags) < len(self._tags) and tags == self._tags[: len(tags)]:
            kept = self._without_torn(record, tags[-1], text)
        elif tags == self._tags and not self._was_torn and self._is_far_shorter(text):
            kept = _without(record, tags[-1], text)
        self._was_torn = kept is not None
        if kept is not None:
            self.torn_count += 1
            return kept
        self.see(tags, text)
        return record

    def trusts(self, record: Record, count: int) -> bool:
        """Return whether so many such lines may be whole.

        A number without a word for it is no counter in a log that names its counters.
        """
        is_bare = record.is_bare and not record.is_of_checkpoint
        if is_bare and self._named == ENOUGH_NAMED:
            return False
        if is_bare:
            self._named = -1
        elif 0 <= self._named < ENOUGH_NAMED and not record.is_loose:
            self._named = min(self._named + count, ENOUGH_NAMED)
        return True

    def torn_in(self, pattern: Pattern, found: Sequence[Any]) -> int | None:
        """Return the place of the first line of a run whose last number may be torn."""
        least = self._least
        if pattern.meaning is None or least is None or not least[0] or not found:
            return None
        if self._was_torn or not pattern.line.pattern.endswith(_NUMBER_LAST):
            return None
        ends = [row[-1] for row in found] if pattern.line.groups > 1 else found
        most = least[0] // 2
        if min(map(len, ends)) > most + _AROUND:
            return None
        return next((place for place, end in enumerate(ends) if _decimals(end) <= most), None)

    def _is_far_shorter(self, text: str) -> bool:
        """Whether a line of the usual quantities ends in half of the usual digits, or less.

        Fewer digits less are a rounding that does no harm, as two that are left behind the point
        are; and a shorter number comes by itself where they are printed as long as they are.
        """
        last = ending(text)
        if last is None or self._least is None or self._seen < LEAST_SEEN:
            return False
        digits, power = self._least
        shorter = last[0] <= digits // 2 < digits and not _is_nearly_whole(text)
        shorter = shorter and (not self._varies or digits - last[0] >= LEAST_MISSING)
        return shorter or 0 < last[1] < power

    @property
    def _varies(self) -> bool:
        """Whether whole lines with these quantities end in more decimals or in fewer."""
        return self._least is not None and self._least[0] < self._most

    def see(self, tags: tuple[str, ...], line: str | bytes) -> None:
        """Remember a whole line with these quantities."""
        end = line[-LONGEST_ENDING - 2 :]
        last = ending((end.decode(errors="ignore") if isinstance(end, bytes) else end).strip())
        self._was_torn = False
        is_same = tags == self._tags
        self._seen = self._seen + 1 if is_same else 1
        if is_same and last is not None and self._least is not None:
            self._least = min(last[0], self._least[0]), min(last[1], self._least[1])
        else:
            self._least, self._most = last, 0
        self._most = max(self._most, 0 if last is None else last[0])
        self._ending, self._tags, self._last = last, tags, line

    def notes(self) -> tuple[Text, ...]:
        """Return what was left out."""
        torn = (TORN.fill({"count": self.torn_count}),) if self.torn_count else ()
        glued = (GLUED.fill({"count": self.glued_count}),) if self.glued_count else ()
        return (*torn, *glued)

    def _without_torn(self, record: Record, tag: str, text: str) -> Record | None:
        last = self._last.decode() if isinstance(self._last, bytes) else self._last
        last = last.strip()
        if len(text) > LONGEST or len(last) > LONGEST:
            return None
        found, before = _NUMBER.findall(text), _NUMBER.findall(last)
        form = _NUMBER.sub("0", text)
        if not found or not text.endswith(found[-1]) or len(found) > len(before):
            return None
        usual = ending(before[len(found) - 1])
        mine = ending(found[-1])
        is_torn = mine is not None and usual is not None and is_shortened(mine, usual)
        if not is_torn or form in self._forms or not _NUMBER.sub("0", last).startswith(form):
            if len(self._forms) < MOST_FORMS:
                self._forms.add(form)
            return None
        return _without(record, tag, text)


def _is_nearly_whole(text: str) -> bool:
    """Return whether the number that ends the text holds its first digits up to a decimal."""
    found = _NUMBER.findall(text[-LONGEST_ENDING:])
    whole, _, decimals = found[-1].partition(".") if found else ("", "", "")
    digits = (whole.lstrip("+-") + decimals).lstrip("0")
    return bool(decimals) and len(digits) >= ENOUGH_DIGITS


def _decimals(token: bytes) -> int:
    return len(token.partition(b".")[2])


def _without(record: Record, tag: str, text: str) -> Record | None:
    """The record without its last value; None where that is not the number that ends the line."""
    found, values = _NUMBER.findall(text), dict(record.values)
    if not found or number(found[-1]) != values.pop(tag):
        return None
    return replace(record, values=values)
