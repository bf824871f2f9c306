"""The counter that the user names as the step, for logs that call it by an unknown name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

import numpy as np

from spikedoc.errors import UsageError
from spikedoc.ingest.aliases import plain_name
from spikedoc.model.run import IntArray
from spikedoc.readers._notes import ROW_STEPS
from spikedoc.readers._numbers import LARGEST_STEP
from spikedoc.readers.base import RawSeries, Table
from spikedoc.text import Text

# The word for it in a mapping of roles; it is no role of a series.
STEP_ROLE: Final = "step"
# Damaged cells may be passed over; a series with fewer whole numbers than this is no counter.
LEAST_WHOLE_SHARE: Final = 0.99
NO_STEPS: Final = Text(
    "its values are no whole numbers, so they cannot be steps", "它的值不是整数，不能作为步数"
)
CHOSEN: Final = Text("steps are the values of {tag}", "步数取自 {tag} 的值")


def chosen_tag(tag: str, tags: Iterable[str]) -> str | None:
    """Return which of the tags is meant by `tag`: the same, else one that reads the same."""
    by_plain = {plain_name(one): one for one in tags}
    return tag if tag in by_plain.values() else by_plain.get(plain_name(tag))


def with_steps(table: Table, tag: str) -> tuple[Table, bool]:
    """Return the table with the values of the series `tag` for steps, and whether it has it.

    A point takes the step of its own row, else that of the row before. Raises UsageError when the
    series does not count.
    """
    if table.runs:
        runs = [with_steps(one, tag) for one in table.runs]
        return replace(table, runs=tuple(one for one, _ in runs)), any(has for _, has in runs)
    name = chosen_tag(tag, (one.tag for one in table.series))
    if name is None:
        return table, False
    counter = _counter(next(one for one in table.series if one.tag == name))
    series = tuple(_placed(one, counter) for one in table.series if one.tag != name)
    notes = tuple(note for note in table.notes if note != ROW_STEPS)
    return replace(table, series=series, notes=(*notes, CHOSEN.fill({"tag": name}))), True


def _counter(series: RawSeries) -> RawSeries:
    """The series without values that are no steps."""
    values = series.values
    with np.errstate(invalid="ignore"):
        whole = (np.abs(values) < LARGEST_STEP) & (values == np.round(values))
    if whole.mean() < LEAST_WHOLE_SHARE:
        raise UsageError(NO_STEPS, at=f"--map {STEP_ROLE}={series.tag}")
    order = None if series.order is None else series.order[whole]
    return replace(series, steps=series.steps[whole], values=values[whole], order=order)


def _placed(series: RawSeries, counter: RawSeries) -> RawSeries:
    mine, theirs = series.order, counter.order
    if mine is None or theirs is None or not np.isin(mine, theirs).any():
        mine, theirs = series.steps, counter.steps
    by_row = np.argsort(theirs, kind="stable")
    place = np.searchsorted(theirs[by_row], mine, side="right") - 1
    steps: IntArray = counter.values[by_row][np.maximum(place, 0)].astype(np.int64)
    return replace(series, steps=steps)
