"""Logged quantities that somebody sets and on which the level of the loss depends."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np

from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, IntArray, Run, Series
from spikedoc.signal.memo import remembered

# Whole words of a tag. Weights of terms, smoothing, temperatures and margins are part of the
# formula of the loss …
_FORMULA: Final = re.compile(
    r"\b(?:label smoothing|smoothing|beta|kl beta|lambda|margin|temperature|temp|tau"
    r"|\w+ (?:weight|weighting|coef|coeff|coefficient|lambda)|\w+(?:weight|coef|coeff)"
    r"|\w+ weight \w+)\b"
)
# … what is dropped, pruned or rounded holds the model back …
_REGULARISER: Final = re.compile(
    r"\b(?:dropout|dropout \w+|\w+ dropout|drop (?:path|rate)|drop path \w+|sparsity"
    r"|prun(?:e|ing) \w+|quant\w*(?: \w+)?|bits|(?:unfrozen|trainable) layers)\b"
)
# … and lengths, sizes, masks, stages and noise make its task harder or easier.
_TASK: Final = re.compile(
    r"\b(?:(?:seq|sequence|context|ctx|block|max|crop|image|img|patch|input|clip)"
    r" (?:\w+ )?(?:len|length|size|res|resolution|frames)|seqlen|imgsz|resolution"
    r"|mask(?:ing)? (?:ratio|prob|probability|rate)|curriculum|curriculum \w+|stage|phase"
    r"|difficulty|task|task id|(?:num|n) tasks|teacher forcing|teacher forcing \w+"
    r"|(?:sampling|mixing|mixture) \w+|epsilon|augment\w*(?: \w+)?|mixup(?: \w+)?"
    r"|cutmix(?: \w+)?|noise (?:std|level|scale|sigma))\b"
)
# Tags that hold such a word and are measured, or belong to machine and optimizer.
_OTHER: Final = re.compile(
    r"\b(?:gpu|cuda|cpu|device|system|sensor|norm|decay|loss|acc|accuracy|grad|gradient|adam"
    r"|optimizer|reward|rewards|eval|val|time|seconds|momentum|utilization|memory)\b"
)
_SEPARATORS: Final = re.compile(r"[/._\-: ()]+")
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
# A change is one of at least a hundredth of the range of the values.
LEAST_CHANGE: Final = 0.01
# What is set goes its way back and forth a few times: once in twenty points at most, and no more
# often than twenty times. Noise of n points goes back and forth n / 2 times.
POINTS_PER_CYCLE: Final = 20
CYCLES_MAX: Final = 20
# Changes closer than this share of the points are one: a ramp.
RAMP_SHARE: Final = 0.02
FEWEST_POINTS: Final = 3
# The end of a ramp that slows down takes ten times as long as that of a straight one, or longer.
BY_AND_BY: Final = 10.0
# A setting that comes back three times, four gaps in five alike to a twentieth, has a period.
RETURNS: Final = 2
REGULAR: Final = 0.8
SAME: Final = 0.05


class Part(StrEnum):
    """What of the training a setting belongs to."""

    FORMULA = "formula"  # of the loss: validation may be measured with it too
    REGULARISER = "regulariser"
    TASK = "task"


@dataclass(frozen=True, slots=True)
class Change:
    """A setting that goes from one value to another, at once or on a ramp.

    `first` is the first step with a new value, `last` the one from which on it stands still.
    """

    tag: str
    first: int
    last: int
    before: float
    after: float
    part: Part


@remembered
def setting_changes(run: Run) -> tuple[Change, ...]:
    """Return how each logged setting of the loss changed, in step order."""
    found = [change for series in run.all(Metric.OTHER) for change in _changes(series)]
    return tuple(sorted(found, key=lambda change: (change.first, change.tag)))


@remembered
def setting_periods(run: Run) -> tuple[float, ...]:
    """Return the steps after which something set rises again and again.

    That is a setting of the loss, the size of the batch, or a learning rate that restarts.
    """
    known = [s for s in run.all(Metric.OTHER) if _part(s.tag) is not None]
    known += [*run.all(Metric.BATCH_SIZE), *run.all(Metric.LR)]
    found = [_period(series) for series in known]
    return tuple(period for period in found if period is not None)


def _period(series: Series) -> float | None:
    steps, values = series.finite()
    gaps = np.diff(steps[1:][np.diff(values) > 0])
    if gaps.size < RETURNS:
        return None
    usual = float(np.median(gaps))
    return usual if float(np.mean(np.abs(gaps - usual) <= SAME * usual + 1.0)) >= REGULAR else None


def setting_at(run: Run, tag: str) -> Series | None:
    """Return the series of a setting by its tag."""
    return next((s for s in run.all(Metric.OTHER) if s.tag == tag), None)


def _changes(series: Series) -> list[Change]:
    part = _part(series.tag)
    if part is None:
        return []
    steps, values = series.finite()
    if values.size < FEWEST_POINTS or not _is_set(values):
        return []
    way = np.sign(np.diff(values))
    # Along a ramp single moves are small: what counts is that the value moves at all.
    moved = np.flatnonzero(way) + 1
    gap = max(1.0, RAMP_SHARE * values.size)
    apart = (np.diff(moved) > gap) | (np.diff(way[moved - 1]) != 0)
    out = []
    for group in np.split(moved, np.flatnonzero(apart) + 1):
        before, after = float(values[group[0] - 1]), float(values[group[-1]])
        if abs(after - before) < LEAST_CHANGE * float(np.ptp(values)):
            continue
        where = int(steps[group[0]]), int(steps[_settled(values, group)])
        out.append(Change(series.tag, *where, before, after, part))
    return out


def _settled(values: FloatArray, group: IntArray) -> int:
    """Return the index from which on a ramp stands still.

    One that comes to its end by and by is there with its last hundredth, if that takes far longer
    than the hundredth of the time that a straight line's takes.
    """
    left = np.abs(values[group] - values[group[-1]])
    near = int(np.argmax(left <= LEAST_CHANGE * float(np.ptp(values))))
    tail = group.size - 1 - near
    return int(group[near] if tail > BY_AND_BY * LEAST_CHANGE * group.size else group[-1])


def _part(tag: str) -> Part | None:
    """Return what a setting of this name belongs to, None for what is no such setting."""
    words = " ".join(_SEPARATORS.split(_CAMEL.sub(" ", tag))).lower()
    if _OTHER.search(words.replace("loss weight", "term weight")):
        return None
    patterns = {Part.REGULARISER: _REGULARISER, Part.FORMULA: _FORMULA, Part.TASK: _TASK}
    return next((part for part, known in patterns.items() if known.search(words)), None)


def _is_set(values: FloatArray) -> bool:
    """Return whether values go their way as something set does: in few, clear moves."""
    span = float(np.ptp(values))
    if not 0 < span < np.inf:
        return False
    cycles = min(CYCLES_MAX, max(1.0, values.size / POINTS_PER_CYCLE))
    return float(np.sum(np.abs(np.diff(values)))) <= 2 * cycles * span
