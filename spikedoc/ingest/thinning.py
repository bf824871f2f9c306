"""A run with fewer points, and what was left out of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from spikedoc.model.run import Run, Series, Thinned
from spikedoc.signal.decimation import kept


def thinned_run(run: Run, most: int | None) -> Run:
    """Return the run with at most `most` points in each series, and what that left out.

    Series with the same steps keep the same ones. The points before and after a restart stay, and
    what `spikedoc.signal.decimation.kept` keeps. Without a bound the run is returned as it is.
    """
    if most is None or all(len(one) <= most for one in run.series):
        return run
    borders = sorted({step for r in run.restarts for step in (r.step, r.last_step)})
    fewer: dict[int, Series] = {}
    for group in _groups([one for one in run.series if len(one) > most]):
        places = np.searchsorted(group[0].steps, borders).tolist()
        always = [at for place in places for at in (place - 1, place)]
        indices = kept([one.values for one in group], most, always)
        fewer.update({id(one): _at(one, indices) for one in group})
    thinned = [
        Thinned(one.name, len(one), len(fewer[id(one)])) for one in run.series if id(one) in fewer
    ]
    series = tuple(fewer.get(id(one), one) for one in run.series)
    return replace(run, series=series, thinned=(*run.thinned, *thinned))


def _groups(series: Sequence[Series]) -> Iterator[list[Series]]:
    """Series that were logged at the same steps."""
    known: dict[tuple[int, int, int], list[list[Series]]] = {}
    for one in series:
        alike = known.setdefault((len(one), int(one.steps[0]), int(one.steps[-1])), [])
        home = next((g for g in alike if np.array_equal(g[0].steps, one.steps)), None)
        if home is None:
            alike.append([one])
        else:
            home.append(one)
    for alike in known.values():
        yield from alike


def _at(series: Series, indices: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Series:
    walls = series.wall_times
    return replace(
        series,
        steps=series.steps[indices],
        values=series.values[indices],
        wall_times=None if walls is None else walls[indices],
    )
