"""A loss that one update at a negligible learning rate throws to another level."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run

NAME: Final = "first_update"
# An optimizer of the Adam family moves a weight by about the learning rate at most: at a millionth
# one update changes no output that can be seen.
NEGLIGIBLE_LR: Final = 1e-6
# Twice the loss and two nats more: batches differ by less.
FACTOR: Final = 2.0
RISE: Final = 2.0
# Only among the first updates; later jumps are judged against the noise of the log.
FIRST_UPDATES: Final = 10
# Two points further apart than this hold more than one or two updates between them.
STEPS_APART: Final = 2


def detect(run: Run) -> tuple[Detection, ...]:
    """Return LEAP when the loss jumps between two neighbouring steps at next to no learning rate.

    `before` and `after` are the losses on both sides, `lr` the learning rate of the later step.
    """
    loss, lr = run.get(Metric.LOSS), run.get(Metric.LR)
    if loss is None or lr is None or len(loss) < 2:
        return ()
    steps, values = loss.steps[: FIRST_UPDATES + 1], loss.values[: FIRST_UPDATES + 1]
    for i in range(1, len(values)):
        before, after = float(values[i - 1]), float(values[i])
        if not (np.isfinite(before) and np.isfinite(after) and before > 0):
            continue
        apart = int(steps[i] - steps[i - 1])
        jumps = after >= FACTOR * before and after - before >= RISE and apart <= STEPS_APART
        rate = _largest_until(lr.steps, lr.values, int(steps[i])) if jumps else None
        if rate is None or not 0 < rate <= NEGLIGIBLE_LR:
            continue
        rest = loss.values[i:]
        back = float(np.nanmin(np.where(np.isfinite(rest), rest, np.inf)))
        if back < FACTOR * before:
            continue
        measures = {"before": before, "after": after, "factor": after / before, "lr": rate}
        step, last = int(steps[i]), int(loss.steps[-1])
        return (Detection(NAME, Shape.LEAP, loss.name, step, step, last, measures),)
    return ()


def _largest_until(
    steps: np.ndarray[tuple[int], np.dtype[np.int64]],
    values: np.ndarray[tuple[int], np.dtype[np.float64]],
    step: int,
) -> float | None:
    """Return the largest learning rate logged up to `step`; None without one."""
    seen = values[: int(np.searchsorted(steps, step, side="right"))]
    seen = seen[np.isfinite(seen)]
    return float(seen.max()) if seen.size else None


DETECTOR: Final = detect
