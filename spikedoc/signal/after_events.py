"""Does a series stand off its level right after events, and come back, more than anywhere else?

Events are laid over one another. What follows them is compared with both sides, so that neither a
trend nor an epoch that rises evenly and falls at its end counts, and with every other place between
two events, so that neither noise with a memory nor a profile that is uneven everywhere does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.signal.around import correlation
from spikedoc.signal.baseline import median

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Fewest events, and points from one to the next: three and three beside a window of two.
EVENTS_FEWEST: Final = 5
POINTS_FEWEST: Final = 8
# Windows tried, in points. At a fifth of the distance an even rise stands a quarter as far off one
# side as off the other.
WIDTHS: Final = (1, 2, 3, 5, 8, 12, 20, 32, 50)
WIDTH_SHARE: Final = 5
SIDE_LEAST: Final = 3
# What is back stands off what follows by two fifths at least of what it stands off before.
SIDES_ALIKE: Final = 0.4
# The window may begin at the point of the event: who is first there, the log does not tell.
SHIFTS: Final = (0, -1, 1)
# A pattern is sought in all events; a rise, which other weights make and which fades as they slow
# down, in the first half and the first third as well. What is switched off by a mode stays.
PARTS: Final = (1, 2, 3)
THIRD: Final = 3
# What fades does not turn round: that is a profile of the data, learned away in part.
TURNED: Final = 0.5
# Standard errors that are asked for by the scatter of the same measure at other places, by how much
# more than at each of those, and by the scatter from event to event, which a change that fades has
# as well; and 3 %: nobody looks for less.
ERRORS: Final = 6.0
BEYOND_OTHERS: Final = 1.5
OWN_ERRORS: Final = 3.0
# A mean that starts anew is noisier there than anywhere else: then twice as much and more.
NOISIER: Final = 3.0
NOISIER_ERRORS: Final = 8.0
LEAST: Final = float(np.log(1.03))
# Other places lie in the middle of the way: from a quarter to a quarter before the next event.
MARGIN: Final = 4
PLACES_MOST: Final = 60
# Beside the window, and apart from a line, batches that come in the same order agree from event to
# event (`found_period`: measured .95 and more) and explain a seventh of the scatter.
REST_FEWEST: Final = 4
REST_RHO: Final = 0.8
REST_ETA2: Final = 0.15
TINY: Final = 1e-300
# Most of the events take part.
SHARE: Final = 0.75


@dataclass(frozen=True, slots=True)
class AfterEvents:
    """How a series stands off its level after events."""

    size: float  # on the scale of the values, upwards positive
    errors: float  # standard errors
    width: int  # points
    shift: int  # points from the first after an event
    count: int  # events it was seen at: the first ones
    late: float  # its size at the last third of all events, as a share of that at the first third


def after_events(values: FloatArray, starts: IntArray) -> AfterEvents | None:
    """Return how `values` stand off their level from `starts` on (first index after each event).

    None where they do not, or where events are too few or too dense.
    """
    if starts.size < EVENTS_FEWEST:
        return None
    every = int(np.median(np.diff(starts)))
    starts = starts[(starts >= every // 2) & (starts + every <= values.size)]
    if every < POINTS_FEWEST or starts.size < EVENTS_FEWEST:
        return None
    sums = np.concatenate(([0.0], np.cumsum(values)))
    found = [
        one
        for part in PARTS
        if starts.size // part >= EVENTS_FEWEST
        and (one := _in_part(sums, starts[: starts.size // part], every)) is not None
        and (part == 1 or one.size > 0)
    ]
    best = max(found, key=_clearness, default=None)
    if best is None or _rest_repeats(values, starts, every, best):
        return None
    whole = _off(sums, starts + best.shift, best.width).mean
    third = max(1, whole.size // THIRD)
    early, late = float(whole[:third].mean()), float(whole[-third:].mean())
    if not early or late / early < -TURNED:
        return None
    return replace(best, late=late / early)


def _rest_repeats(values: FloatArray, starts: IntArray, every: int, best: AfterEvents) -> bool:
    """Return whether the way between two events repeats where the window is left out, too.

    Then the order of the data is the same each time, and the window is a part of it.
    """
    begin = best.shift + 2 * best.width
    rows = values[starts[:, None] + np.arange(begin, every - 1)[None, :]]
    if rows.shape[1] < REST_FEWEST:
        return False
    line = np.linspace(-1.0, 1.0, rows.shape[1])
    rows = rows - rows.mean(axis=1, keepdims=True)
    rows = rows - (rows @ line / (line @ line))[:, None] * line[None, :]
    one, two = rows[::2].mean(axis=0), rows[1::2].mean(axis=0)
    explained = float(np.mean(one * two)) / (float(np.mean(rows**2)) + TINY)
    return correlation(one, two) >= REST_RHO and explained >= REST_ETA2


def _clearness(one: AfterEvents) -> float:
    return abs(one.errors)


def _in_part(sums: FloatArray, starts: IntArray, every: int) -> AfterEvents | None:
    found = [_at_width(sums, starts, every, w) for w in WIDTHS if w <= max(1, every // WIDTH_SHARE)]
    return max((one for one in found if one is not None), key=_clearness, default=None)


def _at_width(sums: FloatArray, starts: IntArray, every: int, width: int) -> AfterEvents | None:
    """Return what windows of `width` points show, None where other places are as clear."""
    margin = every // MARGIN
    places = np.unique(np.linspace(margin, every - margin - width - 1, PLACES_MOST).astype(int))
    others = [_off(sums, starts + s, width) for s in places.tolist()]
    noise = median(np.array([float(np.std(o.mean)) for o in others if o.mean.size]))
    if noise <= 0:
        return None
    # One point alone at the event itself is the last before it as likely as the first after it.
    shifts = [s for s in SHIFTS if s >= 0 or width > 1]
    here = {s: _off(sums, starts + s, width) for s in shifts}
    shift = max(shifts, key=lambda s: abs(here[s].errors(noise)))
    top, beside = here[shift], max((abs(o.errors(noise)) for o in others), default=0.0)
    errors = top.errors(noise)
    if abs(errors) < max(ERRORS, BEYOND_OTHERS * beside) or not top.is_steady(noise):
        return None
    return AfterEvents(float(top.mean.mean()), errors, width, shift, top.mean.size, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class _Off:
    """How windows stand off what lies before them and what follows them, one value each."""

    before: FloatArray
    after: FloatArray

    @property
    def mean(self) -> FloatArray:
        return (self.before + self.after) / 2

    def errors(self, noise: float) -> float:
        return (
            float(self.mean.mean()) / noise * float(np.sqrt(self.mean.size))
            if self.mean.size
            else 0.0
        )

    def is_steady(self, noise: float) -> bool:
        """Whether they stand off both sides alike, most of them, and by more than they differ."""
        size = float(self.mean.mean())
        up = 1.0 if size > 0 else -1.0
        before, after = up * float(np.median(self.before)), up * float(np.median(self.after))
        # From one event to the next: what fades differs less so than over the whole.
        own = float(np.std(np.diff(self.mean))) / float(np.sqrt(2.0))
        least = OWN_ERRORS if own <= NOISIER * noise else NOISIER_ERRORS
        part = float(np.mean(up * self.mean > 0))
        return (
            after >= SIDES_ALIKE * before > 0
            and part >= SHARE
            and up * size >= max(LEAST, least * own / float(np.sqrt(self.mean.size)))
        )


def _off(sums: FloatArray, starts: IntArray, width: int) -> _Off:
    side = max(width, SIDE_LEAST)
    starts = starts[(starts >= side) & (starts + width + side < sums.size)]
    there = (sums[starts + width] - sums[starts]) / width
    before = there - (sums[starts] - sums[starts - side]) / side
    after = there - (sums[starts + width + side] - sums[starts + width]) / side
    return _Off(before, after)
