"""Adam's constants and what they allow."""

from __future__ import annotations

import math
from typing import Final

from spikedoc.figures._lookup import rounded, setting
from spikedoc.figures.base import Figure
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.run import Run
from spikedoc.text import FieldValue, Text


def _beta(run: Run, key: str) -> float | None:
    beta = setting(run, key)
    return beta if beta is not None and 0 <= beta < 1 else None


def _beta1(run: Run, _anomaly: Anomaly) -> FieldValue | None:
    return _beta(run, "beta1")


def _beta2(run: Run, _anomaly: Anomaly) -> FieldValue | None:
    return _beta(run, "beta2")


def _beta1_memory(run: Run, _anomaly: Anomaly) -> FieldValue | None:
    beta1 = _beta(run, "beta1")
    return None if beta1 is None else round(1 / (1 - beta1))


def _beta2_memory(run: Run, _anomaly: Anomaly) -> FieldValue | None:
    beta2 = _beta(run, "beta2")
    return None if beta2 is None else round(1 / (1 - beta2))


def _bound(run: Run) -> float | None:
    """Return Adam's largest step after one outlier, in learning rates."""
    beta1, beta2 = _beta(run, "beta1"), _beta(run, "beta2")
    if beta1 is None or beta2 is None:
        return None
    return (1 - beta1) / math.sqrt(1 - beta2)


def _adam_bound(run: Run, _anomaly: Anomaly) -> FieldValue | None:
    bound = _bound(run)
    return None if bound is None else rounded(bound, 3)


def _adam_amplification(run: Run, _anomaly: Anomaly) -> FieldValue | None:
    bound, beta1 = _bound(run), _beta(run, "beta1")
    if bound is None or beta1 is None:
        return None
    # Random gradients give a step of sqrt((1 - beta1) / (1 + beta1)) learning rates (RMS).
    return rounded(bound / math.sqrt((1 - beta1) / (1 + beta1)), 3)


def _eps(run: Run, _anomaly: Anomaly) -> FieldValue | None:
    return setting(run, "eps")


FIGURES: Final[tuple[Figure, ...]] = (
    Figure("beta1", Text("Adam's beta1", "Adam 的 beta1"), _beta1),
    Figure("beta2", Text("Adam's beta2", "Adam 的 beta2"), _beta2),
    Figure(
        "beta1_memory",
        Text("steps the first moment remembers", "一阶矩的记忆步数"),
        _beta1_memory,
    ),
    Figure(
        "beta2_memory",
        Text("steps the second moment remembers", "二阶矩的记忆步数"),
        _beta2_memory,
    ),
    Figure(
        "adam_bound",
        Text(
            "largest step after one outlier, in learning rates",
            "单次异常后的最大步长（以学习率计）",
        ),
        _adam_bound,
    ),
    Figure(
        "adam_amplification",
        Text("that step over a usual one", "该步长与平时步长之比"),
        _adam_amplification,
    ),
    Figure("eps", Text("Adam's eps", "Adam 的 eps"), _eps),
)
