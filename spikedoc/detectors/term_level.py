"""A loss term that is nearly all of the sum and never falls, or one that is next to nothing."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.objective import Objective, objective
from spikedoc.model.run import FloatArray, Run, Series
from spikedoc.signal.baseline import block_medians
from spikedoc.signal.trend import kendall_tau

NAME: Final = "term_level"
MIN_POINTS: Final = 60
MIN_TERMS: Final = 2
BLOCKS: Final = 12
# Nine tenths of the sum, and of what is logged as the total: terms are often logged unweighted.
SHARE: Final = 0.9
OF_TOTAL: Final = 0.1
# Standing still: no block is a tenth below the first one, as for a loss that never learns.
STILL: Final = 0.1
# … nor do the blocks go downhill, or begin with the highest and the second highest: a term that is
# learned by a little is near its floor, as in fine-tuning. Twelve blocks without a trend have the
# first order once in 100 times, the second once in 132.
DOWNHILL: Final = -0.5
# Another term falls by a fifth from the first block to the last: there was something to learn.
FALLS: Final = 0.2
# A divergence of an encoder from its prior at less than a hundredth of the sum tells the decoder
# next to nothing. A bound that is annealed begins at nothing, and the reconstruction falls then.
NOTHING: Final = 0.01
GONE: Final = 0.2
FIRST_POINTS: Final = 3
PRIOR: Final = re.compile(r"(^|[/_.])(kl|kld|kl_div|kl_divergence)(_?loss)?$")


def detect(run: Run) -> tuple[Detection, ...]:
    """Return HOLDS for the term that holds the total up while another one learns.

    Or for the divergence of a variational encoder that has gone to nothing while the rest of the
    sum stands still.
    """
    total = run.get(Metric.LOSS)
    terms = [s for s in run.all(Metric.LOSS_COMPONENT) if len(s) >= MIN_POINTS]
    if total is None or len(terms) < MIN_TERMS or objective(run) is not Objective.PLAIN:
        return ()
    courses = [_course(term) for term in terms]
    if any(course.size < BLOCKS or float(course.min()) < 0 for course in courses):
        return ()
    shares = _shares(total, courses)
    if shares is None:
        return ()
    largest = int(np.argmax(shares))
    if shares[largest] < SHARE or not _stands(courses[largest]):
        return ()
    others = [k for k in range(len(terms)) if k != largest]
    if any(_falls(courses[k]) and not _is_prior(terms[k]) for k in others):
        first, last = float(courses[largest][0]), float(courses[largest][-1])
        held = {"held_percent": 100.0 * shares[largest], "held_first": first, "held_last": last}
        return (_found(terms[largest], held),)
    for k in others:
        if _is_prior(terms[k]) and shares[k] <= NOTHING and _went(terms[k]):
            first, last = float(terms[k].finite()[1][0]), float(courses[k][-1])
            return (_found(terms[k], {"gone_first": first, "gone_last": last}),)
    return ()


def _shares(total: Series, courses: list[FloatArray]) -> list[float] | None:
    """Return the parts of the sum; None where the terms as logged do not make up the total."""
    levels = [float(np.median(course)) for course in courses]
    whole, known = sum(levels), total.finite()[1]
    if whole <= 0 or known.size == 0 or abs(float(np.median(known)) / whole - 1.0) > OF_TOTAL:
        return None
    return [level / whole for level in levels]


def _is_prior(term: Series) -> bool:
    return bool(PRIOR.search(term.tag.lower()))


def _went(term: Series) -> bool:
    """Return whether the divergence that random weights begin with is gone but for a fifth."""
    values = term.finite()[1]
    first = float(np.median(values[:FIRST_POINTS]))
    return float(np.median(values[-(values.size // BLOCKS) :])) <= GONE * first


def _course(term: Series) -> FloatArray:
    values = term.finite()[1]
    return block_medians(values, values.size // BLOCKS) if values.size >= MIN_POINTS else values[:0]


def _stands(course: FloatArray) -> bool:
    still = float(course.min()) > (1.0 - STILL) * float(course[0])
    at_first = bool(course[0] > course[1] > course[2:].max())
    return still and not at_first and kendall_tau(course) > DOWNHILL


def _falls(course: FloatArray) -> bool:
    return float(course[-1]) < (1.0 - FALLS) * float(course[0])


def _found(term: Series, measures: dict[str, float]) -> Detection:
    first, last = int(term.steps[0]), int(term.steps[-1])
    return Detection(NAME, Shape.HOLDS, term.name, first, first, last, measures)


DETECTOR: Final = detect
