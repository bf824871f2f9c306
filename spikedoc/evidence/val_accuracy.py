"""An accuracy on held-out data that never rose while the one in training did."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._answers import PROGRESS, UNKNOWN, answer, asked_of, short
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.metric import Metric
from spikedoc.model.quality import is_accuracy
from spikedoc.model.run import FloatArray, Run
from spikedoc.text import Text

EVALUATIONS_FEWEST: Final = 4
# Never more than a twentieth above the first evaluation, which a few hundred samples scatter by.
ROSE: Final = 0.05
# Training answers most samples right and three tenths more of them than validation ever did:
# overfitting opens such a gap as well, but first validation rises.
LEARNED: Final = 0.6
APART: Final = 0.3
# What is right at the first evaluation already may have been learned before this run.
KNOWN: Final = 0.5
PERCENT: Final = 100.0


def _val_accuracy_never_rose(case: Case) -> Answer:
    val, train = _shares(case.run, Metric.VAL_METRIC), _shares(case.run, Metric.TRAIN_METRIC)
    if val is None or train is None or val.size < EVALUATIONS_FEWEST:
        return UNKNOWN
    first, best, learned = float(val[0]), float(val.max()), float(np.median(train[-3:]))
    if learned < LEARNED or first > KNOWN:
        return UNKNOWN
    stood = best <= first + ROSE
    if stood and learned - best < APART:
        return UNKNOWN  # it hardly rose, and training is hardly better
    return answer(stood, first=short(first), best=short(best), train=short(learned))


def _shares(run: Run, metric: Metric) -> FloatArray | None:
    """Return the first accuracy of this kind as shares of right answers."""
    series = next(filter(is_accuracy, run.all(metric)), None)
    if series is None or len(series) == 0:
        return None
    values = series.finite()[1]
    if values.size == 0:
        return None
    return values / (PERCENT if float(values.max()) > 1.0 else 1.0)


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "val_accuracy_never_rose",
        Text(
            "Did the validation accuracy never rise while the training accuracy did?",
            "训练准确率上升时，验证准确率是否从未上升？",
        ),
        Text(
            "The validation accuracy was {first} at first and never above {best} while training "
            "reached {train}: nothing of what was learned holds there",
            "验证准确率最初为 {first}，从未高于 {best}，而训练达到 {train}：学到的东西在那里无用",
        ),
        Text(
            "The validation accuracy rose from {first} to {best} (training: {train})",
            "验证准确率从 {first} 升到 {best}（训练：{train}）",
        ),
        asked_of(PROGRESS, _val_accuracy_never_rose),
        needs=(Metric.VAL_METRIC, Metric.TRAIN_METRIC),
    ),
)
