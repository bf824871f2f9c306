"""From a path to runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from spikedoc.errors import InputError
from spikedoc.ingest.aliases import role_of
from spikedoc.ingest.assemble import assemble_streams, chained
from spikedoc.ingest.checkpoints import find_checkpoints
from spikedoc.ingest.config import bounded, canonical, inferred
from spikedoc.ingest.config_files import config_beside
from spikedoc.ingest.discovery import Found, find
from spikedoc.ingest.grouping import (
    EVENTS,
    ReadFile,
    by_run,
    chains,
    clusters,
    folders_of,
    prefixed,
)
from spikedoc.ingest.naming import check_mapping
from spikedoc.model.metric import Metric
from spikedoc.model.run import Checkpoint, ConfigValue, Run, Source
from spikedoc.readers.base import Progress, Table

# Failures told one by one in the notes.
FAILURES_TOLD: Final = 5


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
    read = _worth_keeping(_read_all(found, path, progress), found, path)
    if not any(one.table.series for one in read):
        raise _nothing(path, found)
    check_mapping(mapping or {}, sorted({tag for one in read for tag in one.tags}))
    runs = [
        run
        for folder, files in by_run(read).items()
        for run in _runs_of(folder, files, path, mapping or {})
    ]
    if not runs:
        raise _nothing(path, found)
    notes = tuple(found.notes) + _failures(found)
    return [replace(run, notes=(*run.notes, *notes)) for run in runs]


def _read_all(found: Found, path: Path, progress: Progress | None) -> list[ReadFile]:
    total = sum(file.size for file in found.files)
    done, read = 0, []
    silent: list[InputError] = []
    for file in found.files:
        try:
            table = file.reader.read(file.path, _shifted(progress, done, total))
            read.append(ReadFile(file, prefixed(table, file.prefix)))
        except InputError as error:
            if file.reader.name == "text" and path.is_dir():
                silent.append(error)
            else:
                found.failures.append(error)
        except OSError as error:
            found.failures.append(InputError(file.path, str(error.strerror or error).lower()))
        done += file.size
        if progress is not None:
            progress(done, total)
    if read and silent:
        names = ", ".join(Path(error.path).name for error in silent[:FAILURES_TOLD])
        more = f" and {len(silent) - FAILURES_TOLD} more" if len(silent) > FAILURES_TOLD else ""
        found.notes.append(f"text without records: {names}{more}")
    elif not read:
        found.failures.extend(silent)
    return read


def _shifted(progress: Progress | None, done: int, total: int) -> Progress | None:
    if progress is None:
        return None
    return lambda inside, _: progress(min(done + inside, total), total)


def _nothing(path: Path, found: Found) -> InputError:
    if found.failures:
        first = found.failures[0]
        if len(found.failures) == 1:
            return first
        name = Path(first.path).name
        reason = f"none of {len(found.failures)} logs can be read; {name}: {first.reason}"
        return InputError(path, reason, first.hint)
    if not found.seen:
        return InputError(path, "an empty folder")
    if path.is_file():
        return InputError(path, "no series of numbers in it", "is this the log of a training?")
    seen = ", ".join(f"{count} {suffix}" for suffix, count in found.seen.most_common(FAILURES_TOLD))
    return InputError(path, "no training log in this folder", f"files seen: {seen}")


def _failures(found: Found) -> tuple[str, ...]:
    told = [f"{Path(e.path).name}: {e.reason}; left out" for e in found.failures[:FAILURES_TOLD]]
    if len(found.failures) > FAILURES_TOLD:
        told.append(f"{len(found.failures)} files in all could not be read")
    return tuple(told)


def _worth_keeping(read: list[ReadFile], found: Found, path: Path) -> list[ReadFile]:
    """Drop tables without any known quantity (data sets, predictions) when others have some."""
    known = [one for one in read if _knows_something(one.table) or one.kind == EVENTS]
    if not any(one.table.series for one in known):
        return read
    for one in read:
        if one not in known:
            found.notes.append(f"{one.file.path.relative_to(path)}: no known quantity; left out")
    return known


def _knows_something(table: Table) -> bool:
    if not table.series:
        return True
    unknown = (Metric.OTHER, Metric.EPOCH)
    return any(role_of(one.tag).metric not in unknown for one in table.series)


def _runs_of(
    folder: Path, files: Sequence[ReadFile], root: Path, mapping: Mapping[str, str]
) -> list[Run]:
    runs: list[Run] = []
    found = clusters(files)
    for cluster in found:
        streams = [
            chained([(s.file.path.name, s.table) for s in chain]) for chain in chains(cluster)
        ]
        framework = next((stream.framework for stream in streams if stream.framework), "")
        name = _name(folder, root, cluster, alone=len(found) == 1)
        shown = str(root) if folder == root or root.is_file() else str(folder)
        made = assemble_streams(streams, name, shown, mapping)
        runs.extend(_dressed(made, folder, cluster, framework))
    return runs


def _name(folder: Path, root: Path, cluster: Sequence[ReadFile], *, alone: bool) -> str:
    if root.is_file():
        return root.name
    name = folder.resolve().name if folder == root else folder.relative_to(root).as_posix()
    return name if alone else f"{name}/{cluster[-1].file.path.name}"


def _dressed(
    runs: Sequence[Run], folder: Path, cluster: Sequence[ReadFile], framework: str
) -> list[Run]:
    """The runs with their settings, checkpoints, sources and events."""
    config: dict[str, ConfigValue] = {}
    notes: list[str] = []
    checkpoints: list[Checkpoint] = []
    for place in folders_of(cluster, folder):
        beside, said = config_beside(place)
        config = canonical(beside) | config
        notes.extend(said)
        checkpoints.extend(find_checkpoints(place, folder))
    for one in cluster:
        config = canonical(one.table.config) | config
    config = bounded(config | ({"framework": framework} if framework else {}))
    sources = tuple(
        Source(str(one.file.path), one.kind, one.file.size, one.table.notes) for one in cluster
    )
    events = tuple(event for one in cluster for event in one.table.events)
    dressed = []
    for run in runs:
        more, said = inferred(run, config)
        dressed.append(
            replace(
                run,
                config=config | more,
                checkpoints=tuple(dict.fromkeys(checkpoints)),
                sources=sources,
                events=events,
                notes=(*run.notes, *notes, *said),
            )
        )
    return dressed
