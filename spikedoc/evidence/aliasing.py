"""A period that is only the beat of the logging interval with the epoch."""

from __future__ import annotations

from typing import Final

from spikedoc.evidence._answers import UNKNOWN, answer, short
from spikedoc.evidence._events import known_period, signal
from spikedoc.evidence._facts import epoch_length, spacing
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.metric import Metric
from spikedoc.text import Text

# Periods are measured to a few per cent.
SAME: Final = 0.05
# A beat within a tenth of the epoch cannot be told from it.
APART: Final = 0.10


def _period_is_beat(case: Case) -> Answer:
    period, series, epoch = known_period(case), signal(case), epoch_length(case.run)
    if period is None or series is None or epoch is None:
        return UNKNOWN
    stride = spacing(series)
    longer, shorter = max(stride, epoch), min(stride, epoch)
    drift = abs(longer - round(longer / shorter) * shorter)
    # The logged points move through the epoch by `drift` each time; when they have gone through
    # the shorter of the two, the same phase is met again.
    if drift <= 0 or stride <= 1:
        return UNKNOWN
    beat = longer * shorter / drift
    if abs(beat - epoch) <= APART * epoch:
        return UNKNOWN
    return answer(
        abs(period - beat) <= SAME * beat,
        period=short(period),
        beat=short(beat),
        stride=short(stride),
        epoch=short(epoch),
    )


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "period_is_beat",
        Text(
            "Is the period the beat of the logging interval with the epoch?",
            "这个周期是否只是记录间隔与 epoch 的拍频？",
        ),
        Text(
            "The period of {period} steps is the beat of logging every {stride} steps with an "
            "epoch of {epoch} steps ({beat})",
            "{period} 步的周期恰是“每 {stride} 步记录一次”与“每轮 {epoch} 步”的拍频（{beat}）",
        ),
        Text(
            "The period of {period} steps is not the beat of the logging interval ({stride} steps) "
            "with the epoch ({epoch} steps), which would be {beat}",
            "{period} 步的周期不是记录间隔（{stride} 步）与 epoch（{epoch} 步）的拍频"
            "（应为 {beat}）",
        ),
        _period_is_beat,
        needs=(Metric.LOSS,),
    ),
)
