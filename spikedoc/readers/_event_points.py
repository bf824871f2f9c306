"""The points of each tag as they are found, kept in as little memory as they need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.model.run import FloatArray, IntArray
from spikedoc.readers._event_proto import TextValue
from spikedoc.readers._memory import POINTS_DROPPED, POINTS_THINNED
from spikedoc.readers.base import RawSeries
from spikedoc.signal.decimation import kept
from spikedoc.text import Text

_FIRST_CAPACITY: Final = 64
# Tags of one file: thousands are per layer, tens of thousands per expert of each.
MOST_TAGS: Final = 50_000
# What a tag takes before its first point, counted in points of 128 bytes: it has room for 64.
POINTS_PER_TAG: Final = 16
# Shorter series stay whole when long ones are thinned.
SHORTEST_THINNED: Final = 1_000
# Beyond what the rate of points so far promises for the whole file.
_RESERVE: Final = 1.05
# Seconds within which the tags of one row were logged at one time: a writer needs microseconds for
# each, and nothing that is asked of a log turns on less than a second. One clock for all of them
# saves most of a third of the memory.
ONE_TIME: Final = 0.1


class Column:
    """Numbers appended to one array; spare room that was never written to costs no memory."""

    def __init__(self) -> None:
        self._store: FloatArray = np.empty(_FIRST_CAPACITY)
        self.size = 0

    def extend(self, numbers: NDArray[np.generic], share_read: float) -> None:
        """Append; `share_read` of the file has been read, so the whole column can be foreseen."""
        size = self.size + numbers.size
        if size > self._store.size:
            foreseen = int(size / share_read * _RESERVE) if share_read > 0 else 0
            larger = np.empty(max(2 * self._store.size, size, foreseen))
            larger[: self.size] = self._store[: self.size]
            self._store = larger
        self._store[self.size : size] = numbers
        self.size = size

    def taken(self) -> FloatArray:
        """Return the numbers, without the spare room."""
        return self._store[: self.size]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Points of one tag that were found together, in the order of the file."""

    tag: str
    starts: IntArray  # where the record of each point begins, but for `shift`
    shift: int
    places: IntArray  # where its row begins: the records of one step that follow each other
    steps: IntArray
    walls: NDArray[np.generic]
    values: NDArray[np.generic]


@dataclass(slots=True)
class _Points:
    """One tag. All but its values is often that of other tags too, so it stays in shared parts."""

    steps: list[IntArray] = field(default_factory=list)
    places: list[IntArray] = field(default_factory=list)
    walls: list[FloatArray] = field(default_factory=list)
    values: Column = field(default_factory=Column)

    def thin(self, most: int) -> None:
        """Keep at most `most` points; steps that go back stay, since they tell of a restart."""
        steps, places = np.concatenate(self.steps), np.concatenate(self.places)
        walls, values = np.concatenate(self.walls), self.values.taken()
        back = np.flatnonzero(steps[1:] < steps[:-1])
        at = kept([values], most, [*back.tolist(), *(back + 1).tolist()][:most])
        self.steps, self.places, self.walls = [steps[at]], [places[at]], [walls[at]]
        self.values = Column()
        self.values.extend(values[at], 0.0)


@dataclass(slots=True)
class Collected:
    """Everything found so far."""

    most: int  # points to keep
    points: dict[str, _Points] = field(default_factory=dict)
    texts: list[TextValue] = field(default_factory=list)
    records: int = 0
    share_read: float = 0.0
    held: int = 0
    dropped: int = 0  # points of tags beyond the bound
    thinned: int = 0

    @property
    def notes(self) -> tuple[Text, ...]:
        """What was left out."""
        told = []
        if self.thinned:
            told.append(POINTS_THINNED.fill({"count": self.thinned}))
        if self.dropped:
            told.append(POINTS_DROPPED.fill({"count": self.dropped}))
        return tuple(told)

    def add(self, parts: Sequence[Part]) -> None:
        """Append what one stretch of the file holds; parts of one tag may overlap in it."""
        by_tag: dict[str, list[Part]] = {}
        filled = [part for part in parts if part.starts.size]
        for part in sorted(filled, key=lambda part: int(part.starts[0]) + part.shift):
            by_tag.setdefault(part.tag, []).append(part)
        for same in by_tag.values():
            self._append(same[0] if len(same) == 1 else _merged(same))
        if self.held > self.most:
            self._thin()

    def _thin(self) -> None:
        """Keep half of the points of every long series, those that stand out among them."""
        for points in self.points.values():
            size = points.values.size
            if size > SHORTEST_THINNED:
                points.thin(size // 2)
                self.thinned += size - points.values.size
                self.held -= size - points.values.size

    def _append(self, part: Part) -> None:
        points = self.points.get(part.tag)
        is_new = points is None
        if self.held > 2 * self.most or (is_new and len(self.points) >= MOST_TAGS):
            self.dropped += part.steps.size
            return
        self.held += part.steps.size + is_new * POINTS_PER_TAG
        if points is None:
            points = self.points[part.tag] = _Points()
        points.places.append(part.places)
        points.steps.append(part.steps)
        # Signalling NaNs are values like others.
        with np.errstate(invalid="ignore"):
            points.walls.append(own_times(part.walls))
            points.values.extend(part.values, self.share_read)

    def series(self) -> tuple[RawSeries, ...]:
        """Return one series per tag, in the order of the file; equal arrays are one."""
        found: list[RawSeries] = []
        steps, places = _Shared(), _Shared()
        clocks = _Clocks()
        while self.points:
            tag = next(iter(self.points))
            points = self.points.pop(tag)
            shared = (steps.joined(points.steps), places.joined(points.places))
            clock = clocks.joined(points.walls, shared)
            found.append(RawSeries(tag, shared[0], points.values.taken(), clock, order=shared[1]))
        return tuple(found)


class _Shared:
    """Tags that are logged together get one array instead of equal ones."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, ...], tuple[list[IntArray], IntArray]] = {}

    def joined(self, parts: list[IntArray]) -> IntArray:
        """Return the parts as one array, or the array seen before that equals it."""
        key = (*(part.size for part in parts), int(parts[0][0]), int(parts[-1][-1]))
        parts_before, known = self._known.get(key, ((), None))
        if known is not None and all(map(_equal, parts_before, parts)):
            return known
        numbers = np.concatenate(parts)
        self._known.setdefault(key, (parts, numbers))
        return numbers


class _Clocks:
    """Tags that are logged together get one array of times."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], tuple[list[int], FloatArray]] = {}

    def joined(self, parts: list[FloatArray], rows: tuple[IntArray, IntArray]) -> FloatArray:
        """Return the parts as one array, or that of another tag of the same steps and places.

        All parts of all tags are there when the first are joined, so none has the identity of one
        that is gone.
        """
        key = (id(rows[0]), id(rows[1]))
        ids, known = self._known.get(key, ([], None))
        if known is not None and len(ids) == len(parts):
            ends = np.cumsum([part.size for part in parts])
            before = np.split(known, ends[:-1])
            pairs = zip(ids, before, parts, strict=True)
            if all(one == id(part) or one_time(there, part) for one, there, part in pairs):
                return known
        numbers = np.concatenate(parts)
        self._known.setdefault(key, ([id(part) for part in parts], numbers))
        return numbers


def one_time(walls: NDArray[np.generic], clock: NDArray[np.generic]) -> bool:
    """Return whether records were all logged at the time of those of `clock`."""
    if walls.size != clock.size:
        return False
    with np.errstate(invalid="ignore", over="ignore"):
        return bool((np.abs(np.subtract(walls, clock)) <= ONE_TIME).all())


def own_times(walls: NDArray[np.generic]) -> FloatArray:
    """Return the times as an array of their own; one that is its own already as it is."""
    own = walls.base is None and walls.dtype == np.float64
    return walls if own else np.array(walls, dtype=np.float64)  # type: ignore[return-value]


def _equal(one: IntArray, other: IntArray) -> bool:
    return one is other or np.array_equal(one, other)


def _merged(parts: list[Part]) -> Part:
    """Return parts of one tag as one, in the order of the file."""
    starts = np.concatenate([part.starts + part.shift for part in parts])
    order = np.argsort(starts, kind="stable")
    with np.errstate(invalid="ignore"):
        walls = np.concatenate([part.walls.astype(np.float64) for part in parts])
        values = np.concatenate([part.values.astype(np.float64) for part in parts])
    places = np.concatenate([part.places for part in parts])
    steps = np.concatenate([part.steps for part in parts])
    return Part(
        parts[0].tag, starts[order], 0, places[order], steps[order], walls[order], values[order]
    )
