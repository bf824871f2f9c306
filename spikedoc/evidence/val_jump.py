"""Whether the validation loss jumped from one evaluation to the next, and training with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from spikedoc.evidence._answers import UNKNOWN, answer, asked_of, percent, short
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.model.run import Series
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
# … but not to less than half: then something happened to training as well, for the better or not.
TRAIN_FALL: Final = 0.50
TRAIN_POINTS: Final = 20
TRAIN_FEWEST: Final = 5
# Anomalies that a worse validation is, or comes with.
KINDS: Final = frozenset(
    {
        Kind.OVERFITTING,
        Kind.METRIC_DAMAGE,
        Kind.LEVEL_SHIFT,
        Kind.SUSTAINED_DRIFT,
        Kind.DIVERGENCE,
    }
)


@dataclass(frozen=True, slots=True)
class Move:
    """The largest rise from one evaluation to the next."""

    first: int  # step of the evaluation before
    last: int
    before: float
    after: float
    share: float  # of the whole rise of the validation loss
    is_jump: bool


def _largest_move(val: Series) -> Move | None:
    """Return the largest rise between evaluations; None when there is none to judge."""
    steps, values = finite(val.steps, val.values)
    if values.size < EVALUATIONS_FEWEST or float(values.min()) <= 0:
        return None
    moves = np.diff(values)
    at = int(np.argmax(moves))
    size, before, after = float(moves[at]), float(values[at]), float(values[at + 1])
    rise = float(values[at + 1 :].max()) - float(values[: at + 1].min())
    if size <= 0 or rise <= 0:
        return None
    kept = float(np.median(values[at + 1 :])) - before >= KEPT_SHARE * size
    stands_out = size > STEP_SIGMAS * scatter(np.delete(moves, at)) and after >= STEP_RISE * before
    is_jump = kept and stands_out and size / rise >= STEP_SHARE
    return Move(int(steps[at]), int(steps[at + 1]), before, after, size / rise, is_jump)


def jumps_alone(case: Case) -> bool:
    """Return whether the anomaly is a step of validation beside which training went on."""
    val = case.run.get(Metric.VAL_LOSS)
    if val is None or case.anomaly.signal != val.name:
        return False
    move, train = _largest_move(val), _training_at(case, val)
    return move is not None and train is not None and move.is_jump and _is_quiet(*train)


def _val_jumps_alone(case: Case) -> Answer:
    val = case.run.get(Metric.VAL_LOSS)
    if val is None or (case.anomaly.kind is Kind.LEVEL_SHIFT and case.anomaly.signal != val.name):
        return UNKNOWN  # what steps is training, so nothing jumps alone
    move, train = _largest_move(val), _training_at(case, val)
    if move is None or train is None:
        return UNKNOWN
    was, became = train
    if move.is_jump and 0 < became < TRAIN_FALL * was:
        return UNKNOWN
    return answer(
        move.is_jump and _is_quiet(was, became),
        percent=percent(move.share),
        before=short(move.before),
        after=short(move.after),
        first=move.first,
        last=move.last,
        was=short(was),
        became=short(became),
    )


def _training_at(case: Case, val: Series) -> tuple[float, float] | None:
    """Return the level of training before and after the largest move; None with too few points."""
    loss, move = case.run.get(Metric.LOSS), _largest_move(val)
    if loss is None or move is None:
        return None
    old = last_before(loss.steps, loss.values, move.first, TRAIN_POINTS)
    new = first_from(loss.steps, loss.values, move.last, TRAIN_POINTS)
    if old.size < TRAIN_FEWEST or new.size < TRAIN_FEWEST:
        return None
    return float(np.median(old)), float(np.median(new))


def _is_quiet(was: float, became: float) -> bool:
    return was > 0 and TRAIN_FALL * was <= became <= TRAIN_MOVE * was


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "val_jumps_alone",
        Text(
            "Did the validation loss jump between two evaluations while training went on smoothly?",
            "验证损失是否在两次评估之间突然跳升，而训练损失平稳？",
        ),
        Text(
            "Between steps {first} and {last} the validation loss jumped from {before} to "
            "{after}, {percent} % of its whole rise, while the training loss did not ({was} → "
            "{became})",
            "第 {first} 步到第 {last} 步之间验证损失从 {before} 跳到 {after}，占全部升幅的 "
            "{percent} %，而训练损失没有跳升（{was} → {became}）",
        ),
        Text(
            "No jump of the validation loss alone (largest: {before} → {after}, {percent} % of "
            "the rise; training loss {was} → {became})",
            "没有验证损失单独跳升（最大一步 {before} → {after}，占升幅的 {percent} %；训练损失 "
            "{was} → {became}）",
        ),
        asked_of(KINDS, _val_jumps_alone),
        needs=(Metric.VAL_LOSS, Metric.LOSS),
    ),
)
