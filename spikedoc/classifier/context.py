"""What the labelling steps share: the run, its detections by shape, and the judged loss."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.objective import Objective, objective
from spikedoc.model.run import FloatArray, Run
from spikedoc.signal.baseline import Baseline, baseline
from spikedoc.signal.transform import Scale
from spikedoc.signal.view import View, view


class Measures(dict[str, float]):
    """The measures of one detection; reading one that is not there names the detector."""

    def __init__(self, seen: Detection) -> None:
        """Copy the measures of `seen`."""
        super().__init__(seen.measures)
        self.origin = f"detector {seen.detector!r} returned {seen.shape.value!r}"

    def __missing__(self, name: str) -> float:
        """Raise LookupError with the detector, its shape and the name of the measure."""
        raise LookupError(f"{self.origin} without the measure {name!r}, which the classifier reads")


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

    def begins_after(self, share: float) -> bool:
        """Return whether the log begins later than after this share of the steps.

        Then it does not show what was learned before: a replay, or a log without its beginning.
        The first point may lie one distance of two points from the start.
        """
        stride = 1.0 if self.seen is None else self.seen.stride
        return self.run.first_step - stride > share * self.run.last_step

    @property
    def is_log(self) -> bool:
        """Whether differences on the judging scale are logs of ratios."""
        return self.seen is not None and self.seen.scale is Scale.LOG


def build(run: Run, detections: tuple[Detection, ...]) -> Context:
    """Return the context of `run`; reading a measure it lacks raises LookupError naming both."""
    detections = tuple(replace(d, measures=Measures(d)) for d in detections)
    series = run.main_loss
    if series is None:
        return Context(run, detections, None, None, objective(run))
    seen = view(series.steps, series.values)
    base = baseline(seen.judged) if len(seen) else None
    return Context(run, detections, seen, base, objective(run), series.name)
