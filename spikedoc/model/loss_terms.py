"""Whether the loss of a run is the sum of several logged terms, and so no single cross-entropy."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from spikedoc.model.metric import Metric
from spikedoc.model.run import Run

# As logged the terms make up the total to a tenth, and none of them nine tenths of it: what ln C or
# another constant of one term says of the total is then an accident.
OF_TOTAL: Final = 0.1
NEARLY_ALL: Final = 0.9
FEWEST: Final = 2
# What is paid or charged beside an objective is never all of it: the entropy of a policy
# (`train/entropy_loss` in Stable-Baselines3, `losses/entropy` in CleanRL), the balance of experts,
# a regularisation. Losses are a cross-entropy and a relative one, and what may be either: a
# divergence to a teacher, an L2 loss, a regression.
_BESIDE: Final = re.compile(
    r"(?:.*[^a-z])?(?:(?<!cross.)(?<!relative.)(?:policy.)?entropy.loss|loss(?:es)?.entropy"
    r"|(?:router|moe|load.balanc\w*)(?:.aux)?.loss|regulari[sz]ation.loss)"
)


def stands_beside(tag: str) -> bool:
    """Return whether a term is named as a bonus or a penalty, which no training has alone."""
    return _BESIDE.fullmatch(tag.lower()) is not None


def is_sum_of_terms(run: Run) -> bool:
    """Return whether the logged terms add up to the training loss and none is nearly all of it.

    Judged at the median of the steps at which all of them were logged and are finite; terms of
    either sign count by their size.
    """
    loss, terms = run.get(Metric.LOSS), run.all(Metric.LOSS_COMPONENT)
    if loss is None or len(terms) < FEWEST:
        return False
    logged = loss.is_finite
    for term in terms:
        logged = logged & np.isin(loss.steps, term.steps[term.is_finite])
    steps = loss.steps[logged]
    if steps.size == 0:
        return False
    total = loss.values[logged]
    parts = np.array([term.values[np.isin(term.steps, steps)] for term in terms])
    with np.errstate(over="ignore", invalid="ignore"):  # what is beyond all doubles adds up to none
        off = float(np.median(np.abs(parts.sum(axis=0) - total)))
        sizes = np.median(np.abs(parts), axis=1)
        adds_up = off <= OF_TOTAL * float(np.median(np.abs(total)))
        return adds_up and bool(sizes.max() < NEARLY_ALL * sizes.sum())
