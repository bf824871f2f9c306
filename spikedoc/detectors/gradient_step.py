"""A gradient norm that steps to many times its level and stays there."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, Run
from spikedoc.signal.baseline import block_medians
from spikedoc.signal.view import view

NAME: Final = "gradient_step"
# Points on either side that make up a level; two levels on each side, so that they are known.
SIDE: Final = 20
# Ten times: a schedule, a warm-up and a new stage of the data move the norm by less (a change of
# the learning rate by ten moved it by 1.5 to 3 times in small trainings).
LEAST_STEP: Final = float(np.log(10.0))
# A step: four fifths of it lie between five points and the next five.
NEAR: Final = 5
STEP_SHARE: Final = 0.8
# For good: every block of what follows stays above half of the step (in logarithms), every block
# before below it.
HALF: Final = 0.5


def detect(run: Run) -> tuple[Detection, ...]:
    """Return STEP_UP for the step of the gradient norm, if there is one that lasts to the end."""
    series = run.get(Metric.GRAD_NORM)
    if series is None:
        return ()
    seen = view(series.steps, series.values)
    if len(seen) < 4 * SIDE or float(seen.values.min()) <= 0:
        return ()
    logs = np.log(seen.values)
    index = _index(logs)
    if index is None or not _lasts(logs, index):
        return ()
    before, after = (float(np.median(part)) for part in (seen.values[:index], seen.values[index:]))
    measures = {"before": before, "after": after, "factor": after / before}
    first, last = int(seen.steps[index]), int(seen.steps[-1])
    return (Detection(NAME, Shape.STEP_UP, series.name, first, first, last, measures),)


def _index(logs: FloatArray) -> int | None:
    """Return the index of the first value at the new level of the largest step, if large enough."""
    near = np.lib.stride_tricks.sliding_window_view(logs, NEAR)
    levels = np.median(near, axis=1)
    rises = levels[NEAR:] - levels[:-NEAR]  # between the five before i + NEAR and the five from it
    inside = rises[2 * SIDE - NEAR : rises.size - 2 * SIDE + NEAR]
    if inside.size == 0:
        return None
    guess = int(np.argmax(inside)) + 2 * SIDE
    before, after = logs[guess - SIDE - NEAR : guess - NEAR], logs[guess + NEAR :][:SIDE]
    low, high = float(np.median(before)), float(np.median(after))
    if high - low < LEAST_STEP or float(inside.max()) < STEP_SHARE * (high - low):
        return None
    half = low + HALF * (high - low)
    return guess - NEAR + int(np.argmax(logs[guess - NEAR : guess + NEAR] > half))


def _lasts(logs: FloatArray, index: int) -> bool:
    before, after = block_medians(logs[:index], SIDE), block_medians(logs[index:], SIDE)
    low, high = float(before[-1]), float(after[0])
    half = low + HALF * (high - low)
    return bool(after.min() > half > before.max()) and float(np.median(after)) >= low + LEAST_STEP


DETECTOR: Final = detect
