"""Clipping that acts at nearly every step, or never."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, Run, Series
from spikedoc.signal.view import View, view

NAME: Final = "clipping"
MIN_POINTS: Final = 100
# Saturated: nine tenths of the last half at or above the threshold …
SATURATED_SHARE: Final = 0.9
# … or, in a log of norms after clipping, half of all values at one ceiling to a thousandth.
CEILING_SHARE: Final = 0.5
CEILING_WIDTH: Final = 1e-3
# One number at every record is a norm after clipping where it is one that people clip at.
USUAL_CLIPS: Final = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0)
# Never active: not one step above, and the threshold ten times the 99th percentile.
INACTIVE_FACTOR: Final = 10.0
USUAL_QUANTILE: Final = 0.99


def detect(run: Run) -> tuple[Detection, ...]:
    """Return CEILING with measure `saturated` 1 or 0 (never active), none for ordinary clipping."""
    series = run.get(Metric.GRAD_NORM) or run.get(Metric.GRAD_NORM_CLIPPED)
    if series is None:
        return ()
    seen = view(series.steps, series.values)
    if len(seen) < MIN_POINTS or float(seen.values.min()) < 0:
        return ()
    measures = _against_threshold(run, seen.values) or _at_ceiling(run, seen.values)
    return () if measures is None else (_late(series, seen, measures),)


def _against_threshold(run: Run, values: FloatArray) -> dict[str, float] | None:
    clip = _threshold(run)
    if clip is None:
        return None
    late = values[values.size // 2 :]
    share = float(np.mean(late >= clip * (1 - CEILING_WIDTH)))
    usual = float(np.quantile(values, USUAL_QUANTILE))
    measures = {"clip": float(clip), "share": share, "p99": usual}
    if share > SATURATED_SHARE:
        return measures | {"saturated": 1.0}
    if float(values.max()) < clip and clip > INACTIVE_FACTOR * usual > 0:
        return measures | {"saturated": 0.0}
    return None


def _threshold(run: Run) -> float | None:
    """Return the norm that the config says gradients are clipped at, None where it says none."""
    clip = run.config.get("clip")
    if not isinstance(clip, int | float) or isinstance(clip, bool) or clip <= 0:
        return None
    return clip


def _at_ceiling(run: Run, values: FloatArray) -> dict[str, float] | None:
    ceiling = float(values.max())
    share = float(np.mean(values >= ceiling * (1 - CEILING_WIDTH)))
    if ceiling <= 0 or share < CEILING_SHARE:
        return None
    if float(np.ptp(values)) <= CEILING_WIDTH * ceiling:
        usual = USUAL_CLIPS if _threshold(run) is None else ()  # it would be met by that one
        near = [c for c in usual if abs(ceiling - c) <= CEILING_WIDTH * c]
        told = {"share": 1.0, "saturated": 1.0}
        return told | {"clip": near[0], "constant": near[0]} if near else None
    return {"clip": ceiling, "share": share, "saturated": 1.0}


def _late(series: Series, seen: View, measures: dict[str, float]) -> Detection:
    """Return the stretch it holds for: the last half, or all."""
    clipped = float(np.mean(seen.values >= measures["clip"] * (1 - CEILING_WIDTH)))
    lately = "p99" in measures and measures["saturated"] and clipped <= SATURATED_SHARE
    begin = len(seen) // 2 if lately else 0
    first, last = int(seen.steps[begin]), int(seen.steps[-1])
    return Detection(NAME, Shape.CEILING, series.name, first, first, last, measures)


DETECTOR: Final = detect
