"""Did training come back from an event while validation did not? Then it learned something else."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._answers import UNKNOWN, answer, asked_of, percent, short
from spikedoc.evidence._recovery import recovery
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.model.quality import HIGHER_IS_BETTER, LOWER_IS_BETTER, direction
from spikedoc.model.run import Series
from spikedoc.text import Text

# Three evaluations on either side.
EVALUATIONS: Final = 3
# A bad batch costs a few per cent of an accuracy for good. A quarter of it, or an error that has
# doubled, while training is back where it was, is a model that has learned another task.
LOST: Final = 0.25
DOUBLED: Final = 2.0
# Back within a twentieth.
BACK: Final = 0.05
KINDS: Final = frozenset({Kind.SLOW_RECOVERY, Kind.LEVEL_SHIFT, Kind.METRIC_DAMAGE})


def _val_stays_lost(case: Case) -> Answer:
    way = recovery(case)
    if way is None or way.points is None:
        return UNKNOWN
    found = None
    for series in case.run.all(Metric.VAL_METRIC):
        found = found or _before_and_late(series, case.anomaly.start_step)
    if found is None:
        return UNKNOWN
    series, before, late = found
    lower = direction(series) == LOWER_IS_BETTER
    lost = late >= DOUBLED * before if lower else late <= (1 - LOST) * before
    worse = late - before if lower else before - late
    if not lost and worse > BACK * before:
        return UNKNOWN
    change = percent(abs(worse) / before)
    return answer(lost, name=series.tag, before=short(before), after=short(late), percent=change)


def _before_and_late(series: Series, step: int) -> tuple[Series, float, float] | None:
    """Return the series with its levels before the event and at the end of the log."""
    steps, values = series.finite()
    first = int(np.searchsorted(steps, step))
    if direction(series) not in (HIGHER_IS_BETTER, LOWER_IS_BETTER):
        return None
    if first < EVALUATIONS or values.size - first < EVALUATIONS:
        return None
    before = float(np.median(values[first - EVALUATIONS : first]))
    late = float(np.median(values[-EVALUATIONS:]))
    return (series, before, late) if before > 0 else None


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "val_stays_lost",
        Text(
            "Did training come back while validation stayed far worse?",
            "训练恢复之后，验证是否仍然差很多？",
        ),
        Text(
            "The training loss came back, but {name} did not ({before} → {after} at the end): "
            "what is learned now is not what validation asks for",
            "训练损失已经恢复，而 {name} 没有（{before} → 最终 {after}）：现在学到的不是验证所考的",
        ),
        Text(
            "{name} did not stay far from where it was ({before} → {after} at the end)",
            "{name} 最终与原来相差不远（{before} → {after}）",
        ),
        asked_of(KINDS, _val_stays_lost),
        needs=(Metric.VAL_METRIC,),
    ),
)
