"""Which of many logs hold the same data, and which go on where another one stopped.

Each pair of logs is judged as `same_data` and `continues` judge two, but most pairs are told apart
by a few steps that are looked at in all logs at once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.ingest.aliases import role_of
from spikedoc.ingest.assemble import (
    LEAST_SHARED,
    SAME_ROUNDING,
    SAME_SHARE,
    SAME_TOLERANCE,
    agree,
    main_loss,
)
from spikedoc.ingest.file_names import Names
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, IntArray
from spikedoc.readers.base import RawSeries

Mask = NDArray[np.bool_]
_COUNTER: Final = re.compile(r"[\W_]*\d+")
# Steps of a log looked at first: the same ones in all logs, as far as they have them.
SAMPLED: Final = 64
# Of the same data at least 0.9 of the steps are shared and 0.9 of these agree. That fewer than this
# share of 64 steps drawn from them agrees is as unlikely as 1 in 10^15.
LEAST_SAMPLED_SHARE: Final = 0.35
# Multiplier of Knuth's multiplicative hash, 2^64 / golden ratio: picks steps without a pattern.
_HASH_FACTOR: Final = np.uint64(0x9E3779B97F4A7C15)
_HASH_SHIFT: Final = np.uint64(31)
# The tolerance of the other one of two values that agree is larger by a thousandth at most.
_ROOM_FACTOR: Final = 1.01
# Values compared at a time.
_BLOCK: Final = 4_000_000
_PARTS: Final = frozenset({Metric.LOSS_COMPONENT, Metric.REWARD})
_NO_STEPS: Final = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Log:
    """What is asked about a log: where it is, how it was read, and its series."""

    path: Path
    kind: str
    series: Sequence[RawSeries]


class Kinship:
    """Judges pairs of logs; the answers are masks over all of them, in the order given."""

    def __init__(self, logs: Sequence[Log]) -> None:
        """Look at the logs, each of which has a series."""
        losses = [_Loss.of(log.series) for log in logs]
        self._loss = _numbered([loss.key for loss in losses])  # copies have the same number
        self._losses = [losses[at] for at in np.unique(self._loss, return_index=True)[1]]
        spans = np.array([span(log.series) for log in logs], dtype=np.int64).reshape(-1, 2)
        self._first, self._last = spans[:, 0], spans[:, 1]
        self._stem = _numbered([_COUNTER.sub("", log.path.stem) for log in logs])
        names = [(log.kind, frozenset(one.tag for one in log.series)) for log in logs]
        self._names = list(dict.fromkeys(names))
        self._name = _numbered(names)
        self._overlaps: dict[int, Mask] = {}
        self._files = Names([log.path for log in logs])
        self._breaks = np.array([loss.breaks for loss in losses], dtype=np.int64)
        self._trains = np.array([_is_training(log.series) for log in logs], dtype=bool)

    def overlap(self, index: int) -> Mask:
        """Return which logs are of the same kind as this one and share a name of a series."""
        own = int(self._name[index])
        if own not in self._overlaps:
            kind, tags = self._names[own]
            met = [k == kind and not tags.isdisjoint(other) for k, other in self._names]
            self._overlaps[own] = np.array(met)
        found: Mask = self._overlaps[own][self._name]
        return found

    def apart(self, index: int) -> Mask:
        """Return which logs are of another training, however they are written.

        Both hold a loss of training, or terms of it or rewards among other quantities; their names
        tell them apart, or one loss is not finite at steps at which the other is. Losses of one
        training differ by how they are averaged, and names that say nothing leave them together.
        Whether they hold the same data is not asked here.
        """
        others = self._trains & ~self.overlap(index)
        if not self._trains[index]:
            return np.zeros_like(others)
        found: Mask = others & self._files.apart(index)
        mine = self._losses[self._loss[index]]
        for other in np.flatnonzero(others & ~found & (self._breaks != self._breaks[index])):
            found[other] = _breaks_alone(mine, self._losses[self._loss[other]])
        return found

    def continues(self, index: int) -> Mask:
        """Return which logs go on where this one stopped, or the other way round.

        Such logs are alike by name, and one of them is later in steps.
        """
        first, last = self._first, self._last
        begin, end = first[index], last[index]
        earlier = first < begin
        start, stop = np.where(earlier, first, begin), np.where(earlier, last, end)
        later = np.maximum(first, begin)
        found: Mask = (later > start) & (later >= stop - (stop - start) // 2)
        found &= self._stem == self._stem[index]
        return found

    def same(self, index: int, among: Mask) -> Mask:
        """Return which logs of those `among` hold the same data as this one (see `same_data`)."""
        own = int(self._loss[index])
        asked = np.zeros(len(self._losses), dtype=bool)
        asked[self._loss[among]] = True
        alike = self._alike[own]
        others = sorted(alike[asked[alike]].tolist(), key=self._steps_of)
        found = np.zeros(len(self._losses), dtype=bool)
        for _, group in groupby(others, key=self._steps_of):
            places = list(group)
            found[places] = _same(self._losses[own], [self._losses[place] for place in places])
        same: Mask = among & found[self._loss]
        return same

    def _steps_of(self, place: int) -> int:
        key: int = self._losses[place].steps_key
        return key

    @cached_property
    def _alike(self) -> list[IntArray]:
        """For each loss itself and those that agree with it at enough of the sampled steps."""
        count = len(self._losses)
        if count < 2:
            return [np.arange(count)] * count
        sizes = np.array([loss.steps.size for loss in self._losses])
        agree = _agreements(self._losses)
        least = np.maximum(1.0, LEAST_SAMPLED_SHARE * np.minimum(sizes, SAMPLED))
        alike = (agree >= least[:, None]) & (sizes[:, None] <= sizes)  # the shorter one decides
        alike |= alike.T
        np.fill_diagonal(alike, val=True)
        return [np.flatnonzero(row) for row in alike]


@dataclass(frozen=True, slots=True, eq=False)
class _Loss:
    """The loss that tells two runs apart: one value a step, by rising steps."""

    steps: IntArray
    values: FloatArray
    size: int  # points that were logged, repeated steps included
    steps_key: int  # the same for the same steps

    @classmethod
    def of(cls, series: Sequence[RawSeries]) -> _Loss:
        main = main_loss(series)
        if main is None:
            return cls(_NO_STEPS, np.zeros(0), 0, 0)
        steps, first = np.unique(main.steps, return_index=True)
        return cls(steps, main.values[first], main.steps.size, hash(steps.tobytes()))

    @property
    def breaks(self) -> int:
        """How many values are not finite."""
        return int(np.count_nonzero(~np.isfinite(self.values)))

    @property
    def key(self) -> tuple[int, int, int]:
        """Numbers that are the same for copies."""
        return self.size, self.steps_key, hash(self.values.tobytes())

    def sample(self) -> IntArray:
        """The steps with the smallest hashes: logs with the same steps take the same."""
        if self.steps.size <= SAMPLED:
            return self.steps
        mixed = self.steps.astype(np.uint64) * _HASH_FACTOR
        mixed = (mixed ^ (mixed >> _HASH_SHIFT)) * _HASH_FACTOR
        return self.steps[np.argpartition(mixed, SAMPLED)[:SAMPLED]]


def _agreements(losses: Sequence[_Loss]) -> NDArray[np.int8]:
    """At how many of its sampled steps each loss (row) agrees with each other one (column)."""
    samples = [loss.sample() for loss in losses]
    step, owner, value, asks = _values_at(np.unique(np.concatenate(samples)), losses, samples)
    found = np.zeros((len(losses), len(losses)), dtype=np.int8)
    bounds = np.flatnonzero(np.diff(step)) + 1
    for begin, end in pairwise([0, *bounds.tolist(), step.size]):
        if end - begin < 2:
            continue
        who, values = owner[begin:end], value[begin:end]
        low, high = _room_around(values[asks[begin:end]])
        first, last = np.searchsorted(values, low), np.searchsorted(values, high, side="right")
        counts = last - first
        hits = np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
        found[np.repeat(who[asks[begin:end]], counts), who[hits]] += 1
    return found


def _values_at(
    chosen: IntArray, losses: Sequence[_Loss], samples: Sequence[IntArray]
) -> tuple[IntArray, IntArray, FloatArray, Mask]:
    """The values at the chosen steps: which step, whose, the value, and whether it is a sample.

    They are ordered by step, then by value; NaN comes last.
    """
    cells = []
    for index, (loss, sample) in enumerate(zip(losses, samples, strict=True)):
        _, step, place = np.intersect1d(chosen, loss.steps, assume_unique=True, return_indices=True)
        asks = np.isin(loss.steps[place], sample)
        cells.append((step, np.full(step.size, index), loss.values[place], asks))
    step, owner, value, asks = (np.concatenate(part) for part in zip(*cells, strict=True))
    order = np.lexsort((value, step))
    return step[order], owner[order], value[order], asks[order]


def _room_around(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Bounds of what may agree with each value, whichever of two the tolerance is taken of."""
    room = _ROOM_FACTOR * (SAME_ROUNDING + SAME_TOLERANCE * np.abs(values))
    room = np.where(np.isfinite(values), room, 0.0)
    with np.errstate(over="ignore"):  # next to the largest double the room has no end
        return values - room, values + room


def _same(mine: _Loss, others: Sequence[_Loss]) -> Mask:
    """Whether each of the others, all with the same steps, holds the same data."""
    steps = others[0].steps
    _, i, j = np.intersect1d(mine.steps, steps, assume_unique=True, return_indices=True)
    smaller = np.minimum(mine.size, [other.size for other in others])
    values = mine.values[i]
    if not i.size or np.all(values == values[0]):
        return np.zeros(len(others), dtype=bool)
    alike: list[bool] = []
    for at in range(0, len(others), max(1, _BLOCK // i.size)):
        part = np.stack([one.values[j] for one in others[at : at + max(1, _BLOCK // i.size)]])
        alike.extend(agree(values, part).tolist())
    enough = i.size >= np.maximum(LEAST_SHARED, SAME_SHARE * smaller)
    found: Mask = enough & np.array(alike)
    return found


def _is_training(series: Sequence[RawSeries]) -> bool:
    """Whether a log is more than a part of one: a term alone may stand in a file of its own."""
    found = {role_of(one.tag).metric for one in series}
    known = sum(role_of(one.tag).metric is not Metric.OTHER for one in series)
    return Metric.LOSS in found or (known > 1 and not found.isdisjoint(_PARTS))


def _breaks_alone(one: _Loss, other: _Loss) -> bool:
    """Whether only one of two losses of the same steps is not finite at some of them."""
    _, i, j = np.intersect1d(one.steps, other.steps, assume_unique=True, return_indices=True)
    if i.size < max(LEAST_SHARED, SAME_SHARE * max(one.steps.size, other.steps.size)):
        return False
    return bool(np.any(np.isfinite(one.values[i]) != np.isfinite(other.values[j])))


def span(series: Sequence[RawSeries]) -> tuple[int, int]:
    """Return the first and last step of the longest series."""
    longest = max(series, key=lambda one: one.steps.size)
    return int(longest.steps.min()), int(longest.steps.max())


def _numbered(keys: Sequence[object]) -> IntArray:
    """The keys as numbers, equal for equal keys, in the order in which they first come."""
    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)
