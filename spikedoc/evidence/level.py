"""Where the loss lies: at the level of a guess, at a floor, below its start, at zero."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from spikedoc.evidence._answers import (
    BROKEN,
    PROGRESS,
    STUCK,
    UNKNOWN,
    answer,
    asked_of,
    percent,
    setting,
)
from spikedoc.evidence._profile import Profile, profile
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.anomaly import Shape
from spikedoc.model.label import Kind
from spikedoc.model.loss_terms import is_sum_of_terms
from spikedoc.model.metric import Metric
from spikedoc.model.quality import is_accuracy
from spikedoc.signal.around import finite, part_medians, trend
from spikedoc.text import Text

# A level is at ln C when it is this close, or within three standard errors.
CHANCE_TOLERANCE: Final = 0.03
CHANCE_ERRORS: Final = 3.0
# With C unknown some ln C lies near every level, so only a close match to a usual C says something.
# Random logits cost a little more than ln C, never less.
GUESS_BELOW: Final = 0.006
GUESS_ABOVE: Final = 0.02
GUESS_ABOVE_MANY: Final = 0.006
MANY_CLASSES: Final = 12
# Counts between them need an accuracy of 1 / C beside the loss.
USUAL: Final = (2, 3, 4, 5, 10, 20, 100, 1000)
# Vocabularies: GPT-2, LLaMA, BERT, Llama 3, Qwen, BLOOM, characters and others.
VOCABULARIES: Final = (
    *(21128, 30522, 32000, 50257, 50304, 65536, 96, 65, 128256, 129280, 151936, 250880, 256000),
)
GUESSES: Final = (*USUAL, 21841, *VOCABULARIES)
# An accuracy below a hundredth is that of many counts.
LEAST_SHARE: Final = 0.01
# A loss that starts at ln C of such a C within a hundredth has told how many classes there are.
BEGAN_TOLERANCE: Final = 0.01
# Softmax before cross-entropy cannot get below ln(1 + (C - 1) / e); runs end up to 20 % above it
# (measured: 1.868 over a floor of 1.618), and begin at ln C.
DOUBLE_CLASSES: Final = (10, 100, 1000)
DOUBLE_BELOW: Final = 0.98
DOUBLE_ABOVE: Final = 1.20
# Smallest fall of a healthy run was .57 nats, largest of a flat one .06: a tenth of the start.
LEARNED_SHARE: Final = 0.10
# Trend in the last quarter: tau of twelve block medians, and a fall worth naming.
LATE_SHARE: Final = 0.75
LATE_BLOCKS: Final = 12
LATE_TREND: Final = -0.5
LATE_FALL: Final = 0.02
# Exact zeros that are no rounding accident.
ZEROS_FEWEST: Final = 3
# Kinds whose level near the end can be asked about.
SETTLED: Final = frozenset(
    {
        Kind.NON_CONVERGENCE,
        Kind.DIVERGENCE,
        Kind.LEVEL_SHIFT,
        Kind.SUSTAINED_DRIFT,
        Kind.GRADIENT_VANISHING,
    }
)
# A mean fall hides in rounding below this absolute size.
TINY: Final = 1e-12


def _settled(case: Case) -> Profile | None:
    return profile(case.run.get(Metric.LOSS)) if case.anomaly.kind in SETTLED else None


def _is_chance(whole: Profile, classes: int, *, known: bool) -> bool:
    chance = math.log(classes)
    off = (whole.tail - chance) / chance
    if known:
        error = CHANCE_ERRORS * whole.tail_error / chance
        return abs(off) <= max(CHANCE_TOLERANCE, min(error, 2 * CHANCE_TOLERANCE))
    above = GUESS_ABOVE if classes <= MANY_CLASSES else GUESS_ABOVE_MANY
    return -GUESS_BELOW <= off <= above


def _began_elsewhere(whole: Profile, classes: int, known: bool) -> bool:
    """Tell whether the loss began at a guess among another usual number of classes."""
    if known:
        return False
    began = min(USUAL, key=lambda c: abs(math.log(c) - whole.start))
    return began != classes and abs(whole.start / math.log(began) - 1) <= BEGAN_TOLERANCE


def level_at_chance(case: Case) -> Answer:
    """Return whether the loss ends at ln C for a usual number of classes C, or the logged one."""
    if is_sum_of_terms(case.run):
        return UNKNOWN
    whole = _settled(case)
    if whole is None or whole.tail <= 0:
        return _stands_at_chance(case)
    count = setting(case, "num_classes")
    known = count is not None and count > 1
    classes = (int(count),) if count is not None and known else (*GUESSES, *_by_accuracy(case))
    best = min(classes, key=lambda c: abs(math.log(c) - whole.tail))
    at_chance = _is_chance(whole, best, known=known) and not _began_elsewhere(whole, best, known)
    return answer(at_chance, level=whole.tail, classes=best, chance=round(math.log(best), 4))


def _by_accuracy(case: Case) -> list[int]:
    """Return the numbers of classes among which the logged accuracies are those of a guess."""
    found = []
    for series in (*case.run.all(Metric.VAL_METRIC), *case.run.all(Metric.TRAIN_METRIC)):
        _, values = finite(series.steps, series.values)
        level = float(np.median(values)) if is_accuracy(series) and values.size else 0.0
        share = level / 100.0 if level > 1.0 else level
        if LEAST_SHARE <= share <= 0.5:
            found.append(round(1.0 / share))
    return found


def _stands_at_chance(case: Case) -> Answer:
    """Return what a few whole epochs show: too few for a level of their own."""
    for detection in case.anomaly.detections:
        m = detection.measures
        if detection.shape is Shape.STANDSTILL and "chance" in m:
            return answer(
                True, level=m["last"], classes=int(m["classes"]), chance=round(m["chance"], 4)
            )
    return UNKNOWN


def _level_at_double_softmax(case: Case) -> Answer:
    whole = _settled(case)
    if whole is None or whole.tail <= 0 or is_sum_of_terms(case.run):
        return UNKNOWN
    known = setting(case, "num_classes")
    classes = (int(known),) if known is not None and known > 1 else DOUBLE_CLASSES
    floors = {c: math.log1p((c - 1) / math.e) for c in classes}
    count = min(classes, key=lambda c: abs(floors[c] - whole.tail))
    floor = floors[count]
    near = DOUBLE_BELOW * floor <= whole.tail <= DOUBLE_ABOVE * floor
    # A run that never moved from ln C is not at the floor, however close the two are.
    moved = whole.start - whole.tail > LEARNED_SHARE * whole.start
    return answer(near and moved, level=whole.tail, floor=round(floor, 4), classes=count)


def _learned_something(case: Case) -> Answer:
    whole = profile(case.run.get(Metric.LOSS))
    if whole is None:
        return UNKNOWN
    fall = whole.fall
    share = fall / abs(whole.start) if abs(whole.start) > TINY else 0.0
    if share >= LEARNED_SHARE and not whole.has_fallen:
        return UNKNOWN
    return answer(
        share >= LEARNED_SHARE, start=whole.start, best=whole.best, percent=percent(share)
    )


def _still_falling(case: Case) -> Answer:
    loss = case.run.get(Metric.LOSS)
    if loss is None or profile(loss) is None:
        return UNKNOWN
    _, values = finite(loss.steps, loss.values)
    late = part_medians(values[int(values.size * LATE_SHARE) :], LATE_BLOCKS)
    first, last = float(np.median(late[:3])), float(np.median(late[-3:]))
    fall = (first - last) / max(abs(first), TINY)
    return answer(
        trend(late) <= LATE_TREND and fall >= LATE_FALL,
        percent=percent(fall),
        first=first,
        last=last,
    )


def _loss_went_to_zero(case: Case) -> Answer:
    loss = case.run.get(Metric.LOSS)
    if loss is None:
        return UNKNOWN
    begin = loss.index_at(case.anomaly.start_step)
    after = loss.values[begin:]
    if after.size == 0:
        return UNKNOWN
    skipped = int(np.argmax(after == 0.0))  # a gradient may break before the loss shows it
    after, first = after[skipped:], int(loss.steps[begin + skipped])
    zeros = int(np.count_nonzero(after == 0.0))
    enough = zeros >= min(ZEROS_FEWEST, after.size)
    return answer(enough, zeros=zeros, points=int(after.size), first=first)


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "level_at_chance",
        Text(
            "Is the loss at the level of guessing (ln C)?", "损失是否停在随机猜测的水平（ln C）？"
        ),
        Text(
            "The level of the loss at the end is {level}, that of guessing among "
            "{classes} classes (ln "
            "{classes} = {chance})",
            "末段的损失水平为 {level}，相当于在 {classes} 类中随机猜测（ln {classes} = {chance}）",
        ),
        Text(
            "The level of the loss at the end is {level}, not that of guessing (nearest: "
            "ln {classes} = "
            "{chance})",
            "末段的损失水平为 {level}，不是随机猜测的水平（最接近的是 ln {classes} = {chance}）",
        ),
        level_at_chance,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "level_at_double_softmax",
        Text(
            "Is the loss stuck just above the floor of a softmax applied twice?",
            "损失是否卡在重复 softmax 的下限附近？",
        ),
        Text(
            "The loss stopped at {level}, just above {floor}: the lowest value softmax applied "
            "twice allows for {classes} classes",
            "损失停在 {level}，略高于 {floor}，即 {classes} 类时重复做 softmax 所能达到的最低损失",
        ),
        Text(
            "The level of the loss at the end is {level}; softmax applied twice would "
            "hold it just above {floor} ("
            "{classes} classes)",
            "末段的损失水平为 {level}；若重复做 softmax，应卡在略高于 {floor} 处（{classes} 类）",
        ),
        _level_at_double_softmax,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "learned_something",
        Text("Did the loss ever fall by a tenth?", "损失是否曾下降 10 % 以上？"),
        Text(
            "The level of the loss (median) fell from {start} to {best} at best ({percent} %): the "
            "model does learn",
            "损失水平（中位数）从 {start} 最低降到 {best}（{percent} %），模型确实学到了东西",
        ),
        Text(
            "The level of the loss (median) hardly fell: {start} at the start, {best} at best "
            "({percent} %)",
            "损失水平（中位数）几乎没有下降：初始 {start}，最低 {best}（{percent} %）",
        ),
        asked_of(PROGRESS | STUCK, _learned_something),
        needs=(Metric.LOSS,),
    ),
    Probe(
        "still_falling",
        Text("Is the loss still falling at the end?", "日志结束时损失是否仍在下降？"),
        Text(
            "The loss was still falling at the end: {first} → {last} over the last quarter ("
            "{percent} %)",
            "日志结束时损失仍在下降：最后四分之一从 {first} 降到 {last}（{percent} %）",
        ),
        Text(
            "The loss was no longer falling: {first} → {last} over the last quarter",
            "损失已不再下降：最后四分之一从 {first} 到 {last}",
        ),
        asked_of(PROGRESS | STUCK, _still_falling),
        needs=(Metric.LOSS,),
    ),
    Probe(
        "loss_went_to_zero",
        Text("Is the loss logged as exactly 0?", "损失是否被记录为恰好等于 0？"),
        Text(
            "{zeros} of {points} losses logged from step {first} on {zeros|is|are} exactly 0",
            "第 {first} 步起的 {points} 个损失值中有 {zeros} 个恰好为 0",
        ),
        Text(
            "The loss is not stuck at exactly 0 ({zeros} of {points} values)",
            "损失没有停在恰好为 0 的值（{points} 个中有 {zeros} 个）",
        ),
        asked_of(BROKEN | STUCK, _loss_went_to_zero),
        needs=(Metric.LOSS,),
    ),
)
