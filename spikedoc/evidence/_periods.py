"""The period of a recurring anomaly, and the loss folded at a period."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.evidence._answers import is_recurring
from spikedoc.evidence._events import event_steps, known_period
from spikedoc.evidence._facts import epoch_length
from spikedoc.evidence.base import Case
from spikedoc.model.label import Form
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, IntArray, Series
from spikedoc.signal.baseline import scatter
from spikedoc.signal.fold import Fold, fold
from spikedoc.signal.memo import remembered_up_to
from spikedoc.signal.view import view

# Gaps between events are a period when their spread is below a tenth of their median.
GAPS_FEWEST: Final = 3
GAPS_SPREAD: Final = 0.10
# The peak of a profile with the way back from it: one and a half phases before, three tenths of
# the cycle after (a bad batch leaves a hump of ten to thirty steps under Adam).
PEAK_BEFORE: Final = 1.5
PEAK_AFTER: Final = 0.30
# To find a period takes six cycles; to ask what they look like once it is known, two odd ones and
# two even ones.
CYCLES_FEWEST: Final = 4


def period_of(case: Case) -> float | None:
    """Return the anomaly's period in steps, measured by the detector or from its events' gaps."""
    known = known_period(case)
    if known is not None:
        return known
    gaps = np.diff(np.array(event_steps(case), dtype=np.float64))
    if gaps.size < GAPS_FEWEST:
        return None
    middle = float(np.median(gaps))
    return middle if scatter(gaps) <= GAPS_SPREAD * middle else None


def folding_period(case: Case) -> float | None:
    """Return the length of an epoch, or of the anomaly's own period when epochs are unknown."""
    epoch = epoch_length(case.run)
    if epoch is not None and math.isfinite(epoch) and epoch > 0:
        return float(epoch)
    return period_of(case) if is_recurring(case) else None


def folded(case: Case) -> Fold | None:
    """Return the judged series folded at `folding_period`; None with too few cycles or points."""
    period = folding_period(case)
    return None if period is None else folded_at(case, period)


def folded_at(case: Case, period: float) -> Fold | None:
    """Return the judged series folded at a period in steps, where the pattern was seen."""
    series = _judged(case)
    return None if series is None else _fold(series, period, *_where(case))


def told_cycles(case: Case, found: Fold) -> int:
    """Return how many cycles the finding tells of: a fold may begin before it does."""
    return round(case.anomaly.measures.get("cycles", found.cycles))


def told_phase(case: Case, found: Fold) -> int:
    """Return the step of the cycle that sticks out, as the finding has it where both agree.

    A fold knows it to one of its bins only.
    """
    known = case.anomaly.measures.get("phase_step", math.inf)
    agree = abs(known - found.peak_phase) <= found.period / found.profile.size
    return round(known if agree else found.peak_phase)


def folded_beside_peak(case: Case) -> Fold | None:
    """Return the fold of what is left without the highest phase and the way back from it."""
    series, found = _judged(case), folded(case)
    if series is None or found is None:
        return None
    phase = found.period / found.profile.size
    return _fold_beside(series, found.period, found.peak_phase, phase, *_where(case))


def _where(case: Case) -> tuple[float, float]:
    """Return the first and the last step of a pattern that a part of the log has, else no ends."""
    if "stretch" not in case.anomaly.measures:
        return -math.inf, math.inf
    return float(case.anomaly.start_step), float(case.anomaly.end_step)


def _judged(case: Case) -> Series | None:
    """Return the loss, or the gradient or update in which the anomaly was seen."""
    if case.anomaly.form in (Form.GRADIENT, Form.UPDATE):
        return case.run.named(case.anomaly.signal)
    return case.run.get(Metric.LOSS)


@remembered_up_to(8)
def _fold(series: Series, period: float, first: float, last: float) -> Fold | None:
    steps, judged = _seen(series, first, last)
    return fold(judged, steps, period, CYCLES_FEWEST)


@remembered_up_to(8)
def _fold_beside(
    series: Series, period: float, peak: float, phase: float, first: float, last: float
) -> Fold | None:
    steps, judged = _seen(series, first, last)
    distance: NDArray[np.float64] = np.mod(steps - (peak - PEAK_BEFORE * phase), period)
    keep = distance > PEAK_BEFORE * phase + PEAK_AFTER * period
    return fold(judged[keep], steps[keep], period, CYCLES_FEWEST)


def _seen(series: Series, first: float, last: float) -> tuple[IntArray, FloatArray]:
    """Return steps and judged values of the closed interval of steps."""
    seen = view(series.steps, series.values)
    if math.isinf(first) and math.isinf(last):
        return seen.steps, seen.judged  # the very arrays: what was asked of them is remembered
    inside = slice(*np.searchsorted(seen.steps, [first, last + 1]))
    return seen.steps[inside], seen.judged[inside]
