"""The last line of a log that was cut: its number may be the beginning of a longer one."""

from __future__ import annotations

import re
from collections import deque
from itertools import pairwise
from typing import Final

from spikedoc.readers._text_lines import CleanLine

# Lines that are remembered; a record over several lines is shorter.
MOST_LINES: Final = 256
# Lines of one form that show how long their numbers are.
LEAST_ALIKE: Final = 3
LONGEST: Final = 400
_NUMBER: Final = re.compile(r"\d[\d.]{0,60}(?:[eE][-+]?\d{0,4})?")


class Tail:
    """The lines seen last, by which one that is not finished is judged."""

    def __init__(self) -> None:
        """Start with no line."""
        self._lines: deque[str] = deque(maxlen=MOST_LINES)

    def see_alike(self, lines: bytes) -> None:
        """Remember the last lines of many that are alike."""
        last = lines[-LEAST_ALIKE * LONGEST :].splitlines()[-LEAST_ALIKE - 1 :]
        self._lines.extend(line.decode(errors="replace").strip() for line in last[1:])

    def breaks_off(self, line: CleanLine) -> bool:
        """Return whether a line that is not finished ends within a number; remember it if not.

        It does where lines of the same form have more digits behind the point there, go on behind
        longer numbers, or end with a counter that has got further.
        """
        if line.is_finished:
            self._lines.append(line.text[:LONGEST])
            return False
        found = list(_NUMBER.finditer(line.text))
        if not found or found[-1].end() != len(line.text) or len(line.text) > LONGEST:
            return False
        form, place = _NUMBER.sub("0", line.text), len(found) - 1
        alike = [one for one in self._lines if _NUMBER.sub("0", one).startswith(form)]
        ends = [one for one in alike if len(_NUMBER.sub("0", one)) == len(form)]
        before = [_NUMBER.findall(one)[place] for one in ends or alike]
        if len(before) < LEAST_ALIKE:
            return False
        return _is_shorter(found[-1].group(), before, is_last=bool(ends))


def _is_shorter(number: str, before: list[str], *, is_last: bool) -> bool:
    """Whether a number is only the beginning of one like those `before`, which end their lines."""
    if any("e" in one.lower() for one in (number, *before)):
        return False  # how long such numbers are is judged with their records
    if all("." in one for one in before):
        return _decimals(number) < min(map(_decimals, before))
    if any("." in one for one in (number, *before)):
        return False
    if not is_last:
        return len(number) < min(map(len, before))
    rises = all(int(a) < int(b) for a, b in pairwise(before))
    return rises and int(number) < int(before[-1])


def _decimals(number: str) -> int:
    return len(number.partition(".")[2])
