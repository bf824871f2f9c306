"""A run that blew up in its first steps and stays where that left it."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._answers import UNKNOWN, answer, asked_of, short
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Kind
from spikedoc.text import Text

FLAT: Final = frozenset({Kind.NON_CONVERGENCE})
# The peak lies among the first twentieth, the rest is what follows the first tenth.
EARLY: Final = 20
LATER: Final = 10
# A network that knows nothing costs a guess, ln C, and up to twice that with large logits (the
# bound of the detector of first losses): what began further up had been thrown already.
ABOVE_GUESS: Final = 2.0


def _blew_up_at_start(case: Case) -> Answer:
    loss, measures = case.run.main_loss, case.anomaly.measures
    chance = measures.get("chance", float("inf"))
    thrown = measures.get("thrown") or measures.get("first", 0.0) > ABOVE_GUESS * chance
    if loss is None or not thrown:
        return UNKNOWN
    values = loss.finite()[1]
    peak = float(values[: max(1, values.size // EARLY)].max())
    return answer(
        True, peak=short(peak), rest=short(float(np.median(values[values.size // LATER :])))
    )


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "blew_up_at_start",
        Text(
            "Did the loss blow up in the first steps and stay where that left it?",
            "损失是否在最初几步爆掉，之后停在那里？",
        ),
        Text(
            "The loss was at {peak} in the first steps and has stood at {rest} since: what the "
            "weights held was lost in the first updates",
            "损失在最初几步高达 {peak}，之后一直停在 {rest}：权重在头几次更新里就毁掉了",
        ),
        Text("The run did not begin with a blow-up", "训练开始时没有爆掉"),
        asked_of(FLAT, _blew_up_at_start),
    ),
)
