"""The learning rate that was used against the one the config declares: warm-up and schedule."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.evidence._answers import UNKNOWN, answer, lacking, saying, setting, short
from spikedoc.evidence._facts import epoch_length
from spikedoc.evidence._schedule import rate
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.metric import Metric
from spikedoc.text import Text

# The last step of a warm-up lies below its peak by a step or two, and the decay has begun: 10 %.
TOLERANCE: Final = 0.10
POINTS_FEWEST: Final = 5
# Logged points after the declared end that may be the first at full rate.
AROUND: Final = 2
# Usual recipes end at up to 10 % of the peak, which the name of a schedule does not tell.
DEPARTS: Final = 0.15
# Where a schedule is nearly over its floor decides: only what lies above a fifth is compared.
COMPARED_ABOVE: Final = 0.2
# Three points in a row are no rounding and no lag of the logger.
IN_A_ROW: Final = 3
# A schedule whose name says more than its course is not compared.
OTHER_WORDS: Final = ("restart", "cycl", "wsd", "hard", "min_lr")


def _lr_misses_declared_peak(case: Case) -> Answer:
    declared, warmup = setting(case, "lr"), setting(case, "warmup_steps")
    steps, values = rate(case)
    if declared is None or warmup is None or declared <= 0 or warmup <= 0:
        return UNKNOWN
    index = int(np.searchsorted(steps, warmup, side="left"))
    # The warm-up must lie within the log, and the log must be dense enough to see its end.
    if steps.size < POINTS_FEWEST or index == 0 or index >= steps.size:
        return UNKNOWN
    if steps[index] - steps[index - 1] > TOLERANCE * warmup:
        return UNKNOWN
    # A stepwise warm-up ends with a leap just behind it: of the points around, the closest counts.
    near = slice(index - 1, index + AROUND)
    closest = index - 1 + int(np.argmin(np.abs(values[near] - declared)))
    found = float(values[closest])
    reached = np.flatnonzero(values >= (1 - TOLERANCE) * declared)
    told = answer(
        abs(found - declared) > TOLERANCE * declared,
        step=int(steps[closest]),
        found=short(found),
        declared=short(declared),
        reached=int(steps[reached[0]]) if reached.size else None,
    )
    if reached.size:
        return told
    return saying(
        told,
        "Near step {step}, where the declared warm-up ends, the learning rate is {found}; it never "
        "comes to the declared {declared}",
        "按配置，预热应在第 {step} 步附近结束，而那里的学习率是 {found}，"
        "并且始终没有达到配置的 {declared}",
    )


def _course(case: Case) -> str | None:
    """Return the family of the declared schedule, None for one whose course is not known."""
    name = str(case.run.config.get("schedule", "")).lower()
    if any(word in name for word in OTHER_WORDS):
        return None
    return next((word for word in ("cosine", "linear", "constant") if word in name), None)


def _planned_steps(case: Case) -> float | None:
    """Return the length of the schedule in steps, from the config alone or with the epoch's."""
    total, epochs = setting(case, "total_steps"), setting(case, "epochs")
    epoch = epoch_length(case.run)
    if total is None and epoch is not None and epochs is not None:
        return epoch * epochs
    return total


def _share(course: str, done: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of the peak that a schedule leaves when `done` (0..1) of it is over."""
    if course == "constant":
        return np.ones_like(done)
    return 1.0 - done if course == "linear" else 0.5 * (1.0 + np.cos(np.pi * done))


def _below_zero(step: int, lowest: float) -> Answer:
    """Answer for a schedule that went on past its end: no plan holds a rate below zero."""
    return saying(
        answer(True, step=step, lowest=short(lowest)),
        "From step {step} on the learning rate is below zero (down to {lowest}): the schedule ran "
        "past its end, and every step goes uphill",
        "从第 {step} 步起学习率低于 0（最低 {lowest}）：调度越过了终点，每一步都在上坡",
    )


def _lr_departs_from_schedule(case: Case) -> Answer:
    course, peak = _course(case), setting(case, "lr")
    steps, values = rate(case)
    below = np.flatnonzero(values < 0)
    if below.size:
        return _below_zero(int(steps[below[0]]), float(values.min()))
    missing = tuple(key for key in ("lr", "schedule") if key not in case.run.config)
    if missing:
        return lacking(config=missing)
    epoch, total = epoch_length(case.run), _planned_steps(case)
    if total is None:
        return lacking(config=("total_steps",))
    warmup = max(0.0, setting(case, "warmup_steps") or 0.0)
    if course is None or peak is None or peak <= 0 or total <= warmup:
        return UNKNOWN
    inside = (steps > (1 + TOLERANCE) * warmup) & (steps <= total)
    steps, values = steps[inside], values[inside]
    if values.size < POINTS_FEWEST:
        return UNKNOWN
    done = np.asarray((steps - warmup) / (total - warmup), dtype=np.float64)
    expected = peak * _share(course, done)
    off = np.abs(values - expected) > DEPARTS * peak
    if epoch is not None:  # schedulers that move once an epoch lag behind by up to one
        begun = np.maximum(np.floor(steps / epoch) * epoch - warmup, 0.0)
        last = _share(course, np.asarray(begun / (total - warmup), dtype=np.float64))
        off &= np.abs(values - peak * last) > DEPARTS * peak
    off &= expected > COMPARED_ABOVE * peak
    runs = np.flatnonzero(np.convolve(off, np.ones(IN_A_ROW), "valid") >= IN_A_ROW)
    at = int(runs[0]) if runs.size else values.size - 1
    return answer(
        runs.size > 0,
        step=int(steps[at]),
        found=short(float(values[at])),
        expected=short(float(expected[at])),
        name=str(case.run.config.get("schedule")),
        total=short(total),
    )


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "lr_misses_declared_peak",
        Text(
            "Does the learning rate miss its declared peak at the end of the warm-up?",
            "预热结束时学习率是否偏离配置的峰值？",
        ),
        Text(
            "Near step {step}, where the declared warm-up ends, the learning rate is {found} "
            "instead of {declared}; first step with that value: {reached}",
            "按配置，预热应在第 {step} 步附近结束，而那里的学习率是 {found}，不是 {declared}；"
            "首次达到该值的步数：{reached}",
        ),
        Text(
            "At the end of the declared warm-up (step {step}) the learning rate is {found}, as "
            "declared ({declared}, first at step {reached})",
            "按配置的预热结束时（第 {step} 步）学习率为 {found}，与配置的 {declared} 相符"
            "（首次达到：第 {reached} 步）",
        ),
        _lr_misses_declared_peak,
        needs=(Metric.LR,),
        needs_config=("lr", "warmup_steps"),
    ),
    Probe(
        "lr_departs_from_schedule",
        Text(
            "Does the learning rate depart from the declared schedule?",
            "学习率是否偏离配置的调度曲线？",
        ),
        Text(
            "From step {step} on the learning rate is {found} where the schedule ({name}, {total} "
            "steps) gives {expected}",
            "从第 {step} 步起学习率为 {found}，而按调度（{name}，共 {total} 步）应为 {expected}",
        ),
        Text(
            "The learning rate follows the schedule ({name}, {total} steps) up to step {step} "
            "({found}, expected {expected})",
            "到第 {step} 步为止学习率都符合调度（{name}，共 {total} 步；实际 {found}，应为"
            " {expected}）",
        ),
        _lr_departs_from_schedule,
        needs=(Metric.LR,),
    ),
)
