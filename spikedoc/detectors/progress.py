"""Does the loss go down at all?"""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.run import FloatArray, Run
from spikedoc.signal.contrast import MEDIAN_FACTOR
from spikedoc.signal.level import levels
from spikedoc.signal.roughness import roughness
from spikedoc.signal.trend import trend
from spikedoc.signal.view import view

NAME: Final = "progress"
MIN_POINTS: Final = 30
# Start against the best block. Measured: at most .06 nats on runs that learn nothing, at least .57
# on healthy ones.
FLAT_FALL: Final = 0.10
SKIP_SHARE: Final = 10


def detect(run: Run) -> tuple[Detection, ...]:
    """Return FLAT when the best level is hardly below the first one."""
    series = run.main_loss
    if series is None:
        return ()
    seen = view(series.steps, series.values)
    if len(seen) < MIN_POINTS:
        return ()
    level = levels(seen.values)
    if level.start <= 0 or level.best <= 0:
        return ()
    fall = float(np.log(level.start / level.best))
    if fall >= FLAT_FALL:
        return ()
    course = trend(seen.judged[len(seen) // SKIP_SHARE :])
    noise = roughness(seen.judged).noise
    measures = {
        "first": level.start,
        "best": level.best,
        "last": level.end,
        "fall": fall,
        "tau": course.tau,
        "relative_noise": noise,
        "fall_score": _fall_score(seen.judged, noise),
        "points": float(len(seen)),
    }
    first, last = int(seen.steps[0]), int(seen.steps[-1])
    return (Detection(NAME, Shape.FLAT, series.name, first, first, last, measures),)


def _fall_score(values: FloatArray, noise: float) -> float:
    """Return how many standard errors the last third lies below the first."""
    third = values.size // 3
    drop = float(np.median(values[:third]) - np.median(values[-third:]))
    error = MEDIAN_FACTOR * noise * float(np.sqrt(2.0 / third))
    return drop / error if error > 0 else (np.inf if drop > 0 else 0.0)


DETECTOR: Final = detect
