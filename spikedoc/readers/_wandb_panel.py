"""Panels exported from W&B: one table of several runs, a column per run."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from spikedoc.readers.base import RawSeries, Table
from spikedoc.text import Text, listed

# W&B's "Export panel as CSV" writes "Step", then "NAME - TAG" and its envelope for each run.
_SEPARATOR: Final = " - "
_ENVELOPES: Final = ("__MIN", "__MAX")
_COUNTER: Final = "_step"
# A name that comes twice has the place of its column behind it.
_PLACE: Final = re.compile(r"(?P<tag>.+)\.\d+")
# What stands before the dash in other tables: phases of one training, parts of one model.
_NO_RUNS: Final = re.compile(
    r"train(ing)?|val(id(ation)?)?|eval(uation)?|test(ing)?|dev|epoch|batch|step|mean|avg|average"
    r"|g|d|generator|discriminator|actor|critic|policy|value|encoder|decoder",
    re.IGNORECASE,
)
# The x-axis of the panel, where it is no step: "Relative Time (Process)".
MOST_AXES: Final = 1
# Names of runs told one by one in the notes.
NAMES_TOLD: Final = 5

PANEL: Final = Text(
    "a panel of W&B with {count} runs ({names})", "W&B 面板导出，含 {count} 次训练（{names}）"
)
EACH_JUDGED: Final = Text("{panel}, each judged by itself", "{panel}，逐一诊断")


def with_runs_apart(table: Table) -> Table:
    """Return the table; a panel that W&B exported of several runs as a table per run.

    The columns are called `NAME - TAG`, as W&B's panels export them (docs.wandb.ai, "Export data
    from a panel"), and say so by an envelope or a counter (`__MIN`, `_step`), or have the same tag
    for two runs. Columns called by a phase of a training are those of one run. Runs may have the
    same name: columns that come again are the next run's. The x-axis is of all runs.
    """
    found = _by_run(table.series)
    if found is None:
        return table
    names = list(dict.fromkeys(name for name, _ in found))
    shown = listed(names[:NAMES_TOLD])
    panel = PANEL.fill({"count": len(found), "names": shown})
    note = EACH_JUDGED.fill({"panel": panel})
    runs = (
        replace(table, series=tuple(own), name=name, notes=(note, *table.notes))
        for (name, _), own in found.items()
    )
    return Table(runs=tuple(runs))


def _by_run(series: Iterable[RawSeries]) -> dict[tuple[str, int], list[RawSeries]] | None:
    """The series by name of their run, and which of this name it is; None for one run."""
    found: dict[tuple[str, int], list[RawSeries]] = {}
    seen: dict[tuple[str, str], int] = {}
    of_all: list[RawSeries] = []
    for one in series:
        name, tag = _parted(one.tag)
        if not name:
            of_all.append(one)
            continue
        again = _PLACE.fullmatch(tag)
        if again and (name, again["tag"]) in seen:
            tag = again["tag"]
        number = seen[name, tag] = seen.get((name, tag), -1) + 1
        found.setdefault((name, number), []).append(replace(one, tag=tag))
    is_panel = any(_tells(tag) for _, tag in seen) or len({tag for _, tag in seen}) < len(seen)
    if len(found) < 2 or len(of_all) > MOST_AXES or not is_panel:
        return None
    return {key: [*of_all, *own] for key, own in found.items()}


def _parted(column: str) -> tuple[str, str]:
    """The run and the tag in the name of a column; no run where there is none."""
    name, _, tag = column.rpartition(_SEPARATOR)
    while _NO_RUNS.fullmatch(name.rpartition(_SEPARATOR)[2].strip()):
        name, _, last = name.rpartition(_SEPARATOR)
        tag = f"{last}{_SEPARATOR}{tag}"
    return name, tag


def _tells(tag: str) -> bool:
    return tag.endswith(_ENVELOPES) or tag == _COUNTER
