"""An update norm that jumps and dies away as with a cold Adam, where no restart is marked."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.signal.baseline import scatter

NAME: Final = "cold_update"
HISTORY: Final = 50
# A cold Adam makes a first step of sqrt((1 + beta1) / (1 - beta1)) = 4.36 times the usual size
# (beta1 0.9). Without a restart beside it the jump must be near that: three to seven times.
JUMP_LEAST: Final = 3.0
JUMP_MOST: Final = 7.0
SIGMAS: Final = 8.0
# It dies away from step to step, by a factor that moments which fill have (measured: x4.4 at the
# first step, x1.2 after ten, so by 0.75 each); five points tell the factor. A gradient that is
# remembered dies away by beta1, 0.9.
DECAY_POINTS: Final = 10
FIT_POINTS: Final = 5
RATE_LEAST: Final = 0.6
RATE_MOST: Final = 0.88
GONE: Final = 0.4
# What moves with it explains it: a gradient that jumps, a rate that is raised, a loss that leaps.
BESIDE: Final = {Metric.GRAD_NORM: 1.8, Metric.LR: 1.3, Metric.LOSS: 1.5}
# What comes again and again is no loss of state.
MOST: Final = 2


def detect(run: Run) -> tuple[Detection, ...]:
    """Return the jumps of the update norm that look like a cold start; none in a marked run."""
    series = run.get(Metric.UPDATE_NORM)
    if series is None or run.restarts or series.stride != 1:
        return ()
    steps, values = series.finite()
    found = []
    for index in _candidates(values):
        usual = float(np.median(values[index - HISTORY : index]))
        if not _dies_away(values[index : index + DECAY_POINTS + 1] / usual):
            continue
        if _moves_beside(run, int(steps[index])):
            continue
        peak = float(values[index])
        late = float(np.median(values[index + DECAY_POINTS // 2 : index + DECAY_POINTS])) / usual
        measures = {"before": usual, "peak": peak, "factor": peak / usual, "late": late}
        first, last = int(steps[index]), int(steps[index + DECAY_POINTS])
        found.append(
            Detection(
                NAME,
                Shape.DECAY_TAIL,
                series.name,
                first,
                first,
                last,
                {**measures, "unmarked": 1.0},
            )
        )
    return tuple(found) if len(found) <= MOST else ()


def _candidates(values: NDArray[np.float64]) -> list[int]:
    """Return where a value stands three to seven times above the fifty before it."""
    if values.size < HISTORY + DECAY_POINTS + 1 or float(values.min()) <= 0:
        return []
    leaps = np.flatnonzero(values[1:] >= JUMP_LEAST / 2 * values[:-1]) + 1
    out = []
    for index in leaps[(leaps >= HISTORY) & (leaps < values.size - DECAY_POINTS)].tolist():
        before = values[index - HISTORY : index]
        factor = float(values[index] / np.median(before))
        spread = scatter(np.log(before))
        if JUMP_LEAST <= factor <= JUMP_MOST and np.log(factor) >= SIGMAS * spread:
            out.append(index)
    return out


def _dies_away(ratios: NDArray[np.float64]) -> bool:
    """Return whether what stands above 1 gets less by about one factor at each point."""
    excess = ratios[:FIT_POINTS] - 1.0
    if float(excess.min()) <= 0 or ratios[-1] - 1.0 > GONE * excess[0]:
        return False
    rate = float((excess[-1] / excess[0]) ** (1.0 / (FIT_POINTS - 1)))
    return RATE_LEAST <= rate <= RATE_MOST and bool(excess[2] < excess[0])


def _moves_beside(run: Run, step: int) -> bool:
    """Return whether gradient, rate or loss leaves its level at the same step."""
    for metric, factor in BESIDE.items():
        series = run.get(metric)
        if series is None:
            continue
        at = series.index_at(step)
        before, after = series.values[max(0, at - HISTORY) : at], series.values[at : at + 3]
        before, after = before[np.isfinite(before)], after[np.isfinite(after)]
        if before.size and after.size and float(after.max()) > factor * abs(np.median(before)):
            return True
    return False


DETECTOR: Final = detect
