"""Whether the validation loss jumped from one evaluation to the next, and training with it."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._answers import PROGRESS, UNKNOWN, answer, asked_of, percent, short
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.metric import Metric
from spikedoc.signal.around import finite, first_from, last_before
from spikedoc.signal.baseline import scatter
from spikedoc.text import Text

# Enough evaluations to tell a step from a slope.
EVALUATIONS_FEWEST: Final = 8
# Overfitting spreads its rise over many evaluations: one of eight carries an eighth or two.
STEP_SHARE: Final = 0.60
# The step is worth a question when it lifts the loss by a third at once ...
STEP_RISE: Final = 1.33
# ... and stands out from the ordinary moves between evaluations.
STEP_SIGMAS: Final = 6.0
# The level stays up: the later evaluations keep half of the step.
KEPT_SHARE: Final = 0.50
# Training did not move: its level stays within a fifth, or falls.
TRAIN_MOVE: Final = 1.20
TRAIN_POINTS: Final = 20
TRAIN_FEWEST: Final = 5


def _val_jumps_alone(case: Case) -> Answer:
    val, loss = case.run.get(Metric.VAL_LOSS), case.run.get(Metric.LOSS)
    if val is None or loss is None:
        return UNKNOWN
    steps, values = finite(val.steps, val.values)
    if values.size < EVALUATIONS_FEWEST or float(values.min()) <= 0:
        return UNKNOWN
    moves = np.diff(values)
    at = int(np.argmax(moves))
    before, after = float(values[at]), float(values[at + 1])
    rise = float(values[at + 1 :].max()) - float(values[: at + 1].min())
    share = float(moves[at]) / rise if rise > 0 else 0.0
    kept = float(np.median(values[at + 1 :])) - before >= KEPT_SHARE * float(moves[at])
    stands_out = float(moves[at]) > STEP_SIGMAS * scatter(np.delete(moves, at))
    jumps = share >= STEP_SHARE and after >= STEP_RISE * before and kept and stands_out
    old = last_before(loss.steps, loss.values, float(steps[at]), TRAIN_POINTS)
    new = first_from(loss.steps, loss.values, float(steps[at + 1]), TRAIN_POINTS)
    if old.size < TRAIN_FEWEST or new.size < TRAIN_FEWEST:
        return UNKNOWN
    was, became = float(np.median(old)), float(np.median(new))
    quiet = became <= TRAIN_MOVE * was if was > 0 else False
    return answer(
        jumps and quiet,
        percent=percent(max(share, 0.0)),
        before=short(before),
        after=short(after),
        first=int(steps[at]),
        last=int(steps[at + 1]),
        was=short(was),
        became=short(became),
    )


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "val_jumps_alone",
        Text(
            "Did the validation loss jump between two evaluations while training went on smoothly?",
            "验证损失是否在两次评估之间突然跳升，而训练损失平稳？",
        ),
        Text(
            "Between steps {first} and {last} the validation loss jumped from {before} to "
            "{after}, {percent} % of its whole rise, while the training loss did not ({was} -> "
            "{became})",
            "第 {first} 步到第 {last} 步之间验证损失从 {before} 跳到 {after}，占全部升幅的 "
            "{percent} %，而训练损失没有跳升（{was} -> {became}）",
        ),
        Text(
            "No jump of the validation loss alone (largest: {before} -> {after}, {percent} % of "
            "the rise; training loss {was} -> {became})",
            "没有验证损失单独跳升（最大一步 {before} -> {after}，占升幅的 {percent} %；训练损失 "
            "{was} -> {became}）",
        ),
        asked_of(PROGRESS, _val_jumps_alone),
        needs=(Metric.VAL_LOSS, Metric.LOSS),
    ),
)
