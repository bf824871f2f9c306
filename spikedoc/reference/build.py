"""From healthy runs to bands that a further healthy run stays in."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import NormalDist
from typing import Final

import numpy as np

from spikedoc.cleaning import name as safe_name
from spikedoc.model.run import FloatArray, Run, Series
from spikedoc.reference.band import (
    Axis,
    Band,
    Reference,
    Scale,
    Side,
    by_name,
    cell_levels,
    on_scale,
    positions,
)
from spikedoc.reference.signals import OF_QUALITY, Habit, habit
from spikedoc.signal.statistic import COUNTS, LEVELS, QUANTILES, statistic

# A level is the median of at least so many points, and there are at most so many levels: fewer
# points make a lucky batch a level, more levels tell no more about where a run left its band.
POINTS_PER_CELL: Final = 5
MOST_CELLS: Final = 20
# Runs whose lengths differ by more are laid along the share of training that is done.
SAME_LENGTH: Final = 1.1
# As many repetitions the general spread of `signals` is worth, against those at hand.
PRIOR_RUNS: Final = 10.0
# Levels of a normal distribution in one cell that lie outside; the rule of `departure` asks for two
# cells in a row. Chosen by the rates in docs/explanation/references.md.
OUTSIDE: Final = 0.005
# Neighbouring cells that share their spread, to each side.
SHARED: Final = 2
# With fewer cells the bend of the curve itself looks like noise of the levels.
CELLS_FOR_BENDS: Final = 8
# From the median of the size of second differences to the deviation of one level.
BEND_TO_SIGMA: Final = 1.0 / (0.6745 * math.sqrt(6.0))
# From the median size of differences of neighbouring points to the deviation of their median.
DIFFERENCE_TO_SIGMA: Final = 1.4826 / math.sqrt(2.0)
MEDIAN_EFFICIENCY: Final = 1.2533
MOST_SIGNALS: Final = 300


def build(runs: Sequence[Run], numbers: Sequence[Mapping[str, float]] = ()) -> Reference:
    """Return the bands of the signals that more than half of `runs` logged; one run is enough.

    `numbers` are those of each run as a whole, by name; their medians are kept.

    The band of a cell is a prediction interval for one more run. Its width joins what is seen
    between the runs, the noise of the levels within them, and the spread that is usual between
    repetitions, which counts the more the fewer runs there are: from few runs it is wide.
    """
    ends = [run.last_step for run in runs]
    axis = Axis.STEP if max(ends) <= SAME_LENGTH * min(ends) else Axis.SHARE
    named = [by_name(run) for run in runs]
    names = dict.fromkeys(name for found in named for name in found)
    bands = [band for name in names if (band := _band(name, runs, named, axis)) is not None]
    return Reference(
        axis=axis,
        runs=tuple(safe_name(run.name) for run in runs),
        shortest=min(ends),
        longest=max(ends),
        bands=tuple(sorted(bands[:MOST_SIGNALS], key=lambda band: band.signal)),
        numbers=_medians(numbers),
    )


def _band(
    name: str, runs: Sequence[Run], named: Sequence[Mapping[str, Series]], axis: Axis
) -> Band | None:
    logged = [
        (run, series)
        for run, found in zip(runs, named, strict=True)
        if (series := found.get(name)) is not None and bool(series.is_finite.any())
    ]
    if len(logged) * 2 <= len(runs):
        return None
    known = habit(logged[0][1].metric, logged[0][0])
    if known is None:
        return None
    laid = [(positions(series, axis, run.last_step), series.values) for run, series in logged]
    edges = _edges(laid)
    levels = np.array([cell_levels(at, values, edges) for at, values in laid])
    levels[~np.isfinite(levels)] = np.nan
    if np.isnan(levels).all():
        return None
    scale = Scale.LOG if bool(np.nanmin(levels) > 0.0) else Scale.LINEAR
    middle, half = _interval(on_scale(levels, scale), laid, edges, scale, known)
    side = known.side
    if logged[0][1].metric in OF_QUALITY:
        side = _worse_side(middle, half)
    back = np.exp if scale is Scale.LOG else np.asarray
    return Band(
        signal=name,
        side=side,
        judged=known.judged,
        scale=scale,
        runs=len(logged),
        edges=edges,
        low=back(middle - half),
        middle=back(middle),
        high=back(middle + half),
        numbers=_numbers([series for _, series in logged]),
    )


def _numbers(logged: Sequence[Series]) -> dict[str, float]:
    """Return the median over the runs of each number of a series, where it is one."""
    known = (*LEVELS, *QUANTILES, *COUNTS)
    return _medians([{name: statistic(one.values, name) for name in known} for one in logged])


def _medians(each: Sequence[Mapping[str, float | None]]) -> dict[str, float]:
    out = {}
    for name in dict.fromkeys(name for one in each for name in one):
        values = [one.get(name) for one in each]
        finite = [value for value in values if value is not None and math.isfinite(value)]
        if finite:
            out[name] = float(np.median(finite))
    return out


def _edges(laid: Sequence[tuple[FloatArray, FloatArray]]) -> FloatArray:
    """Return the borders of cells of equal width, from the first point to just after the last."""
    points = min(at.size for at, _ in laid)
    cells = min(MOST_CELLS, max(1, points // POINTS_PER_CELL))
    first = min(float(at[0]) for at, _ in laid)
    last = max(float(at[-1]) for at, _ in laid)
    stride = max((last - first) / max(points - 1, 1), 1e-9 * max(1.0, abs(last)))
    return np.linspace(first, last + stride, cells + 1)


def _interval(
    levels: FloatArray,
    laid: Sequence[tuple[FloatArray, FloatArray]],
    edges: FloatArray,
    scale: Scale,
    known: Habit,
) -> tuple[FloatArray, FloatArray]:
    """Return the middle of the band and half its width, on the scale of distances."""
    count = levels.shape[0]
    middle = _median(levels)
    between = _shared(_variance(levels)) if count > 1 else np.zeros(middle.size)
    noise = _noise(levels, laid, edges, scale)
    usual = known.spread if scale is Scale.LOG else known.spread * _range(middle)
    freedom = PRIOR_RUNS + count - 1
    variance = (PRIOR_RUNS * (usual**2 + noise**2) + (count - 1) * between) / freedom
    factor = student_quantile(1.0 - OUTSIDE / 2.0, freedom)
    return middle, factor * np.sqrt(variance * (1.0 + 1.0 / count))


def student_quantile(probability: float, freedom: float) -> float:
    """Return the quantile of Student's t (Cornish and Fisher's series, 4 % off at 4 degrees)."""
    z = NormalDist().inv_cdf(probability)
    terms = (
        z,
        (z**3 + z) / 4.0,
        (5.0 * z**5 + 16.0 * z**3 + 3.0 * z) / 96.0,
        (3.0 * z**7 + 19.0 * z**5 + 17.0 * z**3 - 15.0 * z) / 384.0,
    )
    return sum(term / freedom**power for power, term in enumerate(terms))


def _median(levels: FloatArray) -> FloatArray:
    """Return the median of each column, NaN for one without a level."""
    out = np.full(levels.shape[1], np.nan)
    filled = np.isfinite(levels).any(axis=0)
    out[filled] = np.nanmedian(levels[:, filled], axis=0)
    return out


def _variance(levels: FloatArray) -> FloatArray:
    out = np.full(levels.shape[1], np.nan)
    several = np.isfinite(levels).sum(axis=0) > 1
    out[several] = np.nanvar(levels[:, several], axis=0, ddof=1)
    return out


def _shared(values: FloatArray) -> FloatArray:
    """Return the mean over each cell and its neighbours; one cell's own spread is mostly chance."""
    out = np.zeros(values.size)
    for index in range(values.size):
        near = values[max(0, index - SHARED) : index + SHARED + 1]
        good = near[np.isfinite(near)]
        out[index] = max(float(good.mean()), 0.0) if good.size else 0.0
    own = np.nan_to_num(values)
    return np.maximum(out, 0.5 * own)


def _noise(
    levels: FloatArray,
    laid: Sequence[tuple[FloatArray, FloatArray]],
    edges: FloatArray,
    scale: Scale,
) -> FloatArray:
    """Return the deviation of a level by chance, per cell: by the points, and by the levels."""
    by_points = _median(
        np.array([_point_noise(at, on_scale(values, scale), edges) for at, values in laid])
    )
    by_points = np.nan_to_num(by_points)
    if levels.shape[1] < CELLS_FOR_BENDS:
        return np.full(levels.shape[1], float(np.median(by_points)))
    bends = np.abs(levels[:, :-2] - 2.0 * levels[:, 1:-1] + levels[:, 2:])
    bends = np.pad(_median(bends), 1, mode="edge")
    near = [bends[max(0, i - SHARED) : i + SHARED + 1] for i in range(bends.size)]
    by_levels = [float(np.nanmedian(b)) if np.isfinite(b).any() else 0.0 for b in near]
    return np.maximum(by_points, BEND_TO_SIGMA * np.array(by_levels))


def _point_noise(at: FloatArray, values: FloatArray, edges: FloatArray) -> FloatArray:
    cuts = np.searchsorted(at, edges, side="left")
    out = np.full(edges.size - 1, np.nan)
    for index, (lo, hi) in enumerate(pairwise(cuts)):
        steps = np.diff(values[lo:hi][np.isfinite(values[lo:hi])])
        if steps.size > 1:
            size = DIFFERENCE_TO_SIGMA * float(np.median(np.abs(steps - np.median(steps))))
            out[index] = MEDIAN_EFFICIENCY * size / math.sqrt(steps.size + 1)
    return out


def _range(middle: FloatArray) -> float:
    """Return the range a signal goes through, its size when it stands still."""
    good = middle[np.isfinite(middle)]
    apart = float(good.max() - good.min()) if good.size else 0.0
    return apart or float(np.abs(good).max(initial=0.0)) or 1.0


def _worse_side(middle: FloatArray, half: FloatArray) -> Side:
    """Return the side a healthy training leaves behind: an accuracy rises, an error rate falls."""
    good = np.flatnonzero(np.isfinite(middle))
    gained = middle[good[-1]] - middle[good[0]]
    if abs(gained) <= half[good[-1]]:
        return Side.BOTH
    return Side.BELOW if gained > 0 else Side.ABOVE
