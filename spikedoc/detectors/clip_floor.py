"""A loss that stands at the number its own safeguard allows at most: a probability became 0."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, Run, Series

NAME: Final = "clip_floor"
# Minus the logarithm of the smallest normal float32, 1.1755e-38: what Caffe's softmax loss makes of
# a probability of 0, and of NaN, because the larger of NaN and that number is that number.
FLOAT_FLOOR: Final = 87.3365
# The digits that are printed, and the last one of single precision.
WIDTH: Final = 2e-4
# Once is the accident of a first, badly scaled step; these in a row at the end are a state.
LEAST: Final = 2


def detect(run: Run) -> tuple[Detection, ...]:
    """Return CLIP_FLOOR for a loss, or a term of it, that ends at the floor of a float."""
    for series in (*run.all(Metric.LOSS), *run.all(Metric.LOSS_COMPONENT), *_terms(run)):
        found = _ends_at_floor(series)
        if found is not None:
            return (found,)
    return ()


def _terms(run: Run) -> tuple[Series, ...]:
    """Return further series that are called a loss, whatever the reader takes them for."""
    return tuple(s for s in run.all(Metric.OTHER) if "loss" in s.tag.lower())


def _ends_at_floor(series: Series) -> Detection | None:
    steps, values = series.finite()
    at = _is_floor(values)
    if values.size < LEAST or not bool(at[-LEAST:].all()):
        return None
    away = np.flatnonzero(~at)
    first = int(away[-1]) + 1 if away.size else 0
    measures = {"level": float(values[-1]), "points": float(values.size - first)}
    measures["from_start"] = float(first == 0)
    if first > 0:
        measures["before"] = float(values[first - 1])
    begin, end = int(steps[first]), int(steps[-1])
    return Detection(NAME, Shape.CLIP_FLOOR, series.name, begin, begin, end, measures)


def _is_floor(values: FloatArray) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.abs(values - FLOAT_FLOOR) <= WIDTH * FLOAT_FLOOR


DETECTOR: Final = detect
