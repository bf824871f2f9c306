"""Codes, experts, features or actions in use that fell to a few while nothing was gained."""

from __future__ import annotations

from typing import Final

from spikedoc.classifier.context import Context
from spikedoc.model.anomaly import Anomaly, Shape
from spikedoc.model.diversity import variety_named
from spikedoc.model.label import Kind, Severity

CONFIDENCE: Final = 0.85


def label_collapse(context: Context) -> list[Anomaly]:
    """Return the collapses, each with the form of what collapsed.

    Judged as they are in any family of losses: each stands beside a reward, a quality or a loss
    that gains nothing.
    """
    out = []
    for d in context.of(Shape.COLLAPSE):
        variety = variety_named(context.run, d.signal)
        if variety is not None:
            form = variety.quantity.form
            out.append(Anomaly.of(d, Kind.DIVERSITY_COLLAPSE, Severity.WARNING, CONFIDENCE, form))
    return out
