"""Whether the logged number is counted in another way: a sum never reset, another divisor."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._answers import UNKNOWN, answer, asked_of, short
from spikedoc.evidence._restarts import restart_near
from spikedoc.evidence._stretch import stretch
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.text import Text

# A loss is noise around a course: fifty steps up and none down do not happen. One in fifty may be
# the reset of a sum.
FEWEST: Final = 50
UP: Final = 0.98
# What diverges gets faster; a sum of losses that are learned down, or stay, does not.
NO_FASTER: Final = 1.5
KINDS: Final = frozenset({Kind.DIVERGENCE, Kind.SUSTAINED_DRIFT, Kind.LEVEL_SHIFT})


def _loss_only_rises(case: Case) -> Answer:
    values = stretch(case, case.run.get(Metric.LOSS))
    if values.size < FEWEST:
        return UNKNOWN
    moves = np.diff(values)
    up = float(np.mean(moves > 0))
    third = moves.size // 3
    early, late = float(np.median(moves[:third])), float(np.median(moves[-third:]))
    rises = up >= UP and early > 0 and late <= NO_FASTER * early
    return answer(rises, count=int(np.sum(moves > 0)), all=int(moves.size), step=short(late))


def _counted_in_two_ways(case: Case) -> Answer:
    restart = restart_near(case)
    if restart is None or restart.piece is None or not restart.piece.changed:
        return UNKNOWN
    ratio = restart.piece.ratio
    if ratio is None:
        return answer(False, step=restart.step)
    return answer(
        True,
        step=restart.step,
        last=restart.last_step,
        ratio=short(ratio),
        inverse=short(1 / ratio),
    )


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "counted_in_two_ways",
        Text(
            "Were the same steps logged twice, the loss of one a fixed multiple of the other?",
            "同一批步数是否记录了两次，且两次的损失成固定倍数？",
        ),
        Text(
            "Steps {step} to {last} stand in the log twice; the loss of the first time is {ratio} "
            "times that of the second ({inverse} the other way round) at each of them: another "
            "divisor (samples, tokens, accumulation steps, cards), not another training",
            "日志中第 {step} 到 {last} 步出现了两次；第一次的损失在每一步都是第二次的 {ratio} 倍"
            "（反过来为 {inverse} 倍）：是除数不同（样本、token、累积步数或卡数），而不是训练不同",
        ),
        Text(
            "What was logged twice from step {step} on has other values, not multiples",
            "从第 {step} 步起被记录两次的数值各不相同，并非固定倍数",
        ),
        _counted_in_two_ways,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "loss_only_rises",
        Text(
            "Does the loss rise at every single record, evenly?",
            "损失是否在每条记录上都均匀上升？",
        ),
        Text(
            "The loss rises from {count} of {all} records to the next, without noise and without "
            "getting faster (by {step} in the end): this is a running sum, not a loss",
            "{all} 次相邻记录中有 {count} 次上升，没有噪声，也没有加速（末段每次上升 {step}）："
            "这是累加和，不是损失",
        ),
        Text(
            "The loss rises from {count} of {all} records to the next: it is no running sum",
            "{all} 次相邻记录中有 {count} 次上升：不是累加和",
        ),
        asked_of(KINDS, _loss_only_rises),
        needs=(Metric.LOSS,),
    ),
)
