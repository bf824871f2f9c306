"""A learning rate that comes back up once its schedule has ended."""

from __future__ import annotations

from typing import Final

from spikedoc.evidence._answers import UNKNOWN, answer, asked_of, short
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.text import Text

LR: Final = frozenset({Kind.LR_DISCONTINUITY})


def _lr_comes_back(case: Case) -> Answer:
    m = case.anomaly.measures
    if not m.get("comeback"):
        return UNKNOWN
    return answer(
        not m.get("warm_up"),
        step=case.anomaly.start_step,
        low=short(m["before"]),
        high=short(m["after"]),
    )


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "lr_comes_back",
        Text(
            "Does the learning rate rise again after its schedule has ended?",
            "学习率是否在调度结束之后又升了上去？",
        ),
        Text(
            "At step {step} the learning rate has come down to {low} and then rises again to "
            "{high}: the formula of the schedule goes on beyond its length",
            "学习率在第 {step} 步降到 {low}，之后又升到 {high}：训练比调度长，公式越过了终点",
        ),
        Text(
            "The learning rate rises again from {low} to {high} as a second stage does",
            "学习率从 {low} 再次升到 {high}，像是第二阶段训练",
        ),
        asked_of(LR, _lr_comes_back),
        needs=(Metric.LR,),
    ),
)
