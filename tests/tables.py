"""What a reader found, in the form that tests compare."""

from __future__ import annotations

import pandas as pd

from spikedoc.readers.base import RawSeries, Table

# Before 3.1, pandas' parser missed the nearest number by some units in the last place.
PARSER_ERROR = 0.0 if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1) else 1e-12


def series(table: Table) -> dict[str, RawSeries]:
    """Return the series by tag."""
    return {one.tag: one for one in table.series}


def points(table: Table, tag: str) -> list[tuple[int, float]]:
    """Return step and value of every point of one series."""
    one = series(table)[tag]
    return list(zip(one.steps.tolist(), one.values.tolist(), strict=True))
