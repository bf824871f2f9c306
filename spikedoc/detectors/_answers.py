"""How many answers were right, as far as accuracies say."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.metric import Metric
from spikedoc.model.quality import is_accuracy
from spikedoc.model.run import Run

# Poor: of eight and more not one in which a quarter of the answers is right, in training as in
# validation, and none with a twentieth more right answers than the first. Of five classes the
# worst guess is right more often. A share that never changes is no witness: it may be that of a
# task whose answers are never right to the letter.
POOR_POINTS: Final = 8
POOR_ACCURACY: Final = 0.25
POOR_GAIN: Final = 0.05
# Where at most a tenth of the guesses is right, half of the answers are not guessed.
WELL: Final = 0.5


def answers_well(run: Run) -> bool:
    """Return whether an accuracy shows that most answers are right, so that they are no guesses."""
    metrics = (*run.all(Metric.TRAIN_METRIC), *run.all(Metric.VAL_METRIC))
    shares = [s.finite()[1] for s in metrics if is_accuracy(s)]
    return any(share.size and float(np.median(share)) > WELL for share in shares)


def all_poor(run: Run) -> bool:
    """Return whether answers were right as seldom as at first, in training and in validation."""
    for metric in (Metric.TRAIN_METRIC, Metric.VAL_METRIC):
        shares = [s.finite()[1] for s in run.all(metric) if is_accuracy(s)]
        if not shares or min(share.size for share in shares) < POOR_POINTS:
            return False
        for share in shares:
            poor = 0.0 <= float(share.min()) < float(share.max()) <= POOR_ACCURACY
            if not poor or float(share.max()) - float(share[0]) >= POOR_GAIN:
                return False
    return True


def hardly_any_right(run: Run, most: float) -> bool:
    """Return whether no share of right answers passes `most`, nor its first one by a twentieth.

    One of them must hold eight records; False where none does.
    """
    metrics = (*run.all(Metric.TRAIN_METRIC), *run.all(Metric.VAL_METRIC))
    shares = [values for s in metrics if is_accuracy(s) and (values := s.finite()[1]).size]
    low = (v.min() >= 0.0 and v.max() <= min(most, v[0] + POOR_GAIN) for v in shares)
    return any(v.size >= POOR_POINTS for v in shares) and all(low)
