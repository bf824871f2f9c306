"""Logs that were found to tables: unpacked, read, and split where a file holds several runs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from spikedoc.errors import InputError, said_by
from spikedoc.ingest.discovery import LogFile
from spikedoc.ingest.grouping import prefixed
from spikedoc.ingest.naming import unknown_tag
from spikedoc.ingest.packing import unpacked
from spikedoc.ingest.read_file import ReadFile
from spikedoc.ingest.recognition import LAST_READER
from spikedoc.ingest.step_choice import STEP_ROLE, with_steps
from spikedoc.model.budget import DEFAULT
from spikedoc.readers.base import BoundedReader, Progress, Reader, Table
from spikedoc.text import Text, listed

# Names of files told one by one in the notes.
NAMES_TOLD: Final = 5
# What a name of a run must not have where it stands for a folder, and its longest.
_UNFIT: Final = re.compile(r"[/\\\x00-\x1f\x7f]")
LONGEST_NAME: Final = 100
PROSE: Final = Text("text without records: {names}", "没有训练记录的文本：{names}")
PROSE_AND_MORE: Final = Text(
    "text without records: {names} and {others} more",
    "没有训练记录的文本：{names} 等，另有 {others} 个",
)


class Reading:
    """Reads logs one after the other; keeps count of the bytes and of what failed."""

    def __init__(
        self,
        total: int,
        progress: Progress | None,
        *,
        in_folder: bool,
        step_tag: str = "",
        memory: int = DEFAULT.memory,
    ) -> None:
        """`total` is the size of all logs in bytes; in a folder, text without records is normal.

        `step_tag` names the series that holds the steps; `memory` are the bytes that what is read
        at a time may take.
        """
        self._memory = memory
        self._has_steps = not step_tag
        self._step_tag = step_tag
        self.failures: list[InputError] = []
        self.notes: list[Text] = []
        self._silent: list[InputError] = []
        self._done, self._total = 0, total
        self._progress = progress
        self._in_folder = in_folder

    def read(self, files: Sequence[LogFile]) -> list[ReadFile]:
        """Return what the files hold; those that fail are remembered."""
        found: list[ReadFile] = []
        for file in files:
            try:
                table = self._with_steps(_table(file, self._shifted(), self._memory))
                found.extend(_by_run(file, table))
            except InputError as error:
                silent = file.reader.name == LAST_READER and self._in_folder
                (self._silent if silent else self.failures).append(error)
            except OSError as error:
                self.failures.append(InputError(file.path, said_by(error)))
            self._done += file.size
            if self._progress is not None:
                self._progress(self._done, self._total)
        return found

    def close(self, *, found_some: bool) -> None:
        """Tell of text without records: a note beside logs, a failure where there is none."""
        if not found_some:
            self.failures.extend(self._silent)
        elif self._silent:
            names = listed(Path(error.path).name for error in self._silent[:NAMES_TOLD])
            others = len(self._silent) - NAMES_TOLD
            told = PROSE_AND_MORE if others > 0 else PROSE
            self.notes.append(told.fill({"names": names, "others": others}))
        self._silent = []

    def check_steps(self, tags: Sequence[str]) -> None:
        """Raise UsageError when no log had the series that holds the steps."""
        if not self._has_steps:
            raise unknown_tag(STEP_ROLE, self._step_tag, tags)

    def _with_steps(self, table: Table) -> Table:
        if not self._step_tag:
            return table
        table, has_it = with_steps(table, self._step_tag)
        self._has_steps |= has_it
        return table

    def _shifted(self) -> Progress | None:
        progress, done, total = self._progress, self._done, self._total
        if progress is None:
            return None
        return lambda inside, _: progress(min(done + inside, total), total)


def _table(file: LogFile, progress: Progress | None, memory: int) -> Table:
    """What the log holds; errors name the file as the user knows it."""
    if not file.packing:
        return prefixed(_read(file.reader, file.path, memory, progress), file.prefix)
    notes: list[Text] = []
    with unpacked(file.path, file.packing, notes) as plain:
        try:
            table = _read(file.reader, plain, memory, None)
        except InputError as error:
            said = [error.why, *notes]
            reason = Text("; ".join(one.en for one in said), "；".join(one.zh for one in said))
            raise InputError(file.path, reason, error.advice) from None
    return prefixed(replace(table, notes=(*notes, *table.notes)), file.prefix)


def _read(reader: Reader, path: Path, memory: int, progress: Progress | None) -> Table:
    if isinstance(reader, BoundedReader):
        return reader.read_within(path, memory, progress)
    return reader.read(path, progress)


def _by_run(file: LogFile, table: Table) -> Iterator[ReadFile]:
    """The log itself, or one log per run that it holds, each in a folder of its own name."""
    if not table.runs:
        yield ReadFile(file, table)
        return
    seen: Counter[str] = Counter()
    for one in table.runs:
        name = _UNFIT.sub("_", one.name)[:LONGEST_NAME].strip(". ") or "run"
        seen[name] += 1
        if seen[name] > 1:
            name = f"{name} ({seen[name]})"
        inside = replace(file, folder=file.path / name, size=file.size)
        yield ReadFile(inside, replace(one, name="", notes=(*table.notes, *one.notes)))
