"""Where a run leaves the bands of the healthy ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.model.run import FloatArray, Run, Series
from spikedoc.reference.band import (
    Axis,
    Band,
    Reference,
    Side,
    by_name,
    cell_levels,
    on_scale,
    positions,
)

# A few levels outside are normal: it takes this many in a row, or one this many half widths off.
IN_A_ROW: Final = 2
FAR: Final = 2.0
# More widths than this are no different any more.
MOST_WIDTHS: Final = 1_000.0
# A cell is judged when the run logged through at least this share of it.
COVERED: Final = 0.5
# A run that ends before this share of the shortest healthy one is told to be cut short.
WHOLE: Final = 0.9
# Numbers are stored with six digits: no band is narrower, nor is one around zero.
NARROWEST: Final = 1e-5
NARROWEST_AT_ZERO: Final = 1e-17


@dataclass(frozen=True, slots=True)
class Departure:
    """One signal outside its band, from `first_step` on."""

    signal: str
    first_step: int
    above: bool
    beyond: float  # how far outside at worst, in widths of the band
    level: float  # at worst, in the unit of the signal; inf where it was not finite
    low: float
    high: float
    is_trouble: bool  # on the side that matters, of a signal that is judged

    @property
    def is_finite(self) -> bool:
        """Whether the level is a number at worst."""
        return bool(np.isfinite(self.level))


@dataclass(frozen=True, slots=True)
class Comparison:
    """A run beside the reference."""

    compared: tuple[str, ...]
    departures: tuple[Departure, ...]  # the first to leave first, one per signal and side
    missing: tuple[str, ...]  # signals of the reference that the run did not log
    last_step: int
    is_short: bool

    @property
    def first(self) -> Departure | None:
        """The departure that means trouble and came first."""
        return next((one for one in self.departures if one.is_trouble), None)


def compare(run: Run, reference: Reference) -> Comparison:
    """Return how `run` fares beside the healthy ones; signals they do not know are left out."""
    short = run.last_step < WHOLE * reference.shortest
    compared, missing, departures = [], [], []
    named = by_name(run)
    for band in reference.bands:
        series = named.get(band.signal)
        if series is None or len(series) == 0:
            missing.append(band.signal)
        elif not (short and reference.axis is Axis.SHARE):
            # Laid along the share of training, a run that was cut short would be stretched.
            found, judged = _departures(series, run, band, reference.axis)
            departures += found
            compared += [band.signal] if judged else []
    order = {band.signal: index for index, band in enumerate(reference.bands)}
    departures.sort(key=lambda one: (one.first_step, -one.beyond, order[one.signal]))
    return Comparison(tuple(compared), tuple(departures), tuple(missing), run.last_step, short)


def _departures(series: Series, run: Run, band: Band, axis: Axis) -> tuple[list[Departure], bool]:
    """Return departures of one signal, at most one to each side, and whether any cell counted."""
    at = positions(series, axis, run.last_step)
    levels = cell_levels(at, series.values, band.edges)
    levels[np.logical_not(_covered(at, band.edges))] = np.nan
    middle = on_scale(band.middle, band.scale)
    half = on_scale(band.high, band.scale) - middle
    half = np.maximum(half, np.maximum(NARROWEST * np.abs(middle), NARROWEST_AT_ZERO))
    widths = (on_scale(levels, band.scale) - middle) / half
    widths = np.clip(widths, -MOST_WIDTHS, MOST_WIDTHS)
    found = []
    for above in (True, False):
        signed = widths if above else -widths
        first = _first_outside(signed)
        if first is not None:
            found.append(_departure(series, at, band, levels, signed, first, above=above))
    return found, bool(np.isfinite(widths).any())


def _covered(at: FloatArray, edges: FloatArray) -> NDArray[np.bool_]:
    """Return which cells a series goes through for at least half of their width."""
    stride = float(np.median(np.diff(at))) if at.size > 1 else float(edges[1] - edges[0])
    begin = np.maximum(edges[:-1], at[0])
    end = np.minimum(edges[1:], at[-1] + stride)
    return np.asarray((end - begin) >= COVERED * np.diff(edges))


def _first_outside(widths: FloatArray) -> int | None:
    """Return the first cell of the first departure; cells without a level are passed over."""
    cells = np.flatnonzero(np.isfinite(widths))
    outside = widths[cells] > 1.0
    for index in np.flatnonzero(outside):
        row = outside[index : index + IN_A_ROW]
        if widths[cells[index]] > FAR or (row.size == IN_A_ROW and bool(row.all())):
            return int(cells[index])
    return None


def _departure(
    series: Series,
    at: FloatArray,
    band: Band,
    levels: FloatArray,
    widths: FloatArray,
    first: int,
    *,
    above: bool,
) -> Departure:
    rest = np.where(np.isfinite(widths), widths, -np.inf)
    rest[:first] = -np.inf
    worst = int(np.argmax(rest))
    wrong = band.side is Side.BOTH or (band.side is Side.ABOVE) == above
    return Departure(
        signal=band.signal,
        first_step=_first_step(series, at, band, first, above=above),
        above=above,
        beyond=(float(widths[worst]) - 1.0) / 2.0,
        level=float(levels[worst]),
        low=float(band.low[worst]),
        high=float(band.high[worst]),
        # A level that is not finite is trouble on whatever side.
        is_trouble=band.judged and (wrong or not np.isfinite(levels[worst])),
    )


def _first_step(series: Series, at: FloatArray, band: Band, cell: int, *, above: bool) -> int:
    """Return the step from which most points to the end of the cell lie outside the band.

    When that is the first point of the cell, those right before it belong to the departure as well.
    """
    lo, hi = (int(place) for place in np.searchsorted(at, band.edges[cell : cell + 2], side="left"))
    values = series.values[:hi]
    cells = np.clip(np.searchsorted(band.edges, at[:hi], side="right") - 1, 0, cell)
    border = (band.high if above else band.low)[cells]
    outside = ~np.isfinite(values) | (values > border if above else values < border)
    inside_cell = outside[lo:]
    from_here = np.cumsum(inside_cell[::-1])[::-1] / np.arange(inside_cell.size, 0, -1)
    good = np.flatnonzero(inside_cell & (from_here > 0.5))
    first = lo + (int(good[0]) if good.size else 0)
    if first == lo:
        calm = np.flatnonzero(~outside[:lo])
        first = int(calm[-1]) + 1 if calm.size else 0
    return int(series.steps[first])
