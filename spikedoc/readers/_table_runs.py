"""Tables into which several runs write in turns, with a column that tells them apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from spikedoc.readers._json_reading import come_again
from spikedoc.readers._json_runs import KEYS, Named, run_named
from spikedoc.readers.base import Table
from spikedoc.text import Text, listed

_KEYS: Final = frozenset(KEYS)
IN_TURN: Final = Text(
    "the rows are of several runs, which the column {column} tells apart: {names}",
    "各行来自多次训练，由 {column} 列区分：{names}",
)
Rows = list[list[str]]


def may_tell_runs(names: Sequence[str]) -> bool:
    """Return whether a column of these names may tell runs apart."""
    return any(name.strip().lower() in _KEYS for name in names)


def divided(
    names: Sequence[str], rows: Rows, whole: Table, read: Callable[[list[str], Rows], Table]
) -> Table:
    """Return the runs whose rows take turns, each read by itself; the `whole` where they are none.

    `read` makes a table of a header and its rows. The rows of two runs stand at the same steps,
    those of one hardly ever do.
    """
    if not may_tell_runs(names) or not whole.series or not come_again(whole.series):
        return whole
    places = {name.strip().lower(): place for place, name in enumerate(names)}
    named = Named()
    named.see_count(len(rows))
    for key in places.keys() & _KEYS:
        named.see_column(key, [row[places[key]] for row in rows])
    key = named.key()
    if not key:
        return whole
    at, groups = places[key], dict[str, Rows]()
    for row in rows:
        groups.setdefault(run_named(key, {key: row[at]}), []).append([*row[:at], *row[at + 1 :]])
    header = [*names[:at], *names[at + 1 :]]
    tables = {run: read(header, own) for run, own in groups.items() if run}
    found = {run: table for run, table in tables.items() if table.series}
    if len(found) < 2 or any(come_again(table.series) for table in found.values()):
        return whole
    note = IN_TURN.fill({"column": names[at], "names": listed(found)})
    runs = (
        replace(table, name=run, notes=(note, *whole.notes, *table.notes))
        for run, table in found.items()
    )
    return Table(runs=tuple(runs))
