"""A loss that had learned something, and ends where it began."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.run import Run
from spikedoc.signal.baseline import block_medians, scatter
from spikedoc.signal.contrast import MEDIAN_FACTOR
from spikedoc.signal.level import levels
from spikedoc.signal.view import view

NAME: Final = "unlearned"
# Shorter and longer logs are judged by their own detectors (`short_course`, `excursions`).
MIN_POINTS: Final = 60
MAX_POINTS: Final = 2_000
BLOCKS: Final = 40
BLOCK_LEAST: Final = 8
# Learned: a fifth below the start in the first half of the log, and five standard errors of the
# lowest of its blocks. Lost: as much above that, and back at the start to 5 %, for the whole second
# half of the log. Simulated (flat or falling, noise of sigma .05 to 1 of either tail, also growing,
# shrinking or with a memory): 6 in 12,000, each of noise with a memory.
LEARNED: Final = float(np.log(1.25))
SCORE: Final = 5.0
WANDER_SCORE: Final = 4.0
BACK: Final = float(np.log(1.05))
HALF: Final = 0.5


def detect(run: Run) -> tuple[Detection, ...]:
    """Return END_ABOVE_BEST when the second half of the loss lies at its start, or above it.

    Nothing that was learned is left: so low a rise is believed that would not stand out elsewhere.
    """
    series = run.main_loss
    if series is None:
        return ()
    seen = view(series.steps, series.values)
    if not MIN_POINTS <= len(seen) <= MAX_POINTS:
        return ()
    width = max(BLOCK_LEAST, len(seen) // BLOCKS)
    level = block_medians(seen.judged, width)
    half = level.size // 2
    best = int(np.argmin(level[:half]))
    start, low = levels(seen.judged).start, float(level[best])
    end = float(np.median(level[half:]))
    # Noise with a memory differs little from one point to the next, and makes blocks wander: what
    # they do where nothing more is lost.
    late = seen.judged[half * width :]
    noise = max(scatter(np.diff(seen.judged)) / float(np.sqrt(2.0)), scatter(late))
    white = MEDIAN_FACTOR * noise / float(np.sqrt(width))
    wander = scatter(np.diff(level[half:])) / float(np.sqrt(2.0))
    least = max(LEARNED, SCORE * white, WANDER_SCORE * wander)
    stays = float(level[half:].min()) >= low + HALF * (end - low)
    if start - low < least or end - low < least or end < start - BACK or not stays:
        return ()
    up = best + int(np.argmax(level[best:] >= low + HALF * (end - low)))
    index = up * width
    measures = {
        "z": (end - low) / white if white > 0 else float("inf"),
        "rise": end - low,
        "best": low,
        "index": float(index),
    }
    first, last = int(seen.steps[index]), int(seen.steps[-1])
    return (Detection(NAME, Shape.END_ABOVE_BEST, series.name, first, last, last, measures),)


DETECTOR: Final = detect
