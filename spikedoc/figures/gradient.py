"""Gradient, clipping and update norms."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from spikedoc.figures._lookup import factor_of, peak_of, rounded, setting, whole
from spikedoc.figures.base import Figure
from spikedoc.figures.timing import first_sign
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.signal.around import finite, last_before
from spikedoc.text import FieldValue, Text

# P99 of a trailing healthy window; the first hundreds of steps give far too high a value.
CLIP_POINTS: Final = 500
CLIP_QUANTILE: Final = 0.99
CLIP_FEWEST: Final = 20
# Config keys that hold the number of parameters.
PARAMETERS: Final = ("num_parameters", "n_params", "num_params", "parameters", "total_params")


def _clip_now(run: Run, _anomaly: Anomaly) -> FieldValue | None:
    clip = setting(run, "clip")
    return whole(clip) if clip is not None and clip > 0 else None


def _habit(run: Run, anomaly: Anomaly) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    grad = run.get(Metric.GRAD_NORM)
    if grad is None:
        return np.zeros(0)
    before = last_before(grad.steps, grad.values, first_sign(run, anomaly), CLIP_POINTS)
    if before.size < CLIP_FEWEST:
        before = finite(grad.steps, grad.values)[1][:CLIP_POINTS]
    return before if before.size >= CLIP_FEWEST else np.zeros(0)


def _clip_p99(run: Run, anomaly: Anomaly) -> FieldValue | None:
    habit = _habit(run, anomaly)
    if habit.size == 0:
        return None
    level = float(np.quantile(habit, CLIP_QUANTILE))
    return rounded(level) if level > 0 else None


def _grad_median(run: Run, anomaly: Anomaly) -> FieldValue | None:
    habit = _habit(run, anomaly)
    return rounded(float(np.median(habit)), 3) if habit.size else None


def _share_clipped(run: Run, _anomaly: Anomaly) -> FieldValue | None:
    grad, clip = run.get(Metric.GRAD_NORM), setting(run, "clip")
    if grad is None or clip is None or clip <= 0:
        return None
    _, values = finite(grad.steps, grad.values)
    return rounded(100 * float(np.mean(values > clip))) if values.size else None


def _grad_rms(run: Run, anomaly: Anomaly) -> FieldValue | None:
    habit = _habit(run, anomaly)
    counts = [
        count for key in PARAMETERS if (count := setting(run, key)) is not None and count >= 1
    ]
    if habit.size == 0 or not counts:
        return None
    return rounded(float(np.median(habit)) / math.sqrt(counts[0]))


FIGURES: Final[tuple[Figure, ...]] = (
    Figure("clip_now", Text("clipping threshold in the config", "配置中的裁剪阈值"), _clip_now),
    Figure(
        "clip_p99",
        Text("P99 of the gradient norm before the first sign", "最早征兆之前梯度范数的 P99"),
        _clip_p99,
    ),
    Figure("grad_median", Text("usual gradient norm", "平时的梯度范数"), _grad_median),
    Figure("grad_peak", Text("highest gradient norm", "梯度范数峰值"), peak_of(Metric.GRAD_NORM)),
    Figure(
        "grad_factor",
        Text("rise of the gradient norm", "梯度范数的升高倍数"),
        factor_of(Metric.GRAD_NORM),
    ),
    Figure(
        "update_factor",
        Text("rise of the update norm", "更新范数的升高倍数"),
        factor_of(Metric.UPDATE_NORM),
    ),
    Figure(
        "share_clipped",
        Text("share of steps clipped in %", "被裁剪的步数占比（%）"),
        _share_clipped,
    ),
    Figure("grad_rms", Text("gradient per parameter (RMS)", "单个参数的梯度均方根"), _grad_rms),
)
