"""Where two series part for good, for a while, or at a point: in units of their own noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from spikedoc.comparison.pairing import Pairs
from spikedoc.comparison.result import Parting, PartingKind, Side
from spikedoc.model.run import FloatArray, IntArray
from spikedoc.signal.baseline import baseline, block_medians, median, rolling_median, scatter
from spikedoc.signal.excursion import find_excursions

# Pairs without which no level is judged, and blocks that the common range is cut into.
FEWEST_PAIRS: Final = 5
BLOCKS: Final = 12
# Levels are apart from one unit of noise on, from more in a short log: 25 divided by the root of
# the number of pairs. Measured on 330 pairs of healthy trainings that differ in their seed alone:
# at most 0.65 units beyond 200 pairs, 1.2 units at 120.
LEVEL_UNITS: Final = 1.0
SHORT_UNITS: Final = 25.0
# Seeds alone make a difference of level beyond all noise where the noise is next to nothing: late
# in training, in smoothed logs, and in validation, which is always asked the same. Measured on 195
# such pairs: training loss and gradient norm up to 15 % of the level, the loss a ten-thousandth of
# the way from start to end; validation loss up to 12 % of the level and an eighth of the way, 36 %
# and a fiftieth on a small set. So it must be large, or both noticeable and a share of the way.
# A quarter of a training loss is a difference at half the units: such noise hides no such thing.
PLAIN_UNITS: Final = 0.5
# Every block of the rest must be this share of it apart; one block alone so many times as far.
EACH_SHARE: Final = 0.5
ALONE_FACTOR: Final = 4.0
# Standard errors that the level of the rest must stand out by, whatever the memory of the noise.
ERRORS: Final = 4.0
# The step is the first at which the smoothed distance is this share of what it becomes.
HALF_WAY: Final = 0.5
# Apart for a while is told from three times the distance on, over two blocks.
EPISODE_FACTOR: Final = 3.0
EPISODE_BLOCKS: Final = 2
# A spike in one alone: beyond what the tail of the difference allows, and so far in own noise. The
# largest of healthy pairs was 6.3 (measured).
POINT_UNITS: Final = 8.0
POINT_PAIRS: Final = 60
# Noise that would hide anything is told as a factor of this logarithm.
MOST_VISIBLE: Final = 10.0
# Noise below a millionth of the level is the rounding of what was logged.
LEAST_NOISE: Final = 1e-6
# A running mean hides noise: neighbours that go together widen the unit by what independent points
# of this correlation would scatter; no more than for a window of about forty points.
MOST_MEMORY: Final = 0.95


@dataclass(frozen=True, slots=True)
class Relevance:
    """The difference of level that is more than a seed makes; the first two are logarithms."""

    large: float
    noticeable: float
    share: float  # of the way from start to end, for what is noticeable
    plain: float = np.inf  # a logarithm as well: enough at half the units


TRAINING: Final = Relevance(float(np.log(1.2)), float(np.log(1.01)), 0.005, float(np.log(1.25)))
NORM: Final = Relevance(float(np.log(1.2)), float(np.log(1.2)), 0.0)
VALIDATION: Final = Relevance(float(np.log(2.0)), float(np.log(1.2)), 0.05)
# A share of right answers cannot double; seeds move it by an eighth of its way as well.
QUALITY: Final = Relevance(float(np.log(2.0)), 0.0, 0.15)


@dataclass(frozen=True, slots=True, eq=False)
class Ruler:
    """The difference of two paired series, A minus B, and the noise it is measured by."""

    difference: FloatArray
    unit: FloatArray  # noise of a single independent point, root mean square of both
    relevance: Relevance
    need: float  # units that make a difference of level
    wander: float = 0.0  # scatter of the level of a block, in units: noise with a memory wanders

    @property
    def units(self) -> FloatArray:
        """Return the difference in units of noise."""
        return self.difference / self.unit


def ruler(pairs: Pairs, memory: float, relevance: Relevance) -> Ruler:
    """Return the ruler of the pairs; `memory` is the larger correlation of neighbours."""
    squares = baseline(pairs.a).noise ** 2 + baseline(pairs.b).noise ** 2
    held = min(max(memory, 0.0), MOST_MEMORY)
    widened = np.sqrt((1.0 + held) / (1.0 - held))
    unit = np.maximum(np.sqrt(squares / 2.0) * widened, LEAST_NOISE)
    difference = pairs.a - pairs.b
    need = needed_units(difference.size, memory)
    return Ruler(difference, unit, relevance, need, _wander(difference / unit))


def _wander(units: FloatArray) -> float:
    """Return how much the level of a block scatters around the line between its neighbours."""
    levels = block_medians(units, max(1, units.size // BLOCKS))
    return scatter(levels[1:-1] - 0.5 * (levels[:-2] + levels[2:])) / float(np.sqrt(1.5))


def needed_units(pairs: int, memory: float = 0.0) -> float:
    """Return how many units of noise make a difference of level in a log of so many pairs.

    Points that go together count for less: `memory` is the correlation of neighbours.
    """
    independent = pairs * (1.0 - min(max(memory, 0.0), MOST_MEMORY))
    return max(LEVEL_UNITS, SHORT_UNITS / float(np.sqrt(max(independent, 1.0))))


def level_parting(pairs: Pairs, rule: Ruler) -> Parting | None:
    """Return where the levels part and stay apart to the end, or None."""
    n = pairs.steps.size
    if n < FEWEST_PAIRS:
        return None
    width = max(1, n // BLOCKS)
    start = n % width
    units = block_medians(rule.units[start:], width)
    need = rule.need
    first = _apart_from(units, need * PLAIN_UNITS * EACH_SHARE)
    while first is not None and first < units.size:
        begin = start + first * width
        if _is_apart(pairs, rule, begin, units[first:], need):
            return _level(pairs, rule, begin, max(start, begin - width), width, units[first:])
        first += 1
    return None


def _apart_from(units: FloatArray, least: float) -> int | None:
    """Return the first block from which all are at least `least` apart on one side."""
    sign = 1.0 if units[-1] > 0 else -1.0
    near = np.flatnonzero(sign * units < least)
    first = int(near[-1]) + 1 if near.size else 0
    return first if first < units.size else None


def _is_apart(pairs: Pairs, rule: Ruler, begin: int, blocks: FloatArray, need: float) -> bool:
    apart = float(np.abs(median(blocks)))
    if blocks.size == 1 and apart < ALONE_FACTOR * need:
        return False
    if apart < ERRORS * rule.wander / float(np.sqrt(blocks.size)):
        return False
    if float(np.abs(blocks).min()) < EACH_SHARE * min(need, apart):
        return False
    size = abs(median(rule.difference[begin:]))
    if not pairs.relative:
        return apart >= need
    wanted = rule.relevance
    if size >= wanted.plain and apart >= PLAIN_UNITS * need:
        return True
    if apart < need:
        return False
    return size >= wanted.large or (
        size >= wanted.noticeable and _share_of_way(pairs, begin) >= wanted.share
    )


def _share_of_way(pairs: Pairs, begin: int) -> float:
    """Return the difference of the levels from `begin` on, over all that was gone through."""
    early = pairs.raw_a.size // 50 + 3
    ends = median(pairs.raw_a[begin:]), median(pairs.raw_b[begin:])
    levels = (*ends, median(pairs.raw_a[:early]), median(pairs.raw_b[:early]))
    way = max(levels) - min(levels)
    return abs(ends[0] - ends[1]) / way if way > 0 else 0.0


def _level(
    pairs: Pairs, rule: Ruler, begin: int, earliest: int, width: int, blocks: FloatArray
) -> Parting:
    units = median(rule.units[begin:])
    sign = 1.0 if units > 0 else -1.0
    smooth = sign * rolling_median(rule.units, min(max(width // 2, 1), 21) | 1)
    # The first block may hold the change itself; the one after it is past it.
    past = abs(float(blocks[min(1, blocks.size - 1)]))
    threshold = HALF_WAY * max(abs(float(blocks[0])), min(past, abs(units)))
    later = np.flatnonzero(smooth[earliest : begin + 2 * width] >= threshold)
    index = earliest + int(later[0]) if later.size else begin
    return Parting(
        PartingKind.LEVEL,
        int(pairs.steps[index]),
        Side.A if sign > 0 else Side.B,
        abs(median(rule.units[index:])),
        _ratio(median(pairs.raw_a[index:]), median(pairs.raw_b[index:])),
    )


def visible(rule: Ruler, end: slice) -> float:
    """Return the relative difference of level from which on two series are called apart."""
    unit = median(rule.unit[end]) * rule.need
    wanted = rule.relevance
    least = max(unit, wanted.noticeable)
    least = min(least, max(PLAIN_UNITS * unit, wanted.plain))
    return float(np.expm1(min(least, MOST_VISIBLE)))


def episodes(pairs: Pairs, rule: Ruler, parting: Parting | None) -> tuple[Parting, ...]:
    """Return where the levels were far apart for a while and came together again."""
    n = pairs.steps.size
    if n < FEWEST_PAIRS * BLOCKS:
        return ()
    width = n // BLOCKS
    start = n % width
    units = block_medians(rule.units[start:], width)
    size = np.abs(block_medians(rule.difference[start:], width))
    far = (np.abs(units) >= EPISODE_FACTOR * rule.need) & (size >= TRAINING.noticeable)
    found = []
    for group in np.split(np.arange(far.size), np.flatnonzero(np.diff(far)) + 1):
        if not far[group[0]] or group.size < EPISODE_BLOCKS or group[-1] == far.size - 1:
            continue
        part = slice(start + int(group[0]) * width, start + (int(group[-1]) + 1) * width)
        first, last = int(pairs.steps[part][0]), int(pairs.steps[part][-1])
        if parting is not None and last >= parting.step:
            continue
        middle = median(rule.units[part])
        ratio = _ratio(median(pairs.raw_a[part]), median(pairs.raw_b[part]))
        higher = Side.A if middle > 0 else Side.B
        found.append(Parting(PartingKind.LEVEL, first, higher, abs(middle), ratio, last))
    return tuple(found)


def point_partings(pairs: Pairs, rule: Ruler) -> tuple[Parting, ...]:
    """Return the spikes that one series has and the other has not, in order of steps."""
    if pairs.steps.size < POINT_PAIRS:
        return ()
    found = []
    for side, own, sign in ((Side.A, pairs.a, 1.0), (Side.B, pairs.b, -1.0)):
        above = own - baseline(own).hampel
        for seen in find_excursions(sign * rule.difference).accepted:
            units = float(seen.rise / rule.unit[seen.peak])
            # The difference rises as well where the other one dips; that is no spike.
            if units >= POINT_UNITS and above[seen.peak] >= 0.5 * seen.rise:
                found.append(_point(pairs, side, seen.first, seen.peak, seen.last, units))
    return tuple(sorted(found, key=lambda one: one.step))


def _point(pairs: Pairs, side: Side, first: int, peak: int, last: int, units: float) -> Parting:
    ratio = _ratio(float(pairs.raw_a[peak]), float(pairs.raw_b[peak]))
    step = int(pairs.steps[first])
    return Parting(PartingKind.POINT, step, side, units, ratio, int(pairs.steps[last]))


def nonfinite_parting(steps: IntArray, a: FloatArray, b: FloatArray) -> Parting | None:
    """Return the first common step at which one is NaN or infinite and the other is not."""
    apart = np.flatnonzero(np.isfinite(a) != np.isfinite(b))
    if not apart.size:
        return None
    index = int(apart[0])
    side = Side.B if np.isfinite(a[index]) else Side.A
    broken = ~np.isfinite(a if side is Side.A else b)
    lasting = bool(broken[index:].all())
    end = None if lasting else int(steps[index + int(np.argmin(broken[index:])) - 1])
    return Parting(PartingKind.NONFINITE, int(steps[index]), side, 0.0, float("nan"), end)


def _ratio(a: float, b: float) -> float:
    return b / a if a > 0 and b > 0 else float("nan")
