"""Where training and validation stop: the one above the other, or both at the same high level."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._answers import PROGRESS, STUCK, UNKNOWN, answer, asked_of, percent, short
from spikedoc.evidence._profile import profile
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.metric import Metric
from spikedoc.signal.around import finite, finite_only
from spikedoc.text import Text

# Training data that are this much harder than validation data carry noise of their own: wrong
# labels, strong augmentation, smoothing, or an extra loss term.
HARDER_RATIO: Final = 1.5
# The late level is that of a third of the evaluations: two at least.
HARDER_EVALUATIONS: Final = 6
# Stopped at a third of the first loss or more, training and validation within a twentieth: the
# model is held back alike on both.
HIGH_SHARE: Final = 0.33
SAME_LEVEL: Final = 0.05
# Logged training points that make a level.
TRAIN_FEWEST: Final = 12


def _train_harder_than_val(case: Case) -> Answer:
    val, loss = case.run.get(Metric.VAL_LOSS), case.run.get(Metric.LOSS)
    if val is None or loss is None:
        return UNKNOWN
    steps, values = finite(val.steps, val.values)
    late = values[-max(1, values.size // 3) :]
    if values.size < HARDER_EVALUATIONS:
        return UNKNOWN
    train = loss.window(float(steps[-late.size]), case.run.last_step)
    train = finite_only(train)
    if train.size < TRAIN_FEWEST or float(np.median(late)) <= 0 or float(np.median(train)) <= 0:
        return UNKNOWN
    ratio = float(np.median(train)) / float(np.median(late))
    return answer(ratio >= HARDER_RATIO, ratio=short(ratio), percent=percent(ratio))


def _underfits(case: Case) -> Answer:
    val, whole = case.run.get(Metric.VAL_LOSS), profile(case.run.get(Metric.LOSS))
    if val is None or whole is None or whole.start <= 0 or whole.tail <= 0:
        return UNKNOWN
    _, values = finite(val.steps, val.values)
    if values.size < HARDER_EVALUATIONS:
        return UNKNOWN
    late = float(np.median(values[-(values.size // 3) :]))
    high = whole.tail >= HIGH_SHARE * whole.start
    same = abs(late / whole.tail - 1) <= SAME_LEVEL
    return answer(high and same, train=whole.tail, val=late, start=whole.start)


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "train_harder_than_val",
        Text(
            "Is the training loss well above the validation loss?", "训练损失是否明显高于验证损失？"
        ),
        Text(
            "The training loss is {ratio}x the validation loss: the training targets or inputs "
            "carry noise that validation has not",
            "训练损失是验证损失的 {ratio} 倍：训练用的标签或输入带有验证集没有的噪声",
        ),
        Text(
            "The training loss is {ratio}x the validation loss: training data are no harder",
            "训练损失为验证损失的 {ratio} 倍，训练数据并不更难",
        ),
        asked_of(PROGRESS, _train_harder_than_val),
        needs=(Metric.VAL_LOSS, Metric.LOSS),
    ),
    Probe(
        "underfits",
        Text(
            "Do training and validation stop at the same high level?",
            "训练损失与验证损失是否停在同样高的水平？",
        ),
        Text(
            "Training ({train}) and validation ({val}) stop at the same level, high against the "
            "{start} at the start: something holds the model back on both",
            "训练损失（{train}）与验证损失（{val}）停在同一水平，相对初始的 {start} 仍然很高："
            "模型在两者上都受到抑制",
        ),
        Text(
            "The level at the end is {train} in training and {val} in validation "
            "({start} at the start): not held back "
            "alike on both",
            "训练损失的末段水平为 {train}，验证损失为 {val}（初始 {start}）："
            "并非在两者上同样受到抑制",
        ),
        asked_of(STUCK, _underfits),
        needs=(Metric.VAL_LOSS, Metric.LOSS),
    ),
)
