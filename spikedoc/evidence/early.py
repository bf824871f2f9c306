"""Whether an event belongs to the beginning of the run."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from spikedoc.evidence._answers import UNKNOWN, answer, has_onset, is_nonfinite_form, short
from spikedoc.evidence._events import loss_jump
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.metric import Metric
from spikedoc.model.run import Series
from spikedoc.signal.around import detrended, finite
from spikedoc.text import Text

# Warm-up and the fall from the initial loss take place within this share of a run.
EARLY_SHARE: Final = 0.10
# An excerpt of a few steps, or a run that broke at once, is at its start throughout: a warm-up
# lasts a hundred steps at least. A step that is an epoch is no such step.
STARTING_STEPS: Final = 100
# Fewer points have no beginning to speak of …
EARLY_FEWEST: Final = 20
# … yet what comes after so many whole epochs has left it: a warm-up is over within the first few
# (five in the recipe for large batches, arXiv:1706.02677).
EARLY_EPOCHS: Final = 5
# An absolute jump inside the range that 95 % of the early residuals fill is a matter of scale.
EARLY_QUANTILE: Final = 0.95
EARLY_TREND: Final = 11


def _early_in_run(case: Case) -> Answer:
    loss = case.run.get(Metric.LOSS)
    if loss is None or len(loss) == 0 or not has_onset(case):
        return UNKNOWN
    in_epochs = any(source.counts_epochs for source in case.run.sources)
    if len(loss) < EARLY_FEWEST and not (in_epochs and _epochs_before(case, loss) >= EARLY_EPOCHS):
        return UNKNOWN
    length = float(loss.steps[-1] - loss.steps[0])
    share = (case.anomaly.start_step - float(loss.steps[0])) / length
    if not 0 <= share <= 1:
        return UNKNOWN
    if share > EARLY_SHARE and case.anomaly.start_step < STARTING_STEPS and not in_epochs:
        return UNKNOWN
    if share <= EARLY_SHARE and in_epochs and is_nonfinite_form(case):
        return UNKNOWN  # hundreds of updates went well in each of the epochs before
    return answer(share <= EARLY_SHARE, step=case.anomaly.start_step, share=short(100 * share))


def _epochs_before(case: Case, loss: Series) -> int:
    """Return how many records, each of a whole epoch, stand before the anomaly."""
    return int(np.searchsorted(loss.steps, case.anomaly.start_step))


def _within_early_noise(case: Case) -> Answer:
    loss = case.run.get(Metric.LOSS)
    rise = loss_jump(case)
    if loss is None or rise is None or not math.isfinite(rise.peak) or is_nonfinite_form(case):
        return UNKNOWN
    _, values = finite(loss.steps, loss.values)
    early = values[: int(values.size * EARLY_SHARE)]
    if early.size < EARLY_FEWEST or case.anomaly.start_step <= loss.steps[early.size]:
        return UNKNOWN
    usual = float(np.quantile(np.abs(detrended(early, EARLY_TREND)), EARLY_QUANTILE))
    height = rise.peak - rise.before
    return answer(height <= usual, height=short(height), usual=short(usual))


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "early_in_run",
        Text("Does it begin in the first tenth of the run?", "异常是否出现在训练的前十分之一？"),
        Text(
            "It begins at step {step}, {share} % into the log: the warm-up phase",
            "异常始于第 {step} 步，处于日志的前 {share} %，正值训练初期",
        ),
        Text(
            "It begins at step {step}, {share} % into the log: not a start-up effect",
            "异常始于第 {step} 步，位于日志的 {share} % 处，不是训练初期的现象",
        ),
        _early_in_run,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "within_early_noise",
        Text(
            "Is the jump no larger than the loss scattered early on?",
            "这次跳变是否没有超出训练初期的正常波动？",
        ),
        Text(
            "The jump of {height} is within the scatter of the first tenth of the run ({usual})"
            ": it stands out only because the loss is small now",
            "跳变幅度 {height} 没有超出训练前十分之一阶段的波动（{usual}）：只是因为现在损失很"
            "小才显眼",
        ),
        Text(
            "The jump of {height} is larger than the scatter at the start of the run ({usual})",
            "跳变幅度 {height} 超出了训练初期的波动（{usual}）",
        ),
        _within_early_noise,
        needs=(Metric.LOSS,),
    ),
)
