"""From a path to runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import BinaryIO, Final

from spikedoc.ingest.aliases import role_of
from spikedoc.ingest.assemble import assemble_streams, chained
from spikedoc.ingest.batches import batches
from spikedoc.ingest.checkpoints import checkpoints_beside, find_checkpoints
from spikedoc.ingest.config import bounded, canonical, inferred
from spikedoc.ingest.config_files import config_beside
from spikedoc.ingest.discovery import Found, find, find_all
from spikedoc.ingest.failures import nothing_in, told_failures
from spikedoc.ingest.grouping import by_run, chains, clusters, folders_of
from spikedoc.ingest.naming import check_mapping
from spikedoc.ingest.patterns import fixed_part, matched
from spikedoc.ingest.rank_files import with_ranks_joined
from spikedoc.ingest.read_file import EVENTS, ReadFile
from spikedoc.ingest.reading import Reading
from spikedoc.ingest.redaction import redacted_run
from spikedoc.ingest.remote import (
    STANDARD_INPUT,
    Copied,
    fetched,
    is_address,
    local_path,
    spooled,
)
from spikedoc.ingest.resumes import with_resumes
from spikedoc.ingest.run_names import run_name, shown_path
from spikedoc.ingest.step_choice import STEP_ROLE
from spikedoc.ingest.thinning import thinned_run
from spikedoc.model.budget import DEFAULT, Budget
from spikedoc.model.metric import Metric
from spikedoc.model.run import Checkpoint, ConfigValue, Run
from spikedoc.readers._notes import LEFT_OUT
from spikedoc.readers.base import Progress, Table
from spikedoc.text import Text

Mapped = Mapping[str, str] | None
NOTHING_KNOWN: Final = Text("no known quantity", "没有可识别的指标")


def load_runs(
    path: Path | str,
    *,
    mapping: Mapped = None,
    progress: Progress | None = None,
    budget: Budget = DEFAULT,
) -> list[Run]:
    """Return the runs at `path`: see `iter_runs`."""
    return list(iter_runs(path, mapping=mapping, progress=progress, budget=budget))


def iter_runs(
    path: Path | str,
    *,
    mapping: Mapped = None,
    progress: Progress | None = None,
    budget: Budget = DEFAULT,
) -> Iterator[Run]:
    """Yield the runs at `path`, reading no more at a time than belongs together.

    `path` is a log, a folder searched for logs, a pattern such as `runs/*/metrics.csv`, the address
    of one of these (`s3://…`), or `-` for standard input. `mapping` sets roles by hand (role → tag;
    `step` → the tag of the counter), `budget` says what may be kept of them. Files that fail are
    named in the notes of the runs. Raises InputError when nothing can be read, UsageError for a
    mapping to an unknown tag.
    """
    local = local_path(path) or (None if is_address(path) else Path(path))
    if str(path) == STANDARD_INPUT:
        runs = _of_copy(spooled(sys.stdin.buffer, "stdin"), mapping, progress, budget)
    elif local is None:
        runs = _of_copy(fetched(path), mapping, progress, budget)
    else:
        runs = _of_local(local, mapping, progress, budget)
    for run in runs:
        yield thinned_run(redacted_run(run), budget.points)


def _of_local(
    path: Path, mapping: Mapped, progress: Progress | None, budget: Budget
) -> Iterator[Run]:
    matches = matched(path)
    root = path if matches is None else fixed_part(path)
    found = find(path) if matches is None else find_all(matches, root)
    yield from Loading(found, root, mapping, progress, budget=budget).runs()


def load_stream(
    stream: BinaryIO,
    name: str = "stdin",
    *,
    mapping: Mapped = None,
    progress: Progress | None = None,
) -> list[Run]:
    """Return the runs in a log that is read from `stream` to its end; `name` is shown for it.

    Raises InputError when nothing can be read, also for more bytes than a file may have.
    """
    return list(map(redacted_run, _of_copy(spooled(stream, name), mapping, progress)))


def _of_copy(
    copied: AbstractContextManager[Copied],
    mapping: Mapped,
    progress: Progress | None,
    budget: Budget = DEFAULT,
) -> Iterator[Run]:
    with copied as (place, shown, notes):
        loading = Loading(find(place), place, mapping, progress, is_copy=True, budget=budget)
        for run in loading.runs():
            yield shown(replace(run, notes=(*run.notes, *notes)))


class Loading:
    """Turns the logs that were found to runs, batch by batch."""

    def __init__(
        self,
        found: Found,
        root: Path,
        mapping: Mapped,
        progress: Progress | None,
        *,
        is_copy: bool = False,
        budget: Budget = DEFAULT,
    ) -> None:
        """`root` is what names are shown from; in a copy, no folder above it has a say."""
        self._found, self._root, self._is_copy = found, root, is_copy
        self._mapping = dict(mapping or {})
        step_tag = self._mapping.pop(STEP_ROLE, "")
        total = sum(file.size for file in found.files)
        self._reading = Reading(
            total, progress, in_folder=root.is_dir(), step_tag=step_tag, memory=budget.memory
        )
        self._tags: set[str] = set()
        self._unknown: list[ReadFile] = []  # without any known quantity
        self._left_out: list[Text] = []

    def runs(self) -> Iterator[Run]:
        """Yield each run with what went wrong until then; the last one tells all."""
        held = yield from self._all_but_the_last()
        check_mapping(self._mapping, sorted(self._tags))
        self._reading.check_steps(sorted(self._tags))
        self._reading.close(found_some=held is not None or bool(self._unknown))
        if held is None:
            yield from self._runs_of_unknown()
        else:
            yield self._told(held)

    def runs_of_part(self) -> Iterator[Run]:
        """Yield the runs of a part: nothing is asked that only the whole can answer.

        There is none in logs without a known quantity, which may be no logs at all.
        """
        held = yield from self._all_but_the_last()
        self._reading.close(found_some=True)
        if held is not None:
            yield self._told(held)
        elif self._reading.failures and not self._unknown:
            raise nothing_in(self._root, Found(failures=self._reading.failures))

    def _all_but_the_last(self) -> Generator[Run, None, Run | None]:
        held: Run | None = None
        for batch in batches(self._found.files):
            for run in self._runs_in(self._reading.read(batch)):
                if held is not None:
                    yield self._told(held)
                held = run
            if held is not None:
                self._leave_unknown()
        return held

    def joined(self) -> list[list[Path]]:
        """Return the logs that belong together, read for it as a whole, each by its path."""
        read = self._reading.read(self._found.files)
        groups = by_run([one for one in read if self._is_known(one)])
        return [[one.file.path for one in files] for files in groups.values()]

    def _runs_in(self, read: Sequence[ReadFile]) -> Iterator[Run]:
        """Runs of the logs with a known quantity; data sets and predictions have none."""
        self._tags.update(tag for one in read for tag in one.tags)
        known = list(filter(self._is_known, read))
        if not any(one.table.series for one in known):
            self._unknown.extend(read)
            return
        self._unknown.extend(one for one in read if not self._is_known(one))
        yield from self._assembled(known)

    def _is_known(self, one: ReadFile) -> bool:
        mapped = not one.tags.isdisjoint(self._mapping.values())
        return mapped or one.kind == EVENTS or _knows_something(one.table)

    def _leave_unknown(self) -> None:
        """Let go of logs without a known quantity, now that others have some."""
        for one in self._unknown:
            if one.table.series:
                name = one.file.path.relative_to(self._root).as_posix()
                self._left_out.append(LEFT_OUT.fill({"name": name, "reason": NOTHING_KNOWN}))
        self._unknown = []

    def _runs_of_unknown(self) -> Iterator[Run]:
        runs = list(self._assembled(self._unknown))
        if not runs:
            self._found.failures.extend(self._reading.failures)
            raise nothing_in(self._root, self._found)
        yield from map(self._told, runs)

    def _assembled(self, read: Sequence[ReadFile]) -> Iterator[Run]:
        for folder, files in by_run(with_ranks_joined(read)).items():
            yield from _runs_of(folder, files, self._root, self._mapping, self._is_copy)

    def _told(self, run: Run) -> Run:
        failures = told_failures([*self._found.failures, *self._reading.failures])
        notes = (*self._found.notes, *self._reading.notes, *self._left_out, *failures)
        return replace(run, notes=(*run.notes, *notes))


def _knows_something(table: Table) -> bool:
    if not table.series:
        return True
    unknown = (Metric.OTHER, Metric.EPOCH)
    return any(role_of(one.tag).metric not in unknown for one in table.series)


def _runs_of(
    folder: Path,
    files: Sequence[ReadFile],
    root: Path,
    mapping: Mapping[str, str],
    is_copy: bool,
) -> list[Run]:
    runs: list[Run] = []
    found = clusters(files)
    # Many runs of one folder share what lies beside them: looked at once.
    beside, states = cache(config_beside), cache(find_checkpoints)
    for cluster in found:
        streams = [
            chained([(s.file.path.name, s.table) for s in chain]) for chain in chains(cluster)
        ]
        framework = next((stream.framework for stream in streams if stream.framework), "")
        name = run_name(folder, root, cluster, alone=len(found) == 1, is_copy=is_copy)
        shown = shown_path(folder, root, cluster[0].file.path)
        made = assemble_streams(streams, name, shown, mapping)
        runs.extend(
            _dressed(made, folder, cluster, framework, root, config_of=beside, states_of=states)
        )
    return runs


def _dressed(
    runs: Sequence[Run],
    folder: Path,
    cluster: Sequence[ReadFile],
    framework: str,
    root: Path,
    *,
    config_of: Callable[[Path], tuple[dict[str, object], tuple[Text, ...]]],
    states_of: Callable[[Path, Path], tuple[Checkpoint, ...]],
) -> list[Run]:
    """The runs with their settings, checkpoints, sources and events."""
    config: dict[str, ConfigValue] = {}
    notes: list[Text] = []
    checkpoints: list[Checkpoint] = []
    for place in folders_of(cluster, folder):
        beside, said = config_of(place)
        config = canonical(beside) | config
        notes.extend(said)
        if root.is_file():
            checkpoints.extend(checkpoints_beside(root) if place == root.parent else ())
        else:
            checkpoints.extend(states_of(place, folder))
    for one in cluster:
        config = canonical(one.table.config) | config
    config = bounded(config | ({"framework": framework} if framework else {}))
    sources = tuple(one.source for one in cluster)
    events = tuple(event for one in cluster for event in one.table.events)
    dressed = []
    for run in runs:
        more, said = inferred(run, config)
        full = replace(
            run,
            config=config | more,
            checkpoints=tuple(dict.fromkeys(checkpoints)),
            sources=sources,
            events=events,
            notes=(*run.notes, *notes, *said),
        )
        # Of several attempts nobody knows whose step a line stands at.
        dressed.append(with_resumes(full) if len(runs) == 1 else full)
    return dressed
