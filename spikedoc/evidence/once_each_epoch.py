"""Does what breaks come once in every epoch, wherever in it? Then one sample breaks it."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from spikedoc.evidence._answers import UNKNOWN, answer, asked_of
from spikedoc.evidence._facts import epoch_length, spacing
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, Run, Series
from spikedoc.text import Text

KINDS: Final = frozenset({Kind.NONFINITE, Kind.DIVERGENCE, Kind.LOSS_SCALE_COLLAPSE})
# Events at random, one per epoch in the mean, are alone in theirs with probability 1/e: seven in a
# row are one chance in a thousand.
ALONE_BY_CHANCE: Final = math.exp(-1.0)
CHANCE: Final = 1e-3
# One sample in nine epochs of ten: an epoch's border may cut off or double a single one.
ALONE_SHARE: Final = 0.9
# An epoch of so few records has no room for one event among many others.
EPOCH_RECORDS: Final = 10


def _once_each_epoch(case: Case) -> Answer:
    found = _events(case)
    if found is None or _chance(found[1].size) > CHANCE:
        return UNKNOWN
    series, events = found
    epoch = epoch_length(case.run)
    if epoch is None:
        return Answer(None, {}, (Metric.EPOCH,), ("steps_per_epoch",))
    if epoch < EPOCH_RECORDS * spacing(series):
        return UNKNOWN
    # The first step of a training is 1, or 0: an epoch ends with the step that its length divides.
    origin = min(1, int(series.steps[0]))
    number = np.floor((events - origin) / epoch)
    first, last = number[0], np.floor((int(series.steps[-1]) - origin + 1) / epoch) - 1
    within = number[number <= last]
    epochs = int(last - first) + 1
    if _chance(epochs) > CHANCE:
        return UNKNOWN
    _, counts = np.unique(within, return_counts=True)
    alone = int(np.count_nonzero(counts == 1))
    return answer(alone >= ALONE_SHARE * epochs, alone=alone, epochs=epochs, count=within.size)


def _chance(epochs: int) -> float:
    """Return how likely events at random are alone in all of so many epochs."""
    return ALONE_BY_CHANCE ** max(0, epochs)


def _events(case: Case) -> tuple[Series, FloatArray] | None:
    """Return the steps at which something broke, and the series that shows it."""
    if case.anomaly.kind is Kind.LOSS_SCALE_COLLAPSE:
        scale = case.run.get(Metric.LOSS_SCALE)
        return None if scale is None else (scale, _halvings(scale))
    broken = (s for s in _told_by(case.run) if not s.is_finite.all())
    series = next(broken, None)
    return None if series is None else (series, _breaks(series))


def _told_by(run: Run) -> list[Series]:
    shown = (run.main_loss, run.get(Metric.GRAD_NORM))
    return [series for series in shown if series is not None and len(series)]


def _halvings(scale: Series) -> FloatArray:
    steps, values = scale.finite()
    return steps[1:][np.diff(values) < 0].astype(np.float64)


def _breaks(series: Series) -> FloatArray:
    """Return the first step of each stretch without a finite value."""
    bad = ~series.is_finite
    begins = bad & ~np.concatenate(([False], bad[:-1]))
    return series.steps[begins].astype(np.float64)


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "once_each_epoch",
        Text("Does it break once in every epoch?", "是否每个 epoch 恰好出错一次？"),
        Text(
            "It broke exactly once in {alone} of {epochs} epochs: one sample that returns, not "
            "numbers that grow too large now and then",
            "{epochs} 个 epoch 中有 {alone} 个恰好出错一次：是某个样本反复出现，而不是数值偶尔过大",
        ),
        Text(
            "It broke {count} {count|time|times} in {epochs} epochs, exactly once in {alone} of "
            "them: no single sample that returns",
            "{epochs} 个 epoch 中共出错 {count} 次，恰好一次的有 {alone} 个：不是单个样本反复出现",
        ),
        asked_of(KINDS, _once_each_epoch),
    ),
)
