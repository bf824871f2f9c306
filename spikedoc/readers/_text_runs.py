"""Runs of printed lines that differ in their numbers alone, read at once."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final, NamedTuple, Protocol

from spikedoc.readers._text_pattern import Pattern, learn
from spikedoc.readers._text_reading import Reading
from spikedoc.readers._text_writer import Memory, UnclearError

# Bytes looked at in one go; a run goes no further.
BUFFER_BYTES: Final = 1 << 17
# A pattern is learnt when this many lines of one shape have come that no pattern has taken.
_SEEN: Final = frozenset(3 * 2**doubling for doubling in range(20))
# Learning takes as long as reading some fifty lines: that often, and as the lines allow.
_LESSONS: Final = 40
_LINES_A_LESSON: Final = 500
# Patterns and shapes that are kept.
_MOST_PATTERNS: Final = 16
_MOST_SHAPES: Final = 2_000
# Lines read singly after a line that no pattern matches: one, two, four, up to this many.
_LONGEST_PAUSE: Final = 16
_DIGITS: Final = re.compile(rb"\d+")


class Ahead(Protocol):
    """A file that can be looked into without reading on."""

    def peek(self, size: int, /) -> bytes:
        """Return some of the bytes that come next."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes."""


class _Known(NamedTuple):
    pattern: Pattern
    memory: Memory
    shape: bytes

    def holds(self) -> bool:
        """Whether the parsers are as they were when the pattern was learnt."""
        return all(vars(parser) == before for parser, before in self.memory)


class Runs:
    """Learns patterns from the lines that are read singly, and takes the runs of such lines."""

    def __init__(self, reading: Reading) -> None:
        """Give what is found to `reading`."""
        self._reading = reading
        self._known: list[_Known] = []
        self._shapes: Counter[bytes] = Counter()
        self._lessons = 0
        self._lines = 0
        self._pause = self._next_pause = 0

    def take(self, file: Ahead) -> int:
        """Return how many bytes of whole lines were read from `file`, which is at a line start."""
        if not self._known or self._pause:
            self._pause = max(0, self._pause - 1)
            return 0
        ahead = file.peek(1)
        for known in self._known:
            match = known.pattern.run.match(ahead)
            if match is None or not match.end():
                continue
            self._known.remove(known)
            if not known.holds():
                self._shapes[known.shape] = 0
                return 0
            self._known.insert(0, known)
            self._lines += self._reading.take_run(known.pattern, file.read(match.end()))
            self._next_pause = 1
            return match.end()
        self._pause = self._next_pause
        self._next_pause = min(2 * self._next_pause, _LONGEST_PAUSE)
        return 0

    def see(self, line: bytes) -> None:
        """Learn from a line that was read singly."""
        if self._lessons >= _LESSONS + self._lines // _LINES_A_LESSON:
            return
        shape = _DIGITS.sub(b"0", line)
        if len(self._shapes) >= _MOST_SHAPES and shape not in self._shapes:
            self._shapes.clear()
        self._shapes[shape] += 1
        if self._shapes[shape] not in _SEEN:
            return
        self._lessons += 1
        try:
            pattern = learn(line, self._reading.rehearse)
        except UnclearError:
            return
        if pattern is not None:
            text = line.decode("ascii").strip()
            self._known.insert(0, _Known(pattern, self._reading.memory(text), shape))
            del self._known[_MOST_PATTERNS:]
            self._next_pause = 1
