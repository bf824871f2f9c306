"""Whether the loss grew restless before it left its level: instability builds up, data do not."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.evidence._answers import UNKNOWN, answer, asked_of, short
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Form, Kind
from spikedoc.model.metric import Metric
from spikedoc.signal.around import last_before
from spikedoc.signal.baseline import scatter
from spikedoc.text import Text

# The last stretch before the onset, a tenth of what went before, against the three before it: the
# noise of a falling loss, taken in logs, grows by far less from one to the next.
SHARE: Final = 10
FEWEST: Final = 20
PARTS: Final = 4
# Half as much again and more: the scatter of twenty differences is known to a fifth.
GROWTH: Final = 1.6
LEAVING: Final = frozenset({Kind.DIVERGENCE, Kind.LEVEL_SHIFT, Kind.SUSTAINED_DRIFT})


def _unrest_before(case: Case) -> Answer:
    loss = case.run.main_loss
    if loss is None or case.anomaly.form is Form.DOWN:
        return UNKNOWN
    points = loss.index_at(case.anomaly.start_step)
    width = max(FEWEST, points // SHARE)
    before = last_before(loss.steps, loss.values, case.anomaly.start_step, PARTS * width)
    if before.size < PARTS * width or float(before.min()) <= 0:
        return UNKNOWN
    usual, late = _swing(before[:-width]), _swing(before[-width:])
    if usual <= 0:
        return UNKNOWN
    return answer(late >= GROWTH * usual, factor=short(late / usual), points=width)


def _swing(values: NDArray[np.float64]) -> float:
    return scatter(np.diff(np.log(values)))


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "unrest_before",
        Text(
            "Did the loss grow restless before it left its level?",
            "损失离开原水平之前，波动是否已经变大？",
        ),
        Text(
            "Over the {points} points before step {onset} the loss jumps about {factor}x as much "
            "as before: it was on the edge of stability",
            "第 {onset} 步之前的 {points} 个点里，损失的波动是此前的 {factor} 倍：训练已处于"
            "稳定的边缘",
        ),
        Text(
            "The loss was no more restless before step {onset} than earlier ({factor}x)",
            "第 {onset} 步之前损失的波动并不比此前大（{factor} 倍）",
        ),
        asked_of(LEAVING, _unrest_before),
        needs=(Metric.LOSS,),
    ),
)
