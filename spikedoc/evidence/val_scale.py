"""Validation that is the training loss on another scale, or one number whatever is trained."""

from __future__ import annotations

from typing import Final

from spikedoc.evidence._answers import UNKNOWN, answer, asked_of, saying, short
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.anomaly import Shape
from spikedoc.model.label import Kind
from spikedoc.text import Text

GAPS: Final = frozenset({Kind.OVERFITTING})


def _val_on_other_scale(case: Case) -> Answer:
    seen = case.anomaly.seen_as(Shape.GAP)
    if seen is None:
        return UNKNOWN
    m = seen.measures
    if "steady" in m:
        return saying(
            answer(True, name=case.anomaly.signal, scale=short(m["steady"])),
            "{name} is {scale}x the training loss at every evaluation, and neither comes down: the "
            "same thing counted otherwise would look so",
            "每次评估的 {name} 都是训练损失的 {scale} 倍，两者都没有下降："
            "同一个量换一种口径计算就会如此",
        )
    if "scale" not in m:
        return UNKNOWN
    return answer(
        True,
        name=case.anomaly.signal,
        scale=short(m["scale"]),
        first=short(m["first"]),
        best=short(m["best"]),
    )


def _val_never_changes(case: Case) -> Answer:
    seen = case.anomaly.seen_as(Shape.GAP)
    if seen is None:
        return UNKNOWN
    m = seen.measures
    if "equal" not in m:
        return answer(False, name=case.anomaly.signal)
    return answer(True, name=case.anomaly.signal, count=int(m["equal"]), best=m["best"])


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "val_on_other_scale",
        Text(
            "Is validation far above training from the start, and does it come down with it?",
            "验证损失是否从一开始就远高于训练损失，并随之下降？",
        ),
        Text(
            "{name} is {scale}x the training loss at the first evaluation and comes down with it "
            "({first} → {best}): a sum where training takes a mean, or a mean over other things",
            "第一次评估时 {name} 是训练损失的 {scale} 倍，并随之下降（{first} → {best}）："
            "训练取平均而这里取了求和，或是对别的东西取平均",
        ),
        Text(
            "Validation is on the scale of the training loss",
            "验证损失与训练损失在同一量级",
        ),
        asked_of(GAPS, _val_on_other_scale),
    ),
    Probe(
        "val_never_changes",
        Text(
            "Is the validation loss the same number at every evaluation?",
            "每次评估的验证损失是否都是同一个数？",
        ),
        Text(
            "{name} is {best} at all {count} evaluations, to the last digit, while the training "
            "loss falls: what is evaluated does not change",
            "{count} 次评估的 {name} 都是 {best}，逐位相同，而训练损失在下降：被评估的东西没有变化",
        ),
        Text(
            "{name} differs from one evaluation to the next: what is evaluated changes",
            "各次评估的 {name} 不同：被评估的东西在变化",
        ),
        asked_of(GAPS, _val_never_changes),
    ),
)
