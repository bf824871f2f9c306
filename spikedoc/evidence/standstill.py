"""A loss that stands exactly still, or at zero where its own accuracy says that it cannot be."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.evidence._answers import STUCK, UNKNOWN, answer, asked_of, lacking, saying
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.model.quality import is_accuracy
from spikedoc.text import Text

# Five records in a row that agree to four digits: batches, epochs in another order and dropout
# change the fourth digit of the loss of any model whose weights move.
REPEATS: Final = 5
FEWEST_DIGITS: Final = 4
# A cross-entropy of zero gives every right answer the probability of one: then nearly all answers
# are right. The accuracy of a running mean lags behind by some points.
ZERO_ACCURACY: Final = 0.9

# Evaluations that say something together, and what is the same value but for rounding.
EVALUATIONS: Final = 4
CONSTANT: Final = 1e-6

_ASKED: Final = frozenset({Kind.NON_CONVERGENCE})


def _loss_repeats_its_digits(case: Case) -> Answer:
    loss = case.run.get(Metric.LOSS)
    if loss is None:
        return UNKNOWN
    _, values = loss.finite()
    if values.size <= REPEATS or values[-1] == 0.0 or _is_bf16(values):
        return UNKNOWN
    last = float(values[-1])
    changes = np.flatnonzero(values != last)
    same = values.size - (int(changes[-1]) + 1 if changes.size else 0)
    if same >= REPEATS and _digits(last) < FEWEST_DIGITS:
        return UNKNOWN  # too few digits to tell
    if same < REPEATS and not _counts_epochs(case):
        return UNKNOWN  # other batches have another loss, whatever the weights do
    return answer(same >= REPEATS, value=last, count=same)


def _counts_epochs(case: Case) -> bool:
    """Return whether each record is the mean over an epoch: that of fixed weights hardly moves."""
    return any(source.counts_epochs for source in case.run.sources)


def _val_is_frozen(case: Case) -> Answer:
    val = case.run.get(Metric.VAL_LOSS)
    values = np.empty(0) if val is None else val.finite()[1]
    if values.size < EVALUATIONS:
        return _as_if_frozen(case)
    low, high = float(values.min()), float(values.max())
    same = high - low <= CONSTANT * max(abs(low), abs(high))
    return answer(same, level=low, high=high, count=int(values.size))


def _as_if_frozen(case: Case) -> Answer:
    """Answer by the training loss: the same to the last digit, or another mean in each epoch."""
    found = _loss_repeats_its_digits(case)
    if found.holds is None:
        return lacking(Metric.VAL_LOSS)
    if found.holds:
        return saying(
            found,
            "The last {count} records all have a loss of exactly {value}, and nothing was "
            "evaluated: as if the weights never changed",
            "最后 {count} 条记录的损失都恰好是 {value}，又没有做过评估：就像权重从未改变",
        )
    return saying(
        found,
        "The mean loss of an epoch changes from one to the next: the weights do change",
        "每个 epoch 的平均损失各不相同：权重确实在变",
    )


def _digits(value: float) -> int:
    """Return how many significant digits the shortest way to write the value down has."""
    return len(repr(value).partition("e")[0].replace(".", "").strip("-0"))


def _is_bf16(values: NDArray[np.float64]) -> bool:
    """Return whether all values lie on the grid of bfloat16: neighbours repeat for its sake."""
    with np.errstate(over="ignore"):  # beyond single precision: not on the grid
        single = values.astype(np.float32)
    exact = bool(np.all(single.astype(np.float64) == values))
    return exact and not bool(np.any(single.view(np.uint32) & np.uint32(0xFFFF)))


def _zero_contradicts_accuracy(case: Case) -> Answer:
    loss = case.run.get(Metric.LOSS)
    if loss is None:
        return UNKNOWN
    zero = loss.steps[loss.values == 0.0]
    for series in (*case.run.all(Metric.TRAIN_METRIC), *case.run.all(Metric.VAL_METRIC)):
        beside = series.values[np.isin(series.steps, zero) & series.is_finite]
        if is_accuracy(series) and beside.size and 0.0 <= float(beside.min()) <= 1.0:
            reached = float(np.median(beside))
            return answer(reached < ZERO_ACCURACY, name=series.spoken, accuracy=reached)
    return UNKNOWN


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "loss_repeats_its_digits",
        Text("Is the loss the same to the last digit?", "损失是否连最后一位数字都不变？"),
        Text(
            "The last {count} records all have a loss of exactly {value}: nothing that changes "
            "from batch to batch or from step to step reaches it",
            "最后 {count} 条记录的损失都恰好是 {value}：无论换哪个批次、走到哪一步，"
            "都没有任何变化传到损失上",
        ),
        Text(
            "The mean loss of an epoch changes from one to the next",
            "每个 epoch 的平均损失各不相同",
        ),
        asked_of(_ASKED, _loss_repeats_its_digits),
        needs=(Metric.LOSS,),
    ),
    Probe(
        "val_is_frozen",
        Text(
            "Is the validation loss the same at each evaluation?",
            "每次评估的验证损失是否完全相同？",
        ),
        Text(
            "Every validation loss ({count} in all) is {level}: the weights never change",
            "{count} 次评估的验证损失都是 {level}：权重从未改变",
        ),
        Text(
            "The validation loss varies from {level} to {high}: the weights do change",
            "验证损失在 {level} 到 {high} 之间变化：权重确实在变",
        ),
        asked_of(STUCK, _val_is_frozen),
    ),
    Probe(
        "zero_contradicts_accuracy",
        Text("Is the loss zero although answers are wrong?", "答案有错，损失却是零吗？"),
        Text(
            "The loss is exactly 0 while {name} is {accuracy}: a cross-entropy of 0 would mean "
            "that every answer is right",
            "损失恰好为 0，而 {name} 只有 {accuracy}：交叉熵为 0 意味着每个答案都对",
        ),
        Text(
            "{name} is {accuracy} where the loss is 0: nearly every answer is right",
            "损失为 0 处 {name} 为 {accuracy}：几乎每个答案都对",
        ),
        asked_of(_ASKED, _zero_contradicts_accuracy),
        needs=(Metric.LOSS,),
    ),
)
