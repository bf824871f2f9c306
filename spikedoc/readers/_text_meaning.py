"""What the lines of one pattern say, and the columns of numbers of a run of them."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from spikedoc.readers.lines.base import LineProfile, Record


class Source(NamedTuple):
    """Where a value comes from: a number of the line and a factor, or the same in each line."""

    place: int  # -1: a constant
    factor: float
    constant: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Meaning:
    """What each line of a pattern says; places are those of the numbers that are kept."""

    record: Record  # of one of the lines
    profile: LineProfile
    values: dict[str, Source] = field(default_factory=dict)
    step: int | None = None
    epoch: int | None = None
    batch: int | None = None
    batches: int | None = None
    config: dict[str, int] = field(default_factory=dict)

    def places(self) -> set[int]:
        """Return the places of the numbers that mean something."""
        named = {self.step, self.epoch, self.batch, self.batches, *self.config.values()}
        named.update(source.place for source in self.values.values())
        return {place for place in named if place is not None and place >= 0}

    def numbered(self, kept: Sequence[int]) -> Meaning:
        """Return the meaning with places among those that are kept."""
        new: dict[int | None, int] = {old: place for place, old in enumerate(kept)}
        return replace(
            self,
            values={k: s._replace(place=new.get(s.place, -1)) for k, s in self.values.items()},
            step=new.get(self.step),
            epoch=new.get(self.epoch),
            batch=new.get(self.batch),
            batches=new.get(self.batches),
            config={key: new[old] for key, old in self.config.items()},
        )


class Run:
    """The lines of a run: each of their numbers as a column of printed cells."""

    def __init__(self, meaning: Meaning, columns: Sequence[Sequence[bytes]], count: int) -> None:
        """`columns` are the numbers that are kept, each with `count` cells."""
        self.meaning, self.count = meaning, count
        self._columns = columns

    def values(self) -> dict[str, array[float]]:
        """Return the values of each quantity."""
        return {key: self._values(source) for key, source in self.meaning.values.items()}

    def _values(self, source: Source) -> array[float]:
        if source.place < 0:
            return array("d", [source.constant]) * self.count
        numbers = map(float, self._columns[source.place])
        if source.factor == 1.0:
            return array("d", numbers)
        return array("d", [number * source.factor for number in numbers])

    def steps(self) -> list[int] | None:
        """Return the steps that the lines name, None when they name none."""
        return self._whole(self.meaning.step)

    def batches(self) -> list[int] | None:
        """Return the batches that the lines name."""
        return self._whole(self.meaning.batch)

    def totals(self) -> list[int] | None:
        """Return the number of batches in one epoch, as named by the lines."""
        return self._whole(self.meaning.batches)

    def epochs(self) -> list[str]:
        """Return the epochs as printed, empty where the lines name none."""
        if self.meaning.epoch is None:
            return [""] * self.count
        return [cell.decode("ascii") for cell in self._columns[self.meaning.epoch]]

    def config(self) -> dict[str, int]:
        """Return the settings in the last line."""
        return {key: int(self._columns[place][-1]) for key, place in self.meaning.config.items()}

    def _whole(self, place: int | None) -> list[int] | None:
        return None if place is None else list(map(int, self._columns[place]))
