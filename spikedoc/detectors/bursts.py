"""Repeated bursts of a smooth loss curve."""

from __future__ import annotations

from typing import Final

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.run import Run
from spikedoc.signal.burst import find_bursts
from spikedoc.signal.view import view

NAME: Final = "bursts"


def detect(run: Run) -> tuple[Detection, ...]:
    """Return one detection per burst of the loss."""
    series = run.main_loss
    if series is None:
        return ()
    seen = view(series.steps, series.values)
    out = []
    for b in find_bursts(seen.judged):
        first, peak, last = (int(seen.steps[i]) for i in (b.first, b.peak, b.last))
        measures = {"rise": b.rise, "points": float(b.last - b.first + 1), "index": float(b.first)}
        out.append(Detection(NAME, Shape.BURSTS, series.name, first, peak, last, measures))
    return tuple(out)


DETECTOR: Final = detect
