"""What the labelling steps share: the run, its detections by shape, and the judged loss."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.objective import Objective, objective
from spikedoc.model.run import FloatArray, Run
from spikedoc.signal.baseline import Baseline, baseline
from spikedoc.signal.transform import Scale
from spikedoc.signal.view import View, view


@dataclass(frozen=True, slots=True, eq=False)
class Context:
    """Run and detections, with the main loss on the judging scale (None without a loss)."""

    run: Run
    detections: tuple[Detection, ...]
    seen: View | None
    base: Baseline | None
    objective: Objective
    signal: str = field(default="loss")

    def of(self, shape: Shape, signal: str | None = None) -> list[Detection]:
        """Return the detections of `shape`, of one signal only when given."""
        return [d for d in self.detections if d.shape is shape and signal in (None, d.signal)]

    def level(self, first: int, stop: int) -> float | None:
        """Return the median logged loss of the finite points [first, stop), None when empty."""
        if self.seen is None:
            return None
        part: FloatArray = self.seen.values[max(0, first) : max(0, stop)]
        return float(np.median(part)) if part.size else None

    @property
    def is_log(self) -> bool:
        """Whether differences on the judging scale are logs of ratios."""
        return self.seen is not None and self.seen.scale is Scale.LOG


def build(run: Run, detections: tuple[Detection, ...]) -> Context:
    """Return the context of `run`."""
    series = run.main_loss
    if series is None:
        return Context(run, detections, None, None, objective(run))
    seen = view(series.steps, series.values)
    base = baseline(seen.judged) if len(seen) else None
    return Context(run, detections, seen, base, objective(run), series.name)
