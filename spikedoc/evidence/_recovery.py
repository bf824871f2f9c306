"""Whether and when the loss came back after it rose."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from spikedoc.evidence._answers import SPIKES
from spikedoc.evidence._events import jump_of, loss_event
from spikedoc.evidence._facts import spacing
from spikedoc.evidence.base import Case
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.model.run import Series
from spikedoc.signal.around import finite, level_before
from spikedoc.signal.baseline import scatter

FloatArray = NDArray[np.float64]

# The median of so many points decides whether the loss is back: one lucky batch does not.
BACK_POINTS: Final = 5
# Three standard errors of that median (1.2533 sigma / sqrt m, detection proposal, section 2).
MEDIAN_SIGMAS: Final = 3 * 1.2533
BACK_SIGMAS: Final = MEDIAN_SIGMAS / math.sqrt(BACK_POINTS)
# ... but never stricter than 5 %, or a tenth of a small jump.
BACK_RATIO: Final = math.log(1.05)
BACK_JUMP_SHARE: Final = 0.1
# Largest exponent of a double.
EXP_MOST: Final = 700.0
# Points after the peak without which "not back" means nothing.
OFF_FEWEST: Final = 10
# Looking further than this for the way back tells nothing new.
SEARCH_POINTS: Final = 50_000
# Kinds that leave the loss at a level: there the level counts, not the first lucky points.
LEVELS: Final = frozenset({Kind.LEVEL_SHIFT, Kind.DIVERGENCE})
OTHER_LOSSES: Final = (Metric.VAL_LOSS, Metric.LOSS_COMPONENT, Metric.VAL_LOSS_COMPONENT)
# Kinds with one excursion whose way back can be asked for.
EXCURSIONS: Final = SPIKES | {
    Kind.LEVEL_SHIFT,
    Kind.DIVERGENCE,
    Kind.METRIC_DAMAGE,
    Kind.RANK_OUTLIER,
    Kind.GRADIENT_EXPLOSION,
    Kind.UPDATE_SPIKE,
    Kind.LR_DISCONTINUITY,
    Kind.RESUME_DISCONTINUITY,
}


@dataclass(frozen=True, slots=True)
class Recovery:
    """When the loss was back in its band; `points` and `steps` are None when it never was."""

    points: int | None  # logged points after the peak
    steps: int | None
    after: int  # logged points there are after the peak
    before: float
    peak: float
    name: str  # of the series


def recovery(case: Case) -> Recovery | None:
    """Return the way back of the loss; None when it did not rise or too little follows.

    An excursion of another loss is asked for its own way back, not for what the training loss did
    meanwhile.
    """
    if case.anomaly.kind not in EXCURSIONS or is_level_of_norm(case):
        return None
    loss = _other_loss(case)
    if loss is None:
        case = loss_event(case)
        loss = case.run.get(Metric.LOSS)
    rise = jump_of(case, loss)
    if loss is None or rise is None or not math.isfinite(rise.peak) or rise.peak <= rise.before:
        return None
    known = case.anomaly.measures.get("recovered_after_steps")
    steps, values = finite(loss.steps, loss.values)
    start = int(np.searchsorted(steps, rise.step, side="right"))
    after = int(values.size - start)
    if known is not None and math.isfinite(known) and known >= 0:
        return Recovery(
            round(known / spacing(loss)), round(known), after, rise.before, rise.peak, loss.name
        )
    before = level_before(loss.steps, loss.values, case.anomaly.start_step)
    if after < BACK_POINTS or before.size == 0:  # what began with the log left no level behind
        return None
    if case.anomaly.kind in LEVELS and _level_stays(before, values[start:]):
        return Recovery(None, None, after, rise.before, rise.peak, loss.name)
    band = _upper_band(before, rise.peak)
    ahead = values[start : start + SEARCH_POINTS]
    back = np.flatnonzero(np.median(sliding_window_view(ahead, BACK_POINTS), axis=1) <= band)
    if back.size == 0:
        return Recovery(None, None, after, rise.before, rise.peak, loss.name)
    at = start + int(back[0])
    return Recovery(
        int(back[0]) + 1, int(steps[at]) - rise.step, after, rise.before, rise.peak, loss.name
    )


def is_level_of_norm(case: Case) -> bool:
    """Tell whether it is a gradient norm that lasts at a level: no excursion of the loss."""
    own = case.run.named(case.anomaly.signal)
    return case.anomaly.kind in LEVELS and own is not None and own.metric is Metric.GRAD_NORM


def _other_loss(case: Case) -> Series | None:
    """Return the series of a spike or a level that is one of another loss; None for others."""
    own = case.run.named(case.anomaly.signal)
    seen = own is not None and own.metric in OTHER_LOSSES
    return own if seen and case.anomaly.kind in SPIKES | LEVELS else None


def _level_stays(before: FloatArray, after: FloatArray) -> bool:
    """Tell whether the later half of what follows lies clearly above the level before."""
    late = after[after.size // 2 :]
    if min(float(before.min()), float(late.min())) > 0:
        before, late = np.log(before), np.log(late)
        least = BACK_RATIO
    else:
        least = 0.0
    error = scatter(before) * math.sqrt(1 / late.size + 1 / before.size)
    rise = float(np.median(late) - np.median(before))
    return rise > max(MEDIAN_SIGMAS * error, least)


def _upper_band(before: FloatArray, peak: float) -> float:
    """Return the value below which the loss counts as back."""
    level = float(np.median(before))
    if float(before.min()) > 0:
        room = BACK_SIGMAS * scatter(np.log(before))
        room = max(room, min(BACK_JUMP_SHARE * math.log(peak / level), BACK_RATIO))
        return level * math.exp(min(room, EXP_MOST))
    return level + max(BACK_SIGMAS * scatter(before), BACK_JUMP_SHARE * (peak - level))
