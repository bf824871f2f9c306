"""Points and short groups of points far above the local band, with multiplicity priced in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.signal.baseline import Baseline, baseline
from spikedoc.signal.tail import tail_level

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

# A point this far out is a candidate; what is finally accepted depends on the log's own tail.
CANDIDATE_SCORE: Final = 4.0
# No threshold below this: ordinary points reached 2.5 where real spikes began at 6.0 (measured).
MIN_SCORE: Final = 5.0
# Nobody wants to hear of a seven-sigma bump of one per cent.
MIN_RISE: Final = float(np.log(1.10))
# Candidates closer than this belong to one excursion.
JOIN_GAP: Final = 3
# The tail of an excursion, left out when the threshold is refitted: up to this many points above 2.
TAIL_POINTS: Final = 10
TAIL_SCORE: Final = 2.0
# At most n/50 (and at least 5) excursions are peeled off to see whether the rest is calm.
PEEL_MIN: Final = 5
PEEL_SHARE: Final = 50
# More of them where they stand clear: so far out of the band that twice their distance separates
# them from all that is left, at most every tenth point, and dips as deep a tenth as many. Noise
# with heavy tails, of one side or both, thins out and leaves no gap.
MANY_SHARE: Final = 10
CLEAR_SCORE: Final = 10.0
CLEAR_GAP: Final = 2.0
CLEAR_DIPS: Final = 0.1
# The baseline needs history: no verdict on the first points.
SKIP_MIN: Final = 10
SKIP_WINDOW_SHARE: Final = 4
# In the first tenth a curve leaves its plateau and finds its noise: scores count half there, else a
# step out of a quiet plateau passes for a spike and, in the tail, hides a real one later.
EARLY_SHARE: Final = 10
EARLY_WEIGHT: Final = 0.5
# Fewer points than this say nothing about a tail.
MIN_CALM_POINTS: Final = 60


@dataclass(frozen=True, slots=True)
class Excursion:
    """A group of points above the band; indices are half-open [first, last + 1)."""

    first: int
    last: int
    peak: int
    score: float  # in standard deviations of the local noise
    rise: float  # above the baseline, judging scale
    threshold: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Excursions:
    """What was accepted, the threshold used, and the baseline it was judged against."""

    accepted: tuple[Excursion, ...]
    threshold: float
    base: Baseline


def find_excursions(values: FloatArray, masked: BoolArray | None = None) -> Excursions:
    """Return the excursions of a finite series on the judging scale.

    The k highest groups of candidates are peeled off together with their tails, for falling k,
    and the largest k is accepted whose smallest member still exceeds the threshold refitted on
    the rest: several spikes cannot raise their own threshold. `masked` points are neither judged
    nor used for the threshold.
    """
    base = baseline(values)
    scores, rises = _scores(values, base)
    usable = np.isfinite(scores)
    if masked is not None:
        usable &= ~masked
    groups = _groups(scores, rises, usable)
    usual = max(PEEL_MIN, values.size // PEEL_SHARE)
    groups = groups[: max(usual, _standing_clear(groups, (values - base.hampel) / base.noise))]
    kept = np.where(usable, scores, np.nan)
    count, threshold = _peel(groups, kept)
    accepted = sorted(
        (replace(group, threshold=threshold) for group in groups[:count]),
        key=lambda group: group.first,
    )
    return Excursions(tuple(accepted), threshold, base)


def candidates(values: FloatArray) -> tuple[Excursion, ...]:
    """Return every group of points four standard deviations up, accepted as a spike or not.

    For questions about their places: many small ones at one phase are no accident.
    """
    base = baseline(values)
    scores, rises = _scores(values, base)
    groups = _groups(scores, rises, np.isfinite(scores))
    return tuple(sorted(groups, key=lambda group: group.first))


def _standing_clear(groups: list[Excursion], scores: FloatArray) -> int:
    """Return how many of the highest groups a gap separates from all others, 0 where none does."""
    heights = [g.score for g in groups[: scores.size // MANY_SHARE + 1]] + [CANDIDATE_SCORE]
    for count in range(min(len(groups), scores.size // MANY_SHARE), 0, -1):
        height = heights[count - 1]
        if height < max(CLEAR_SCORE, CLEAR_GAP * heights[count]):
            continue
        # Half as deep is deep enough to be of their kind.
        return count if np.sum(scores < -height / CLEAR_GAP) <= CLEAR_DIPS * count else 0
    return 0


def _peel(groups: list[Excursion], scores: FloatArray) -> tuple[int, float]:
    """Return how many of the highest groups to accept, and the threshold that says so.

    The threshold can only rise when fewer groups are left out, so a group below the threshold of
    the calmest rest need not be tried.
    """
    spans = [_with_tail(group, scores) for group in groups]
    lowest = _threshold(scores, spans)
    if not groups:
        return 0, lowest or MIN_SCORE
    for count in range(len(groups), 0, -1):
        if lowest is not None and groups[count - 1].score < lowest:
            continue
        threshold = _threshold(scores, spans[:count])
        if threshold is not None and groups[count - 1].score >= threshold:
            return count, threshold
    return 0, _threshold(scores, []) or MIN_SCORE


def _threshold(scores: FloatArray, left_out: list[tuple[int, int]]) -> float | None:
    """Return the threshold from the scores outside `left_out`, None when too few are left."""
    rest = scores.copy()
    for first, last in left_out:
        rest[first:last] = np.nan
    calm = rest[np.isfinite(rest)]
    if calm.size < MIN_CALM_POINTS:
        return None
    return max(MIN_SCORE, tail_level(calm))


def _scores(values: FloatArray, base: Baseline) -> tuple[FloatArray, FloatArray]:
    above_trailing = values - base.trailing
    above_hampel = values - base.hampel
    rises = np.fmax(above_trailing, above_hampel)
    scores = rises / base.noise
    scores[: values.size // EARLY_SHARE] *= EARLY_WEIGHT
    scores[: max(SKIP_MIN, base.window // SKIP_WINDOW_SHARE)] = np.nan
    return scores, rises


def _groups(scores: FloatArray, rises: FloatArray, usable: BoolArray) -> list[Excursion]:
    """Return groups of neighbouring candidates, highest score first."""
    with np.errstate(invalid="ignore"):
        hot = usable & (scores >= CANDIDATE_SCORE) & (rises >= MIN_RISE)
    index = np.flatnonzero(hot)
    if index.size == 0:
        return []
    breaks = np.flatnonzero(np.diff(index) > JOIN_GAP) + 1
    groups = []
    for members in np.split(index, breaks):
        peak = int(members[np.argmax(scores[members])])
        groups.append(
            Excursion(
                int(members[0]), int(members[-1]), peak, float(scores[peak]), float(rises[peak])
            )
        )
    return sorted(groups, key=lambda group: -group.score)


def _with_tail(group: Excursion, scores: FloatArray) -> tuple[int, int]:
    end = group.last + 1
    while end < scores.size and end <= group.last + TAIL_POINTS and scores[end] > TAIL_SCORE:
        end += 1
    return max(0, group.first - 1), end
