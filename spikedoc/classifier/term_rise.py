"""A slow rise of the loss that is all in its logged KL term: the term is brought in, no harm."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

import numpy as np

from spikedoc.classifier.context import Context
from spikedoc.classifier.settings import is_by_setting, seen_change
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind, Severity
from spikedoc.model.loss_setting import Change, Part
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series
from spikedoc.signal.around import aligned

# The term whose weight is annealed from 0 in a variational autoencoder (Bowman et al. 2016).
_KL: Final = re.compile(r"(?:.*[^a-z])?(?:kld?|kl.?div\w*|kl.?loss)(?:[^a-z].*)?")
# It holds four fifths of the rise, and what is left rises by no more than that.
ITS_SHARE: Final = 0.8
# A level: the median of a tenth of the stretch at either end, of five points at least.
END_PARTS: Final = 10
FEWEST: Final = 5


def by_term(context: Context, a: Anomaly) -> Anomaly:
    """Return a drift of the loss that its KL term explains as a remark that names the term.

    A rise that amounts to harm stays what it is, and so does one of which the rest has a part.
    """
    loss = context.run.named(a.signal)
    drifts = a.kind is Kind.SUSTAINED_DRIFT and a.severity is Severity.WARNING
    if loss is None or not drifts or is_by_setting(a):
        return a
    for term in _terms(context.run):
        change = _explains(loss, term, a)
        if change is not None:
            seen = (*a.detections, seen_change(change))
            return replace(a, severity=Severity.INFO, detections=seen)
    return a


def _terms(run: Run) -> tuple[Series, ...]:
    known = (*run.all(Metric.LOSS_COMPONENT), *run.all(Metric.OTHER))
    return tuple(s for s in known if _KL.fullmatch(s.tag.lower()))


def _explains(loss: Series, term: Series, a: Anomaly) -> Change | None:
    """Return how the term rose over the stretch, where the loss rose by it alone; else None."""
    within = (loss.steps >= a.start_step) & (loss.steps <= a.end_step)
    total, part = aligned(
        (loss.steps[within], loss.values[within]),
        (term.steps, term.values),
    )
    width = max(FEWEST, total.size // END_PARTS)
    if total.size < 2 * width:
        return None
    rise = float(np.median(total[-width:]) - np.median(total[:width]))
    gained = float(np.median(part[-width:]) - np.median(part[:width]))
    rest = total - part
    left = float(np.median(rest[-width:]) - np.median(rest[:width]))
    if rise <= 0 or gained < ITS_SHARE * rise or left > (1.0 - ITS_SHARE) * rise:
        return None
    first, last = float(part[0]), float(part[-1])  # as the log reads at these steps
    return Change(term.tag, a.start_step, a.end_step, first, last, Part.REGULARISER)
