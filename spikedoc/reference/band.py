"""What healthy runs of a project look like: a band for each signal over the training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from typing import Final

import numpy as np

from spikedoc.cleaning import one_line
from spikedoc.model.run import FloatArray, Run, Series

SCHEMA: Final = "spikedoc-reference/1"
# Values below it have no logarithm worth the name; a zero then stands far below any band.
TINY: Final = 1e-300
LONGEST_NAME: Final = 200


class Axis(StrEnum):
    """What a training is laid along: its own steps, or the share of it that is done."""

    STEP = "step"
    SHARE = "share"


class Side(StrEnum):
    """On which side of its band a signal is in trouble; the other side is only told."""

    ABOVE = "above"
    BELOW = "below"
    BOTH = "both"


class Scale(StrEnum):
    """On which scale distances are measured; LOG where every healthy value is positive."""

    LOG = "log"
    LINEAR = "linear"


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """Where the level of one signal lies in healthy runs, cell by cell along the axis.

    Cell i reaches from `edges[i]` to before `edges[i + 1]`. The level of a cell is the median of
    the points in it; `low`, `middle` and `high` are levels in the unit of the signal, NaN where the
    healthy runs logged nothing.
    """

    signal: str  # as in the report: "loss", "val_metric:val_acc"
    side: Side
    judged: bool  # False: a departure is told and fails nothing
    scale: Scale
    runs: int  # that logged the signal
    edges: FloatArray
    low: FloatArray
    middle: FloatArray
    high: FloatArray
    # Medians over the healthy runs of single numbers: "first", "final", "p10", "count" …
    numbers: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reference:
    """The bands of a project, and the runs they came from."""

    axis: Axis
    runs: tuple[str, ...]  # names, made safe
    shortest: int  # last step of the shortest healthy run …
    longest: int  # … and of the longest
    bands: tuple[Band, ...]
    # Medians over the healthy runs of numbers of a whole run: "spikes_per_10k_steps" …
    numbers: Mapping[str, float] = field(default_factory=dict)


def by_name(run: Run) -> dict[str, Series]:
    """Return the run-wide series by their names, made safe: what a file calls them."""
    found: dict[str, Series] = {}
    for series in run.series:
        if series.rank is None:
            found.setdefault(one_line(series.name, LONGEST_NAME), series)
    return found


def on_scale(values: FloatArray, scale: Scale) -> FloatArray:
    """Return values on the scale on which distances are measured; NaN and +inf stay."""
    if scale is Scale.LINEAR:
        return values
    return np.asarray(np.log(np.maximum(values, TINY)))


def positions(series: Series, axis: Axis, last_step: int) -> FloatArray:
    """Return where the points of a series lie on the axis; `last_step` is the end of its run."""
    steps = series.steps.astype(np.float64)
    return steps if axis is Axis.STEP else steps / max(last_step, 1)


def cell_levels(at: FloatArray, values: FloatArray, edges: FloatArray) -> FloatArray:
    """Return the median of each cell: NaN for one without points, inf where most are not finite."""
    cuts = np.searchsorted(at, edges, side="left")
    levels = np.full(edges.size - 1, np.nan)
    for index, (lo, hi) in enumerate(pairwise(cuts)):
        if hi > lo:
            levels[index] = _level(values[lo:hi])
    return levels


def _level(values: FloatArray) -> float:
    good = values[np.isfinite(values)]
    return float(np.median(good)) if good.size * 2 > values.size else float("inf")
