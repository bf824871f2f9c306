"""Whether the loss stays up for longer than one batch can hold it there."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._anew import begins_anew
from spikedoc.evidence._answers import UNKNOWN, answer, has_onset, saying, short
from spikedoc.evidence._climbs import slow_climb
from spikedoc.evidence._recovery import is_level_of_norm, recovery
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric, spoken
from spikedoc.signal.around import finite_only, last_before
from spikedoc.text import Text

RUN_FEWEST: Final = 20
# Adam forgets a gradient in tens of steps; a loss up for longer is fed by more than one batch.
OUTLASTS_POINTS: Final = 100
# The last third of fifty points and more of a gradient, still at five times its level.
STAYS_POINTS: Final = 50
LATE_PART: Final = 3
STAYS_UP: Final = 5.0
# Nine tenths of the rise are still there a hundred points on: weights that one batch has hurt learn
# again, the most of it within the first thirty steps (as measured for the rule on bad input).
STAYS_SHARE: Final = 0.9


def _outlasts_a_batch(case: Case) -> Answer:
    climb = slow_climb(case)
    if climb is not None:
        return saying(
            answer(True, factor=short(climb.factor), points=climb.points, last=climb.last_step),
            "The loss goes on rising for {points} logged points, to step {last} ({factor}x): one "
            "batch is felt within tens",
            "损失在 {points} 个记录点内持续上升，直到第 {last} 步（{factor} 倍）："
            "单个批次的影响只有几十个点",
        )
    way = recovery(case)
    if way is None and is_level_of_norm(case):
        return _gradient_stays_up(case)
    if way is None or begins_anew(case) is not None:
        return UNKNOWN  # a second beginning lasts as long as the first, whatever the batches hold
    if way.points is None:
        return _gradient_stays_up(case)
    lasts = way.points > OUTLASTS_POINTS
    if not lasts and case.anomaly.kind is Kind.LEVEL_SHIFT:
        return UNKNOWN  # a level that stays, and a few points that seem back, do not go together
    return answer(lasts, points=way.points, steps=way.steps, name=spoken(way.name))


def _gradient_stays_up(case: Case) -> Answer:
    """Answer for a loss that never came back, which may stand on weights that one batch ruined.

    Those learn again, or stand still. A gradient that stays up comes from what follows.
    """
    series = case.run.get(Metric.GRAD_NORM)
    if not has_onset(case):
        return UNKNOWN
    if series is None:
        return _level_stays(case)
    before = last_before(series.steps, series.values, case.anomaly.start_step, RUN_FEWEST)
    after = finite_only(series.window(case.anomaly.start_step, case.run.last_step))
    if before.size < RUN_FEWEST or after.size < STAYS_POINTS or float(np.median(before)) <= 0:
        return UNKNOWN
    factor = float(np.median(after[-after.size // LATE_PART :]) / np.median(before))
    if factor < STAYS_UP:
        return UNKNOWN
    return saying(
        answer(True, factor=short(factor), points=int(after.size), name=series.spoken),
        "Over the last of {points} points logged since, {name} is still {factor}x what it was "
        "before: every batch that follows is hard, not one",
        "此后共记录 {points} 个点，到最后 {name} 仍是之前的 {factor} 倍："
        "难的不是某一个批次，而是之后的每一个",
    )


def _level_stays(case: Case) -> Answer:
    """Answer for a level of which no gradient tells: whether it is as far off as at first."""
    loss = case.run.get(Metric.LOSS)
    if loss is None or case.anomaly.kind is not Kind.LEVEL_SHIFT:
        return UNKNOWN
    before = last_before(loss.steps, loss.values, case.anomaly.start_step, RUN_FEWEST)
    after = finite_only(loss.window(case.anomaly.start_step, case.run.last_step))
    if before.size < RUN_FEWEST or after.size < OUTLASTS_POINTS:
        return UNKNOWN
    level = float(np.median(before))
    first, late = (float(np.median(part)) for part in (after[:RUN_FEWEST], after[-RUN_FEWEST:]))
    if late - level < STAYS_SHARE * (first - level):
        return UNKNOWN
    return saying(
        answer(True, before=level, first=first, late=late, points=int(after.size)),
        "The loss went from {before} to {first} and after {points} points is still at {late}: what "
        "one batch did to the weights would have been learned again, at least in part",
        "损失从 {before} 升到 {first}，{points} 个点之后仍为 {late}：如果只是某个批次损害了权重，"
        "至少会重新学回一部分",
    )


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "outlasts_a_batch",
        Text(
            "Was the loss up for longer than a single batch can hold it?",
            "损失停留在高位的时间是否超出单个批次的影响？",
        ),
        Text(
            "{name} came back only after {points} logged {points|point|points} ({steps} steps): "
            "a single bad batch is forgotten in tens of steps",
            "{name} 经过 {points} 个记录点（{steps} 步）才回落：单个坏批次的影响几十步就会消失",
        ),
        Text(
            "{name} was back after {points} logged {points|point|points} ({steps} "
            "{steps|step|steps}): no longer than a single batch can hold it up",
            "{name} 在 {points} 个记录点（{steps} 步）后回落，没有超出单个批次能造成的时长",
        ),
        _outlasts_a_batch,
        needs=(Metric.LOSS,),
    ),
)
