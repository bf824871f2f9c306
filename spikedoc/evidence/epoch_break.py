"""NaN in a table of epochs: what the other column and the records before it tell."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._answers import UNKNOWN, answer, asked_of, is_held_out, saying, short
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.model.run import Series
from spikedoc.text import Text

ASKED: Final = frozenset({Kind.NONFINITE})
# A table of epochs: in a longer log the records just before the break say more than the course.
FEW_RECORDS: Final = 60
FEWEST: Final = 3
# Still falling: the last record before the break is the best one, or within a twentieth of it.
NEARLY_BEST: Final = 1.05


def _training_stays_sound(case: Case) -> Answer:
    loss = case.run.get(Metric.LOSS)
    if not is_held_out(case) or loss is None:
        return UNKNOWN
    since = loss.window(case.anomaly.start_step, case.run.last_step)
    if since.size == 0:
        return _sound_until(case, loss)
    sound = bool(np.isfinite(since).all())
    last = float(since[-1])
    return answer(sound, step=case.anomaly.start_step, last=short(last) if sound else last)


def _sound_until(case: Case, loss: Series) -> Answer:
    """Say whether the last training record, at most one interval before the break, is finite.

    The log ends with the evaluation: weights that broke in between are the rare case.
    """
    step, last = int(loss.steps[-1]), float(loss.values[-1])
    if case.anomaly.start_step - step > max(1.0, loss.stride) or not np.isfinite(last):
        return UNKNOWN
    en = f"The last training loss before it, at step {step}, is finite ({short(last)}): the weights"
    return saying(
        answer(True, step=case.anomaly.start_step, last=short(last)),
        f"{en} are sound, only the evaluation breaks",
        f"此前最后一个训练损失（第 {step} 步）是有限值（{short(last)}）："
        "权重完好，只是评估出了问题",
    )


def _falls_until_break(case: Case) -> Answer:
    loss = case.run.get(Metric.LOSS)
    if loss is None or is_held_out(case) or bool(loss.is_finite.all()):
        return UNKNOWN
    before = loss.values[: int(np.argmin(loss.is_finite))]
    if not FEWEST <= before.size < FEW_RECORDS or float(before.min()) <= 0:
        return UNKNOWN
    first, last = float(before[0]), float(before[-1])
    calm = last < first and last <= NEARLY_BEST * float(before.min())
    step = int(loss.steps[before.size - 1])
    return answer(calm, first=short(first), last=short(last), step=step)


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "training_stays_sound",
        Text(
            "Does the training loss stay finite where validation is not?",
            "验证损失非有限时，训练损失是否仍是有限值？",
        ),
        Text(
            "The training loss stays finite after step {step} ({last} at the end): the weights are "
            "sound, only the evaluation breaks",
            "第 {step} 步之后训练损失始终有限（最后为 {last}）：权重完好，只是评估出了问题",
        ),
        Text(
            "The training loss is not finite either after step {step}",
            "第 {step} 步之后训练损失也不是有限值",
        ),
        asked_of(ASKED, _training_stays_sound),
        needs=(Metric.LOSS,),
    ),
    Probe(
        "falls_until_break",
        Text(
            "Was the loss still falling in the record before it broke?",
            "损失在失效前的最后一条记录里是否仍在下降？",
        ),
        Text(
            "The loss was still falling in the last record before it broke ({first} → {last} at "
            "step {step}): what broke it took less than one record",
            "损失在失效前的最后一条记录里仍在下降（{first} → {last}，第 {step} 步）："
            "失效是在一条记录之内发生的",
        ),
        Text(
            "The loss had stopped falling before it broke ({first} first, {last} at step {step})",
            "损失在失效前已不再下降（开始为 {first}，第 {step} 步为 {last}）",
        ),
        asked_of(ASKED, _falls_until_break),
        needs=(Metric.LOSS,),
    ),
)
