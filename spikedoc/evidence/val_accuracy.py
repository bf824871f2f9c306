"""An accuracy on held-out data that never rose while the one in training did."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._answers import PROGRESS, UNKNOWN, answer, asked_of, short
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.metric import Metric
from spikedoc.model.quality import as_shares, is_accuracy
from spikedoc.model.run import FloatArray, Run
from spikedoc.text import Text

EVALUATIONS_FEWEST: Final = 3
# Never more than a twentieth above the first evaluation, which a few hundred samples scatter by.
ROSE: Final = 0.05
# Training answers most samples right and three tenths more of them than validation ever did:
# overfitting opens such a gap as well, but first validation rises.
LEARNED: Final = 0.6
APART: Final = 0.3
# What is right at the first evaluation already may have been learned before this run.
KNOWN: Final = 0.5
# Fewer right answers than anyone guesses: half of those of one in C, or next to none.
NEXT_TO_NONE: Final = 0.02


def _val_accuracy_never_rose(case: Case) -> Answer:
    val, train = _shares(case.run, Metric.VAL_METRIC), _shares(case.run, Metric.TRAIN_METRIC)
    if val is None or train is None or val.size < EVALUATIONS_FEWEST:
        return UNKNOWN
    first, best, learned = float(val[0]), float(val.max()), float(np.median(train[-3:]))
    if learned < LEARNED or first > KNOWN:
        return UNKNOWN
    stood = best <= first + ROSE or float(np.median(val)) <= NEXT_TO_NONE
    if stood and learned - best < APART:
        return UNKNOWN  # it hardly rose, and training is hardly better
    return answer(stood, first=short(first), best=short(best), train=short(learned))


def _val_is_below_guess(case: Case) -> Answer:
    val, train = _shares(case.run, Metric.VAL_METRIC), _shares(case.run, Metric.TRAIN_METRIC)
    if val is None or train is None or val.size < EVALUATIONS_FEWEST:
        return UNKNOWN
    usual, learned = float(np.median(val)), float(np.median(train[-3:]))
    if learned < LEARNED or usual > KNOWN:
        return UNKNOWN
    return answer(usual <= NEXT_TO_NONE, usual=short(usual), train=short(learned))


def _shares(run: Run, metric: Metric) -> FloatArray | None:
    """Return the first accuracy of this kind as shares of right answers."""
    series = next(filter(is_accuracy, run.all(metric)), None)
    if series is None or len(series) == 0:
        return None
    values = series.finite()[1]
    if values.size == 0:
        return None
    return as_shares(values)


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "val_is_below_guess",
        Text(
            "Are fewer validation answers right than a guess would have?",
            "验证集上答对的是否比随机猜测还少？",
        ),
        Text(
            "Hardly a validation answer is right ({usual}) while training reaches {train}: fewer "
            "than a guess has, so the answers asked for there were never taught",
            "验证集上几乎没有答对的（{usual}），而训练达到 {train}：比随机猜测还少，"
            "说明那里要的答案从未教过",
        ),
        Text(
            "Validation answers are right as often as those of a guess, or more ({usual}; "
            "training: {train})",
            "验证集上答对的不少于随机猜测（{usual}；训练：{train}）",
        ),
        asked_of(PROGRESS, _val_is_below_guess),
        needs=(Metric.VAL_METRIC, Metric.TRAIN_METRIC),
    ),
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
