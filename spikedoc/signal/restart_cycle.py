"""Whether the jumps of a learning rate are the restarts of one cyclic schedule."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.signal.second_cycle import is_second_cycle

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Indices = NDArray[np.intp]

# Lengths of cycles, or their ratios, differ by a third: a restart may fall between logged points.
SPACING: Final = 0.35
# The first restarts may have passed for a warm-up: with more than so many the others are enough.
MANY: Final = 3
# Values within 5 % are the same setting; the first points of a cycle reach its top.
SAME: Final = 0.05
TOP_POINTS: Final = 3


def is_cycle(steps: IntArray, values: FloatArray, restarts: Indices) -> bool:
    """Return whether `restarts`, the indices of jumps up, ascending, belong to one schedule.

    They are evenly or geometrically spaced, none above the peak seen before; or the log begins
    within a cycle, and each that follows takes the course of the one before. A single one has to
    begin the same descent once more. Values are finite, steps strictly increasing.
    """
    if restarts.size < 2:
        return restarts.size == 1 and is_second_cycle(steps, values, int(restarts[0]))
    if _begins_within(steps, values, restarts):
        return True
    at = [float(steps[i]) for i in restarts]
    even = _are_even(np.diff([float(steps[0]), *at])) or (len(at) > MANY and _are_even(np.diff(at)))
    highest = np.maximum.accumulate(values)
    return even and all(
        float(values[i : i + TOP_POINTS].max()) <= float(highest[i - 1]) * (1 + SAME)
        for i in restarts
    )


def _begins_within(steps: IntArray, values: FloatArray, restarts: Indices) -> bool:
    first, second = int(restarts[0]), int(restarts[1])
    cycle = float(steps[second]) - float(steps[first])
    is_part = float(steps[first]) - float(steps[0]) < cycle
    is_part &= float(values[0]) < float(values[first:second].max()) * (1 - SAME)
    ends = [*(int(i) for i in restarts[2:]), values.size]
    return is_part and all(
        is_second_cycle(steps[before:end], values[before:end], here - before)
        for (before, here), end in zip(pairwise(restarts.tolist()), ends, strict=True)
    )


def _are_even(lengths: FloatArray) -> bool:
    """Return whether cycles are equally long, or each by a constant or whole factor longer."""
    # Beyond 2**53 neighbouring steps are one number, and no length is left between them.
    ratios = lengths[1:] / np.maximum(lengths[:-1], 1.0)
    # Two ratios and more may be any constant; a single one fits everything, so it must be whole.
    constant = ratios.size > 1 and float(np.ptp(ratios)) <= SPACING * float(ratios.max())
    whole = np.maximum(1.0, np.round(ratios))
    return bool(constant or np.all(np.abs(ratios - whole) <= SPACING))
