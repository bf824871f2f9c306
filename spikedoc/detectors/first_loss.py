"""The first loss against what a classifier of C classes must start at."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.constants import chance_loss
from spikedoc.model.loss_terms import is_sum_of_terms
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run

NAME: Final = "first_loss"
# First logged loss of a fresh classifier: ln C, plus half the variance of its logits (2.73 instead
# of 2.30 for unit-variance logits and ten classes). Twice ln C is beyond any usual start.
ABOVE: Final = 2.0
# Below half of ln C within the first logged point: trained before, or it sees the answer.
BELOW: Final = 0.5
# Later first points have learned already.
LATEST_FIRST_STEP: Final = 5


def detect(run: Run) -> tuple[Detection, ...]:
    """Return START_OFF when the number of classes is known and the first loss does not fit it."""
    loss, classes = run.get(Metric.LOSS), run.config.get("num_classes")
    if loss is None or len(loss) == 0 or not isinstance(classes, int) or classes < 2:
        return ()
    if is_sum_of_terms(run):
        return ()
    first, expected = float(loss.values[0]), chance_loss(classes)
    fresh = int(loss.steps[0]) <= LATEST_FIRST_STEP
    if not fresh or not np.isfinite(first) or BELOW * expected <= first <= ABOVE * expected:
        return ()
    step = int(loss.steps[0])
    measures = {
        "first": first,
        "chance": expected,
        "classes": float(classes),
        "ratio": first / expected,
    }
    return (Detection(NAME, Shape.START_OFF, loss.name, step, step, step, measures),)


DETECTOR: Final = detect
