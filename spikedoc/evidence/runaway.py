"""Whether the loss ran away before it became non-finite."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._answers import UNKNOWN, answer, is_nonfinite_form, saying, short
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.metric import Metric
from spikedoc.text import Text

# The last logged values before the break, and the ones before these that give the usual level.
LAST_POINTS: Final = 3
LEVEL_POINTS: Final = 50
MIN_LEVEL_POINTS: Final = 3
# Ten times its level is beyond noise. Measured: at most 1.6 in eight trainings that broke at once,
# by an overflow, a bad input or an illegal operation. A loss near zero scatters by as much
# every few points: running away is going beyond all of these as well.
RUNAWAY_FACTOR: Final = 10.0


def _loss_runs_away(case: Case) -> Answer:
    loss = case.run.get(Metric.LOSS)
    if not is_nonfinite_form(case) or loss is None or bool(loss.is_finite.all()):
        return UNKNOWN
    before = loss.values[: int(np.argmin(loss.is_finite))]
    if before.size < LAST_POINTS + MIN_LEVEL_POINTS:
        return UNKNOWN
    usual = before[-LAST_POINTS - LEVEL_POINTS : -LAST_POINTS]
    level = float(np.median(usual))
    if level <= 0:
        return UNKNOWN
    highest = float(before[-LAST_POINTS:].max())
    beyond = highest >= RUNAWAY_FACTOR * level and highest > float(usual.max())
    if highest >= RUNAWAY_FACTOR * level and not beyond:
        return saying(
            answer(False, highest=short(highest), usual=short(float(usual.max()))),
            "The loss did not run away before it broke: {highest} within the last points, and it "
            "had come to {usual} shortly before",
            "损失在失效之前没有失控：最后几个点最高为 {highest}，而不久之前也曾达到 {usual}",
        )
    return answer(
        beyond,
        level=short(level),
        highest=short(highest),
        factor=short(highest / level),
    )


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "loss_runs_away_to_nonfinite",
        Text(
            "Did the loss run away before it became non-finite?",
            "损失在变为非有限值之前是否已经失控增长？",
        ),
        Text(
            "The loss ran away before it broke: {highest} within the last points, {factor}x its "
            "level of {level}",
            "损失在失效之前已经失控：最后几个点达到 {highest}，是此前水平 {level} 的 {factor} 倍",
        ),
        Text(
            "The loss did not run away before it broke (at most {highest} within the last points, "
            "level {level})",
            "损失在失效之前没有失控（最后几个点最高为 {highest}，此前水平为 {level}）",
        ),
        _loss_runs_away,
        needs=(Metric.LOSS,),
    ),
)
