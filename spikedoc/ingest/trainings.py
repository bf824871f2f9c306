"""Cuts logs into the trainings that were written into them one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from spikedoc.ingest.strays import order_of
from spikedoc.readers.base import RawSeries, Table

Part = tuple[str, Sequence[RawSeries]]  # file name, the series of one training in it
_END: Final = np.iinfo(np.int64).max


def trainings(tables: Sequence[tuple[str, Table]]) -> list[list[Part]]:
    """Return the parts of each training in files that were written one after the other.

    The last training of a file goes on in the next one, unless that starts afresh by its steps.
    """
    found: list[list[Part]] = [[]]
    for name, table in tables:
        for number, span in enumerate(pairwise([-1, *table.begins, _END])):
            if number:
                found.append([])
            found[-1].append((name, _within(table, span)))
    return found


def _within(table: Table, span: tuple[int, int]) -> tuple[RawSeries, ...]:
    if not table.begins:
        return table.series
    cut = (_cut(one, span) for one in table.series)
    return tuple(one for one in cut if one.steps.size)


def _cut(series: RawSeries, span: tuple[int, int]) -> RawSeries:
    order = order_of(series)
    keep = (order >= span[0]) & (order < span[1])
    walls = None if series.wall_times is None else series.wall_times[keep]
    return RawSeries(
        series.tag, series.steps[keep], series.values[keep], walls, series.rank, order[keep]
    )
