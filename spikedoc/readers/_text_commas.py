"""Whether commas in a printed log group thousands: `900`, `1,000`, `1,100`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

from spikedoc.readers._sniff import decode
from spikedoc.readers._text_lines import CleanLine
from spikedoc.readers.lines._commas import may_have_commas
from spikedoc.readers.lines._spelling import ungrouped
from spikedoc.text import Text

# So many bytes at the start of a log show how it writes numbers: some ten thousand lines.
HEAD_BYTES: Final = 1_000_000
LONGEST_LINE: Final = 2_000
GROUPED: Final = Text(
    "commas are read as thousands separators: behind {before} of {name} comes {after}",
    "逗号按千位分隔符读取：{name} 在 {before} 之后为 {after}",
)
# A loss of 1,234 in a log where no other number says what the comma is.
GUESSED: Final = Text(
    "commas are read as decimal signs ({example}), though they could group thousands",
    "逗号按小数点读取（{example}），但也可能是千位分隔符",
)
# The next number is at most twice as large as that before it, or half as large at least: as a
# decimal number it would be a hundredth of it at most.
MOST_RATIO: Final = 2
_THOUSAND: Final = 1_000
_NAMED: Final = re.compile(
    r"(?P<name>[A-Za-z_][\w/\-]{0,60})[ \t:=#\[(]{1,6}"
    r"(?P<number>\d{1,15}(?:,\d{1,20}){0,5})(?![\w.%:/])"
)
# Without such a number there is nothing to find out.
_ANY: Final = re.compile(rb"[\s:=#\[(][1-9]\d{0,2},\d{3}(?!\d)")
_GROUPS: Final = re.compile(r"[1-9]\d{0,2}(?:,\d{3}){1,5}")
_LOSS: Final = re.compile(r"loss", re.IGNORECASE)


class Commas:
    """What the commas of a log are, by what its first lines say."""

    def __init__(self, lines: Iterable[str] = ()) -> None:
        """Look at `lines`, none of which needs to hold a comma."""
        self._before: dict[str, str] = {}
        self._guess: Text | None = None
        self._found: Text | None = None
        for line in lines:
            if self._are_decimal(line[:LONGEST_LINE]):
                self._found = self._guess = None
                break
        self.are_grouping = self._found is not None

    @property
    def note(self) -> Text | None:
        """What had to be guessed or was found out of commas, if anything."""
        return self._found or self._guess

    def plain(self, line: CleanLine) -> CleanLine:
        """Return the line without thousands separators, where commas are such."""
        if not self.are_grouping or "," not in line.text:
            return line
        text = ungrouped(line.text, are_groups=True)
        return line if text == line.text else replace(line, text=text, plain=b"")

    def _are_decimal(self, line: str) -> bool:
        """Whether a comma of the line is a decimal sign for certain; numbers are remembered."""
        has_commas = "," in line and may_have_commas(line)
        for match in _NAMED.finditer(line):
            name, number = match["name"], match["number"]
            before = self._before.get(name, "")
            self._before[name] = number
            if "," not in number:
                if number.isdigit() and before and _runs_on(before, number):
                    self._see(name, before, number)
            elif not _GROUPS.fullmatch(number):
                if has_commas and number.count(",") == 1:
                    return True
            elif _runs_on(before, number):
                self._see(name, before, number)
            elif has_commas and self._guess is None and _LOSS.search(name):
                self._guess = GUESSED.fill({"example": f"{name} {number}"})
        return False

    def _see(self, name: str, before: str, after: str) -> None:
        if self._found is None:
            told = {"name": name, "before": before, "after": after}
            self._found = GROUPED.fill(told)


def _runs_on(before: str, after: str) -> bool:
    """Whether one of two numbers is below a thousand, the other not, and they are neighbours."""
    if ("," in before) == ("," in after) or not (before and after):
        return False
    first, second = int(before.replace(",", "")), int(after.replace(",", ""))
    small, large = sorted((first, second))
    return small < _THOUSAND <= large <= MOST_RATIO * small


def commas_in(path: Path) -> Commas:
    """Return what the commas of the log at `path` are."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    return Commas(decode(head).splitlines() if _ANY.search(head) else ())
