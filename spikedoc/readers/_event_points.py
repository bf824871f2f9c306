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
    """One tag. Steps and places are often those of other tags too, so they stay in shared parts."""

    steps: list[IntArray] = field(default_factory=list)
    places: list[IntArray] = field(default_factory=list)
    walls: Column = field(default_factory=Column)
    values: Column = field(default_factory=Column)

    def thin(self, most: int) -> None:
        """Keep at most `most` points; steps that go back stay, since they tell of a restart."""
        steps, places = np.concatenate(self.steps), np.concatenate(self.places)
        values, walls = self.values.taken(), self.walls.taken()
        back = np.flatnonzero(steps[1:] < steps[:-1])
        at = kept([values], most, [*back.tolist(), *(back + 1).tolist()][:most])
        self.steps, self.places = [steps[at]], [places[at]]
        self.values, self.walls = Column(), Column()
        self.values.extend(values[at], 0.0)
        self.walls.extend(walls[at], 0.0)


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
            points.walls.extend(part.walls, self.share_read)
            points.values.extend(part.values, self.share_read)

    def series(self) -> tuple[RawSeries, ...]:
        """Return one series per tag, in the order of the file; equal arrays are one."""
        found: list[RawSeries] = []
        steps, places = _Shared(), _Shared()
        while self.points:
            tag = next(iter(self.points))
            points = self.points.pop(tag)
            shared = (steps.joined(points.steps), places.joined(points.places))
            walls, values = points.walls.taken(), points.values.taken()
            found.append(RawSeries(tag, shared[0], values, walls, order=shared[1]))
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
