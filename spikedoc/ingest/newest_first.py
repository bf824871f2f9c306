"""Logs with the newest record on top: turned round before their order is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from spikedoc.ingest.strays import order_of
from spikedoc.readers.base import RawSeries
from spikedoc.text import Text

# Fewer points may be the ends of trainings, one each, that happen to go down.
LEAST_POINTS: Final = 10
TURNED: Final = Text(
    "the newest record stands first: the rows are read from the end",
    "最新的记录排在最前：各行按从后往前的顺序读取",
)


def oldest_first(series: Sequence[RawSeries]) -> tuple[Sequence[RawSeries], tuple[Text, ...]]:
    """Return the series of one file in the order of their steps, and a note if they were turned.

    They are where the steps of each fall strictly from its first point to its last, and no clock
    says that they were written in that order: a counter of what is left falls as time goes on.
    """
    longest = max((one.steps.size for one in series), default=0)
    if longest < LEAST_POINTS or not all(map(_falls, series)):
        return series, ()
    last = max(int(order_of(one).max(initial=0)) for one in series)
    return [_turned(one, last) for one in series], (TURNED,)


def _falls(one: RawSeries) -> bool:
    if not (one.steps[1:] < one.steps[:-1]).all():
        return False
    walls = np.zeros(0) if one.wall_times is None else one.wall_times
    known = walls[np.isfinite(walls)]
    return known.size < 2 or bool(known[0] >= known[-1])


def _turned(one: RawSeries, last: int) -> RawSeries:
    return replace(
        one,
        steps=one.steps[::-1].copy(),
        values=one.values[::-1].copy(),
        wall_times=None if one.wall_times is None else one.wall_times[::-1].copy(),
        order=(last - order_of(one))[::-1].copy(),
    )
