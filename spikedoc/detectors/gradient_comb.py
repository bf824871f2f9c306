"""Spikes of the gradient or of the update that come back at equal distances."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, Run, Series
from spikedoc.signal.excursion import candidates
from spikedoc.signal.transform import ratio
from spikedoc.signal.view import View, view

NAME: Final = "gradient_comb"
MIN_POINTS: Final = 200
# Spikes by chance do not keep step: of six and more, nine in ten a whole number of periods apart,
# and four in five of the periods have one.
FEWEST: Final = 6
ON_TIME: Final = 0.9
FILLED: Final = 0.8
# A period of ten logged points at least: below that a spike and its neighbour are one pattern.
MIN_STRIDES: Final = 10.0
# A spike may be logged one point late, and an epoch has a fraction of a step.
SLACK_STRIDES: Final = 1.0
SLACK_SHARE: Final = 0.03
# Three times what is usual, twice for each: a last batch of half the size makes the gradient 1.4
# times noisier.
HIGH: Final = float(np.log(3.0))
HIGH_EACH: Final = float(np.log(2.0))
# A last batch may be as small as one sample: there a spike of the gradient is no more than that.
# Counted from 0 it lies one step before the end.
EPOCH_END_STRIDES: Final = 1.0
# A learning rate that moved this much since the point before moves the update with it.
LR_MOVES: Final = 0.05


def detect(run: Run) -> tuple[Detection, ...]:
    """Return a PERIOD for the first of grad_norm and update_norm that spikes at equal distances."""
    for metric in (Metric.GRAD_NORM, Metric.UPDATE_NORM):
        series = run.get(metric)
        if series is not None and (found := _comb(run, series)) is not None:
            return (found,)
    return ()


def _comb(run: Run, series: Series) -> Detection | None:
    seen = view(series.steps, series.values)
    if len(seen) < MIN_POINTS or float(seen.values.min()) <= 0:
        return None
    groups = [e for e in candidates(seen.judged) if e.rise >= HIGH_EACH]
    if len(groups) < FEWEST:
        return None
    peaks = np.array([e.peak for e in groups])
    steps = seen.steps[peaks].astype(np.float64)
    period = float(np.median(np.diff(steps)))
    if period < MIN_STRIDES * seen.stride or not _keeps_step(steps, period, seen.stride):
        return None
    rise = float(np.median([e.rise for e in groups]))
    if rise < HIGH or _lr_moves(run, seen, peaks):
        return None
    highest = int(peaks[np.argmax([e.rise for e in groups])])
    epoch = run.steps_per_epoch
    of_epoch = epoch is not None and abs(period - epoch) <= SLACK_SHARE * epoch + seen.stride
    measures = {
        "period": period,
        "count": float(len(groups)),
        "factor": ratio(rise),
        "phase_step": float(np.median(steps % period)),
        "of_epoch": float(of_epoch),
        "epoch_end": float(
            of_epoch
            and series.metric is Metric.GRAD_NORM
            and _ends_epochs(steps, seen.stride, period)
        ),
    }
    first, last = int(steps[0]), int(steps[-1])
    return Detection(
        NAME, Shape.PERIOD, series.name, first, int(seen.steps[highest]), last, measures
    )


def _keeps_step(steps: FloatArray, period: float, stride: float) -> bool:
    """Return whether the spikes lie whole periods apart and leave few periods out."""
    gaps = np.diff(steps) / period
    slack = max(SLACK_STRIDES * stride / period, SLACK_SHARE)
    whole = np.maximum(1.0, np.round(gaps))
    on_time = float(np.mean(np.abs(gaps - whole) <= slack * whole))
    filled = (steps.size - 1) / float(whole.sum())
    return on_time >= ON_TIME and filled >= FILLED


def _ends_epochs(steps: FloatArray, stride: float, period: float) -> bool:
    """Return whether the spikes are the last batches of the epochs."""
    return float(np.median((-steps) % period)) <= EPOCH_END_STRIDES * stride


def _lr_moves(run: Run, seen: View, peaks: np.ndarray[tuple[int], np.dtype[np.intp]]) -> bool:
    """Return whether the learning rate steps up where the spikes are: a schedule, not a fault."""
    lr = run.get(Metric.LR)
    if lr is None or len(lr) == 0:
        return False
    steps, values = lr.finite()
    if values.size == 0:
        return False
    there = np.interp(seen.steps[peaks], steps, values)
    before = np.interp(seen.steps[np.maximum(peaks - 2, 0)], steps, values)
    return float(np.median(np.abs(there - before) - LR_MOVES * np.abs(before))) > 0


DETECTOR: Final = detect
