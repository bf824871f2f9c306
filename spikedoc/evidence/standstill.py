"""A loss that stands exactly still, or at zero where its own accuracy says that it cannot be."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._answers import (
    BROKEN,
    STUCK,
    UNKNOWN,
    answer,
    asked_of,
    lacking,
    saying,
    setting,
    short,
)
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.constants import chance_level
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.model.quality import is_accuracy
from spikedoc.model.run import FloatArray
from spikedoc.signal.printed import is_bf16, significant_digits
from spikedoc.text import Text

# Five records in a row that agree to four digits: batches, epochs in another order and dropout
# change the fourth digit of the loss of any model whose weights move.
REPEATS: Final = 5
# Further from the level that repeats than the last digit: a hundredth of it.
MOVED: Final = 0.01
MOVED_EPOCHS: Final = 2e-4
FEWEST_DIGITS: Final = 4
# Means of eight epochs that agree to a ten-thousandth, one after another: even a cosine schedule
# at its end moves the loss by more while anything is learned.
STILL_EPOCHS: Final = 8
STILL_WIDTH: Final = 1e-4
_STANDS: Final = (
    "The last {count} epochs all have a loss of {value}, to a ten-thousandth: nothing moves it",
    "最后 {count} 个 epoch 的损失都是 {value}，相差不到万分之一：没有什么能推动它",
)
# The last bits of a double are those of the order in which it was summed.
ROUNDING: Final = 1e-14
# Answers that are all the same cost ln C to the last digit; random logits, those of a network that
# nothing moves, cost more (half the variance of the logits: .005 where that is .01).
EXACT_GUESS: Final = 5e-5
FEWEST_CLASSES: Final = 3
# A cross-entropy of zero gives every right answer the probability of one: then nearly all answers
# are right. The accuracy of a running mean lags behind by some points.
ZERO_ACCURACY: Final = 0.9
# What a run broken for good logs as zero stays there. Up to half of the records, as for zeros that
# stand amid losses, come and go with the batch.
STAYS: Final = 0.9
COMES_AND_GOES: Final = 0.5

# Evaluations that say something together, and what is the same value but for rounding.
EVALUATIONS: Final = 4
CONSTANT: Final = 1e-6

_ASKED: Final = frozenset({Kind.NON_CONVERGENCE})


def _loss_repeats_its_digits(case: Case) -> Answer:
    loss = case.run.get(Metric.LOSS)
    if loss is None:
        return UNKNOWN
    _, values = loss.finite()
    if values.size <= REPEATS or values[-1] == 0.0 or is_bf16(values):
        return UNKNOWN
    last = float(values[-1])
    changes = np.flatnonzero(np.abs(values - last) > ROUNDING * abs(last))
    same = values.size - (int(changes[-1]) + 1 if changes.size else 0)
    if same < REPEATS and case.run.counts_epochs and _stands(values[-STILL_EPOCHS:]):
        return saying(answer(True, value=short(last), count=STILL_EPOCHS), *_STANDS)
    if same >= REPEATS and significant_digits(last) < FEWEST_DIGITS:
        return UNKNOWN  # too few digits to tell
    if same < REPEATS and not case.run.counts_epochs:
        return UNKNOWN  # other batches have another loss; the mean of fixed weights hardly moves
    return answer(same >= REPEATS, value=last, count=same)


def _stands(late: FloatArray) -> bool:
    """Return whether the means of so many epochs agree to a ten-thousandth."""
    if late.size < STILL_EPOCHS:
        return False
    return float(np.ptp(late)) <= STILL_WIDTH * abs(float(late[-1]))


def _val_is_frozen(case: Case) -> Answer:
    val = case.run.get(Metric.VAL_LOSS)
    values = np.empty(0) if val is None else val.finite()[1]
    if values.size < EVALUATIONS:
        return _as_if_frozen(case)
    low, high = float(values.min()), float(values.max())
    same = high - low <= CONSTANT * max(abs(low), abs(high))
    if same and (_moved_before(case) or _is_exact_guess(case, high)):
        return UNKNOWN  # weights that moved and then give one answer to all are not frozen
    return answer(same, level=low, high=high, count=int(values.size))


def _is_exact_guess(case: Case, level: float) -> bool:
    """Return whether `level` is ln C to the digits it has, for three classes and more."""
    known = setting(case, "num_classes")
    chance = chance_level(level, None if known is None else int(known))
    if chance is None or chance[0] < FEWEST_CLASSES:
        return False
    return abs(level / chance[1] - 1.0) <= EXACT_GUESS


def _moved_before(case: Case) -> bool:
    """Return whether batch after batch has one loss, to the last digit, and had others before.

    The loss of frozen weights differs from batch to batch, always.
    """
    loss = case.run.get(Metric.LOSS)
    if loss is None or not _loss_repeats_its_digits(case).holds:
        return False
    values = loss.finite()[1]
    last = float(values[-1])
    # Means over the same samples by the same weights agree to their last digits.
    least = MOVED_EPOCHS if case.run.counts_epochs else MOVED
    return float(np.abs(values - last).max()) > least * abs(last)


def _as_if_frozen(case: Case) -> Answer:
    """Answer by the training loss: the same to the last digit, or another mean in each epoch."""
    found = _loss_repeats_its_digits(case)
    if found.holds is None or _moved_before(case):
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


def _zero_contradicts_accuracy(case: Case) -> Answer:
    loss = case.run.get(Metric.LOSS)
    if loss is None:
        return UNKNOWN
    zero = loss.steps[loss.values == 0.0]
    # Training samples that are learned by heart cost nothing, however held-out ones fare.
    held_out = case.run.all(Metric.VAL_METRIC) if bool(np.all(loss.values == 0.0)) else ()
    for series in (*case.run.all(Metric.TRAIN_METRIC), *held_out):
        beside = series.values[np.isin(series.steps, zero) & series.is_finite]
        if is_accuracy(series) and beside.size and 0.0 <= float(beside.min()) <= 1.0:
            reached = float(np.median(beside))
            return answer(reached < ZERO_ACCURACY, name=series.spoken, accuracy=reached)
    return UNKNOWN


def _loss_is_always_zero(case: Case) -> Answer:
    loss = case.run.get(Metric.LOSS)
    values = np.empty(0) if loss is None else loss.finite()[1]
    others = values[values != 0.0]
    if values.size < REPEATS or others.size == values.size:
        return UNKNOWN
    highest = short(float(others.max())) if others.size else 0.0
    return answer(
        others.size == 0, count=int(values.size), others=int(others.size), highest=highest
    )


def _zero_stays(case: Case) -> Answer:
    loss = case.run.get(Metric.LOSS)
    zero = np.empty(0, dtype=np.bool_) if loss is None else loss.finite()[1] == 0.0
    if not bool(zero.any()):
        return UNKNOWN
    rest = zero[int(np.argmax(zero)) :]
    share, zeros = float(rest.mean()), int(np.count_nonzero(rest))
    few = zeros < 2 if share >= STAYS else rest.size < REPEATS  # once is no staying
    if few or COMES_AND_GOES < share < STAYS:
        return UNKNOWN
    return answer(share >= STAYS, zeros=zeros, points=int(rest.size))


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
    Probe(
        "loss_is_always_zero",
        Text("Was the loss never anything but 0?", "损失是否从来都是 0？"),
        Text(
            "All {count} losses are exactly 0: it never depended on anything",
            "全部 {count} 个损失值都恰好为 0：它从未取决于任何东西",
        ),
        Text(
            "{others} of {count} losses are not 0 (up to {highest}): there the loss did depend on "
            "the answers",
            "{count} 个损失值中有 {others} 个不为 0（最高 {highest}）：那里的损失确实取决于输出",
        ),
        asked_of(_ASKED, _loss_is_always_zero),
        needs=(Metric.LOSS,),
    ),
    Probe(
        "zero_stays",
        Text("Does the loss stay at 0 once it is there?", "损失到 0 之后是否一直停在那里？"),
        Text(
            "Once the loss is exactly 0 it stays so ({zeros} of {points} records)",
            "损失一旦恰好为 0 就不再离开（{points} 条记录中的 {zeros} 条）",
        ),
        Text(
            "The loss is exactly 0 at {zeros} of {points} records and back at once: it comes and "
            "goes with the batch",
            "{points} 条记录中有 {zeros} 条的损失恰好为 0，随即又恢复：它随批次时有时无",
        ),
        asked_of(BROKEN | STUCK, _zero_stays),
        needs=(Metric.LOSS,),
    ),
)
