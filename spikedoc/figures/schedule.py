"""Learning rates: what they were and what to try."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from spikedoc.figures._lookup import FOLLOW_POINTS, main_stride, rounded, setting, value_at
from spikedoc.figures.base import Figure
from spikedoc.figures.timing import rollback
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, Run
from spikedoc.signal.around import finite
from spikedoc.signal.excess import excess
from spikedoc.text import FieldValue, Text

# After an incident most recipes take .3 of the rate in force, and a tenth where numbers broke, the
# run was lost or never learned.
REDUCED: Final = 0.3
TENTH: Final = 0.1
LOST: Final = frozenset(
    {Kind.NONFINITE, Kind.DIVERGENCE, Kind.GRADIENT_EXPLOSION, Kind.NON_CONVERGENCE}
)
# A rewarm begins at a tenth of the new rate and takes 500 steps, or 5 % of a short run.
REWARM_START: Final = 0.1
REWARM_STEPS: Final = 500
REWARM_SHARE: Final = 0.05
# A first warm-up takes 3 % of the run and 200 steps at least, or twice what it took now; in a run
# too short for that no number is given.
WARMUP_SHARE: Final = 0.03
LEAST_WARMUP: Final = 200
# A rate below this share of the run's highest is one end of a schedule: a cosine ends at 0, a
# warm-up begins there.
LEAST_SHARE: Final = 0.01
# Where to look for the step of the schedule: 30 logged points or 4 % of the run before the onset.
BACK_POINTS: Final = 30
BACK_SHARE: Final = 0.04
AHEAD_POINTS: Final = 2
STEP_RATIO: Final = 1.3
DIGITS: Final = 3


def _in_force(run: Run, anomaly: Anomaly) -> float | None:
    """Return the highest learning rate from the onset until the loss had reacted."""
    series = run.get(Metric.LR)
    start = value_at(series, anomaly.start_step)
    if series is None or start is None:
        return setting(run, "lr")
    last = min(anomaly.peak_step, anomaly.start_step + FOLLOW_POINTS * main_stride(run))
    steps, values = finite(series.steps, series.values)
    inside = values[(steps >= anomaly.start_step) & (steps <= last)]
    return max(start, float(inside.max(initial=start)))


def _lr_at_onset(run: Run, anomaly: Anomaly) -> FieldValue | None:
    now = _in_force(run, anomaly)
    return None if now is None else rounded(now, DIGITS)


def _peak(run: Run) -> float | None:
    series = run.get(Metric.LR)
    if series is not None:
        _, values = finite(series.steps, series.values)
        if values.size:
            return float(values.max())
    return setting(run, "lr")


def _lr_peak(run: Run, _anomaly: Anomaly) -> FieldValue | None:
    peak = _peak(run)
    return None if peak is None else rounded(peak, DIGITS)


def _to_try(run: Run, anomaly: Anomaly) -> float | None:
    """Return the learning rate that every check and fix names: a part of what was in force.

    Where the schedule itself jumped up, the fault is the jump: the rate it had before it, or, from
    an end near zero, at the step to go back to. Never one that is almost zero: with such a rate
    nothing is learned.
    """
    now, peak = _in_force(run, anomaly), _peak(run)
    share = TENTH if anomaly.kind in LOST else REDUCED
    if now is None or peak is None:
        return None if now is None else rounded(share * now)
    least = LEAST_SHARE * peak
    jump = _jump(run, anomaly)
    if jump is not None and jump[1] > jump[0]:
        if jump[0] >= least:
            return rounded(jump[0], DIGITS)
        step = rollback(run, anomaly)
        there = value_at(run.get(Metric.LR), step) if step is not None else None
        return rounded(max(least, now if there is None else min(now, there)), DIGITS)
    start = value_at(run.get(Metric.LR), anomaly.start_step)
    return rounded(share * (max(now, least) if start is not None and now > start else now))


def _lr_reduced(run: Run, anomaly: Anomaly) -> FieldValue | None:
    rate = _to_try(run, anomaly)
    return rate if rate is not None and rate > 0 else None


def _rewarm_start(run: Run, anomaly: Anomaly) -> FieldValue | None:
    rate = _to_try(run, anomaly)
    return rounded(REWARM_START * rate) if rate is not None and rate > 0 else None


def _rewarm_steps(run: Run, _anomaly: Anomaly) -> FieldValue | None:
    total = setting(run, "total_steps") or float(run.last_step - run.first_step)
    return max(1, round(min(REWARM_STEPS, REWARM_SHARE * total))) if total > 0 else None


def _warmup_longer(run: Run, _anomaly: Anomaly) -> FieldValue | None:
    total, now = setting(run, "total_steps"), setting(run, "warmup_steps") or 0.0
    if total is None or total < LEAST_WARMUP / WARMUP_SHARE:
        return None
    return round(max(LEAST_WARMUP, WARMUP_SHARE * total, 2 * now))


def _jump(run: Run, anomaly: Anomaly) -> tuple[float, float] | None:
    """Return the learning rates around the largest step of the schedule near the onset."""
    series = run.get(Metric.LR)
    if series is None:
        return None
    steps, values = finite(series.steps, series.values)
    back = anomaly.start_step - BACK_SHARE * (run.last_step - run.first_step)
    onset = int(np.searchsorted(steps, anomaly.start_step, side="left"))
    first = max(1, min(int(np.searchsorted(steps, back)), onset - BACK_POINTS))
    last = min(values.size - 1, onset + AHEAD_POINTS)
    best: int | None = None
    size = math.log(STEP_RATIO)
    for index in range(first, last + 1):
        before, after = float(values[index - 1]), float(values[index])
        # Of two logs, since the quotient of two doubles may be 0 or beyond all doubles.
        height = abs(math.log(after) - math.log(before)) if before > 0 and after > 0 else 0.0
        if height > size and not _warms_up(values, index):
            best, size = index, height
    return None if best is None else _whole_jump(values, best)


def _warms_up(values: FloatArray, index: int) -> bool:
    """Return whether the rate has been rising since the start and not just leapt."""
    so_far = values[: index + 1]
    rising = so_far.size > 2 and float(so_far[-3]) < float(so_far[-2])
    return rising and bool(np.all(np.diff(so_far) >= 0))


def _whole_jump(values: FloatArray, index: int) -> tuple[float, float]:
    """Return the learning rates before and after the jump that the step at `index` is part of.

    A schedule that leaves its course over several points made one jump, to the highest of them.
    """
    if values[index] < values[index - 1]:
        return float(values[index - 1]), float(values[index])
    while index > 1 and values[index - 1] > STEP_RATIO * values[index - 2] > 0:
        index -= 1
    return float(values[index - 1]), float(values[excess(values, index).peak])


def _lr_before_jump(run: Run, anomaly: Anomaly) -> FieldValue | None:
    jump = _jump(run, anomaly)
    return None if jump is None else rounded(jump[0], DIGITS)


def _lr_after_jump(run: Run, anomaly: Anomaly) -> FieldValue | None:
    jump = _jump(run, anomaly)
    return None if jump is None else rounded(jump[1], DIGITS)


def _lr_factor(run: Run, anomaly: Anomaly) -> FieldValue | None:
    jump = _jump(run, anomaly)
    return None if jump is None else rounded(jump[1] / jump[0])


FIGURES: Final[tuple[Figure, ...]] = (
    Figure("lr_at_onset", Text("learning rate at the onset", "异常开始时的学习率"), _lr_at_onset),
    Figure("lr_peak", Text("highest learning rate", "最高学习率"), _lr_peak),
    Figure("lr_reduced", Text("learning rate to try", "建议尝试的学习率"), _lr_reduced),
    Figure(
        "rewarm_start", Text("learning rate to rewarm from", "重新预热的起始学习率"), _rewarm_start
    ),
    Figure("rewarm_steps", Text("steps of rewarming", "重新预热的步数"), _rewarm_steps),
    Figure("warmup_longer", Text("steps of a longer warm-up", "更长的预热步数"), _warmup_longer),
    Figure(
        "lr_before_jump", Text("learning rate before its jump", "学习率突变前的值"), _lr_before_jump
    ),
    Figure(
        "lr_after_jump", Text("learning rate after its jump", "学习率突变后的值"), _lr_after_jump
    ),
    Figure("lr_factor", Text("factor of the jump", "学习率突变的倍数"), _lr_factor),
)
