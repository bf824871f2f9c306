"""Whether the spikes went on after the learning rate was cut."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._answers import SPIKES, UNKNOWN, answer, is_recurring, short
from spikedoc.evidence._events import event_steps
from spikedoc.evidence._schedule import RateStep, rate
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.metric import Metric
from spikedoc.text import Text

# A cut on purpose at least halves the rate between two logged points; a decay never does.
CUT_RATIO: Final = 0.5
# One spike on either side is chance.
EITHER_SIDE: Final = 2


def _last_cut(case: Case) -> RateStep | None:
    """Return the last halving (or more) of a learning rate that stays above zero, or None."""
    steps, values = rate(case)
    if values.size < 2:
        return None
    cut = (values[1:] <= CUT_RATIO * values[:-1]) & (values[1:] > 0)
    found = np.flatnonzero(cut)
    if found.size == 0:
        return None
    index = int(found[-1]) + 1
    return RateStep(int(steps[index]), float(values[index - 1]), float(values[index]), index)


def _spikes_outlive_lr_cut(case: Case) -> Answer:
    cut = _last_cut(case)
    if cut is None:
        return UNKNOWN
    if is_recurring(case):
        spikes = np.array(event_steps(case))
    elif case.anomaly.kind in SPIKES:
        spikes = np.array([a.peak_step for a in case.anomalies if a.kind in SPIKES])
    else:
        return UNKNOWN
    before, after = int(np.sum(spikes < cut.step)), int(np.sum(spikes >= cut.step))
    if before < EITHER_SIDE:
        return UNKNOWN
    first = int(spikes.min())
    watched = case.run.last_step - cut.step
    if after < EITHER_SIDE and (after or watched < cut.step - first):
        return UNKNOWN  # the log ends before as much time has passed as the spikes took before
    return answer(
        after >= EITHER_SIDE,
        step=cut.step,
        old=short(cut.before),
        new=short(cut.after),
        before=before,
        after=after,
    )


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "spikes_outlive_lr_cut",
        Text(
            "Did the spikes go on after the learning rate was cut?",
            "学习率下调之后尖峰是否仍然出现？",
        ),
        Text(
            "{before} {before|spike|spikes} before and {after} after the learning rate was cut at "
            "step {step} ({old} → {new}): it is not the learning rate alone",
            "学习率在第 {step} 步下调（{old} → {new}）之前有 {before} 次尖峰，"
            "之后仍有 {after} 次：原因不只是学习率",
        ),
        Text(
            "{before} {before|spike|spikes} before the learning rate was cut at step {step} "
            "({old} → {new}), {after} after it",
            "学习率在第 {step} 步下调（{old} → {new}）之前有 {before} 次尖峰，之后 {after} 次",
        ),
        _spikes_outlive_lr_cut,
        needs=(Metric.LOSS, Metric.LR),
    ),
)
