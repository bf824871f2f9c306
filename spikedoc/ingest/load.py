"""From a path to runs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from spikedoc.errors import InputError
from spikedoc.ingest.aliases import role_of
from spikedoc.ingest.assemble import Stream, assemble_streams, chained, same_data
from spikedoc.ingest.checkpoints import find_checkpoints
from spikedoc.ingest.config import canonical
from spikedoc.ingest.config_files import config_beside
from spikedoc.ingest.discovery import Found, LogFile, find
from spikedoc.ingest.naming import check_mapping
from spikedoc.model.metric import Metric
from spikedoc.model.run import ConfigValue, Run, Source
from spikedoc.readers.base import Progress, RawSeries, Table

# Failures told one by one in the notes.
FAILURES_TOLD: Final = 5
_LR_OPTIMIZER: Final = re.compile(r"lr-([A-Za-z]+)(?:[-/].*)?")
_DIGITS: Final = re.compile(r"[\W_]*\d+")
_EVENTS: Final = "tensorboard"
_STATE: Final = "trainer_state"


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A log and what it holds."""

    file: LogFile
    table: Table


def load_runs(
    path: Path,
    *,
    mapping: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> list[Run]:
    """Return the runs at `path`, a log file or a folder searched for logs.

    `mapping` sets roles by hand (role → tag). Files that fail are named in the notes of the runs.
    Raises InputError when nothing can be read, UsageError for a mapping to an unknown tag.
    """
    path = Path(path)
    found = find(path)
    read = _read_all(found, progress)
    if not read:
        raise _nothing(path, found)
    read = _worth_reading(read, found, path)
    check_mapping(mapping or {}, sorted({s.tag for one in read for s in one.table.series}))
    groups: dict[Path, list[ReadFile]] = {}
    for one in read:
        groups.setdefault(one.file.folder, []).append(one)
    groups = _without_lone_configs(groups)
    runs = [
        run
        for folder, files in groups.items()
        for run in _runs_of(folder, files, path, mapping or {})
    ]
    if not runs:
        raise _nothing(path, found)
    notes = tuple(found.notes) + _failures(found)
    return [replace(run, notes=(*run.notes, *notes)) for run in runs]


def _read_all(found: Found, progress: Progress | None) -> list[ReadFile]:
    total = sum(file.size for file in found.files)
    done, read = 0, []
    for file in found.files:
        try:
            table = file.reader.read(file.path, _shifted(progress, done, total))
            read.append(ReadFile(file, _prefixed(table, file.prefix)))
        except InputError as error:
            found.failures.append(error)
        except OSError as error:
            found.failures.append(InputError(file.path, str(error.strerror or error).lower()))
        done += file.size
        if progress is not None:
            progress(done, total)
    return read


def _shifted(progress: Progress | None, done: int, total: int) -> Progress | None:
    if progress is None:
        return None
    return lambda inside, _: progress(min(done + inside, total), total)


def _prefixed(table: Table, prefix: str) -> Table:
    if not prefix:
        return table
    return replace(table, series=tuple(replace(s, tag=prefix + s.tag) for s in table.series))


def _nothing(path: Path, found: Found) -> InputError:
    if found.failures:
        first = found.failures[0]
        if len(found.failures) == 1:
            return InputError(path, first.reason, first.hint) if str(path) == first.path else first
        name = Path(first.path).name
        reason = f"none of {len(found.failures)} logs can be read; {name}: {first.reason}"
        return InputError(path, reason, first.hint)
    if not found.seen:
        return InputError(path, "an empty folder")
    seen = ", ".join(f"{count} {suffix}" for suffix, count in found.seen.most_common(FAILURES_TOLD))
    return InputError(path, "no training log in this folder", f"files seen: {seen}")


def _failures(found: Found) -> tuple[str, ...]:
    told = [f"{Path(e.path).name}: {e.reason}; left out" for e in found.failures[:FAILURES_TOLD]]
    if len(found.failures) > FAILURES_TOLD:
        told.append(f"{len(found.failures)} files in all could not be read")
    return tuple(told)


def _worth_reading(read: list[ReadFile], found: Found, path: Path) -> list[ReadFile]:
    """Drop tables without any known quantity (data sets, predictions) when others have some."""
    if len(read) == 1:
        return read
    known = [one for one in read if _knows_something(one.table) or one.file.reader.name == _EVENTS]
    if not known:
        return read
    for one in read:
        if one not in known:
            found.notes.append(f"{one.file.path.relative_to(path)}: no known quantity; left out")
    return known


def _knows_something(table: Table) -> bool:
    skipped = (Metric.OTHER, Metric.EPOCH)
    return any(role_of(one.tag).metric not in skipped for one in table.series)


def _without_lone_configs(groups: Mapping[Path, list[ReadFile]]) -> dict[Path, list[ReadFile]]:
    """Give folders that hold only settings (hparams event files) to the run above them."""
    result = {folder: list(files) for folder, files in groups.items()}
    for folder, files in groups.items():
        if any(one.table.series for one in files):
            continue
        above = next((p for p in folder.parents if p in groups), None)
        del result[folder]
        if above is not None and above in result:
            result[above].extend(files)
    return result


def _runs_of(
    folder: Path, files: Sequence[ReadFile], root: Path, mapping: Mapping[str, str]
) -> list[Run]:
    runs: list[Run] = []
    clusters = _clusters(files)
    for cluster in clusters:
        streams = [
            chained([(s.file.path.name, s.table) for s in chain]) for chain in _chains(cluster)
        ]
        name = _name(folder, root, cluster, alone=len(clusters) == 1)
        shown = str(root) if folder == root or root.is_file() else str(folder)
        made = assemble_streams(streams, name, shown, mapping)
        runs.extend(_dressed(made, folder, cluster, streams))
    return runs


def _name(folder: Path, root: Path, cluster: Sequence[ReadFile], *, alone: bool) -> str:
    if root.is_file():
        return root.name
    name = folder.resolve().name if folder == root else folder.relative_to(root).as_posix()
    return name if alone else f"{name}/{cluster[0].file.path.name}"


def _clusters(files: Sequence[ReadFile]) -> list[list[ReadFile]]:
    """Files of one folder by run: those of one format with the same quantities are several runs."""
    clusters: list[list[ReadFile]] = []
    shared: list[ReadFile] = []
    for one in files:
        if one.file.reader.name in (_EVENTS, _STATE):
            shared.append(one)
            continue
        home = next((c for c in clusters if not any(_rivals(one, other) for other in c)), None)
        if home is None:
            clusters.append([one])
        else:
            home.append(one)
    if not clusters:
        return [shared]
    clusters[0] = shared + clusters[0]
    return clusters


def _rivals(a: ReadFile, b: ReadFile) -> bool:
    """Whether two files log the same quantities of different runs."""
    if a.file.reader.name != b.file.reader.name:
        return False
    mine, theirs = ({s.tag for s in one.table.series} for one in (a, b))
    if mine.isdisjoint(theirs) or same_data(a.table.series, b.table.series):
        return False
    return not _continues(a, b)


def _continues(a: ReadFile, b: ReadFile) -> bool:
    """Whether one file goes on where the other stopped, as its name says."""
    names = {_DIGITS.sub("", one.file.path.stem) for one in (a, b)}
    if len(names) > 1:
        return False
    (first, _), (second, _) = sorted((_span(one.table.series) for one in (a, b)))
    last = min(_span(one.table.series)[1] for one in (a, b))
    return second > first and second >= last - (last - first) // 2


def _span(series: Sequence[RawSeries]) -> tuple[int, int]:
    longest = max(series, key=lambda one: one.steps.size)
    return int(longest.steps.min()), int(longest.steps.max())


def _chains(cluster: Sequence[ReadFile]) -> list[list[ReadFile]]:
    """Files of a run that follow each other in time, format by format."""
    chains: dict[str, list[ReadFile]] = {}
    result: list[list[ReadFile]] = []
    for one in cluster:
        if not one.table.series:
            continue
        if one.file.reader.name == _EVENTS:
            chains.setdefault(_EVENTS + one.file.prefix, []).append(one)
        elif one.file.reader.name == _STATE:
            chains.setdefault(_STATE, []).append(one)
        else:
            home = next(
                (c for c in result if any(_continues_same(one, other) for other in c)), None
            )
            if home is None:
                result.append([one])
            else:
                home.append(one)
    for name, chain in chains.items():
        chain.sort(key=_begin)
        result.insert(0, [chain[-1]] if name == _STATE else chain)
    return [sorted(chain, key=_begin) for chain in result]


def _continues_same(a: ReadFile, b: ReadFile) -> bool:
    if a.file.reader.name != b.file.reader.name or same_data(a.table.series, b.table.series):
        return False
    mine, theirs = ({s.tag for s in one.table.series} for one in (a, b))
    return not mine.isdisjoint(theirs) and _continues(a, b)


def _begin(one: ReadFile) -> tuple[float, int, str]:
    """When a log began: by the clock if it has one, else by its last step."""
    walls = [float(np.nanmin(s.wall_times)) for s in one.table.series if s.wall_times is not None]
    return (min(walls, default=0.0), _span(one.table.series)[1], one.file.path.name)


def _dressed(
    runs: Sequence[Run], folder: Path, cluster: Sequence[ReadFile], streams: Sequence[Stream]
) -> list[Run]:
    """The runs with their settings, checkpoints, sources and events."""
    beside, notes = config_beside(folder)
    config: dict[str, ConfigValue] = canonical(beside)
    for one in cluster:
        for key, value in canonical(one.table.config).items():
            config.setdefault(key, value)
    framework = next((stream.framework for stream in streams if stream.framework), "")
    if framework:
        config.setdefault("framework", framework)
    sources = tuple(
        Source(str(one.file.path), one.file.reader.name, one.file.size, one.table.notes)
        for one in cluster
    )
    events = tuple(event for one in cluster for event in one.table.events)
    checkpoints = find_checkpoints(folder)
    return [
        replace(
            run,
            config=config | _optimizer_of(run, config),
            checkpoints=checkpoints,
            sources=sources,
            events=events,
            notes=(*run.notes, *notes),
        )
        for run in runs
    ]


def _optimizer_of(run: Run, config: Mapping[str, ConfigValue]) -> dict[str, ConfigValue]:
    """The optimizer that Lightning's monitor writes into the tag of the learning rate."""
    lr = run.get(Metric.LR)
    match = _LR_OPTIMIZER.fullmatch(lr.tag) if lr is not None else None
    if match is None or "optimizer" in config:
        return {}
    known = canonical({"optimizer": match.group(1)}).get("optimizer")
    return {"optimizer": known} if isinstance(known, str) else {}
