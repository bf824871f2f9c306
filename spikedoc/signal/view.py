"""The finite points of a series, ready to be judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from spikedoc.signal.baseline import median
from spikedoc.signal.memo import remembered
from spikedoc.signal.transform import Scale, transform

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Number = TypeVar("Number", np.float64, np.int64)


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
        return usual_distance(self.steps)


@remembered
def usual_distance(steps: IntArray) -> float:
    """Return the median distance of neighbouring steps; 1.0 for fewer than two."""
    return median(np.diff(steps)) if steps.size > 1 else 1.0


@remembered
def view(steps: IntArray, values: FloatArray) -> View:
    """Return the view of a series; non-finite points are dropped, never filled.

    Filling them forward makes a constant tail, which shrinks the local noise and turns healthy
    points just before a NaN into spikes.
    """
    mask = np.isfinite(values)
    if not mask.all():
        steps, values = steps[mask], values[mask]
    mapped = transform(values)
    return View(_fixed(steps), _fixed(values), _fixed(mapped.values), mapped.scale)


def _fixed(array: NDArray[Number]) -> NDArray[Number]:
    """Return the array, or a look at it through which it cannot be written."""
    if not array.flags.writeable:
        return array
    look = array.view()
    look.setflags(write=False)
    return look
