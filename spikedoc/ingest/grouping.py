"""Which logs belong to one run, and which were written one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Final

import numpy as np

from spikedoc.ingest.assemble import losses_of, same_data
from spikedoc.ingest.hparams_results import are_results, without_results
from spikedoc.ingest.kinship import Kinship, Log, span
from spikedoc.ingest.phase_files import with_held_out_files
from spikedoc.ingest.read_file import EVENTS, STATE, Groups, ReadFile
from spikedoc.readers.base import Table

# Folders compared with each other for logs of the same run in two formats.
MOST_COMPARED: Final = 200


def by_run(read: Sequence[ReadFile]) -> Groups:
    """Return the logs by folder of their run, where a run may use several folders.

    `add_scalars` writes each curve into a folder of its own, hparams go into one, and two loggers
    of one run into two: these come together. The first folder names the run.
    """
    groups: Groups = {}
    for one in read:
        groups.setdefault(one.file.folder, []).append(one)
    groups = with_held_out_files(groups)
    return _with_twins(_without_companions(_without_curve_folders(without_results(groups))))


def _without_curve_folders(groups: Groups) -> Groups:
    """Give folders made by `add_scalars` to the folder above, which holds the main event file.

    The folder is called by the tag and the name of the curve, `Loss_train`.
    """
    result: Groups = {}
    for folder, files in groups.items():
        curve = _curve_of(folder, files)
        above = folder.parent
        if curve is None or not (above in groups or any(above.glob("*tfevents*"))):
            result.setdefault(folder, []).extend(files)
            continue
        for one in files:
            series = tuple(replace(s, tag=f"{s.tag}/{curve}") for s in one.table.series)
            file = replace(one.file, folder=above, prefix=f"{folder.name}/")
            moved = ReadFile(file, replace(one.table, series=series))
            result.setdefault(above, []).append(moved)
    return result


def stands_alone(folder: Path, files: Sequence[ReadFile]) -> bool:
    """Return whether `by_run` leaves the logs of a folder there, whatever lies in those above."""
    has_series = any(one.table.series for one in files)
    return has_series and _curve_of(folder, files) is None and not are_results(files)


def _curve_of(folder: Path, files: Sequence[ReadFile]) -> str | None:
    tags = set().union(*(one.tags for one in files))
    if len(tags) != 1 or any(one.kind != EVENTS for one in files):
        return None
    stem = next(iter(tags)).replace("/", "_").replace(" ", "_") + "_"
    return folder.name.removeprefix(stem) if folder.name.startswith(stem) else None


def _without_companions(groups: Groups) -> Groups:
    """Give folders that hold only settings or messages to the run above them."""
    result = {folder: list(files) for folder, files in groups.items()}
    for folder, files in groups.items():
        if any(one.table.series for one in files):
            continue
        above = next((p for p in folder.parents if p in groups), None)
        del result[folder]
        if above is not None and above in result:
            result[above].extend(files)
    return result


def _with_twins(groups: Groups) -> Groups:
    """Join folders that hold the same data in different formats."""
    result = dict(groups)
    if len(groups) > MOST_COMPARED:
        return result
    for first, second in combinations(sorted(groups, key=lambda p: len(p.parts)), 2):
        if first in result and second in result and _are_twins(result[first], result[second]):
            result[first] = [*result[first], *result.pop(second)]
    return result


def _are_twins(a: Sequence[ReadFile], b: Sequence[ReadFile]) -> bool:
    if {one.kind for one in a} & {one.kind for one in b}:
        return False
    if max(len(clusters(a)), len(clusters(b))) > 1:
        return False
    mine, theirs = ([s for one in files for s in one.table.series] for files in (a, b))
    # one logger may hold a longer loss, of batches, beside the one that both hold
    return (
        same_data(mine, theirs)
        or any(same_data([loss], theirs) for loss in losses_of(mine))
        or any(same_data(mine, [loss]) for loss in losses_of(theirs))
    )


def clusters(files: Sequence[ReadFile]) -> list[list[ReadFile]]:
    """Return the files of one folder by run.

    Files of one format with the same quantities are several runs, and so are files of any format
    with losses of trainings that their names or values tell apart, unless one continues the other
    or holds the same data.
    """
    logs: list[ReadFile] = []
    shared: list[ReadFile] = []
    for one in files:
        is_shared = one.kind in (EVENTS, STATE) or not one.table.series
        (shared if is_shared else logs).append(one)
    if not logs:
        return [shared]
    found = _fitted(logs) if len(logs) > 1 else [logs]
    home = _home_of(shared, found)
    found[home] = shared + found[home]
    return found


def _home_of(shared: Sequence[ReadFile], found: Sequence[Sequence[ReadFile]]) -> int:
    """Whose run event files and trainer states are: of those that hold the same data, or first."""
    series = [one for log in shared for one in log.table.series]
    if not series or len(found) < 2:
        return 0
    twins = (
        place
        for place, logs in enumerate(found)
        if any(same_data(series, one.table.series) for one in logs)
    )
    return next(twins, 0)


def _fitted(logs: Sequence[ReadFile]) -> list[list[ReadFile]]:
    """Each log into the first cluster that holds no other run of the same quantities."""
    kin, home = _kinship(logs), np.zeros(len(logs), dtype=np.int64)
    found: list[list[ReadFile]] = []
    for index, one in enumerate(logs):
        earlier = np.arange(len(logs)) < index
        rivals = earlier & (kin.overlap(index) | kin.apart(index)) & ~kin.continues(index)
        rivals &= ~kin.same(index, among=rivals)
        is_taken = np.zeros(len(found) + 1, dtype=bool)
        is_taken[home[rivals]] = True
        home[index] = int(np.argmin(is_taken))
        if home[index] == len(found):
            found.append([])
        found[home[index]].append(one)
    return found


def _kinship(logs: Sequence[ReadFile]) -> Kinship:
    return Kinship([Log(one.file.path, one.kind, one.table.series) for one in logs])


def chains(cluster: Sequence[ReadFile]) -> list[list[ReadFile]]:
    """Return the files of a run by writer, each in the order of writing.

    Event files of one folder follow each other by the clock; of several trainer states the last
    one holds the history of all.
    """
    found: dict[str, list[ReadFile]] = {}
    others: list[ReadFile] = []
    for one in cluster:
        if one.kind in (EVENTS, STATE) and one.table.series:
            folder = one.file.path.parent if one.kind == EVENTS else ""
            found.setdefault(f"{one.kind}:{folder}", []).append(one)
        elif one.table.series:
            others.append(one)
    ordered = [sorted(chain, key=_begin) for chain in [*found.values(), *_linked(others)]]
    return [chain[-1:] if chain[0].kind == STATE else chain for chain in ordered]


def _linked(logs: Sequence[ReadFile]) -> list[list[ReadFile]]:
    """Each log into the first chain with one that it continues, or that continues it."""
    if len(logs) < 2:
        return [[one] for one in logs]
    kin, home = _kinship(logs), np.zeros(len(logs), dtype=np.int64)
    found: list[list[ReadFile]] = []
    for index, one in enumerate(logs):
        earlier = np.arange(len(logs)) < index
        follows = earlier & kin.overlap(index) & kin.continues(index)
        follows &= ~kin.same(index, among=follows)
        home[index] = int(home[follows].min(initial=len(found)))
        if home[index] == len(found):
            found.append([])
        found[home[index]].append(one)
    return found


def _begin(one: ReadFile) -> tuple[float, int, str]:
    """When a log was begun: by the clock if it has one, else by its last step."""
    clocks = [s.wall_times for s in one.table.series if s.wall_times is not None]
    walls = [float(np.nanmin(clock)) for clock in clocks if not np.isnan(clock).all()]
    return (min(walls, default=0.0), span(one.table.series)[1], one.file.path.name)


def prefixed(table: Table, prefix: str) -> Table:
    """Return the table with `prefix` before each tag."""
    if not prefix:
        return table
    return replace(table, series=tuple(replace(s, tag=prefix + s.tag) for s in table.series))


def folders_of(cluster: Sequence[ReadFile], folder: Path) -> tuple[Path, ...]:
    """Return the folders a run uses, its own first."""
    return tuple(dict.fromkeys([folder, *(one.file.folder for one in cluster)]))
