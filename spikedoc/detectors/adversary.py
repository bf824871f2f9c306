"""A discriminator that is always right, or always wrong: the generator learns nothing from it."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.objective import tag_words
from spikedoc.model.run import Run, Series

NAME: Final = "adversary"
# A cross-entropy of the discriminator below a thousandth: it errs on nothing.
RIGHT: Final = 1e-3
# A generator's non-saturating loss of 10 means that the discriminator gives its samples a chance of
# e^-10. Hinge and least-squares losses stay far below.
LOST: Final = 10.0
# Where its mean outputs are logged, as PyTorch's DCGAN example prints them, they say it themselves:
# real samples get 0.99 and more, generated ones 0.01 at most; a generator's loss is 4.6 there.
SURE: Final = 0.01
LOST_TO_SURE: Final = -math.log(SURE)
ON_REAL: Final = "dx"  # D(x), D_x
ON_GENERATED: Final = "dgz"  # D(G(z)), D_G_z1
# The same way round: a generator's loss of exactly 0 is that of samples which pass for real without
# a doubt, and a discriminator's loss of 10 says the same. One record may be an accident.
FOOLED_POINTS: Final = 5
# The last tenth of the log, at least this many records where there are so many.
LATE_SHARE: Final = 10
LATE_POINTS: Final = 20
DISCRIMINATOR: Final = frozenset({"d", "disc", "dis", "discriminator", "netd", "critic"})
GENERATOR: Final = frozenset({"g", "gen", "generator", "netg"})
# Where both halves of a discriminator's loss are logged, and beside them what it makes of the
# generator's samples, the last is one term of the generator's loss.
HALVES: Final = (frozenset({"real"}), frozenset({"fake"}))
FOOLED: Final = frozenset({"gan"})
# Words that tell nothing of the side.
SAID_OF_ALL: Final = frozenset({"loss", "train", "l", ""})


def detect(run: Run) -> tuple[Detection, ...]:
    """Return SATURATED when the discriminator errs on nothing and the generator's loss is huge.

    Or its mean outputs say that it errs on nothing; or it takes everything for real: its
    own loss is huge and the generator's exactly 0.
    """
    right, lost = sides(run)
    if not right or lost is None:
        return ()
    if len(right) == 1 and _is_fooled(right[0], lost):
        return (_fooled(right[0], lost),)
    low, high = [_late(series) for series in right], _late(lost)
    if high is None or not all(v is not None and v >= 0 for v in low):
        return ()
    errs = max(v for v in low if v is not None)
    first = int(right[0].steps[-min(len(right[0]), _late_points(right[0]))])
    outputs, since = _outputs(run, first) if high >= LOST_TO_SURE else ({}, first)
    if not outputs and (high < LOST or errs > RIGHT):
        return ()
    first, last = min(first, since), int(right[0].steps[-1])
    measures = {"discriminator": errs, "generator": high, **outputs}
    return (Detection(NAME, Shape.SATURATED, lost.name, first, last, last, measures),)


def _outputs(run: Run, late: int) -> tuple[dict[str, float], int]:
    """Return the discriminator's late mean outputs where they are logged and leave no doubt.

    And the step since which no record of either left any; `late` where they are not logged.
    """
    by_name = {_letters(series.tag): series for series in reversed(run.series) if len(series)}
    if not {ON_REAL, ON_GENERATED} <= by_name.keys():
        return {}, late
    on_real, on_generated = by_name[ON_REAL], by_name[ON_GENERATED]
    real, generated = _late(on_real), _late(on_generated)
    if real is None or generated is None or not 1.0 - SURE <= real <= 1.0:
        return {}, late
    if not 0.0 <= generated <= SURE:
        return {}, late
    since = max(
        _since(on_real, on_real.values >= 1.0 - SURE),
        _since(on_generated, on_generated.values <= SURE),
    )
    return {"real": real, "generated": generated}, since


def _since(series: Series, sure: NDArray[np.bool_]) -> int:
    """The step of the first of the last records that are all sure, the last step without any."""
    doubts = np.flatnonzero(~sure)
    at = min(int(doubts[-1]) + 1 if doubts.size else 0, len(series) - 1)
    return int(series.steps[at])


def _letters(tag: str) -> str:
    return "".join(filter(str.isalpha, tag.lower()))


def _is_fooled(discriminator: Series, generator: Series) -> bool:
    points = _late_points(generator)
    if len(generator) < FOOLED_POINTS or bool(np.any(generator.values[-points:] != 0.0)):
        return False
    high = _late(discriminator)
    return high is not None and high >= LOST


def _fooled(discriminator: Series, generator: Series) -> Detection:
    zero_since = np.flatnonzero(generator.values != 0.0)
    first = int(generator.steps[int(zero_since[-1]) + 1 if zero_since.size else 0])
    last = int(generator.steps[-1])
    high = _late(discriminator) or 0.0
    return Detection(NAME, Shape.SATURATED, generator.name, first, first, last, {"fooled": high})


def sides(run: Run) -> tuple[tuple[Series, ...], Series | None]:
    """Return the discriminator's loss, or its two halves, and the generator's beside it."""
    whole = _named(run, DISCRIMINATOR)
    if whole is not None:
        return (whole,), _named(run, GENERATOR)
    halves = [_named(run, DISCRIMINATOR, half) for half in HALVES]
    both = tuple(series for series in halves if series is not None)
    return (both if len(both) == len(HALVES) else ()), _named(run, GENERATOR, FOOLED)


def _named(run: Run, words: frozenset[str], term: frozenset[str] = frozenset()) -> Series | None:
    """Return the loss of one side: a tag of that word and `loss`, and of no term but `term`."""
    kinds = (Metric.LOSS, Metric.LOSS_COMPONENT)
    for series in run.series:
        if series.metric in kinds and series.rank is None and len(series):
            said = tag_words(series.tag) - SAID_OF_ALL
            if said - term and said - term <= words and term <= said:
                return series
    return None


def _late_points(series: Series) -> int:
    return max(LATE_POINTS, len(series) // LATE_SHARE)


def _late(series: Series) -> float | None:
    values = series.values[-_late_points(series) :]
    values = values[np.isfinite(values)]
    return float(np.median(values)) if values.size else None


DETECTOR: Final = detect
