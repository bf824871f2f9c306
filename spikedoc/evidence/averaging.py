"""Whether what is evaluated are averaged weights that lag behind the trained ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from spikedoc.evidence._answers import UNKNOWN, answer, asked_of, short
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.model.run import ConfigValue
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
# Or it creeps: lower at each single evaluation, by no more than that in all. Weights that are
# really trained, on data that tell them nothing, go up and down.
CREPT: Final = 0.998
EVALUATIONS_FEWEST: Final = 8
BLOCKS: Final = 12
NEAR_POINTS: Final = 20
# An average that remembers a third of the run and more still holds the initial weights at its end.
OUTLASTS: Final = 1 / 3
LEAST_DECAY: Final = 0.9
GAPS: Final = frozenset({Kind.OVERFITTING, Kind.NON_CONVERGENCE})


def _averages(case: Case) -> Iterator[tuple[str, ConfigValue]]:
    """Return the settings of the config that speak of averaged weights."""
    for key, value in case.run.config.items():
        name = key.lower().replace("-", "_").replace(".", "_")
        said = AVERAGED & set(name.split("_")) or any(part in name for part in AVERAGED_PHRASES)
        if said and str(value).lower() not in FILLED:
            yield key, value


def _ema_in_config(case: Case) -> Answer:
    for key, value in _averages(case):
        return answer(True, key=key, value=str(value))
    return UNKNOWN


def _ema_outlasts_run(case: Case) -> Answer:
    length = case.run.last_step - min(case.run.first_step, 1) + 1
    for key, value in _averages(case):
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        if LEAST_DECAY <= value < 1 and length > 0:
            memory = round(1 / (1 - value))
            return answer(
                memory >= OUTLASTS * length, key=key, value=value, memory=memory, length=int(length)
            )
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
    creeps = bool((np.diff(values) < 0).all()) and late <= CREPT * float(values[0])
    comes = slope <= STEADY and late <= CAME_DOWN * float(values[0])
    follows = stood and fell and (comes or creeps)
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
        "ema_outlasts_run",
        Text(
            "Does the average of the weights remember as long as the run lasts?",
            "权重平均的记忆长度是否与训练一样长？",
        ),
        Text(
            "An average with {key} = {value} remembers {memory} steps, the run has {length}: at "
            "its end the average still holds much of the initial weights",
            "{key} = {value} 的平均约记住 {memory} 步，而训练只有 {length} 步：结束时平均权重里仍有"
            "大量初始权重",
        ),
        Text(
            "An average with {key} = {value} remembers {memory} steps, few against the {length} of "
            "the run",
            "{key} = {value} 的平均约记住 {memory} 步，远少于训练的 {length} 步",
        ),
        asked_of(GAPS, _ema_outlasts_run),
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
