"""What collapsed: the levels of codes, experts, features or entropy before and after."""

from __future__ import annotations

from typing import Final

from spikedoc.figures._lookup import rounded
from spikedoc.figures.base import Compute, Figure
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind
from spikedoc.model.metric import spoken
from spikedoc.model.run import Run
from spikedoc.text import FieldValue, Text

DIGITS: Final = 3


def _level(*names: str) -> Compute:
    def compute(_run: Run, anomaly: Anomaly) -> FieldValue | None:
        if anomaly.kind is not Kind.DIVERSITY_COLLAPSE:
            return None
        value = next((anomaly.measures[n] for n in names if n in anomaly.measures), None)
        return None if value is None else rounded(value, DIGITS)

    return compute


def _name(_run: Run, anomaly: Anomaly) -> FieldValue | None:
    return spoken(anomaly.signal) if anomaly.kind is Kind.DIVERSITY_COLLAPSE else None


FIGURES: Final[tuple[Figure, ...]] = (
    Figure("variety_name", Text("name of what collapsed", "发生坍缩的量的名称"), _name),
    Figure(
        "variety_before",
        Text("its best level before the collapse", "坍缩之前的最好水平"),
        _level("before", "number_before"),
    ),
    Figure(
        "variety_after",
        Text("its level since the collapse", "坍缩之后的水平"),
        _level("after", "number_after"),
    ),
)
