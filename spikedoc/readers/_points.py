"""Points as trackers keep them, one name, step and value at a time, to series."""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from spikedoc.readers._numbers import LARGEST_STEP
from spikedoc.readers.base import RawSeries
from spikedoc.text import Text

# As for the columns of a table: thousands are per layer, more are no metrics.
MOST_TAGS: Final = 5_000
# Points of one file that are kept; at 32 bytes each this is 640 MB.
MOST_POINTS: Final = 20_000_000

IMPOSSIBLE: Final = Text(
    "points with an impossible step or beyond the bounds of a log were left out",
    "步数不合理或超出读取上限的点已略去",
)


@dataclass(slots=True)
class _Cells:
    steps: array[int] = field(default_factory=lambda: array("q"))
    values: array[float] = field(default_factory=lambda: array("d"))
    walls: array[float] = field(default_factory=lambda: array("d"))
    order: array[int] = field(default_factory=lambda: array("q"))


class PointsBuilder:
    """Collects points in the order of the file."""

    def __init__(self) -> None:
        """Start with none."""
        self.count = 0
        self.is_full = False  # some points were left out
        self._cells: dict[str, _Cells] = {}

    def add(self, tag: str, step: int, value: float, wall: float | None = None) -> None:
        """Append a point; `wall` is in seconds since 1970. One beyond the bounds is left out."""
        cells = self._cells.get(tag)
        if cells is None and len(self._cells) < MOST_TAGS and tag:
            cells = self._cells.setdefault(tag, _Cells())
        if cells is None or self.count >= MOST_POINTS or abs(step) >= LARGEST_STEP:
            self.is_full = True
            return
        cells.steps.append(step)
        cells.values.append(value)
        cells.order.append(self.count)
        if wall is not None and math.isfinite(wall):
            cells.walls.append(wall)
        self.count += 1

    def series(self) -> tuple[RawSeries, ...]:
        """Return one series per name, in the order in which the names first appeared."""
        return tuple(_series(tag, cells) for tag, cells in self._cells.items())

    def notes(self) -> tuple[Text, ...]:
        """Return what was left out."""
        if not self.is_full:
            return ()
        return (IMPOSSIBLE,)


def _series(tag: str, cells: _Cells) -> RawSeries:
    has_walls = len(cells.walls) == len(cells.steps)
    return RawSeries(
        tag=tag,
        steps=np.array(cells.steps, dtype=np.int64),
        values=np.array(cells.values, dtype=np.float64),
        wall_times=np.array(cells.walls, dtype=np.float64) if has_walls else None,
        order=np.array(cells.order, dtype=np.int64),
    )
