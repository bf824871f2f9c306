"""A loss that stays far above its own start for a good part of the run, and comes back."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.loss_terms import is_sum_of_terms
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.signal.baseline import block_medians
from spikedoc.signal.level import levels
from spikedoc.signal.view import view

NAME: Final = "hump"
MIN_POINTS: Final = 100
# Medians over a fortieth of the run each: single spikes, and noise, are not in them.
BLOCKS: Final = 40
# An untrained model guesses; twice what that costs is worse than knowing nothing. For a tenth of
# the run and more, in one piece, and down again by the end.
ABOVE: Final = 2.0
LEAST_BLOCKS: Final = 4
FIRST_POINTS: Final = 5
# Targets that get harder as a queue or a teacher fills up start near zero.
LEAST_START: Final = 0.1


def detect(run: Run) -> tuple[Detection, ...]:
    """Return HUMP from the first to the last part of the run that lies above twice the start."""
    series = run.get(Metric.LOSS)
    if series is None or is_sum_of_terms(run):
        return ()
    seen = view(series.steps, series.values)
    if len(seen) < MIN_POINTS:
        return ()
    start = max(levels(seen.values).start, float(seen.values[:FIRST_POINTS].max()))
    width = len(seen) // BLOCKS
    high = block_medians(seen.values, width) > ABOVE * start
    if start < LEAST_START or high[-1] or not high.any():
        return ()
    # Where the longest piece begins and ends.
    edges = np.flatnonzero(np.diff(np.concatenate([[False], high, [False]]).astype(np.int8)))
    lengths = edges[1::2] - edges[::2]
    longest = int(np.argmax(lengths))
    if int(lengths[longest]) < LEAST_BLOCKS:
        return ()
    first, last = int(edges[2 * longest]) * width, int(edges[2 * longest + 1]) * width - 1
    peak = first + int(np.argmax(seen.values[first : last + 1]))
    steps = [int(seen.steps[i]) for i in (first, peak, last)]
    measures = {
        "before": start,
        "peak": float(seen.values[peak]),
        "factor": float(seen.values[peak]) / start,
    }
    return (Detection(NAME, Shape.HUMP, series.name, steps[0], steps[1], steps[2], measures),)


DETECTOR: Final = detect
