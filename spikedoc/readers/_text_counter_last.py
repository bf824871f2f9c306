"""Printed logs whose records close with their step: `loss: 0.5`, then `step: 100` below it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum, auto
from typing import Final

from spikedoc.readers._text_lines import CleanLine
from spikedoc.readers.lines.generic import epoch_headed
from spikedoc.readers.lines.step_block import quantities_in, says_more, step_headed
from spikedoc.text import Text

CLOSED: Final = Text(
    "the number of a step or an epoch is printed below the values of its record",
    "步数或 epoch 编号印在所属记录各数值的下方",
)
# Counters that show the order: the first one, and two more with the same names between.
LEAST_COUNTERS: Final = 3
# Lines looked at before the first counter; the settings of a script are printed in some hundred.
MOST_LINES_BEFORE: Final = 2_000
# Lines of one record; behind more of them no counter is waited for.
MOST_HELD: Final = 2_000


class _Kind(Enum):
    """What a line is."""

    BLANK = auto()
    COUNTER = auto()
    OTHER = auto()


def _counter(line: str) -> int | None:
    """The number of a line that is no more than a counter of steps or epochs."""
    step = step_headed(line)
    return epoch_headed(line) if step is None else step


class CounterLast:
    """Finds out whether records close with their counter.

    They do where the names between two counters stand above the first one as well, and not all of
    them below the last.
    """

    def __init__(self) -> None:
        """Start with no line."""
        self._front: list[str] = []  # names above the first counter
        self.usual: list[str] = []  # between the first two
        self._names: list[str] = []  # since the last one
        self._counters = self._last = self._lines = 0
        self._is_over = False  # it is certain that they do not
        self._before = _Kind.OTHER
        self._blanks_above = self._blanks_below = 0  # of counters

    def see(self, line: str) -> None:
        """Look at a line."""
        if self._is_over:
            return
        number = _counter(line) if line else None
        kind = _Kind.COUNTER if number is not None else _Kind.OTHER if line else _Kind.BLANK
        self._blanks_above += kind is _Kind.COUNTER and self._before is _Kind.BLANK
        self._blanks_below += kind is _Kind.BLANK and self._before is _Kind.COUNTER
        self._before = kind
        if number is not None:
            self._count(number)
        elif line:
            found = quantities_in(line)
            # values far above the first counter are of something else
            is_part = found or self._counters or not says_more(line)
            self._names = [*self._names, *found] if is_part else []
            self._lines += not self._counters
            self._is_over = self._lines > MOST_LINES_BEFORE

    def see_alike(self) -> None:
        """Lines of one kind come that were not looked at: those of records are none."""
        self._names = []

    def _count(self, number: int) -> None:
        names, self._names = self._names, []
        self._counters += 1
        if self._counters == 1:
            self._front = names
        elif self._counters == 2:
            self.usual = names
            self._is_over = not names or self._front[-len(names) :] != names
        self._is_over |= self._counters > 1 and number <= self._last
        self._last = number

    @property
    def is_found(self) -> bool:
        """Whether the counters seen so far stand below their records."""
        if self._is_over or self._counters < LEAST_COUNTERS:
            return False
        count = len(self._names)
        is_open = count < len(self.usual) and self._names == self.usual[:count]
        return is_open and self._blanks_above <= self._blanks_below


def counter_first(lines: Iterable[CleanLine], names: Sequence[str]) -> Iterator[CleanLine]:
    """Yield the lines with each counter above those of its record, which hold the `names`.

    What stands behind the last counter is a record that breaks off before its own: left out.
    """
    held: list[CleanLine] = []
    is_first = True
    for line in lines:
        is_counter = line.text != "" and _counter(line.text) is not None
        if not is_counter and len(held) < MOST_HELD:
            held.append(line)
            continue
        begin = _begin(held, names) if is_first else 0
        is_first &= not is_counter
        yield from (*held[:begin], line, *held[begin:])
        held = []


def _begin(held: Sequence[CleanLine], names: Sequence[str]) -> int:
    """The place of the first line of the record that ends `held`."""
    found = 0
    for place in range(len(held) - 1, -1, -1):
        found += len(quantities_in(held[place].text))
        if found >= len(names):
            return place
    return 0
