"""Spikes of several runs at one place of the data, weighed against spikes that meet by chance.

The null model: the runs have nothing in common, so the spikes of each fall independently anywhere
in the fifth of the steps around the place, as many as there are. How often a place anywhere in the
run would then be met by so many runs is bounded by the sum over all places.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from spikedoc.coincidence.result import Coincidence
from spikedoc.coincidence.tail import at_least
from spikedoc.coincidence.trace import Trace
from spikedoc.coincidence.words import describe
from spikedoc.model.run import FloatArray, IntArray

# Named when unrelated spikes would meet so in fewer than one of a hundred sets of runs …
MOST_CHANCE: Final = 0.01
# … after three ways of looking (by step, by place in the epoch, by samples).
VIEWS: Final = 3
# Spikes of one run gather where training is shaky: the rate is taken from this share around.
NEIGHBOURHOOD: Final = 0.2
MOST_PLACES: Final = 5
# A shorter epoch has no places in it.
SHORTEST_EPOCH: Final = 2
# Places of one view, the least likely first, that are looked at closer.
MOST_CANDIDATES: Final = 100

Named = tuple[str, Trace]


@dataclass(frozen=True, slots=True)
class Seen:
    """The spikes of one run on one axis: its steps, its place in the epoch, or its samples."""

    name: str
    trace: Trace
    places: FloatArray  # ascending
    repeated: FloatArray  # spikes that another run has as well, up to them being a copy of it
    first: float
    last: float
    width: float  # of one logged point on this axis

    @property
    def span(self) -> float:
        """Return the length of the axis."""
        return self.last - self.first + self.width

    def covers(self, places: FloatArray) -> IntArray:
        """Return for each place 1 when the run was there on its own account, else 0."""
        there = (self.first <= places) & (places <= self.last)
        if self.repeated.size:
            there &= _within(self.repeated, places, np.full(len(places), self.width)) == 0
        return there.astype(np.int64)

    def near(self, places: FloatArray, room: FloatArray) -> IntArray:
        """Return for each place 1 when the run spikes within `room` of it, else 0."""
        return (_within(self.places, places, room) > 0).astype(np.int64)

    def chance(self, places: FloatArray, room: FloatArray) -> FloatArray:
        """Return the probability that one of its spikes, anywhere around, falls so near."""
        reach = max(NEIGHBOURHOOD / 2 * self.span, 1.0)
        # Near an end of the axis the stretch lies wholly inside it, so that it is as long.
        edges = self.first + reach, max(self.last - reach, self.first + reach)
        middle = np.clip(places, *edges)
        around = _within(self.places, middle, np.full(len(places), reach))
        thinned = max(1.0, self.trace.count / len(self.trace.steps))
        counts = np.maximum(1.0, around * thinned)
        share = np.minimum(1.0, (2 * room + self.width) / min(self.span, 2 * reach))
        # No two of its spikes are at one place, so the odds add up.
        odds: FloatArray = np.minimum(1.0, counts * share)
        return odds


def _within(sorted_places: FloatArray, places: FloatArray, room: FloatArray) -> IntArray:
    """How many of the sorted places lie within `room` of each place."""
    end = np.searchsorted(sorted_places, places + room, side="right")
    return np.asarray(end - np.searchsorted(sorted_places, places - room, side="left"))


def weigh(named: Sequence[Named], sets: int = 1) -> tuple[Coincidence, ...]:
    """Return the places at which several of the runs spike, beyond what chance explains.

    Runs that are copies of each other count once, as do spikes up to which they are copies. Of
    `sets` sets of runs that are looked at, all together name a chance meeting as seldom as one.
    """
    if sum(bool(trace.steps) for _, trace in named) < 2:
        return ()
    own = _own_spikes(_distinct(named))
    if sum(bool(steps) for _, steps, _ in own) < 2:
        return ()
    found: list[Coincidence] = []
    for view, seen in _views(own).items():
        found += _in_view(view, seen, sets)
    return tuple(_without_repeats(found))[:MOST_PLACES]


def _distinct(named: Sequence[Named]) -> list[Named]:
    """The runs without copies: the same losses twice are one observation."""
    known: set[str] = set()
    kept = []
    for name, trace in named:
        if not trace.digest or trace.digest not in known:
            known.add(trace.digest)
            kept.append((name, trace))
    return kept


Own = tuple[Named, tuple[int, ...], tuple[int, ...]]


def _own_spikes(named: Sequence[Named]) -> list[Own]:
    """Each run with its spikes, and with those that a run before it has from the same losses."""
    known: set[tuple[int, str]] = set()
    found: list[Own] = []
    for name, trace in named:
        spikes = list(zip(trace.steps, trace.heads, strict=True))
        own = tuple(step for step, head in spikes if (step, head) not in known)
        repeated = tuple(step for step, head in spikes if (step, head) in known)
        known.update((step, head) for step, head in spikes if head)
        found.append(((name, trace), own, repeated))
    return found


def _views(own: Sequence[Own]) -> dict[str, list[Seen]]:
    """The spikes on each axis that the runs with spikes have in common."""
    views = {"step": [_by_step(one) for one in own]}
    spiky = [trace for (_, trace), steps, _ in own if steps]
    if all(_has_epochs(trace) for trace in spiky):
        known = [one for one in own if _has_epochs(one[0][1])]
        if any(trace.last >= 2 * (trace.epoch or np.inf) for (_, trace), _, _ in known):
            views["epoch-phase"] = [_by_phase(one) for one in known]
    batches = {trace.batch for trace in spiky}
    if None not in batches and len(batches) > 1:
        views["samples"] = [_by_samples(one) for one in own if one[0][1].batch is not None]
    return views


def _has_epochs(trace: Trace) -> bool:
    return trace.epoch is not None and trace.epoch >= SHORTEST_EPOCH


def _on_axis(
    one: Own, axis: Callable[[FloatArray], FloatArray], edges: tuple[float, float], width: float
) -> Seen:
    (name, trace), own, repeated = one
    places, copied = (axis(np.array(steps, dtype=np.float64)) for steps in (own, repeated))
    return Seen(name, trace, places, copied, *edges, width)


def _by_step(one: Own) -> Seen:
    trace = one[0][1]
    edges = float(trace.first), float(trace.last)
    return _on_axis(one, lambda steps: steps, edges, trace.width)


def _by_phase(one: Own) -> Seen:
    trace = one[0][1]
    length = trace.epoch or 1.0
    edges = 0.0, length - trace.width
    return _on_axis(one, lambda steps: np.unique(np.round(steps % length)), edges, trace.width)


def _by_samples(one: Own) -> Seen:
    trace = one[0][1]
    batch = trace.batch or 1
    edges = float(trace.first * batch), float(trace.last * batch)
    return _on_axis(one, lambda steps: steps * batch, edges, trace.width * batch)


def _in_view(view: str, seen: Sequence[Seen], sets: int) -> list[Coincidence]:
    places = np.unique(np.concatenate([one.places for one in seen]))
    spiky = [one for one in seen if one.places.size]
    covers = np.stack([one.covers(places) for one in spiky])
    width = np.max(covers * np.array([[one.width] for one in spiky]), axis=0)
    found: dict[float, Coincidence] = {}
    for room in (np.zeros(len(places)), width):
        near = covers * np.stack([one.near(places, room) for one in spiky])
        chances = _chances(spiky, covers, near.sum(axis=0), places, room) * sets
        for at in np.argsort(chances, kind="stable")[:MOST_CANDIDATES].tolist():
            place, chance = float(places[at]), float(chances[at])
            if chance > MOST_CHANCE:
                break
            if place not in found:
                there = [one for one, is_near in zip(spiky, near[:, at], strict=True) if is_near]
                among = sum(int(one.covers(places[at : at + 1])[0]) for one in seen)
                found[place] = _coincidence(view, place, float(room[at]), there, among, chance)
    return list(found.values())


def _chances(
    spiky: Sequence[Seen], covers: IntArray, counts: IntArray, places: FloatArray, room: FloatArray
) -> FloatArray:
    """For each place the bound on the probability that unrelated spikes meet so, anywhere."""
    chances = np.ones(len(places))
    met = np.flatnonzero(counts >= 2)
    if not met.size:
        return chances
    places, room, covers = places[met], room[met], covers[:, met]
    odds = np.stack([one.chance(places, room) for one in spiky]) * covers
    edges = np.array([[one.first, one.last, one.width] for one in spiky])
    there = covers.astype(bool)
    start = np.where(there, edges[:, :1], -np.inf).max(axis=0)
    end = np.where(there, edges[:, 1:2], np.inf).min(axis=0)
    width = np.where(there, edges[:, 2:], 0.0).max(axis=0)
    cells = np.maximum(1.0, (end - start) / (2 * room + width))
    ways = 2 * VIEWS  # each view at two widths
    chances[met] = np.minimum(1.0, ways * cells * at_least(counts[met], odds.T))
    return chances


def _coincidence(
    view: str, place: float, room: float, there: Sequence[Seen], among: int, chance: float
) -> Coincidence:
    met = [float(p) for one in there for p in one.places if abs(p - place) <= room]
    first, last = int(min(met)), int(max(met))
    named = [(one.name, one.trace) for one in there]
    points, text = describe(view, first, last, named, among, chance)
    names = tuple(name for name, _ in named)
    return Coincidence(view, first, last, names, among, chance, points, text)


def _without_repeats(found: Sequence[Coincidence]) -> list[Coincidence]:
    """The least likely first; one place seen on two axes by the same runs is told once."""
    kept: list[Coincidence] = []
    for one in sorted(found, key=lambda c: (c.chance, c.view != "step", c.first)):
        near = [
            k for k in kept if k.view == one.view and k.first <= one.last and one.first <= k.last
        ]
        same = [k for k in kept if k.view != one.view and set(k.runs) >= set(one.runs)]
        if not near and not same:
            kept.append(one)
    return kept


def shared_steps(found: Sequence[Coincidence]) -> Mapping[str, tuple[int, ...]]:
    """Return by the name of each run the steps that are shared with other runs."""
    by_run: dict[str, list[int]] = {}
    for one in found:
        if one.view == "step":
            for name in one.runs:
                by_run.setdefault(name, []).extend(range(one.first, one.last + 1))
    return {name: tuple(steps) for name, steps in by_run.items()}
