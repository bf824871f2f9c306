"""Whether the number of a step stands above the values of its record, below, or among them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from spikedoc.readers.lines._pairs import is_held_out
from spikedoc.readers.lines.step_block import is_measured

# Counters that show the order: the first one, and two more with the same names between.
LEAST_COUNTERS: Final = 3
# A training that was resumed goes back now and then; what does so more often counts no steps.
MOST_BACK: Final = 0.1
# Lists of names between two counters that are remembered.
MOST_KINDS: Final = 64


class Kind(Enum):
    """What a line is."""

    BLANK = auto()
    COUNTER = auto()
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class Closing:
    """How records close: by what, and with which names in all."""

    by_step: bool  # False: by an epoch
    names: frozenset[str]  # that may stand in a record
    below: frozenset[str] = frozenset()  # of those, the ones below the counter


class Order:
    """What stands above, between and below the counters of one kind."""

    def __init__(self, *, by_step: bool) -> None:
        """Start with no counter; `by_step` says whether those of steps are counted, or epochs."""
        self.by_step: Final = by_step
        self.counters = 0
        self.is_over = False  # it is certain that they do not close records
        self.front: list[str] = []  # names above the first counter
        self.names: list[str] = []  # since the last one
        self._usual: list[str] = []  # between the first two
        self._core: set[str] = set()  # between all
        self._all: set[str] = set()  # between any
        self._kinds: set[tuple[str, ...]] = set()
        self._parted: Counter[frozenset[str]] = Counter()  # names above a blank line or a rule
        self._backs = self._last = 0
        self._is_unclear = False  # not all names since the last counter were seen
        self._before = Kind.OTHER
        self._blanks_above = self._blanks_below = 0  # of counters

    def part(self) -> None:
        """A blank line or a rule comes."""
        if self.counters:
            self._parted[frozenset(self.names)] += len(self._parted) < MOST_KINDS

    def skip(self) -> None:
        """Lines come that are not looked at."""
        self._is_unclear = True

    def follow(self, kind: Kind) -> None:
        """Remember on which side of the counters blank lines stand."""
        self._blanks_above += kind is Kind.COUNTER and self._before is Kind.BLANK
        self._blanks_below += kind is Kind.BLANK and self._before is Kind.COUNTER
        self._before = kind

    def goes_back(self, number: int) -> bool:
        """Return whether the number is none that comes next."""
        return self.counters > 0 and number <= self._last

    def count(self, number: int) -> None:
        """A counter comes."""
        names, self.names = self.names, []
        self.counters += 1
        if self.counters == 1:
            self.front = names
        else:
            self._backs += number <= self._last
            if not self._is_unclear:
                self._between(names)
        self._last, self._is_unclear = number, False

    def _between(self, names: list[str]) -> None:
        """Remember the names between two counters."""
        is_first = not self._all
        self._usual = names if is_first else self._usual
        self._core = set(names) if is_first else self._core & set(names)
        self._all |= set(names)
        if len(self._kinds) < MOST_KINDS:
            self._kinds.add(tuple(names))
        self.is_over |= is_first and not self._all & set(self.front)

    def _is_whole(self, names: list[str]) -> bool:
        """Whether the names are those of a whole record."""
        if self._core:
            return self._core <= set(names)
        return bool(names) and tuple(names) in self._kinds

    def _is_regular(self) -> bool:
        """Whether there are counters enough that rise, with measured quantities between."""
        if self.is_over or self.counters < LEAST_COUNTERS:
            return False
        return self._backs <= MOST_BACK * self.counters and bool(self._all)

    def is_undecided(self, *, is_finished: bool) -> bool:
        """Return whether a whole record stands above the first counter and below the last."""
        is_both = self._is_whole(self.front) and self._is_whole(self.names)
        return is_finished and self._is_regular() and is_both and not self._is_for_opening

    @property
    def _is_for_opening(self) -> bool:
        """Whether blank lines say that epochs open: a heading comes long before its values."""
        return not self.by_step and self._blanks_above > self._blanks_below

    def closing(self, *, is_finished: bool) -> Closing | None:
        """Return how records close, None where they do not.

        They do where the names between two counters stand above the first one as well, and not all
        of them below the last, unless the log breaks off there within a line. Where only some stand
        above the first one, and those that do not below the last, the counter is among them.
        """
        if not self._is_regular() or (is_finished and self._is_whole(self.names)):
            return None
        if self._is_whole(self.front):
            return None if self._is_for_opening else Closing(self.by_step, frozenset(self._all))
        above = self._core & set(self.front)
        below = self._core - above
        if not any(is_measured(n) and not is_held_out(n.replace("_", " ")) for n in above):
            return None  # measured before the training, or settings
        is_split = set([one for one in self._usual if one in self._core][: len(below)]) == below
        is_parted = self._parted[frozenset(below)] >= self.counters - 2
        is_end = below <= set(self.names) and (is_parted or not above & set(self.names))
        if not is_split or not is_end or any(map(is_measured, below)) > is_parted:
            return None
        return Closing(self.by_step, frozenset(self._all), frozenset(below))
