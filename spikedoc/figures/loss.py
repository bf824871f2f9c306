"""Levels of the loss."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from spikedoc.figures._lookup import factor_of, peak_of, plain, rise, rounded, setting
from spikedoc.figures.base import Figure
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.signal.around import detrended, finite, level_before
from spikedoc.signal.baseline import scatter
from spikedoc.text import FieldValue, Text

# The level at the end is the median of the last tenth, five points at least.
NOW_SHARE: Final = 0.10
NOW_POINTS: Final = 5
# Width in points of the trend from which noise is measured.
NOISE_TREND: Final = 15
# What one of these shows is no rise of the training loss.
HELD_OUT: Final = frozenset({Metric.VAL_LOSS.value})
# Digits of a factor or a level that is only a guide.
GUIDE_DIGITS: Final = 3


def _loss_before(run: Run, anomaly: Anomaly) -> FieldValue | None:
    loss = run.main_loss
    if loss is None or anomaly.signal in HELD_OUT:
        return None
    if anomaly.signal == loss.name and "before" in anomaly.measures:
        return plain(anomaly.measures["before"])
    before = level_before(loss.steps, loss.values, anomaly.start_step)
    return float(np.median(before)) if before.size else None


def _loss_peak(run: Run, anomaly: Anomaly) -> FieldValue | None:
    loss = run.main_loss
    if loss is None or anomaly.signal in HELD_OUT:
        return None
    if anomaly.signal == loss.name and "peak" in anomaly.measures:
        return plain(anomaly.measures["peak"])
    return peak_of(Metric.LOSS)(run, anomaly)


def _implied_sample_loss(run: Run, anomaly: Anomaly) -> FieldValue | None:
    high, batch = rise(run, anomaly, Metric.LOSS), setting(run, "batch_size")
    if high is None or batch is None or batch < 1 or high.peak <= high.before:
        return None
    # A mean over the batch that one sample lifted from `before` to `peak`; a mean over the logged
    # window dilutes it further.
    return rounded((high.peak - high.before) * batch + high.before, GUIDE_DIGITS)


def _noise_percent(run: Run, _anomaly: Anomaly) -> FieldValue | None:
    loss = run.main_loss
    if loss is None:
        return None
    _, values = finite(loss.steps, loss.values)
    if values.size < 2 * NOISE_TREND or float(values.min()) <= 0:
        return None
    late = np.log(values[values.size // 2 :])
    return rounded(100 * math.expm1(min(scatter(detrended(late, NOISE_TREND)), 1e2)))


def _first_loss(run: Run, _anomaly: Anomaly) -> FieldValue | None:
    loss = run.main_loss
    return plain(float(loss.values[0])) if loss is not None and len(loss) else None


def _level_now(run: Run, _anomaly: Anomaly) -> FieldValue | None:
    loss = run.main_loss
    if loss is None:
        return None
    _, values = finite(loss.steps, loss.values)
    if values.size == 0:
        return None
    return float(np.median(values[-max(NOW_POINTS, int(values.size * NOW_SHARE)) :]))


FIGURES: Final[tuple[Figure, ...]] = (
    Figure("loss_before", Text("level of the loss before it", "异常前的损失水平"), _loss_before),
    Figure("loss_peak", Text("highest loss", "损失峰值"), _loss_peak),
    Figure(
        "jump_factor", Text("peak over level before", "峰值与此前水平之比"), factor_of(Metric.LOSS)
    ),
    Figure(
        "implied_sample_loss",
        Text("loss of one sample that would explain the peak", "若由单个样本造成，该样本的损失"),
        _implied_sample_loss,
    ),
    Figure(
        "noise_percent",
        Text("ordinary scatter of the loss in %", "损失的正常波动（%）"),
        _noise_percent,
    ),
    Figure("first_loss", Text("first logged loss", "第一个记录的损失"), _first_loss),
    Figure("level_now", Text("level at the end of the log", "日志末尾的损失水平"), _level_now),
)
