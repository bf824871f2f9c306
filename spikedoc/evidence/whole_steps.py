"""Whether a period is a whole number of steps, as whatever a training loop counts in steps is."""

from __future__ import annotations

import math
from typing import Final

from spikedoc.evidence._answers import UNKNOWN, answer, asked_of, short
from spikedoc.evidence._facts import spacing
from spikedoc.evidence._periods import folded_at, period_of, told_cycles
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.signal.fold import DRIFT
from spikedoc.signal.quick_swing import MOST_POINTS
from spikedoc.text import Text

# A swing of fewer steps is one of the optimizer, which counts nothing at all: `quick_swing`.
REPEATING: Final = frozenset({Kind.PERIODIC_SPIKES, Kind.OSCILLATION})
# The whole numbers beside the best period keep less than so much of what it explains. Simulated
# with 8 to 100 cycles and the phase explaining 30 to 90 %: whole periods keep .97 and more, those
# halfway between two whole numbers .5 and less.
KEPT: Final = 0.9
# A period known to less than half a step is neither whole nor broken.
FINEST: Final = 0.5
# Below this nothing is left to compare.
ETA2_LEAST: Final = 0.15


def _period_is_fractional(case: Case) -> Answer:
    period, loss = period_of(case), case.run.get(Metric.LOSS)
    if period is None or period < MOST_POINTS or loss is None or spacing(loss) != 1:
        return UNKNOWN
    found = folded_at(case, period)
    if found is None or found.eta2 < ETA2_LEAST:
        return UNKNOWN
    drift = DRIFT * period / found.cycles
    if not math.isfinite(drift) or drift > FINEST:
        return UNKNOWN
    whole = max(_explained(case, math.floor(period)), _explained(case, math.ceil(period)))
    return answer(
        whole < KEPT * found.eta2,
        period=short(period),
        cycles=told_cycles(case, found),
        whole=round(period),
    )


def _explained(case: Case, period: float) -> float:
    found = folded_at(case, period)
    return 0.0 if found is None else found.eta2


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "period_is_fractional",
        Text(
            "Is the period no whole number of steps?",
            "这个周期是否不是整数步？",
        ),
        Text(
            "The period of {period} steps holds over {cycles} cycles and is no whole number: what "
            "repeats is counted in samples or tokens, not in steps",
            "{period} 步的周期在 {cycles} 个周期内始终成立，却不是整数：重复的东西按样本或 token "
            "计数，而不是按步数",
        ),
        Text(
            "The period is {whole} whole steps within what {cycles} cycles can tell",
            "在 {cycles} 个周期能分辨的范围内，周期就是整 {whole} 步",
        ),
        asked_of(REPEATING, _period_is_fractional),
        needs=(Metric.LOSS,),
    ),
)
