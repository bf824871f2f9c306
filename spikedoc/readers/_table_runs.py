"""Tables into which several runs write in turns, with a column that tells them apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from spikedoc.readers._json_reading import come_again
from spikedoc.readers._json_runs import KEYS, MOST_RUNS, Named, run_named
from spikedoc.readers._text_parts import put_together
from spikedoc.readers.base import Table
from spikedoc.text import Text, listed

_KEYS: Final = frozenset(KEYS)
IN_TURN: Final = Text(
    "the rows are of several runs, which the column {column} tells apart: {names}",
    "各行来自多次训练，由 {column} 列区分：{names}",
)
Rows = list[list[str]]
# Columns of the processes of one training: a mean over them is what a step did.
_RANKS: Final = ("rank", "local_rank", "global_rank", "worker")


def may_tell_runs(names: Sequence[str]) -> bool:
    """Return whether a column of these names may tell runs apart."""
    return any(name.strip().lower() in _KEYS.union(_RANKS) for name in names)


def divided(
    names: Sequence[str], rows: Rows, whole: Table, read: Callable[[list[str], Rows], Table]
) -> Table:
    """Return the runs whose rows take turns, each read by itself; the `whole` where they are none.

    The rows of the processes of one training are one table with means over them.
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
    key = named.key() or next((one for one in _RANKS if one in places), "")
    if not key:
        return whole
    at, groups = places[key], dict[str, Rows]()
    for row in rows:
        groups.setdefault(run_named(key, {key: row[at]}), []).append([*row[:at], *row[at + 1 :]])
    header = [*names[:at], *names[at + 1 :]]
    if len(groups) > MOST_RUNS and key in _RANKS:
        return whole
    tables = {run: read(header, own) for run, own in groups.items() if run}
    found = {run: table for run, table in tables.items() if table.series}
    if len(found) < 2 or any(come_again(table.series) for table in found.values()):
        return whole
    if key in _RANKS:
        return _of_ranks(found, whole.notes)
    note = IN_TURN.fill({"column": names[at], "names": listed(found)})
    runs = (
        replace(table, name=run, notes=(note, *whole.notes, *table.notes))
        for run, table in found.items()
    )
    return Table(runs=tuple(runs))


def _of_ranks(found: Mapping[str, Table], notes: Sequence[Text]) -> Table:
    """One table of the processes of a training, with means over them."""
    joined = put_together({f"rank{place}": table for place, table in enumerate(found.values())})
    return replace(joined, notes=(*notes, *joined.notes))
