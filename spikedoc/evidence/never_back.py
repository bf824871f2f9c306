"""Whether a loss that left stays where no training begins."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._answers import UNKNOWN, answer, asked_of, short
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Form, Kind
from spikedoc.model.metric import Metric
from spikedoc.text import Text

# A record may be an accident, three that stay are a state.
LEAST_AFTER: Final = 3
# A log that begins later does not hold the loss of an untrained network; ten times all that was
# logged before is beyond it anyway.
START_STEP: Final = 100
BEYOND: Final = 10.0


def _stays_above_start(case: Case) -> Answer:
    own = case.run.named(case.anomaly.signal)
    is_loss = own is not None and own.metric in (Metric.LOSS, Metric.VAL_LOSS)
    if own is None or not is_loss or case.anomaly.form is not Form.FINITE:
        return UNKNOWN
    steps, values = own.finite()
    at = int(np.searchsorted(steps, case.anomaly.start_step))
    before, after = values[:at], values[at:]
    if not before.size or after.size < LEAST_AFTER or float(values.min()) <= 0:
        return UNKNOWN
    limit = float(before[0]) if steps[0] <= START_STEP else BEYOND * float(before.max())
    lowest = float(after.min())
    if lowest <= limit and steps[0] > START_STEP:
        return UNKNOWN  # what an untrained network has is not known
    return answer(
        lowest > limit, lowest=short(lowest), before=short(float(before[0])), records=after.size
    )


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "stays_above_start",
        Text(
            "Does the loss stay above where the log begins?",
            "损失此后是否一直高于日志开头的值？",
        ),
        Text(
            "None of the {records} records since is below {lowest}, and the log begins at "
            "{before}: more is lost than had been learned, and no update brings the weights back",
            "此后 {records} 条记录都不低于 {lowest}，而日志开头是 {before}："
            "丢掉的不只是学到的东西，权重已经比未训练时还差，之后的更新也没能拉回来",
        ),
        Text(
            "The loss comes back to {lowest}, below the {before} that the log begins with",
            "损失回落到 {lowest}，低于日志开头的 {before}",
        ),
        asked_of(frozenset({Kind.DIVERGENCE}), _stays_above_start),
    ),
)
