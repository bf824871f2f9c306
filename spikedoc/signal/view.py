"""The finite points of a series, ready to be judged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spikedoc.signal.transform import Scale, transform

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Finite points: steps, values as logged, and values on the judging scale."""

    steps: IntArray
    values: FloatArray
    judged: FloatArray
    scale: Scale

    def __len__(self) -> int:
        """Return the number of finite points."""
        return int(self.steps.size)

    @property
    def stride(self) -> float:
        """Median distance of logged steps; 1.0 for fewer than two points."""
        return float(np.median(np.diff(self.steps))) if len(self) > 1 else 1.0


def view(steps: IntArray, values: FloatArray) -> View:
    """Return the view of a series; non-finite points are dropped, never filled.

    Filling them forward makes a constant tail, which shrinks the local noise and turns healthy
    points just before a NaN into spikes.
    """
    mask = np.isfinite(values)
    kept = values[mask]
    mapped = transform(kept)
    return View(steps[mask], kept, mapped.values, mapped.scale)
