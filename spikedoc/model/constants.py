"""Loss levels that mean something: guessing among C classes, and a softmax applied twice."""

from __future__ import annotations

import math
from typing import Final

# Class counts and vocabulary sizes met in practice (ImageNet, BERT, GPT-2, LLaMA, Qwen …), few on
# purpose: with every count in the list any loss would look like guessing.
COMMON_CLASSES: Final = (
    2,
    10,
    100,
    1_000,
    21_128,
    21_841,
    30_522,
    32_000,
    50_257,
    50_304,
    65_024,
    100_277,
    128_256,
    129_280,
    151_936,
    250_880,
    256_000,
)
# Guessing: within 3 % of ln C when C is known, 2 % when it is one of the common ones.
CHANCE_TOLERANCE: Final = 0.03
CHANCE_TOLERANCE_GUESSED: Final = 0.02


def chance_loss(classes: int) -> float:
    """Return ln C, the cross-entropy of a uniform guess among `classes`."""
    return math.log(classes)


def double_softmax_floor(classes: int) -> float:
    """Return ln(1 + (C-1)/e): cross-entropy cannot fall below it when softmax is applied twice."""
    return math.log(1.0 + (classes - 1) / math.e)


def smoothing_floor(classes: int, smoothing: float) -> float:
    """Return the entropy of smoothed targets (torch's convention), the least cross-entropy."""
    off = smoothing / classes
    on = 1.0 - smoothing + off
    rest = -(classes - 1) * off * math.log(off) if off > 0 else 0.0
    return -on * math.log(on) + rest


def chance_level(level: float, classes: int | None) -> tuple[int, float] | None:
    """Return (C, ln C) when `level` is that of guessing among the known, else a common, C."""
    if not level > 0:
        return None
    candidates = (classes,) if classes and classes > 1 else COMMON_CLASSES
    best = min(candidates, key=lambda c: abs(math.log(c) - level))
    tolerance = CHANCE_TOLERANCE if classes else CHANCE_TOLERANCE_GUESSED
    ok = abs(math.log(best) - level) <= tolerance * math.log(best)
    return (best, math.log(best)) if ok else None
