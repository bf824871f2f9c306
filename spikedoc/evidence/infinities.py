"""Whether the values that broke are infinities: some operations give NaN and never infinity."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._answers import UNKNOWN, answer, asked_of
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.text import Text


def _breaks_are_infinite(case: Case) -> Answer:
    """Return whether all that broke in the loss, or else in the finding's series, is infinite.

    A mean over nothing is 0/0, which IEEE 754 makes NaN; an overflow and a logarithm of 0 are
    infinite.
    """
    for series in (case.run.get(Metric.LOSS), case.run.named(case.anomaly.signal)):
        if series is None or bool(series.is_finite.all()):
            continue
        broken = series.values[~series.is_finite]
        nan = int(np.count_nonzero(np.isnan(broken)))
        return answer(nan == 0, name=series.spoken, count=int(broken.size), nan=nan)
    return UNKNOWN


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "breaks_are_infinite",
        Text(
            "Are the values that broke infinities, none of them NaN?",
            "失效的值是否全是无穷大，没有 NaN？",
        ),
        Text(
            "All {count} values of {name} that broke are infinite, none is NaN: an overflow or a "
            "logarithm of 0 gives infinity, 0 divided by 0 gives NaN",
            "{name} 中失效的 {count} 个值全是无穷大，没有 NaN：溢出或对 0 取对数得到无穷大，"
            "0 除以 0 得到 NaN",
        ),
        Text(
            "Of {count} {count|value|values} of {name} that broke, {nan} {nan|is|are} NaN",
            "{name} 中失效的 {count} 个值里有 {nan} 个是 NaN",
        ),
        asked_of(frozenset({Kind.NONFINITE}), _breaks_are_infinite),
    ),
)
