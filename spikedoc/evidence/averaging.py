"""Whether what is evaluated are averaged weights that lag behind the trained ones."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._answers import UNKNOWN, answer, asked_of, short
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.signal.around import finite, part_medians, trend
from spikedoc.text import Text

# Words of a config key that say that weights are averaged.
AVERAGED: Final = frozenset({"ema", "swa", "polyak"})
AVERAGED_PHRASES: Final = ("averaged_model", "weight_averaging", "exponential_moving")
FILLED: Final = frozenset({"0", "0.0", "none", "null", "false", "off", ""})
# Validation stood still over its first quarter, while training fell by half, and then came down by
# a fifth along a steady slope: it follows, late.
FIRST_SHARE: Final = 4
STOOD: Final = 0.9
TRAIN_FALL: Final = 0.5
CAME_DOWN: Final = 0.8
STEADY: Final = -0.8
EVALUATIONS_FEWEST: Final = 8
BLOCKS: Final = 12
NEAR_POINTS: Final = 20
GAPS: Final = frozenset({Kind.OVERFITTING, Kind.NON_CONVERGENCE})


def _ema_in_config(case: Case) -> Answer:
    for key, value in case.run.config.items():
        name = key.lower().replace("-", "_").replace(".", "_")
        said = AVERAGED & set(name.split("_")) or any(part in name for part in AVERAGED_PHRASES)
        if said and str(value).lower() not in FILLED:
            return answer(True, key=key, value=str(value))
    return UNKNOWN


def _val_follows_late(case: Case) -> Answer:
    val, loss = case.run.get(Metric.VAL_LOSS), case.run.get(Metric.LOSS)
    if val is None or loss is None:
        return UNKNOWN
    steps, values = finite(val.steps, val.values)
    at, losses = finite(loss.steps, loss.values)
    if values.size < EVALUATIONS_FEWEST or losses.size < NEAR_POINTS:
        return UNKNOWN
    early = values.size // FIRST_SHARE
    end = int(np.searchsorted(at, steps[early - 1], side="right"))
    near = losses[max(0, end - NEAR_POINTS) : end]
    if near.size == 0 or values[0] <= 0:
        return UNKNOWN
    stood = float(values[:early].min()) >= STOOD * float(values[0])
    fell = float(np.median(near)) <= TRAIN_FALL * float(losses[0])
    after = values[early:]
    slope = trend(part_medians(after, min(BLOCKS, after.size)))
    late = float(np.median(after[-early:]))
    follows = stood and fell and slope <= STEADY and late <= CAME_DOWN * float(values[0])
    return answer(follows, first=short(float(values[0])), last=short(late))


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "ema_in_config",
        Text("Does the config average weights (EMA, SWA)?", "配置中是否使用权重平均（EMA、SWA）？"),
        Text(
            "The config averages weights ({key} = {value}): if those are evaluated, validation is "
            "that of another model than the one that is trained",
            "配置使用了权重平均（{key} = {value}）：如果评估用的是平均权重，验证的就不是正在训练的"
            "那个模型",
        ),
        Text("The config averages no weights", "配置没有使用权重平均"),
        _ema_in_config,
    ),
    Probe(
        "val_follows_late",
        Text(
            "Does validation follow the training loss, but much later?",
            "验证损失是否跟随训练损失下降，但滞后很多？",
        ),
        Text(
            "The validation loss stood at {first} while training fell, and comes down to {last} "
            "later on: it follows with a delay, as averaged weights do",
            "训练损失下降时验证损失停在 {first}，后来才降到 {last}：它滞后地跟随，平均权重就是这样",
        ),
        Text(
            "The validation loss does not follow with a delay ({first} at first, {last} at the "
            "end)",
            "验证损失不是滞后地跟随（起初 {first}，最后 {last}）",
        ),
        asked_of(GAPS, _val_follows_late),
        needs=(Metric.VAL_LOSS, Metric.LOSS),
    ),
)
