"""A classifier that gives every sample the same answer, so that its accuracy never moves."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.quality import is_accuracy
from spikedoc.model.run import FloatArray, Run, Series

NAME: Final = "one_answer"
# Evaluations that agree to the last sample, from the first one on: training that moves any decision
# at all moves a count.
MIN_EVALUATIONS: Final = 8
SAME: Final = 1e-9
# Knowing how often the answer is right costs its entropy; whoever tells samples apart pays less.
# With some of a right answer in hand the loss lies well below.
ENTROPY_SHARE: Final = 0.9
# All right or all wrong is another finding, or none.
LEAST: Final = 0.01
MOST: Final = 0.9999
PERCENT: Final = 100.0
# The best so far stands still by itself.
RUNNING_BEST: Final = ("best", "max")


def detect(run: Run) -> tuple[Detection, ...]:
    """Return PLATEAU for a validation accuracy that stands still beside a loss that knows nothing.

    `accuracy` is the share of right answers, `entropy` in nats what a constant guess of that share
    costs, `best` and `last` are those of the validation loss.
    """
    loss = run.get(Metric.VAL_LOSS)
    if loss is None:
        return ()
    steps, losses = loss.finite()
    for series in run.all(Metric.VAL_METRIC):
        share = _stood(series)
        if share is None or losses.size < MIN_EVALUATIONS:
            continue
        entropy = -share * float(np.log(share)) - (1 - share) * float(np.log(1 - share))
        if float(losses.min()) < ENTROPY_SHARE * entropy:
            continue
        measures = {
            "first": float(losses[0]),
            "best": float(losses.min()),
            "last": float(losses[-1]),
            "accuracy": share,
            "entropy": entropy,
            "evaluations": float(len(series)),
            "still": 1.0,
        }
        first, last = int(steps[0]), int(steps[-1])
        return (Detection(NAME, Shape.PLATEAU, loss.name, first, first, last, measures),)
    return ()


def _stood(series: Series) -> float | None:
    """Return the share of right answers when it is the same at each evaluation, else None."""
    if not is_accuracy(series) or any(word in series.tag.lower() for word in RUNNING_BEST):
        return None
    values: FloatArray = series.finite()[1]
    if values.size < MIN_EVALUATIONS or float(np.ptp(values)) > SAME * float(np.abs(values).max()):
        return None
    share = float(values[0]) / (PERCENT if float(values[0]) > 1.0 else 1.0)
    return share if LEAST <= share <= MOST else None


DETECTOR: Final = detect
