"""Joins what was written one after the other: restarts, rewritten points, separate attempts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.ingest.aliases import role_of
from spikedoc.ingest.notes import ATTEMPTS, IN_TURN, INTERLEAVED, REPEATED, STRAYS
from spikedoc.ingest.pauses import find_pauses
from spikedoc.ingest.pieces import Pieces, told_pieces
from spikedoc.ingest.strays import find_strays, order_of, without_strays
from spikedoc.model.metric import Metric
from spikedoc.model.run import IntArray, Restart
from spikedoc.readers.base import RawSeries
from spikedoc.text import Text

Mask = NDArray[np.bool_]
# A counter that goes back to within this share of the span from the start has started again.
FRESH_START_SHARE: Final = 0.02
# Points an attempt must have had to count as a run of its own; shorter ones were false starts.
LEAST_ATTEMPT_POINTS: Final = 10
MOST_ATTEMPTS: Final = 50
# A step back by more than this many strides is a restart, not two records in the wrong order.
DISORDER_STRIDES: Final = 10
# More restarts than this, and in more than a tenth of the points: two writers in turn.
MOST_RESTARTS: Final = 20
INTERLEAVED_SHARE: Final = 0.1
# Share of the clock's steps that come again with another value where runs print in turn.
IN_TURN_SHARE: Final = 0.8
# Loss-like series count as the clock of the log when they have at least this share of the points.
CLOCK_SHARE: Final = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Attempt:
    """One run from its first to its last step: cleaned series, and where it was restarted."""

    series: tuple[RawSeries, ...]
    restarts: tuple[Restart, ...] = ()
    notes: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class _Seam:
    """A place in the order of writing where the step counter went back or the file changed."""

    before: int  # order of the clock's last point before it
    place: int  # order of the first point behind it
    step: int
    last_step: int
    new_file: bool
    fresh: bool = False


def attempts(parts: Sequence[Sequence[RawSeries]], names: Sequence[str] = ()) -> list[Attempt]:
    """Return the attempts in files written one after the other, each with strictly rising steps.

    `names` are those of the files. Points at or after the step of a restart that were written
    before it are replaced: the last writer wins. Each `RawSeries` needs its `order`.
    """
    series, borders = _concatenated(parts)
    if not series:
        return []
    clock = _clock(series)
    strays = find_strays(clock)
    if strays:
        series = [kept for one in series if (kept := without_strays(one, strays)).steps.size]
        clock = without_strays(clock, strays)
    seams, notes = _seams(clock, borders)
    if strays:
        notes.append(STRAYS.fill({"count": len(strays)}))
    seams = [_with_neighbours(seam, series) for seam in seams]
    starts = [seam.place for seam in seams if seam.fresh]
    bounds = [-1, *starts, _END]
    if len(starts) >= MOST_ATTEMPTS:
        notes.append(ATTEMPTS.fill({"count": len(starts) + 1, "most": MOST_ATTEMPTS}))
        bounds = bounds[-MOST_ATTEMPTS - 1 :]
    pieces = Pieces(clock, borders, names)
    found = [_attempt(series, clock, seams, span, notes, pieces) for span in pairwise(bounds)]
    return [attempt for attempt in found if attempt.series]


_END: Final = np.iinfo(np.int64).max


def _concatenated(parts: Sequence[Sequence[RawSeries]]) -> tuple[list[RawSeries], list[int]]:
    """Series of all files by tag, with one order over all files; and where each file begins."""
    keys = [(one.tag, one.rank) for part in parts for one in part]
    if len(parts) == 1 and len(set(keys)) == len(keys):
        return list(parts[0]), [0]  # nothing to join: the arrays stay as they are
    pieces: dict[tuple[str, int | None], list[RawSeries]] = {}
    borders, offset = [], 0
    for part in parts:
        borders.append(offset)
        end = offset
        for one in part:
            order = one.order if one.order is not None else np.arange(one.steps.size)
            moved = RawSeries(
                one.tag, one.steps, one.values, one.wall_times, one.rank, order + offset
            )
            pieces.setdefault((one.tag, one.rank), []).append(moved)
            end = max(end, offset + int(order.max(initial=0)) + 1)
        offset = end
    return [_glued(found) for found in pieces.values()], borders


def _glued(pieces: Sequence[RawSeries]) -> RawSeries:
    if len(pieces) == 1:
        return pieces[0]
    walls = [p.wall_times for p in pieces if p.wall_times is not None]
    return RawSeries(
        tag=pieces[0].tag,
        steps=np.concatenate([p.steps for p in pieces]),
        values=np.concatenate([p.values for p in pieces]),
        wall_times=np.concatenate(walls) if len(walls) == len(pieces) else None,
        rank=pieces[0].rank,
        order=np.concatenate([order_of(p) for p in pieces]),
    )


def _clock(series: Sequence[RawSeries]) -> RawSeries:
    """The series by which restarts are told: the densest, a loss if one is nearly as dense."""
    densest = max(series, key=lambda one: one.steps.size)
    losses = [one for one in series if role_of(one.tag).metric is Metric.LOSS]
    loss = max(losses, key=lambda one: one.steps.size, default=densest)
    return loss if loss.steps.size >= CLOCK_SHARE * densest.steps.size else densest


def _seams(clock: RawSeries, borders: Sequence[int]) -> tuple[list[_Seam], list[Text]]:
    steps, order = clock.steps, order_of(clock)
    if steps.size < 2:
        return [], []
    changed: Mask = np.zeros(steps.size - 1, dtype=bool)
    if len(borders) > 1:
        changed = _new_files(steps, np.searchsorted(np.array(borders), order, side="right"))
    places = np.flatnonzero(changed | (steps[1:] < steps[:-1])) + 1
    if not places.size:
        return [], []
    forward = np.diff(steps)[np.diff(steps) > 0]
    stride = float(np.median(forward)) if forward.size else 1.0
    seams: list[_Seam] = []
    start = 0
    for place in places:
        new_file = bool(changed[place - 1])
        if not new_file and not _is_restart(steps, start, int(place), stride):
            continue
        fresh = _is_fresh(steps, start, int(place), stride)
        seams.append(
            _Seam(
                int(order[place - 1]),
                int(order[place]),
                int(steps[place]),
                int(steps[start:place].max()),
                new_file,
                fresh,
            )
        )
        start = int(place) if fresh else start
    inside = sum(not seam.new_file for seam in seams)
    if inside > MOST_RESTARTS and inside > INTERLEAVED_SHARE * steps.size:
        return [seam for seam in seams if seam.new_file], [INTERLEAVED]
    return seams, []


def _new_files(steps: IntArray, file_of: IntArray) -> Mask:
    """Whether another file begins behind each point but the last, as a restart writes one.

    A writer that makes a file for every iteration goes on counting from one to the next.
    """
    _, which, points = np.unique(file_of, return_inverse=True, return_counts=True)
    single = points[which] == 1
    goes_on = single[:-1] & single[1:] & (np.diff(steps) > 0)
    changed: Mask = (np.diff(file_of) > 0) & ~goes_on
    return changed


def _with_neighbours(seam: _Seam, series: Sequence[RawSeries]) -> _Seam:
    """Move the seam before points of other series that were written just before the clock's.

    A logger writes the learning rate of a step before the loss of the same step, say.
    """
    place = seam.place
    for one in series:
        order = order_of(one)
        first, last = np.searchsorted(order, [seam.before, seam.place], side="right")
        for index in range(max(int(first), 1), int(last)):
            if one.steps[index] < one.steps[index - 1]:
                place = min(place, int(order[index]))
                break
    return replace(seam, place=place)


def _is_restart(steps: IntArray, start: int, place: int, stride: float) -> bool:
    """Whether the step back at `place` rewrites steps, rather than two records in wrong order."""
    highest = int(steps[start:place].max())
    if highest - int(steps[place]) > DISORDER_STRIDES * stride:
        return True
    follows = place + 1 < steps.size and steps[place] < steps[place + 1] <= highest
    return bool(follows or np.any(steps[start:place] == steps[place]))


def _is_fresh(steps: IntArray, start: int, place: int, stride: float) -> bool:
    """Whether the counter at `place` is back at the beginning after having got far."""
    before = steps[start:place]
    span = int(before.max()) - int(before.min())
    if before.size < LEAST_ATTEMPT_POINTS or span < LEAST_ATTEMPT_POINTS * stride:
        return False
    near = int(before[0]) + max(2.0 * stride, FRESH_START_SHARE * span)
    return bool(steps[place] <= near)


def _attempt(
    series: Sequence[RawSeries],
    clock: RawSeries,
    seams: Sequence[_Seam],
    bounds: tuple[int, int],
    notes: Sequence[Text],
    pieces: Pieces,
) -> Attempt:
    inside = [s for s in seams if bounds[0] < s.place < bounds[1] and not s.fresh]
    cleaned, repeated, note = [], 0, REPEATED
    is_rising = _Rising()
    for one in series:
        keep = _kept(one, inside, bounds)
        if keep is None and is_rising(one.steps):
            cleaned.append(one)
        elif one.steps.size if keep is None else keep.any():
            part, changed = _last_written(one, keep)
            repeated += changed if role_of(one.tag).metric is not Metric.EPOCH else 0
            cleaned.append(part)
            least = max(LEAST_ATTEMPT_POINTS, IN_TURN_SHARE * part.steps.size)
            note = IN_TURN if one.tag == clock.tag and changed >= least else note
    restarts = [_restart(seam, bounds[0], pieces) for seam in inside]
    notes = [*notes, *told_pieces(restarts)]
    restarts += find_pauses(cleaned, clock.tag, restarts)
    said = list(notes)
    if repeated:
        said.append(note.fill({"count": repeated, "tag": clock.tag}))
    return Attempt(tuple(cleaned), tuple(sorted(restarts, key=lambda r: r.step)), tuple(said))


def _restart(seam: _Seam, start: int, pieces: Pieces) -> Restart:
    reason = "new-file" if seam.new_file else "rewound"
    piece = pieces.piece(start, seam.before, seam.place, seam.step)
    return Restart(seam.step, seam.last_step, reason, piece)


class _Rising:
    """Whether steps rise from each point to the next; tags logged together share one array."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[IntArray, bool]] = {}

    def __call__(self, steps: IntArray) -> bool:
        """Return the answer, found once for each array."""
        if id(steps) not in self._known:
            self._known[id(steps)] = steps, bool((steps[1:] > steps[:-1]).all())
        return steps.size > 0 and self._known[id(steps)][1]


def _kept(series: RawSeries, inside: Sequence[_Seam], bounds: tuple[int, int]) -> Mask | None:
    """The points of one attempt that no restart has rewritten; None for all."""
    if bounds == (-1, _END) and not inside:
        return None
    order = order_of(series)
    keep: Mask = (order >= bounds[0]) & (order < bounds[1])
    for seam in inside:
        keep &= (order >= seam.place) | (series.steps < seam.step)
    return keep


def _last_written(series: RawSeries, keep: Mask | None) -> tuple[RawSeries, int]:
    """The kept points by rising step, of equal steps the one written last.

    Also returns how many points were dropped whose value differs from the one kept.
    """
    kept = slice(None) if keep is None else keep
    steps, values, order = series.steps[kept], series.values[kept], order_of(series)[kept]
    walls = series.wall_times[kept] if series.wall_times is not None else None
    changed = 0
    if np.any(steps[1:] <= steps[:-1]):
        by_step = np.lexsort((order, steps))
        is_last = np.append(np.diff(steps[by_step]) > 0, True)
        before, after = values[by_step[:-1]], values[by_step[1:]]
        differs = (before != after) & ~np.isnan(before) & ~np.isnan(after)
        changed = int(np.sum(~is_last[:-1] & differs))
        chosen = by_step[is_last]
        steps, values, order = steps[chosen], values[chosen], order[chosen]
        walls = walls[chosen] if walls is not None else None
    return RawSeries(series.tag, steps, values, walls, series.rank, order), changed
