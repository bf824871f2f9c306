"""A warm-up that outlasts the run: the learning rate rises to the last step and never peaks."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._answers import STUCK, UNKNOWN, answer, asked_of, saying, setting, short
from spikedoc.evidence._schedule import rate
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.metric import Metric
from spikedoc.text import Text

# Fewer points may be the beginning of any warm-up.
POINTS_FEWEST: Final = 10
# A warm-up rises from nothing: the last value is several times the first.
RISES: Final = 2.0
# Rounded values repeat; a fall by more than rounding ends a warm-up.
ROUNDING: Final = 1e-3
# At its last step the rate is below half of what the config declares.
DECLARED_SHARE: Final = 0.5


def _lr_never_peaked(case: Case) -> Answer:
    steps, values = rate(case)
    if values.size < POINTS_FEWEST or float(values.max()) <= 0:
        return UNKNOWN
    first, last, top = float(values[0]), float(values[-1]), float(values.max())
    falls = bool(np.any(np.diff(values) < -ROUNDING * top))
    late = float(values[-1 - values.size // POINTS_FEWEST])
    rises = not falls and last >= RISES * max(first, 0.0) and last > (1.0 + ROUNDING) * late
    told = answer(rises, first=short(first), last=short(last), top=short(top), step=int(steps[-1]))
    declared = setting(case, "lr")
    if not rises or declared is None or last > DECLARED_SHARE * declared:
        return told
    return saying(
        answer(True, last=short(last), step=int(steps[-1]), declared=short(declared)),
        "At the last step ({step}) the learning rate is still rising and at {last}, far from the "
        "declared {declared}: the whole run is warm-up",
        "到最后一步（第 {step} 步）学习率仍在上升，只有 {last}，远未达到配置的 {declared}："
        "整个训练都处在预热中",
    )


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "lr_never_peaked",
        Text(
            "Is the learning rate still rising when the run ends?",
            "训练结束时学习率是否仍在上升？",
        ),
        Text(
            "The learning rate rises from {first} to {last} and is still rising at the last step "
            "({step}): the whole run is warm-up",
            "学习率从 {first} 升到 {last}，到最后一步（第 {step} 步）仍在上升：整个训练都在预热",
        ),
        Text(
            "The learning rate was past its rise when the run ended ({last}, {top} at most)",
            "训练结束时学习率已不再上升（{last}，最高 {top}）",
        ),
        asked_of(STUCK, _lr_never_peaked),
        needs=(Metric.LR,),
    ),
)
