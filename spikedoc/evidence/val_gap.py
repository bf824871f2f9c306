"""Training against validation over the run: gap, scissors, chance."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from spikedoc.evidence._answers import (
    PROGRESS,
    STUCK,
    UNKNOWN,
    answer,
    asked_of,
    saying,
    setting,
    short,
)
from spikedoc.evidence._facts import epoch_length, spacing
from spikedoc.evidence._profile import profile
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.anomaly import Shape
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.model.quality import direction
from spikedoc.model.run import Series
from spikedoc.signal.around import finite, finite_only, last_before, part_medians, trend
from spikedoc.text import Text

EVALUATIONS_FEWEST: Final = 4
# Scissors: validation ends 5 % above its best while training kept falling (Kendall's tau).
RISE: Final = 0.05
TRAIN_FALLS: Final = -0.5
TRAIN_BLOCKS: Final = 12
# Never learned: validation never 5 % below its first value, training a tenth.
VAL_FALL: Final = 0.05
TRAIN_FALL: Final = 0.10
# At chance: up to one and a half times the accuracy of guessing.
CHANCE_FACTOR: Final = 1.5
# Constant: no spread over the evaluations.
CONSTANT: Final = 1e-6
PERCENT_ABOVE: Final = 1.0
# First losses that can be ln C: from two classes to a large vocabulary.
LEAST_CHANCE_LOSS: Final = 0.6
MOST_CHANCE_LOSS: Final = 13.0
# A first value is one of them within a hundredth.
GUESS_TOLERANCE: Final = 0.01
# Different from the start: half as much again on the first evaluations.
GAP_RATIO: Final = 1.5
GAP_EVALUATIONS: Final = 3
# What was first evaluated once training had done four fifths of its fall, or had seen each sample
# five times, may have learned before: of a small set a model knows many by heart by then (measured
# on sets of 256, four steps to the epoch: 75 and 99 % of the fall after 26 epochs).
LATE_LOOK: Final = 0.8
LATE_POINTS: Final = 3
LATE_EPOCHS: Final = 5


def _val_rises_while_train_falls(case: Case) -> Answer:
    val, loss = case.run.get(Metric.VAL_LOSS), case.run.get(Metric.LOSS)
    if val is None or loss is None or case.anomaly.seen_as(Shape.GAP) is not None:
        return UNKNOWN  # what never worked has no best level to rise from
    steps, values = finite(val.steps, val.values)
    if values.size < EVALUATIONS_FEWEST:
        return UNKNOWN
    best = int(np.argmin(values))
    last = float(np.median(values[-min(3, values.size - best) :]))
    low = float(values[best])
    rises = last - low > RISE * abs(low)
    after = loss.window(float(steps[best]), case.run.last_step)
    blocks = part_medians(finite_only(after), TRAIN_BLOCKS)
    if rises and blocks.size < TRAIN_BLOCKS:
        return UNKNOWN
    falls = trend(blocks) <= TRAIN_FALLS and not _leapt_as_well(case, loss, int(steps[best]))
    told = next((a for a in case.anomalies if a.kind is Kind.OVERFITTING), None)
    if told is not None and "last" in told.measures:
        last = told.measures["last"]
    step = int(steps[best])
    if told is not None and {"best", "best_step"} <= told.measures.keys():
        low, step = told.measures["best"], int(told.measures["best_step"])
    return answer(rises and falls, best=low, step=step, last=last)


def _leapt_as_well(case: Case, loss: Series, best: int) -> bool:
    """Return whether training leapt after the best validation, and is not back since.

    What falls on from up there falls, but validation rose with the leap.
    """
    before = last_before(loss.steps, loss.values, best, LATE_POINTS)
    late = last_before(loss.steps, loss.values, case.run.last_step + 1, LATE_POINTS)
    if not before.size or not late.size:
        return False
    level = float(np.median(before))
    return float(np.median(late)) - level > RISE * abs(level)


def _looked_late(case: Case, first: int) -> bool:
    """Return whether most was learned, or the samples seen again and again, before a first look.

    A log of whole epochs holds the first one together with all that was learned in it.
    """
    loss, whole = case.run.get(Metric.LOSS), profile(case.run.get(Metric.LOSS))
    if loss is None or whole is None or whole.fall <= 0:
        return False
    epoch = epoch_length(case.run)
    if epoch is not None and epoch > 1 and first >= LATE_EPOCHS * epoch:
        return True
    before = finite_only(loss.window(case.run.first_step, first))
    if before.size <= TRAIN_BLOCKS:
        return False
    return whole.start - float(np.median(before[-LATE_POINTS:])) > LATE_LOOK * whole.fall


def _val_never_learned(case: Case) -> Answer:
    val, whole = case.run.get(Metric.VAL_LOSS), profile(case.run.get(Metric.LOSS))
    if val is None or whole is None:
        return UNKNOWN
    steps, values = finite(val.steps, val.values)
    if values.size < EVALUATIONS_FEWEST or whole.start <= 0:
        return UNKNOWN
    if whole.fall > TRAIN_FALL * whole.start and not whole.has_fallen:
        return UNKNOWN  # it may not have learned either
    first, best = float(values[0]), float(values.min())
    stuck = whole.fall > TRAIN_FALL * whole.start and best > first - VAL_FALL * abs(first)
    if stuck and _looked_late(case, int(steps[0])):
        return UNKNOWN
    return answer(stuck, first=first, best=best)


def _accuracy(case: Case) -> Series | None:
    for series in case.run.all(Metric.VAL_METRIC):
        if direction(series) == 1 and len(series):
            return series
    return None


def _chance(case: Case) -> float | None:
    """Return the accuracy of guessing: 1 / C, or exp(-L) of a loss that starts at ln C."""
    classes = setting(case, "num_classes")
    if classes is not None and classes > 1:
        return 1 / classes
    loss = case.run.get(Metric.LOSS)
    whole = profile(loss)
    start = whole.start if whole is not None else _first_guess(loss)
    return math.exp(-start) if LEAST_CHANCE_LOSS <= start <= MOST_CHANCE_LOSS else None


def _first_guess(loss: Series | None) -> float:
    """Return the first loss of a short log, of epochs mostly, where it is ln of a count, else 0."""
    known = np.zeros(0) if loss is None else loss.finite()[1]
    first = float(known[0]) if known.size else 0.0
    if not LEAST_CHANCE_LOSS <= first <= MOST_CHANCE_LOSS:
        return 0.0
    guess = math.log(round(math.exp(first)))
    return first if abs(first - guess) <= GUESS_TOLERANCE * guess else 0.0


def _val_metric_at_chance(case: Case) -> Answer:
    series = _accuracy(case)
    if series is None or "equal" in case.anomaly.measures:
        return UNKNOWN  # what is evaluated is not what is trained: it says nothing of the training
    _, values = finite(series.steps, series.values)
    if values.size < EVALUATIONS_FEWEST:
        return UNKNOWN
    late = values[-max(EVALUATIONS_FEWEST, values.size // 3) :]
    level = float(np.median(late))
    if float(values.max() - values.min()) <= CONSTANT * max(abs(level), CONSTANT):
        return saying(
            answer(True, name=series.spoken, level=level),
            "{name} is {level} at every evaluation: nothing it measures changes",
            "{name} 每次评估都是 {level}：它衡量的东西毫无变化",
        )
    guess = _chance(case)
    if guess is None:
        return UNKNOWN
    chance = guess * (100.0 if float(values.max()) > PERCENT_ABOVE else 1.0)
    return answer(
        level <= CHANCE_FACTOR * chance, name=series.spoken, level=level, chance=short(chance)
    )


def _val_gap_from_start(case: Case) -> Answer:
    val, loss = case.run.get(Metric.VAL_LOSS), case.run.get(Metric.LOSS)
    if val is None or loss is None:
        return UNKNOWN
    steps, values = finite(val.steps, val.values)
    gaps = []
    for step, value in zip(
        steps[:GAP_EVALUATIONS].tolist(), values[:GAP_EVALUATIONS].tolist(), strict=True
    ):
        near = loss.window(step - TRAIN_BLOCKS * spacing(loss), step)
        near = finite_only(near)
        if near.size and float(np.median(near)) > 0:
            gaps.append(value / float(np.median(near)))
    if len(gaps) < GAP_EVALUATIONS:
        return UNKNOWN
    ratio = float(min(gaps))
    # A row of a whole epoch holds the look after it.
    between = spacing(val) > spacing(loss)
    if between and ratio < GAP_RATIO and case.run.first_step >= steps[int(np.argmin(gaps))]:
        return UNKNOWN  # nothing was learned yet that could be missing on the other side
    if ratio >= GAP_RATIO:  # one gap has one number in a report
        ratio = case.anomaly.measures.get("steady", ratio)
    if ratio >= GAP_RATIO and _looked_late(case, int(steps[0])):
        return UNKNOWN
    return answer(ratio >= GAP_RATIO, ratio=short(ratio))


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "val_rises_while_train_falls",
        Text(
            "Does validation loss rise while training loss falls?",
            "是否训练损失下降而验证损失上升？",
        ),
        Text(
            "The validation loss rose from its best {best} (step {step}) to {last} while the "
            "training loss kept falling",
            "验证损失从最低点 {best}（第 {step} 步）升到 {last}，而训练损失仍在下降",
        ),
        Text(
            "No scissors: validation loss {best} at best (step {step}), {last} at the end",
            "没有剪刀差：验证损失最低 {best}（第 {step} 步），最后 {last}",
        ),
        asked_of(PROGRESS, _val_rises_while_train_falls),
        needs=(Metric.VAL_LOSS, Metric.LOSS),
    ),
    Probe(
        "val_never_learned",
        Text(
            "Did the validation loss never fall while training did?",
            "训练损失下降时验证损失是否从未下降？",
        ),
        Text(
            "The validation loss never fell ({first} at first, {best} at best) while the "
            "training loss did",
            "训练损失下降，而验证损失从未下降（最初 {first}，最低 {best}）",
        ),
        Text(
            "The validation loss went along with training ({first} at first, {best} at best)",
            "验证损失与训练同步（最初 {first}，最低 {best}）",
        ),
        asked_of(PROGRESS | STUCK, _val_never_learned),
        needs=(Metric.VAL_LOSS, Metric.LOSS),
    ),
    Probe(
        "val_metric_at_chance",
        Text("Is the quality metric no better than guessing?", "评估指标是否不比随机猜测好？"),
        Text(
            "{name} is {level}: no better than guessing ({chance})",
            "{name} 为 {level}，不比随机猜测好（{chance}）",
        ),
        Text(
            "{name} is {level}, better than guessing ({chance})",
            "{name} 为 {level}，优于随机猜测（{chance}）",
        ),
        asked_of(PROGRESS | STUCK, _val_metric_at_chance),
        needs=(Metric.VAL_METRIC,),
    ),
    Probe(
        "val_gap_from_start",
        Text(
            "Is validation much worse than training from the start?",
            "验证集是否从一开始就明显更差？",
        ),
        Text(
            "From the first evaluations on, the validation loss is {ratio}x the training loss: "
            "another distribution or another scale",
            "从最初几次评估起，验证损失就是训练损失的 {ratio} 倍：数据分布或计算口径不同",
        ),
        Text(
            "At first the validation loss was {ratio}x the training loss: no gap from the start",
            "最初验证损失为训练损失的 {ratio} 倍，一开始没有差距",
        ),
        asked_of(PROGRESS, _val_gap_from_start),
        needs=(Metric.VAL_LOSS, Metric.LOSS),
    ),
)
