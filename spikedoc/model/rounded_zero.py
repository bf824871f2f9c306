"""A loss printed as 0 throughout, in a log of so few digits that it need not be 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from spikedoc.model.metric import Metric
from spikedoc.model.quality import PERCENT, as_shares, is_accuracy
from spikedoc.model.run import FloatArray, Run

# `:.2f`, as losses are printed most often with few digits; 0.000 and more say what a loss is.
FEW_DECIMALS: Final = 2
SAME: Final = 1e-9
# With one answer in ten wrong a loss of 0 is none: other rules tell what it is.
LEAST_ACCURACY: Final = 0.9
BESIDE: Final = (
    *(Metric.LOSS, Metric.VAL_LOSS, Metric.LOSS_COMPONENT, Metric.VAL_LOSS_COMPONENT),
    *(Metric.TRAIN_METRIC, Metric.VAL_METRIC, Metric.GRAD_NORM),
)
# Nothing is learned to the last answer within the first records of a training, whole epochs or some
# tens of steps: so many records, and the first of all among them.
FEWEST_RIGHT: Final = 3
BEGINNING: Final = 100
# An answer that is wrong gives the right class half of the probability at most: ln 2 in nats.
WRONG_COSTS: Final = float(np.log(2.0))


@dataclass(frozen=True, slots=True)
class RoundedZero:
    """What such a log says: how large the loss may be, and what its accuracy asks for."""

    below: float  # half of the last digit
    train_accuracy: float | None  # share of right answers, where training's own is logged

    @property
    def least_cross_entropy(self) -> float | None:
        """The least mean cross-entropy of that accuracy in nats; None where it fits the loss."""
        if self.train_accuracy is None:
            return None
        least = (1.0 - self.train_accuracy) * WRONG_COSTS
        return least if least > self.below else None


def rounded_zero(run: Run) -> RoundedZero | None:
    """Return what a loss of 0 throughout says; None where it says that it is 0, or is not."""
    loss = run.get(Metric.LOSS)
    if loss is None or not len(loss) or bool(np.any(loss.values != 0.0)):
        return None
    accuracies = {
        metric: [found for found in map(_share, _accuracies(run, metric)) if found is not None]
        for metric in (Metric.TRAIN_METRIC, Metric.VAL_METRIC)
    }
    best = max((max(found) for found in accuracies.values() if found), default=0.0)
    if best < LEAST_ACCURACY or _has_digits(run) or _gradient_is_zero(run):
        return None
    train = max(accuracies[Metric.TRAIN_METRIC], default=None)
    return RoundedZero(0.5 * 10.0**-FEW_DECIMALS, train)


def right_from_the_start(run: Run) -> bool:
    """Return whether each record of a training, its first too, has every answer right.

    Then there was nothing to learn: the answer is in the input, the labels are masked or all alike.
    """
    loss = run.get(Metric.LOSS)
    if loss is None or int(loss.steps[0]) > min(BEGINNING, max(1.0, loss.stride)):
        return False
    metrics = (Metric.TRAIN_METRIC, Metric.VAL_METRIC)
    found = [values for metric in metrics for values in _accuracies(run, metric)]
    right = all(bool(np.all((v == 1.0) | (v == PERCENT))) for v in found)
    return right and max((v.size for v in found), default=0) >= FEWEST_RIGHT


def _accuracies(run: Run, metric: Metric) -> list[FloatArray]:
    return [one.finite()[1] for one in run.all(metric) if is_accuracy(one)]


def _share(values: FloatArray) -> float | None:
    """Return the middle accuracy as a share, None where the values are no shares."""
    if not values.size or float(values.min()) < 0 or float(values.max()) > PERCENT:
        return None
    return float(np.median(as_shares(values)))


def _has_digits(run: Run) -> bool:
    """Return whether any quantity beside the loss shows that the log prints more decimals."""
    beside = (one.finite()[1] for metric in BESIDE for one in run.all(metric))
    return any(
        bool(np.any(np.abs(values - np.round(values, FEW_DECIMALS)) > SAME)) for values in beside
    )


def _gradient_is_zero(run: Run) -> bool:
    gradient = run.get(Metric.GRAD_NORM)
    return gradient is not None and len(gradient) > 0 and not bool(np.any(gradient.values != 0.0))
