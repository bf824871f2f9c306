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


def _blew_up_at_start(case: Case) -> Answer:
    loss = case.run.main_loss
    if loss is None or not case.anomaly.measures.get("thrown"):
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
