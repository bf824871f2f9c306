"""Single evaluations that go wrong while the training goes on as before."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.quality import LOWER_IS_BETTER, direction
from spikedoc.model.run import FloatArray, Run, Series
from spikedoc.signal.baseline import scatter
from spikedoc.signal.transform import ratio

NAME: Final = "evaluations"
MIN_EVALUATIONS: Final = 12
# An evaluation is compared with two on either side: they are few, and the curve still falls.
NEIGHBOURS: Final = 2
# The first tenth is left out, two evaluations at least: a model that knows nothing yet jumps.
EARLY_SHARE: Final = 10
EARLY_MIN: Final = 2
# It stands out by half as much again and by five scatters of the others, each taken as no calmer
# than 2 %: evaluations of a converged model hardly differ.
RISE: Final = float(np.log(1.5))
SIGMAS: Final = 5.0
LEAST_NOISE: Final = 0.02
BACK: Final = 0.5


def detect(run: Run) -> tuple[Detection, ...]:
    """Return POINT for each evaluation whose loss stands far above those around it.

    `metric_drop` is the largest share of a quality metric that is missing at that evaluation, 0.0
    without one.
    """
    train, val = run.get(Metric.LOSS), run.get(Metric.VAL_LOSS)
    if train is None or val is None or len(train) == 0:  # without, validation is what is judged
        return ()
    steps, values = val.finite()
    if values.size < MIN_EVALUATIONS or float(values.min()) <= 0:
        return ()
    logs = np.log(values)
    apart = logs - _around(logs)
    noise = max(scatter(apart), LEAST_NOISE)
    high = apart >= max(RISE, SIGMAS * noise)
    high &= _is_back(logs, apart)
    high[: max(EARLY_MIN, values.size // EARLY_SHARE)] = False
    out = []
    for i in np.flatnonzero(high).tolist():
        step, rise = int(steps[i]), float(apart[i])
        measures = {
            "z": rise / noise,
            "rise": rise,
            "factor": ratio(rise),
            "before": float(values[i]) / ratio(rise),
            "peak": float(values[i]),
            "metric_drop": _metric_drop(run, step),
        }
        out.append(Detection(NAME, Shape.POINT, val.name, step, step, step, measures))
    return tuple(out)


def _around(values: FloatArray) -> FloatArray:
    """Return the median of the two values on either side of each, without the value itself."""
    padded = np.pad(values, NEIGHBOURS, constant_values=np.nan)
    shifts = [k for k in range(-NEIGHBOURS, NEIGHBOURS + 1) if k]
    sides = [padded[NEIGHBOURS + k : NEIGHBOURS + k + values.size] for k in shifts]
    return np.asarray(np.nanmedian(np.array(sides), axis=0))


def _is_back(values: FloatArray, apart: FloatArray) -> NDArray[np.bool_]:
    """Return where one of the two that follow lies lower by half of the height; else it is a step.

    True of the last one, of which nothing says so.
    """
    padded = np.pad(values, (0, NEIGHBOURS), constant_values=np.inf)
    after = np.array([padded[k : k + values.size] for k in range(1, NEIGHBOURS + 1)]).min(axis=0)
    return np.asarray((after <= values - BACK * apart) | np.isinf(after))


def _metric_drop(run: Run, step: int) -> float:
    """Return the largest share of its usual value that a quality metric lost at `step`."""
    return max((_drop(series, step) for series in run.all(Metric.VAL_METRIC)), default=0.0)


def _drop(series: Series, step: int) -> float:
    steps, values = series.finite()
    at = int(np.searchsorted(steps, step))
    if direction(series) == LOWER_IS_BETTER or at >= steps.size or int(steps[at]) != step:
        return 0.0
    sides = np.concatenate([values[max(0, at - NEIGHBOURS) : at], values[at + 1 :][:NEIGHBOURS]])
    usual = float(np.median(sides)) if sides.size else 0.0
    return max(0.0, 1.0 - float(values[at]) / usual) if usual > 0 else 0.0


DETECTOR: Final = detect
