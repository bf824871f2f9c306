"""Printed logs whose records close with their step: `loss: 0.5`, then `step: 100` below it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from spikedoc.readers._text_counter_order import LEAST_COUNTERS, Closing, Kind, Order
from spikedoc.readers._text_lines import CleanLine
from spikedoc.readers._text_ranks import rank_of
from spikedoc.readers.lines._loggers import message
from spikedoc.readers.lines._sections import section_in
from spikedoc.readers.lines.generic import epoch_headed
from spikedoc.readers.lines.step_block import quantities_in, says_more, step_headed
from spikedoc.text import Text

CLOSED: Final = Text(
    "the number of a step or an epoch is printed below the values of its record",
    "步数或 epoch 编号印在所属记录各数值的下方",
)
OPEN: Final = Text(
    "values stand above the first step and below the last one: each step was taken for that of the "
    "values below it, which may be those of the step before",
    "第一个步数之上与最后一个步数之下都有数值：此处按步数属于其下方的数值读取，也可能属于其上方的数值",
)
# Lines looked at before the first counter; the settings of a script are printed in some hundred.
MOST_LINES_BEFORE: Final = 2_000
# Lines of one record; behind more of them no counter is waited for.
MOST_HELD: Final = 2_000
_WORD: Final = re.compile(r"\w")


def _counter(line: str, *, by_step: bool) -> int | None:
    """The number of a line that is no more than a counter of steps, or of epochs."""
    return step_headed(line) if by_step else epoch_headed(line)


class CounterLast:
    """Finds out whether records close with their counter, of steps if there is one."""

    def __init__(self) -> None:
        """Start with no line."""
        self._orders = Order(by_step=True), Order(by_step=False)
        self._lines = 0
        self._rank: int | None = None
        self._is_finished = True

    def see(self, line: str, *, is_finished: bool = True) -> None:
        """Look at a line; those of the first rank that prints counters are enough."""
        if all(order.is_over for order in self._orders):
            return
        self._is_finished = is_finished
        rank, line = rank_of(line) if line else (None, line)
        if rank is not None and rank != self._rank:
            if self._rank is not None:
                return
            self._rank = rank
        line = message(line)
        found = list(quantities_in(line)) if line else []
        is_rule = _WORD.search(line) is None
        for order in self._orders:
            if not order.is_over:
                self._give(order, line, found, is_rule=is_rule)

    def _give(self, order: Order, line: str, found: Sequence[str], *, is_rule: bool) -> None:
        number = _counter(line, by_step=order.by_step) if line else None
        order.follow(Kind.COUNTER if number is not None else Kind.OTHER if line else Kind.BLANK)
        if number is not None:
            # an unfinished number that goes back is the beginning of a longer one
            if self._is_finished or not order.goes_back(number):
                order.count(number)
        elif is_rule:
            order.part()
        else:
            order.names += found
            self._lines += not order.counters
            order.is_over = not order.counters and self._lines > 2 * MOST_LINES_BEFORE

    def see_alike(self) -> None:
        """Lines of one kind come that were not looked at: those of records are none."""
        for order in self._orders:
            order.skip()

    @property
    def _order(self) -> Order:
        steps, epochs = self._orders
        return steps if steps.counters >= LEAST_COUNTERS else epochs

    @property
    def closing(self) -> Closing | None:
        """How records close by what was seen so far, None where their counters stand above."""
        return self._order.closing(is_finished=self._is_finished)

    @property
    def notes(self) -> tuple[Text, ...]:
        """What the log leaves open."""
        return (OPEN,) if self._order.is_undecided(is_finished=self._is_finished) else ()


def counter_first(lines: Iterable[CleanLine], closing: Closing) -> Iterator[CleanLine]:
    """Yield the lines with each counter above the values of its record.

    What stands behind the last counter is a record that breaks off before its own: its values are
    left out, as is the last counter where it breaks off itself.
    """
    held: dict[int | None, list[CleanLine]] = defaultdict(list)
    known: dict[int | None, int] = {}
    for line in lines:
        rank, text = rank_of(line.text) if line.text else (None, "")
        number = _counter(message(text), by_step=closing.by_step) if text else None
        mine = held[rank]
        if number is None and len(mine) < MOST_HELD:
            mine.append(line)
            continue
        if number is not None and not line.is_finished and number <= known.get(rank, -1):
            continue
        above, values = _parts(mine, closing, is_first=rank not in known)
        yield from (*above, line, *values)
        held[rank] = []
        if number is not None:
            known[rank] = number
    for rest in held.values():
        yield from _parts(rest, closing, is_first=False)[0]


def _parts(
    held: Sequence[CleanLine], closing: Closing, *, is_first: bool
) -> tuple[list[CleanLine], list[CleanLine]]:
    """Lines that belong above the counter that comes behind them, and the values of its record."""
    begin = _begin(held, closing.names) if is_first else 0
    above, values, messages = list(held[:begin]), list[CleanLine](), list[CleanLine]()
    for line in held[begin:]:
        text = message(rank_of(line.text)[1]) if line.text else ""
        names = quantities_in(text).keys()
        if names and names <= closing.below and not values:
            above.append(line)
        elif names or section_in(text) or (values and not says_more(text)):
            values.append(line)
        else:
            messages.append(line)
    return above + messages, values


def _begin(held: Sequence[CleanLine], names: frozenset[str]) -> int:
    """The place of the first line of the record that ends `held`: none of its names comes twice."""
    begin, seen = len(held), set[str]()
    for place in range(len(held) - 1, -1, -1):
        found = quantities_in(message(rank_of(held[place].text)[1])) if held[place].text else {}
        if found and (not found.keys() <= names or found.keys() & seen):
            break
        begin = place if found else begin
        seen |= found.keys()
    return begin
