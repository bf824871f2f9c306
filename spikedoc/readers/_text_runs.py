"""Runs of printed lines that differ in their numbers alone, read at once."""

from __future__ import annotations

import re
from collections import Counter
from io import BufferedReader, BytesIO
from typing import Final, NamedTuple, Protocol

from spikedoc.readers._text_lines import CleanLine, clean_lines
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


# Lines that a parser may need to be as it was in the part before.
_CHANCES: Final = 2
# Lines of one part that are kept until they are read: enough for runs of them.
_PART_BYTES: Final = 1 << 16


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
    text: str  # a line of it
    chances: int = 0  # left, if the parsers are not yet as they were

    def holds(self) -> bool:
        """Whether the parsers are as they were when the pattern was learnt."""
        return all(vars(parser) == before for parser, before in self.memory)

    def of(self, reading: Reading) -> _Known:
        """Return the same for the parsers of another reading."""
        parsers = (parser for parser, _ in reading.memory(self.text))
        memory = zip(parsers, (before for _, before in self.memory), strict=True)
        return self._replace(memory=list(memory), chances=_CHANCES)


class Runs:
    """Learns patterns from the lines that are read singly, and takes the runs of such lines."""

    def __init__(self, reading: Reading, before: Runs | None = None) -> None:
        """Give what is found to `reading`; patterns learnt `before`, of another one, may hold."""
        self._reading = reading
        self._before = before
        self._known: list[_Known] = []
        self._shapes: Counter[bytes] = Counter()
        self._lessons = 0
        self._lines = 0
        self._pause = self._next_pause = 0

    def take(self, file: Ahead) -> int:
        """Return how many bytes of whole lines were read from `file`, which is at a line start."""
        if self._before is not None:
            self._known = [known.of(self._reading) for known in self._before._known]
            self._before = None
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
                if known.chances:
                    self._known.append(known._replace(chances=known.chances - 1))
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
            text = line.decode().strip()
            self._known.insert(0, _Known(pattern, self._reading.memory(text), shape, text))
            del self._known[_MOST_PATTERNS:]
            self._next_pause = 1


class Part:
    """The lines of one run among those of others: gathered, so that they are read as runs, too."""

    def __init__(self, reading: Reading, before: Part | None = None) -> None:
        """Give what is found to `reading`; lines may be like those of the part `before`."""
        self._reading = reading
        self._runs: Runs = Runs(reading, None if before is None else before._runs)
        self._lines: list[bytes] = []
        self._size = 0

    def add(self, line: CleanLine) -> None:
        """Take the next line of this part."""
        if not line.plain:
            self.whole().take(line)
            return
        self._lines.append(line.plain)
        self._size += len(line.plain)
        if self._size >= _PART_BYTES:
            self.whole()

    def whole(self) -> Reading:
        """Return the reading with all lines so far."""
        held, self._lines, self._size = b"".join(self._lines), [], 0
        with BufferedReader(BytesIO(held), BUFFER_BYTES) as file:
            for line in clean_lines(file):
                self._reading.take(line)
                self._runs.see(line.plain)
                self._runs.take(file)
        return self._reading
