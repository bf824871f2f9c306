"""Whether the learning rate is of an order that can work for the optimizer."""

from __future__ import annotations

from typing import Final

from spikedoc.evidence._answers import PROGRESS, STUCK, answer, asked_of, lacking, saying, short
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.metric import Metric
from spikedoc.model.optimizer import SGD_LOW, is_sgd, largest_lr, optimizer_name
from spikedoc.text import Text

# Outside these no usual setup of that optimizer learns; the usual ranges are 1e-5 to 1e-3 (Adam)
# and 1e-2 to 1e-1 (SGD with momentum).
ADAM_HIGH: Final = 1e-2
ADAM_LOW: Final = 3e-6
SGD_HIGH: Final = 0.5
# A rate for Adam under SGD: common after switching the optimizer in a config.
SGD_ADAM_RATE: Final = 3e-3


def _is_adam(name: str | None) -> bool:
    return name is not None and "adam" in name


def _unknown() -> Answer:
    return lacking(Metric.LR, config=("lr",))


def _told(found: Answer, name: str | None, en: str, zh: str) -> Answer:
    """Return the answer; of an optimizer that is not known it says nothing."""
    return found if name is not None else saying(found, en, zh)


def _lr_is_extreme_high(case: Case) -> Answer:
    rate, name = largest_lr(case.run), optimizer_name(case.run)
    if rate is None:
        return _unknown()
    if name is None and ADAM_HIGH < rate <= SGD_HIGH:
        return lacking(config=("optimizer",))  # extreme for one, usual for the other
    limit = ADAM_HIGH if _is_adam(name) else SGD_HIGH
    found = answer(rate > limit, rate=short(rate), limit=limit, name=name)
    if rate > limit:
        return _told(
            found,
            name,
            "The learning rate reaches {rate}, above the {limit} that works at most with any usual "
            "optimizer",
            "学习率最高达 {rate}，超过任何常用优化器可用的上限 {limit}",
        )
    return _told(
        found,
        name,
        "The learning rate of at most {rate} is not extreme for any usual optimizer",
        "学习率最高 {rate}，对任何常用优化器都不过高",
    )


def _lr_is_extreme_low(case: Case) -> Answer:
    rate, name = largest_lr(case.run), optimizer_name(case.run)
    if rate is None:
        return _unknown()
    limit = SGD_LOW if is_sgd(name) else ADAM_LOW
    found = answer(rate < limit, rate=short(rate), limit=limit, name=name)
    if rate < limit:
        return _told(
            found,
            name,
            "The learning rate never exceeds {rate}, below the {limit} that is needed at least",
            "学习率始终不超过 {rate}，低于通常所需的 {limit}",
        )
    return _told(
        found,
        name,
        "The learning rate of up to {rate} is not too low by orders",
        "学习率最高 {rate}，没有低出数量级",
    )


def _sgd_with_adam_lr(case: Case) -> Answer:
    rate, name = largest_lr(case.run), optimizer_name(case.run)
    if rate is None:
        return _unknown()
    if name is None:
        return lacking(config=("optimizer",))
    return answer(is_sgd(name) and rate <= SGD_ADAM_RATE, rate=short(rate), name=name)


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "lr_is_extreme_high",
        Text("Is the learning rate far above what works?", "学习率是否远高于可用范围？"),
        Text(
            "The learning rate reaches {rate}, above the {limit} that usually works at most ("
            "optimizer: {name})",
            "学习率最高达 {rate}，超过通常可用的上限 {limit}（优化器：{name}）",
        ),
        Text(
            "The learning rate of at most {rate} is not extreme (optimizer: {name})",
            "学习率最高 {rate}，并不过高（优化器：{name}）",
        ),
        _lr_is_extreme_high,
    ),
    Probe(
        "lr_is_extreme_low",
        Text("Is the learning rate far below what works?", "学习率是否远低于可用范围？"),
        Text(
            "The learning rate never exceeds {rate}, below the {limit} that is needed at least "
            "(optimizer: {name})",
            "学习率始终不超过 {rate}，低于通常所需的 {limit}（优化器：{name}）",
        ),
        Text(
            "The learning rate of up to {rate} is not too low by orders (optimizer: {name})",
            "学习率最高 {rate}，没有低出数量级（优化器：{name}）",
        ),
        asked_of(PROGRESS | STUCK, _lr_is_extreme_low),
    ),
    Probe(
        "sgd_with_adam_lr",
        Text("Does SGD run at a learning rate meant for Adam?", "SGD 是否用了适合 Adam 的学习率？"),
        Text(
            "SGD runs at a learning rate of {rate}: a value for Adam, 10 to 100 times too low "
            "for SGD",
            "SGD 的学习率只有 {rate}，这是 Adam 的取值，对 SGD 低了 10 到 100 倍",
        ),
        Text(
            "No mix-up of optimizer and learning rate ({name} at {rate})",
            "优化器与学习率没有错配（{name}，学习率 {rate}）",
        ),
        asked_of(PROGRESS | STUCK, _sgd_with_adam_lr),
    ),
)
