"""Whether the loss of a batch follows what is in the batch: tokens, objects, lengths."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from spikedoc.evidence._answers import UNKNOWN, answer, percent
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.metric import Metric
from spikedoc.model.run import Series
from spikedoc.signal.around import aligned, correlation, detrended
from spikedoc.text import Text

# Half of the swing in common: a quarter of the variance.
FOLLOWS: Final = 0.5
POINTS_FEWEST: Final = 60
# Width of the trend in points that is taken off both.
TREND: Final = 25
# Names of counts and lengths per batch.
CONTENT: Final = re.compile(
    r"\b(?:n|num|number of)? ?(?:valid )?(?:tokens|targets|objects|boxes|instances|labels)\b"
    r"|\b(?:seq|sequence)s? ?len(?:gth)?s?\b|\binput len(?:gth)?s?\b|\bbatch size\b"
)
SEPARATOR: Final = re.compile(r"[^a-z0-9]+")


def _content(case: Case) -> list[Series]:
    """Return the series that tell what is in each batch; running totals are none."""
    found = []
    for series in (*case.run.all(Metric.BATCH_SIZE), *case.run.all(Metric.OTHER)):
        named = series.metric is Metric.BATCH_SIZE
        named = named or bool(CONTENT.search(SEPARATOR.sub(" ", series.tag.lower())))
        values = series.values[series.is_finite]
        if named and values.size >= POINTS_FEWEST and bool(np.any(np.diff(values) < 0)):
            found.append(series)
    return found


def _loss_follows_content(case: Case) -> Answer:
    loss = case.run.get(Metric.LOSS)
    best: tuple[float, str] | None = None
    for series in _content(case) if loss is not None else ():
        assert loss is not None
        values, content = aligned((loss.steps, loss.values), (series.steps, series.values))
        if values.size < POINTS_FEWEST:
            continue
        swings = detrended(values / max(float(np.abs(values).max()), 1e-300), TREND)
        common = correlation(swings, detrended(content, TREND))
        if best is None or abs(common) > abs(best[0]):
            best = (common, series.spoken)
    if best is None:
        return UNKNOWN
    return answer(abs(best[0]) >= FOLLOWS, name=best[1], percent=percent(best[0] ** 2))


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "loss_follows_content",
        Text(
            "Does the loss follow the size of what is in the batch?",
            "损失是否随批次内容的大小而变？",
        ),
        Text(
            "{percent} % of the swings of the loss go with {name}",
            "损失波动的 {percent} % 与 {name} 同步",
        ),
        Text(
            "The swings of the loss do not go with {name} ({percent} %)",
            "损失的波动与 {name} 无关（{percent} %）",
        ),
        _loss_follows_content,
        needs=(Metric.LOSS,),
    ),
)
