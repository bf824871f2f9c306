"""What changes at a restart: the update norm of a cold optimizer, the level of the loss."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Restart, Run, Series
from spikedoc.signal.baseline import scatter
from spikedoc.signal.transform import ratio

NAME: Final = "restarts"
HISTORY: Final = 20
MIN_HISTORY: Final = 5
# A cold Adam makes a first step of sqrt((1 + beta1) / (1 - beta1)) = 4.36 times the usual size that
# dies away within ten steps. 2.5 leaves room for logs that keep a mean of two steps.
COLD_JUMP: Final = 2.5
COLD_SIGMAS: Final = 6.0
DECAY_POINTS: Final = 10
DECAYED: Final = 0.6
# The loss: median of the points after against that before, in the scatter of the latter.
LOSS_POINTS: Final = 10
LOSS_SIGMAS: Final = 4.0
LOSS_RISE: Final = float(np.log(1.2))


def detect(run: Run) -> tuple[Detection, ...]:
    """Return per restart a decay tail of the update norm, a jump of the loss, another scale."""
    found = []
    for restart in run.restarts:
        seen = (_cold(run, restart), _loss_jump(run, restart), _rescaled(run, restart))
        found += [d for d in seen if d is not None]
    return tuple(found)


def _rescaled(run: Run, restart: Restart) -> Detection | None:
    """Return a loss that was written again, all of it multiplied by one number."""
    series, piece = run.get(Metric.LOSS), restart.piece
    if series is None or piece is None or piece.ratio is None:
        return None
    measures = {
        "ratio": piece.ratio,
        "inverse": 1.0 / piece.ratio,
        "points": float(piece.rewritten),
        "written_to": float(restart.last_step),
    }
    step = restart.step
    return Detection(NAME, Shape.RESCALED, series.name, step, step, restart.last_step, measures)


def _cold(run: Run, restart: Restart) -> Detection | None:
    series = run.get(Metric.UPDATE_NORM)
    parts = None if series is None else _around(series, restart.step)
    if series is None or parts is None:
        return None
    before, after, index = parts
    usual = float(np.median(before))
    if usual <= 0 or after.size < DECAY_POINTS:
        return None
    factor = float(after[0]) / usual
    spread = scatter(np.log(before[before > 0]))
    late = float(np.median(after[DECAY_POINTS // 2 : DECAY_POINTS])) / usual
    stands_out = factor >= COLD_JUMP and np.log(factor) >= COLD_SIGMAS * spread
    if not stands_out or late > max(1.0, DECAYED * factor):
        return None
    measures = {"before": usual, "peak": float(after[0]), "factor": factor, "late": late}
    first = int(series.steps[index])
    last = int(series.steps[min(len(series) - 1, index + DECAY_POINTS)])
    return Detection(NAME, Shape.DECAY_TAIL, series.name, first, first, last, measures)


def _loss_jump(run: Run, restart: Restart) -> Detection | None:
    series = run.get(Metric.LOSS)
    parts = None if series is None else _around(series, restart.step)
    if series is None or parts is None:
        return None
    before, after, index = parts
    if float(before.min()) <= 0 or after.size < LOSS_POINTS or float(after.min()) <= 0:
        return None
    level, new = np.log(before), np.log(after[:LOSS_POINTS])
    rise = float(np.median(new) - np.median(level))
    error = scatter(level) * float(np.sqrt(1 / level.size + 1 / new.size)) * 1.2533
    if rise < LOSS_RISE or rise < LOSS_SIGMAS * error:
        return None
    measures = {
        "before": float(np.median(before)),
        "after": float(np.median(after[:LOSS_POINTS])),
        "factor": ratio(rise),
    }
    first = int(series.steps[index])
    last = int(series.steps[min(len(series) - 1, index + LOSS_POINTS)])
    return Detection(NAME, Shape.JUMP, series.name, first, first, last, measures)


def _around(
    series: Series, step: int
) -> (
    tuple[
        np.ndarray[tuple[int], np.dtype[np.float64]],
        np.ndarray[tuple[int], np.dtype[np.float64]],
        int,
    ]
    | None
):
    """Return the finite values just before and after `step`, and the index of the first after."""
    index = series.index_at(step)
    before = series.values[max(0, index - HISTORY) : index]
    after = series.values[index:]
    before, after = before[np.isfinite(before)], after[np.isfinite(after)]
    if before.size < MIN_HISTORY or after.size < MIN_HISTORY:
        return None
    return before, after, index


DETECTOR: Final = detect
