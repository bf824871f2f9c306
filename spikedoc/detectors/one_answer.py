"""A classifier that gives every sample the same answer, so that its accuracy never moves."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.constants import CHANCE_TOLERANCE, chance_loss
from spikedoc.model.metric import Metric
from spikedoc.model.quality import PERCENT, as_shares, is_accuracy
from spikedoc.model.run import FloatArray, Run, Series

NAME: Final = "one_answer"
# Evaluations that agree to the last sample, from the first one on: training that moves any decision
# at all moves a count.
MIN_EVALUATIONS: Final = 8
SAME: Final = 1e-9
# A share printed to a hundredth hides what many a sample does; some accuracy of the log must show a
# thousandth at least.
DECIMALS: Final = 2
# Knowing how often the answer is right costs its entropy; whoever tells samples apart pays less.
# With some of a right answer in hand the loss lies well below.
ENTROPY_SHARE: Final = 0.9
# The largest class of share a leaves labels of an entropy of ln(1/a) at least. A loss that is just
# that, at a share that is one in C, is the even guess among C equal classes: none is the largest.
EVEN_COUNT: Final = 0.1
# Nor does training tell samples apart: its loss knows no more than the share of right answers
# either, and its accuracy does not end with half of what the one answer has wrong.
LEVEL_POINTS: Final = 5
HALF: Final = 0.5
# All right or all wrong is another finding, or none.
LEAST: Final = 0.01
MOST: Final = 0.9999
# The best so far stands still by itself.
RUNNING_BEST: Final = ("best", "max")


def detect(run: Run) -> tuple[Detection, ...]:
    """Return PLATEAU for a validation accuracy that stands still beside a loss that knows nothing.

    `accuracy` is the share of right answers, `entropy` in nats what a constant guess of that share
    costs at least, `best` and `last` are those of the validation loss. Where accuracy and loss are
    those of an even guess among equal classes, it is STANDSTILL, with `classes` and `chance`.
    """
    loss = run.get(Metric.VAL_LOSS)
    if loss is None:
        return ()
    steps, losses = loss.finite()
    for series in run.all(Metric.VAL_METRIC) if _counts_samples(run) else ():
        share = _stood(series)
        if share is None or losses.size < MIN_EVALUATIONS:
            continue
        entropy = _constant_guess(share)
        least = ENTROPY_SHARE * entropy
        if float(losses.min()) < least or _tells_apart(run, share, least):
            continue
        measures = {
            "first": float(losses[0]),
            "best": float(losses.min()),
            "last": float(losses[-1]),
        }
        even = _even_guess(share, losses)
        if even:
            shape, measures = Shape.STANDSTILL, {**measures, **even}
        else:
            shape, count = Shape.PLATEAU, float(len(series))
            more = {"accuracy": share, "entropy": entropy, "evaluations": count, "still": 1.0}
            measures |= more
        first, last = int(steps[0]), int(steps[-1])
        return (Detection(NAME, shape, loss.name, first, first, last, measures),)
    return ()


def _constant_guess(share: float) -> float:
    """Return what the same answer costs at least, in nats, when it is right in this share."""
    right_or_wrong = -share * math.log(share) - (1 - share) * math.log(1 - share)
    return max(right_or_wrong, -math.log(share))


def _even_guess(share: float, losses: FloatArray) -> dict[str, float]:
    """Return the classes and the loss of guessing evenly among them, if it is that all along."""
    classes = round(1.0 / share)
    if classes < 2 or abs(classes * share - 1.0) > EVEN_COUNT:
        return {}
    chance = chance_loss(classes)
    if float(np.abs(losses - chance).max()) > CHANCE_TOLERANCE * chance:
        return {}
    return {"classes": float(classes), "chance": chance}


def _counts_samples(run: Run) -> bool:
    """Return whether the accuracies of the log have digits enough for single samples to show."""
    for series in (*run.all(Metric.VAL_METRIC), *run.all(Metric.TRAIN_METRIC)):
        values = series.finite()[1]
        if not is_accuracy(series) or values.size == 0 or float(np.abs(values).max()) > PERCENT:
            continue
        shares = as_shares(values)
        if float(np.abs(shares - np.round(shares, DECIMALS)).max()) > SAME:
            return True
    return False


def _tells_apart(run: Run, share: float, least: float) -> bool:
    """Return whether training ends with a loss or an accuracy beyond those of one answer."""
    train = run.get(Metric.LOSS)
    if train is not None and len(train) and _end(train) < least:
        return True
    right = share + HALF * (1.0 - share)
    learned = (_end(one) for one in run.all(Metric.TRAIN_METRIC) if is_accuracy(one) and len(one))
    return any(one / (PERCENT if one > 1.0 else 1.0) >= right for one in learned)


def _end(series: Series) -> float:
    values = series.finite()[1]
    return float(np.median(values[-LEVEL_POINTS:])) if values.size else float("nan")


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
