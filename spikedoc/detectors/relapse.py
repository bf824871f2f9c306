"""A loss that had learned and is thrown above its own start, more than once."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.signal.baseline import rolling_median, scatter
from spikedoc.signal.level import levels
from spikedoc.signal.view import View, view

NAME: Final = "relapse"
MIN_POINTS: Final = 60
# Learned: a smoothed loss at half of its start. Relapsed: points a fifth above everything it began
# with. A healthy run does not do that once; twice is no accident.
SMOOTH_POINTS: Final = 5
LEARNED: Final = 0.5
ABOVE: Final = 1.2
FIRST_POINTS: Final = 5
MIN_TIMES: Final = 2
# The start must lie this many times the noise of the last third above the level: a fine-tuning in
# large noise passes its start by chance.
NOISE_SIGMAS: Final = 6.0
LATE_SHARE: Final = 3


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
    if not _is_far(seen, ceiling, int(learned[0])):
        return ()
    index = np.flatnonzero(seen.values > ceiling)
    index = index[index > learned[0]]
    times = 1 + int(np.sum(np.diff(index) > 1)) if index.size else 0
    if times < MIN_TIMES:
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


def _is_far(seen: View, ceiling: float, since: int) -> bool:
    """Return whether the ceiling is out of reach of the ordinary noise of the end of the run."""
    late = seen.judged[-max(MIN_POINTS // 3, len(seen) // LATE_SHARE) :]
    noise = scatter(np.diff(late)) / float(np.sqrt(2.0))
    level = float(np.median(seen.judged[since:]))
    return float(np.log(ceiling)) - level >= NOISE_SIGMAS * noise


DETECTOR: Final = detect
