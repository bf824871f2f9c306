"""Whether the loss breaks out of a long calm, and whether the run goes on as if it had not."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._answers import UNKNOWN, answer, saying, short
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.evidence.first_break import broken_loss
from spikedoc.model.metric import Metric
from spikedoc.model.run import Series
from spikedoc.text import Text

LAST_POINTS: Final = 3
# Long calm: thirty records without trouble, the last ones no higher than the twenty before. What is
# wrong with the setting – the rate, half precision – shows within fewer.
LONG_CALM: Final = 30
RECENT_POINTS: Final = 20
# An excerpt from so late in a run was calm for longer than it shows: twice the last points do.
LATE_STEP: Final = 1000
NO_HIGHER: Final = 1.1
# After the last value that is not finite: so many records, their median no higher than before.
AFTER_POINTS: Final = 10


def _breaks_out_of_long_calm(case: Case) -> Answer:
    loss, first = broken_loss(case) or (None, 0)
    if loss is None or first < (2 * LAST_POINTS if loss.steps[0] >= LATE_STEP else LONG_CALM):
        return UNKNOWN
    recent = loss.values[max(0, first - LAST_POINTS - RECENT_POINTS) : first - LAST_POINTS]
    usual, highest = float(recent.max()), float(loss.values[first - LAST_POINTS : first].max())
    if usual <= 0:
        return UNKNOWN
    later = _goes_on(loss, usual)
    if later is not None:
        last, after = later
        return saying(
            answer(False, last=last, after=short(after), usual=short(usual)),
            "After step {last} the loss goes on at its usual level ({after}; {usual} at most just "
            "before): the weights are sound, so the steps that broke were skipped",
            "第 {last} 步之后损失仍在平常水平（{after}；此前最高 {usual}）：权重完好，"
            "出错的步被跳过了",
        )
    return answer(
        highest <= NO_HIGHER * usual,
        count=first,
        highest=short(highest),
        usual=short(usual),
        step=int(loss.steps[first]),
    )


def _goes_on(loss: Series, usual: float) -> tuple[int, float] | None:
    """Return the last broken step and the level right after it, where that is no higher."""
    bad = np.flatnonzero(~loss.is_finite)
    after = loss.values[int(bad[-1]) + 1 :][:AFTER_POINTS]
    if after.size < AFTER_POINTS:
        return None
    level = float(np.median(after))
    return (int(loss.steps[bad[-1]]), level) if level <= NO_HIGHER * usual else None


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "breaks_out_of_long_calm",
        Text(
            "Does it break from one record to the next, after a long calm?",
            "是否在长时间平稳之后，从一条记录到下一条突然失效？",
        ),
        Text(
            "After {count} finite values the loss breaks at step {step} from one record to the "
            "next; until then it had kept to its usual range ({highest} at most just before)",
            "在 {count} 个有限值之后，损失在第 {step} 步从一条记录到下一条突然失效，"
            "此前仍在平常范围内（临近时最高 {highest}）",
        ),
        Text(
            "The loss rose before it broke at step {step} ({usual} at most, then {highest})",
            "损失在第 {step} 步失效之前已经上升（此前最高 {usual}，随后 {highest}）",
        ),
        _breaks_out_of_long_calm,
        needs=(Metric.LOSS,),
    ),
)
