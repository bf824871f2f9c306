"""Batch, classes and the floors they give the loss."""

from __future__ import annotations

import math
from typing import Final

from spikedoc.figures._lookup import rounded, setting
from spikedoc.figures.base import Figure
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.text import FieldValue, Text

# Four times the batch halves the noise.
LARGER: Final = 4
DIGITS: Final = 4


def _batch_size(run: Run, _anomaly: Anomaly) -> FieldValue | None:
    size = setting(run, "batch_size")
    return round(size) if size is not None and size >= 1 else None


def _batch_larger(run: Run, _anomaly: Anomaly) -> FieldValue | None:
    size = setting(run, "batch_size")
    return LARGER * round(size) if size is not None and size >= 1 else None


def _accumulation_larger(run: Run, _anomaly: Anomaly) -> FieldValue | None:
    rounds = setting(run, "accumulation")
    return LARGER * max(1, round(rounds)) if rounds is not None else None


def _classes(run: Run) -> int | None:
    count = setting(run, "num_classes")
    return round(count) if count is not None and count > 1 else None


def _num_classes(run: Run, _anomaly: Anomaly) -> FieldValue | None:
    return _classes(run)


def _chance_loss(run: Run, _anomaly: Anomaly) -> FieldValue | None:
    classes = _classes(run)
    if classes is None or len(run.all(Metric.LOSS_COMPONENT)) > 1:
        return None  # the sum of several terms does not start at the guess of one
    return rounded(math.log(classes), DIGITS)


def _double_softmax_floor(run: Run, _anomaly: Anomaly) -> FieldValue | None:
    classes = _classes(run)
    return None if classes is None else rounded(math.log1p((classes - 1) / math.e), DIGITS)


def _smoothing_floor(run: Run, _anomaly: Anomaly) -> FieldValue | None:
    classes, share = _classes(run), setting(run, "label_smoothing")
    if classes is None or share is None or not 0 < share < 1:
        return None
    # Smoothed targets: 1 - s + s / C for the class, s / C for the rest; the floor is their entropy.
    top, rest = 1 - share + share / classes, share / classes
    return rounded(-top * math.log(top) - (classes - 1) * rest * math.log(rest), DIGITS)


FIGURES: Final[tuple[Figure, ...]] = (
    Figure("batch_size", Text("batch size", "批次大小"), _batch_size),
    Figure("batch_larger", Text("four times the batch size", "批次大小的四倍"), _batch_larger),
    Figure(
        "accumulation_larger",
        Text("four times the accumulation steps", "梯度累积步数的四倍"),
        _accumulation_larger,
    ),
    Figure("num_classes", Text("number of classes", "类别数"), _num_classes),
    Figure("chance_loss", Text("loss of guessing (ln C)", "随机猜测的损失（ln C）"), _chance_loss),
    Figure(
        "double_softmax_floor",
        Text("lowest loss with softmax applied twice", "重复 softmax 时的最低损失"),
        _double_softmax_floor,
    ),
    Figure(
        "smoothing_floor",
        Text("lowest loss with label smoothing", "标签平滑下的最低损失"),
        _smoothing_floor,
    ),
)
