"""A classifier whose accuracy never moves and whose loss is that of a constant guess."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._answers import STUCK, UNKNOWN, answer, asked_of, short
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.metric import Metric
from spikedoc.model.quality import as_shares, is_accuracy
from spikedoc.text import Text

# Five counts of right answers that agree to the last sample: weights that go on changing move at
# least one answer in between.
EVALUATIONS_FEWEST: Final = 5
SAME: Final = 1e-9
# All right or none right says nothing of how the samples are told apart.
LEAST: Final = 1e-3
MOST: Final = 0.999


def _gives_one_answer(case: Case) -> Answer:
    m = case.anomaly.measures
    if "entropy" not in m:
        return UNKNOWN
    return answer(
        True,
        accuracy=short(m["accuracy"]),
        count=int(m["evaluations"]),
        best=short(m["best"]),
        entropy=short(m["entropy"]),
    )


def _accuracy_never_moves(case: Case) -> Answer:
    run = case.run
    known = [s for s in (*run.all(Metric.VAL_METRIC), *run.all(Metric.TRAIN_METRIC)) if len(s)]
    shares = [s.finite()[1] for s in known if is_accuracy(s)]
    shares = [v for v in shares if v.size >= EVALUATIONS_FEWEST]
    if not shares:
        return UNKNOWN
    share = as_shares(shares[0])
    if not LEAST <= float(share.min()) <= float(share.max()) <= MOST:
        return UNKNOWN
    stands = float(np.ptp(share)) <= SAME
    return answer(stands, low=short(share.min()), high=short(share.max()), count=int(share.size))


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "gives_one_answer",
        Text(
            "Does the model give every sample the same answer?",
            "模型是否对每个样本都给出同一个答案？",
        ),
        Text(
            "The accuracy is {accuracy} at all {count} evaluations and the validation loss {best} "
            "at best; always guessing the class of that share costs {entropy} at least: no "
            "sample is told from another",
            "全部 {count} 次评估的准确率都是 {accuracy}，验证损失最好为 {best}；永远猜占比如此的"
            "那一类，损失至少为 {entropy}：模型分不出任何样本",
        ),
        Text("The answers differ from sample to sample", "不同样本得到不同的答案"),
        asked_of(STUCK, _gives_one_answer),
    ),
    Probe(
        "accuracy_never_moves",
        Text(
            "Is the accuracy the same to the last sample each time?",
            "准确率是否每次都完全相同，一个样本都不差？",
        ),
        Text(
            "The accuracy is {low} at all {count} evaluations, to the last sample: every sample "
            "gets the same answer, whatever its label",
            "{count} 次评估的准确率都是 {low}，一个样本都不差：无论标签是什么，"
            "每个样本得到的答案都一样",
        ),
        Text(
            "The accuracy moves between {low} and {high} over {count} evaluations: answers change",
            "{count} 次评估的准确率在 {low} 到 {high} 之间变动：答案是会变的",
        ),
        asked_of(STUCK, _accuracy_never_moves),
    ),
)
