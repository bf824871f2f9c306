"""A generator that loses to its discriminator, slowly and without end."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.objective import tag_words
from spikedoc.model.run import FloatArray, Run, Series
from spikedoc.signal.baseline import block_medians
from spikedoc.signal.transform import ratio
from spikedoc.signal.trend import kendall_tau

NAME: Final = "balance"
GENERATOR: Final = frozenset({"gen", "generator", "g", "netg"})
DISCRIMINATOR: Final = frozenset({"dis", "disc", "discriminator", "d", "netd"})
MIN_POINTS: Final = 100
BLOCKS: Final = 40
# Losses of both sides swing in health. From its lowest block on the generator's rises by half and
# more, the discriminator's falls by a quarter and more, both nearly without a break, to the end and
# for a third of the run: then the two no longer hold each other.
RISE: Final = float(np.log(1.5))
FALL: Final = float(np.log(4.0 / 3.0))
TAU: Final = 0.8
# The discriminator is the noisier one: its loss is nearer to zero.
TAU_LEEWAY: Final = 0.2
LEAST_SHARE: Final = 1.0 / 3.0
# The highest block lies in the last tenth: it still goes on.
LATEST_TOP: Final = 0.9
# The lowest block of a level is low by chance: up to a tenth of the rise above it, nothing has
# begun.
ONSET_SHARE: Final = 0.1
# Before this share of the run both sides find their feet.
EARLY_SHARE: Final = 0.1


def detect(run: Run) -> tuple[Detection, ...]:
    """Return RAMP on the generator's loss when it climbs while the discriminator's falls."""
    ours, theirs = _of(run, GENERATOR), _of(run, DISCRIMINATOR)
    if ours is None or theirs is None:
        return ()
    steps, climb = ours.finite()
    other_steps, fall = theirs.finite()
    if min(climb.size, fall.size) < MIN_POINTS or min(climb.min(), fall.min()) <= 0:
        return ()
    width = climb.size // BLOCKS
    level = block_medians(np.log(climb), width)
    skip = int(EARLY_SHARE * level.size)
    lowest = _onset(level, skip + int(np.argmin(level[skip:])))
    part = level[lowest:]
    rise = float(part.max() - part[0])
    lasts = part.size >= LEAST_SHARE * level.size and int(np.argmax(part)) >= LATEST_TOP * part.size
    if rise < RISE or not lasts or kendall_tau(part) < TAU:
        return ()
    first = int(steps[lowest * width])
    other = _fall_since(np.log(fall[other_steps >= first]))
    if other < FALL:
        return ()
    measures = {"rise": rise, "before": float(np.exp(part[0])), "after": float(np.exp(part[-1]))}
    measures |= {"factor": ratio(rise), "other_factor": ratio(-other)}
    last = int(steps[-1])
    return (Detection(NAME, Shape.RAMP, ours.name, first, last, last, measures),)


def _onset(level: FloatArray, lowest: int) -> int:
    """Return the last block that lies at the level of the `lowest` one."""
    rise = float(level[lowest:].max() - level[lowest])
    return lowest + int(np.flatnonzero(level[lowest:] <= level[lowest] + ONSET_SHARE * rise)[-1])


def _of(run: Run, words: frozenset[str]) -> Series | None:
    """Return the only total loss of this side, None when several could be it."""
    roles = (Metric.LOSS, Metric.LOSS_COMPONENT)
    found = [s for s in run.series if s.metric in roles and s.rank is None]
    sides = [s for s in found if tag_words(s.tag) & words]
    return sides[0] if len(sides) == 1 else None


def _fall_since(logs: FloatArray) -> float:
    """Return how far the values fall from first to last block, 0.0 when they do not keep to it."""
    level = block_medians(logs, max(1, logs.size // BLOCKS))
    if level.size < BLOCKS // 2 or kendall_tau(level) > -TAU + TAU_LEEWAY:
        return 0.0
    return float(level[0] - level[-1])


DETECTOR: Final = detect
