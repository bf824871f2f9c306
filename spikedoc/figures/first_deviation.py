"""Which signal left its usual range first, and how long before the finding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from spikedoc.figures._lookup import main_stride
from spikedoc.figures.base import Figure
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.metric import Metric, spoken
from spikedoc.model.run import Run, Series
from spikedoc.model.sign import ONSETS_KEPT
from spikedoc.signal.around import finite
from spikedoc.signal.baseline import scatter
from spikedoc.signal.memo import remembered_up_to
from spikedoc.text import FieldValue, Text

# Signals that can lead the loss. The learning rate has a range of its own, the validation is late.
LEADERS: Final = (
    Metric.GRAD_NORM,
    Metric.UPDATE_NORM,
    Metric.WEIGHT_NORM,
    Metric.MAX_LOGIT,
    Metric.EXP_AVG_NORM,
    Metric.EXP_AVG_SQ_NORM,
    Metric.LAYER_GRAD_NORM,
    Metric.LOSS_COMPONENT,
)
# Optimizers were out of step 1 to 8 steps before the loss (arXiv:2304.13013), gradients of large
# models hundreds: 200 logged points are looked at, against as many before them.
LOOK_BACK: Final = 200
USUAL_FEWEST: Final = 50
# Of 200 points of heavy-tailed noise hardly one lies this many robust deviations off ...
SIGMAS: Final = 8.0
# ... and of those that follow up to the onset most must stay out, or it was another event.
STAYS_SHARE: Final = 0.75
# Measure under which an anomaly carries the step of the first sign, with the signal's name behind.
SIGN_OF: Final = "first_sign:"


@dataclass(frozen=True, slots=True)
class Lead:
    """The signal that left its range first."""

    signal: str  # Series.name
    step: int


def _leaves(series: Series, onset: int, stride: float) -> int | None:
    """Return the first step before `onset` from which on a series stays above its range."""
    steps, values = finite(series.steps, series.values)
    end = int(np.searchsorted(steps, onset, side="left"))
    begin = int(np.searchsorted(steps, onset - LOOK_BACK * stride, side="left"))
    usual = values[max(0, begin - LOOK_BACK) : begin]
    if usual.size < USUAL_FEWEST or end <= begin:
        return None
    positive = bool((usual > 0).all() and (values[begin:end] > 0).all())
    seen = np.log(values[begin:end]) if positive else values[begin:end]
    usual = np.log(usual) if positive else usual
    # A slow rise belongs to the range and is carried on from the two halves of the usual part; a
    # fall is not, as falls level off.
    half = usual.size // 2
    early, late = float(np.median(usual[:half])), float(np.median(usual[half:]))
    drift = (late - early) / max(1, half)
    spread = scatter(usual - drift * np.arange(usual.size))
    if spread <= 0:
        return None
    centre = late + max(0.0, drift) * (0.5 * half + np.arange(seen.size))
    # Norms fall with the learning rate, so only a rise is a sign, and one that lasts to the onset.
    out = seen - centre > SIGMAS * spread
    for index in np.flatnonzero(out):
        if float(out[index:].mean()) >= STAYS_SHARE:
            return int(steps[begin + index])
    return None


@remembered_up_to(ONSETS_KEPT)
def first_lead(run: Run, onset: int) -> Lead | None:
    """Return the signal that left its usual range before `onset` and stayed out; None without."""
    stride = main_stride(run)
    found = []
    for metric in LEADERS:
        for series in run.all(metric):
            step = _leaves(series, onset, stride)
            if step is not None:
                found.append(Lead(series.name, step))
    return min(found, key=lambda lead: lead.step, default=None)


def _first(run: Run, anomaly: Anomaly) -> Lead | None:
    """Return the first sign that the way back starts from, where the anomaly carries it."""
    for name, step in anomaly.measures.items():
        if name.startswith(SIGN_OF):
            return Lead(name.removeprefix(SIGN_OF), int(step))
    found = first_lead(run, anomaly.start_step)
    # A signal is not ahead of itself: a slow growth begins before it is told.
    return None if found is None or found.signal == anomaly.signal else found


def _first_signal(run: Run, anomaly: Anomaly) -> FieldValue | None:
    first = _first(run, anomaly)
    return None if first is None else spoken(first.signal)


def _first_signal_step(run: Run, anomaly: Anomaly) -> FieldValue | None:
    first = _first(run, anomaly)
    return None if first is None else first.step


def _first_signal_lead(run: Run, anomaly: Anomaly) -> FieldValue | None:
    first = _first(run, anomaly)
    return None if first is None else anomaly.start_step - first.step


FIGURES: Final[tuple[Figure, ...]] = (
    Figure(
        "first_signal",
        Text("signal that left its usual range first", "最先越出正常范围的信号"),
        _first_signal,
    ),
    Figure(
        "first_signal_step",
        Text("step at which it did", "它越出范围的步数"),
        _first_signal_step,
    ),
    Figure(
        "first_signal_lead",
        Text("steps by which it was ahead", "它比异常早多少步"),
        _first_signal_lead,
    ),
)
