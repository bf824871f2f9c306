"""A loss that had learned and is thrown above its own start, more than once."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, Run
from spikedoc.signal.baseline import rolling_median, scatter
from spikedoc.signal.level import levels
from spikedoc.signal.tail import tail_level
from spikedoc.signal.view import view

BoolArray = NDArray[np.bool_]

NAME: Final = "relapse"
MIN_POINTS: Final = 60
# Learned: a smoothed loss at half of its start. Relapsed: points a fifth above everything it began
# with. A healthy run does not do that once; twice is no accident.
SMOOTH_POINTS: Final = 5
LEARNED: Final = 0.5
ABOVE: Final = 1.2
FIRST_POINTS: Final = 5
MIN_TIMES: Final = 2
# The start must lie this many times the noise above the level around the point, and above what the
# tail of that noise reaches: a fine-tuning in large noise passes its start by chance.
NOISE_SIGMAS: Final = 6.0
THIRDS: Final = 3
# One point in thirty-three, hardly ever two in a row.
USUAL_SHARE: Final = 0.03
ALONE: Final = 1.5
LEVEL_SHARE: Final = 40
LEVEL_MIN: Final = 11


def detect(run: Run) -> tuple[Detection, ...]:
    """Return ABOVE_START when the loss goes back above its start after having halved."""
    series = run.get(Metric.LOSS)
    if series is None:
        return ()
    seen = view(series.steps, series.values)
    if len(seen) < MIN_POINTS or float(seen.values.min()) <= 0:
        return ()
    start = levels(seen.values).start
    learned = np.flatnonzero(rolling_median(seen.values, SMOOTH_POINTS) <= LEARNED * start)
    if learned.size == 0:
        return ()
    ceiling = ABOVE * max(start, float(seen.values[:FIRST_POINTS].max()))
    since = int(learned[0]) + 1
    index = since + np.flatnonzero(seen.values[since:] > ceiling)
    index = index[_is_far(seen.judged[since:], float(np.log(ceiling)))[index - since]]
    times = 1 + int(np.sum(np.diff(index) > 1)) if index.size else 0
    if times < MIN_TIMES or _is_usual(index.size, times, len(seen) - since):
        return ()
    peak = int(index[np.argmax(seen.values[index])])
    measures = {
        "first": start,
        "peak": float(seen.values[peak]),
        "factor": float(seen.values[peak]) / start,
        "count": float(times),
    }
    where = [int(seen.steps[i]) for i in (index[0], peak, index[-1])]
    return (
        Detection(NAME, Shape.ABOVE_START, series.name, where[0], where[1], where[2], measures),
    )


def _is_usual(count: int, times: int, points: int) -> bool:
    """Return whether single points up there are part of the log: a set of data with high losses.

    A model that was thrown takes some steps to come back.
    """
    return count >= USUAL_SHARE * points and count <= ALONE * times


def _is_far(judged: FloatArray, ceiling: float) -> BoolArray:
    """Return where the ceiling is out of reach of the noise around the level at that place."""
    if judged.size < MIN_POINTS // 3:
        return np.zeros(judged.size, dtype=np.bool_)
    level = rolling_median(judged, max(LEVEL_MIN, judged.size // LEVEL_SHARE))
    # The noisiest third counts: noise swells and shrinks in health too.
    thirds = np.array_split(np.diff(judged), THIRDS)
    noise = max(scatter(part) for part in thirds) / float(np.sqrt(2.0))
    if noise <= 0:
        return np.ones(judged.size, dtype=np.bool_)
    reach = max(NOISE_SIGMAS, tail_level(((judged - level) / noise)[judged <= ceiling]))
    return np.asarray(ceiling - level >= reach * noise)


DETECTOR: Final = detect
