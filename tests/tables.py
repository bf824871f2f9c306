"""What a reader found, in the form that tests compare."""

from __future__ import annotations

from spikedoc.readers.base import RawSeries, Table


def series(table: Table) -> dict[str, RawSeries]:
    """Return the series by tag."""
    return {one.tag: one for one in table.series}


def points(table: Table, tag: str) -> list[tuple[int, float]]:
    """Return step and value of every point of one series."""
    one = series(table)[tag]
    return list(zip(one.steps.tolist(), one.values.tolist(), strict=True))
