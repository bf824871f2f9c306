"""Whether a higher level was reached little by little."""

from __future__ import annotations

from typing import Final

from spikedoc.evidence._answers import UNKNOWN, answer, saying, short
from spikedoc.evidence._climbs import slow_climb
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.text import Text


def _climbs_evenly(case: Case) -> Answer:
    """Return True where a slope was seen; none seen is no answer, a short rise has no slope."""
    for detection in case.anomaly.detections:
        measures = detection.measures
        if detection.shape is Shape.RAMP and "reached" in measures:
            left, reached = int(measures["left"]), int(measures["reached"])
            return answer(True, left=left, reached=reached, steps=reached - left)
    climb = slow_climb(case)
    if climb is None:
        return UNKNOWN
    left, reached = climb.first_step, climb.last_step
    return saying(
        answer(True, left=left, reached=reached, steps=reached - left, factor=short(climb.factor)),
        "The loss took {steps} steps to climb {factor}x, from step {left} to {reached}, with no "
        "jump that makes up most of the way: every batch since adds to it, not one",
        "损失从第 {left} 步到第 {reached} 步，用了 {steps} 步升高 {factor} 倍，其中没有哪次跳变"
        "占去大半：是此后的每个批次在推高，而不是某一个",
    )


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "climbs_evenly",
        Text(
            "Did the loss climb little by little, without a jump?",
            "损失是否一点点爬升，中间没有跳变？",
        ),
        Text(
            "The loss took {steps} steps to climb, from step {left} to {reached}, evenly and with "
            "no jump in between",
            "损失从第 {left} 步到第 {reached} 步，用了 {steps} 步匀速爬升，中间没有跳变",
        ),
        Text("The loss did not climb evenly", "损失没有匀速爬升"),
        _climbs_evenly,
        needs=(Metric.LOSS,),
    ),
)
