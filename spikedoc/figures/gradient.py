"""Gradient, clipping and update norms."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from spikedoc.figures._lookup import factor_of, peak_of, rounded, setting, whole
from spikedoc.figures.base import Figure
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, IntArray, Run
from spikedoc.model.sign import ordinary_gradients
from spikedoc.signal.around import finite
from spikedoc.signal.habit import NOTHING, high_end
from spikedoc.signal.vanished import LEVEL_SHARE, early_level, is_vanished
from spikedoc.text import FieldValue, Text

# A 99th percentile of fewer values than this is little else than their maximum.
CLIP_FEWEST: Final = 100
# The usual level needs fewer.
USUAL_FEWEST: Final = 20
# A hundredth of all values within a thousandth of the highest one: the log holds the norm after
# clipping, whose percentile is the threshold in force.
CEILING_SHARE: Final = 0.01
CEILING_WIDTH: Final = 1e-3
# eps is felt where the gradient RMS is below 30 of it: a step is then 3 % smaller and more.
EPS_REACH: Final = 30.0
# Config keys that hold the number of parameters.
PARAMETERS: Final = ("num_parameters", "n_params", "num_params", "parameters", "total_params")


def _clip_now(run: Run, _anomaly: Anomaly) -> FieldValue | None:
    clip = setting(run, "clip")
    return whole(clip) if clip is not None and clip > 0 else None


def _unclipped(run: Run, anomaly: Anomaly) -> tuple[IntArray, FloatArray]:
    """Return the healthy stretch to take a threshold from.

    Empty when the norms were logged after clipping, and when they had died away by then: a
    threshold there holds the next run to the size of the damage.
    """
    steps, values = ordinary_gradients(run, anomaly, CLIP_FEWEST)
    if values.size == 0 or _has_died_away(run, values):
        return NOTHING
    top = float(values.max())
    at_top = float(np.mean(values >= top * (1 - CEILING_WIDTH)))
    varies = float(values.min()) < top * (1 - CEILING_WIDTH)
    return NOTHING if varies and at_top > CEILING_SHARE else (steps, values)


def _has_died_away(run: Run, habit: FloatArray) -> bool:
    grad = run.get(Metric.GRAD_NORM)
    known = NOTHING[1] if grad is None else grad.finite()[1]
    return known.size >= LEVEL_SHARE and is_vanished(float(np.median(habit)), early_level(known))


def _clip_p99(run: Run, anomaly: Anomaly) -> FieldValue | None:
    _, habit = _unclipped(run, anomaly)
    return rounded(high_end(habit)) if habit.size else None


def _clip_first_step(run: Run, anomaly: Anomaly) -> FieldValue | None:
    steps, _ = _unclipped(run, anomaly)
    return int(steps[0]) if steps.size else None


def _clip_last_step(run: Run, anomaly: Anomaly) -> FieldValue | None:
    steps, _ = _unclipped(run, anomaly)
    return int(steps[-1]) if steps.size else None


def _clip_points(run: Run, anomaly: Anomaly) -> FieldValue | None:
    steps, _ = _unclipped(run, anomaly)
    return int(steps.size) or None


def _grad_median(run: Run, anomaly: Anomaly) -> FieldValue | None:
    _, habit = ordinary_gradients(run, anomaly, USUAL_FEWEST)
    return rounded(float(np.median(habit)), 3) if habit.size else None


def _share_clipped(run: Run, _anomaly: Anomaly) -> FieldValue | None:
    grad, clip = run.get(Metric.GRAD_NORM), setting(run, "clip")
    if grad is None or clip is None or clip <= 0:
        return None
    _, values = finite(grad.steps, grad.values)
    return rounded(100 * float(np.mean(values > clip))) if values.size else None


def _grad_rms(run: Run, anomaly: Anomaly) -> FieldValue | None:
    _, habit = ordinary_gradients(run, anomaly, USUAL_FEWEST)
    counts = [
        count for key in PARAMETERS if (count := setting(run, key)) is not None and count >= 1
    ]
    if habit.size == 0 or not counts:
        return None
    return rounded(float(np.median(habit)) / math.sqrt(counts[0]))


def _rms_near_eps(run: Run, anomaly: Anomaly) -> FieldValue | None:
    rms, eps = _grad_rms(run, anomaly), setting(run, "eps")
    if not isinstance(rms, int | float) or eps is None or eps <= 0:
        return None
    return rms if rms < EPS_REACH * eps else None


FIGURES: Final[tuple[Figure, ...]] = (
    Figure("clip_now", Text("clipping threshold in the config", "配置中的裁剪阈值"), _clip_now),
    Figure(
        "clip_p99",
        Text("P99 of the gradient norm before the first sign", "最早征兆之前梯度范数的 P99"),
        _clip_p99,
    ),
    Figure(
        "clip_first_step",
        Text("first step of the stretch that P99 is taken from", "计算 P99 所用区间的起始步"),
        _clip_first_step,
    ),
    Figure(
        "clip_last_step",
        Text("last step of the stretch that P99 is taken from", "计算 P99 所用区间的结束步"),
        _clip_last_step,
    ),
    Figure(
        "clip_points",
        Text("logged values that P99 is taken from", "计算 P99 所用的记录点数"),
        _clip_points,
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
    Figure(
        "rms_near_eps",
        Text(
            "that RMS, where it is small enough for eps to matter", "该均方根（小到 eps 起作用时）"
        ),
        _rms_near_eps,
    ),
    Figure("grad_rms", Text("gradient per parameter (RMS)", "单个参数的梯度均方根"), _grad_rms),
)
