"""The level of the update norm over a stretch: zero, tiny or as usual."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._answers import STUCK, UNKNOWN, answer, asked_of, lacking, short
from spikedoc.evidence._stretch import ZERO, is_zero, stretch
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.metric import Metric
from spikedoc.model.optimizer import largest_lr, optimizer_name
from spikedoc.text import Text

# Updates that cannot move a weight: by themselves, or against the size of the weights.
TINY: Final = 1e-5
TINY_OF_WEIGHTS: Final = 1e-6
# Updates that throw the weights about.
HUGE_OF_WEIGHTS: Final = 0.1
HUGE: Final = 1e3

# A coordinate moves by at least .229 learning rates (RMS, Adam with beta1 .9, random gradients), so
# the update norm tells how many coordinates move at most; no layer has fewer than a hundred.
ADAM_STEP: Final = 0.229
FEW: Final = 100
MANY: Final = 1e9


def _update_is_zero(case: Case) -> Answer:
    return is_zero(case, Metric.UPDATE_NORM)


def _size(case: Case) -> tuple[float, float | None] | None:
    """Return the update norm over the stretch, and as a share of the weight norm when logged."""
    values = stretch(case, case.run.get(Metric.UPDATE_NORM))
    if values.size == 0:
        return None
    level = float(np.median(values))
    weights = stretch(case, case.run.get(Metric.WEIGHT_NORM))
    norm = float(np.median(weights)) if weights.size else 0.0
    return level, (level / norm if norm > 0 else None)


def _is_tiny(level: float, share: float | None) -> bool:
    return level >= ZERO and (share < TINY_OF_WEIGHTS if share is not None else level < TINY)


def _update_is_tiny(case: Case) -> Answer:
    size = _size(case)
    return UNKNOWN if size is None else answer(_is_tiny(*size), level=short(size[0]))


def _update_is_usual(case: Case) -> Answer:
    size = _size(case)
    if size is None:
        return UNKNOWN
    level, share = size
    huge = share > HUGE_OF_WEIGHTS if share is not None else level > HUGE
    return answer(level >= ZERO and not _is_tiny(level, share) and not huge, level=short(level))


def _update_reaches_few(case: Case) -> Answer:
    rate, name = largest_lr(case.run), optimizer_name(case.run)
    values = stretch(case, case.run.get(Metric.UPDATE_NORM))
    if rate is None:
        return lacking(Metric.LR, config=("lr",))
    if name is None:
        return lacking(config=("optimizer",))
    if values.size == 0 or rate <= 0 or "adam" not in name:
        return UNKNOWN
    size = min(float(np.median(values)) / rate, MANY)
    if size <= ZERO:
        return UNKNOWN
    count = (size / ADAM_STEP) ** 2
    return answer(count < FEW, count=max(1, round(count)), ratio=short(size))


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "update_is_zero",
        Text("Is update_norm exactly zero?", "更新范数是否恰好为零？"),
        Text(
            "update_norm is zero in {percent} % of the points of steps {first} to {last}: the "
            "parameters do not move there",
            "第 {first} 到 {last} 步之间 {percent} % 的点上更新范数为零，参数没有变化",
        ),
        Text("update_norm is not zero (median {level})", "更新范数不为零（中位数 {level}）"),
        asked_of(STUCK, _update_is_zero),
        needs=(Metric.UPDATE_NORM,),
    ),
    Probe(
        "update_is_tiny",
        Text("Are the updates too small to matter?", "参数更新是否小到不起作用？"),
        Text(
            "update_norm is {level}: the parameters hardly move",
            "更新范数只有 {level}，参数几乎不动",
        ),
        Text("update_norm is {level}: not tiny", "更新范数为 {level}，并不算小"),
        asked_of(STUCK, _update_is_tiny),
        needs=(Metric.UPDATE_NORM,),
    ),
    Probe(
        "update_is_usual",
        Text("Do the parameters move at an ordinary rate?", "参数是否以正常幅度更新？"),
        Text(
            "update_norm is {level}: the parameters move, and learn nothing from it",
            "更新范数为 {level}，参数在更新，却没有学到东西",
        ),
        Text(
            "update_norm is {level}: the parameters move far too little or far too much",
            "更新范数为 {level}，参数更新过小或过大",
        ),
        asked_of(STUCK, _update_is_usual),
        needs=(Metric.UPDATE_NORM,),
    ),
    Probe(
        "update_reaches_few",
        Text("Do only a few parameters move?", "是否只有极少数参数在更新？"),
        Text(
            "update_norm is {ratio} learning rates: with Adam at most about {count} parameters "
            "move",
            "更新范数只有学习率的 {ratio} 倍：对 Adam 而言最多约 {count} 个参数在更新",
        ),
        Text(
            "update_norm is {ratio} learning rates: many parameters move ({count} or more)",
            "更新范数为学习率的 {ratio} 倍：有大量参数在更新（约 {count} 个以上）",
        ),
        asked_of(STUCK, _update_reaches_few),
        needs=(Metric.UPDATE_NORM,),
    ),
)
