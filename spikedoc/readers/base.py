"""What a reader is, and the table it returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

from spikedoc.model.run import ConfigValue, FloatArray, IntArray
from spikedoc.text import Text

# Called with bytes done and bytes in all while a long file is read.
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, eq=False)
class RawSeries:
    """One tag as the file holds it: in file order, steps may repeat or go back, NaN and inf kept.

    A value that is missing (empty cell, null, absent key) is simply not here.
    """

    tag: str
    steps: IntArray
    values: FloatArray
    wall_times: FloatArray | None = None
    rank: int | None = None
    order: IntArray | None = None  # place in the file of each point (row or byte): what came first


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """What one file gave: its series, the config it carries, and what was skipped or guessed.

    A file of several runs (a tracker's database) has no series of its own but a table per run.
    """

    series: tuple[RawSeries, ...] = ()
    config: Mapping[str, ConfigValue] = field(default_factory=dict)
    events: tuple[tuple[int | None, str], ...] = ()
    notes: tuple[Text, ...] = ()
    framework: str = ""  # name profile for the aliases, "" when unknown
    name: str = ""  # what the log itself calls the run
    runs: tuple[Table, ...] = ()
    begins: tuple[int, ...] = ()  # `order` at which another training begins, the first one aside


class Reader(Protocol):
    """Reads one kind of file; chosen by the bytes at its head, not by its name alone."""

    @property
    def name(self) -> str:
        """Short name shown in reports, e.g. `csv`."""

    def accepts(self, path: Path, head: bytes) -> bool:
        """Return whether `head` (the first 64 KiB of the file) is this reader's format."""

    def read(self, path: Path, progress: Progress | None = None) -> Table:
        """Return what the file holds; skips damaged records with a note.

        Raises InputError when nothing at all can be made of it.
        """


@runtime_checkable
class BoundedReader(Reader, Protocol):
    """Reads files of any length within a bound on memory."""

    def read_within(self, path: Path, memory: int, progress: Progress | None = None) -> Table:
        """Return what `read` does, of fewer points where all would take more than `memory` bytes.

        What was left out is noted. Raises InputError where no part can be read for all.
        """


@runtime_checkable
class FolderReader(Reader, Protocol):
    """Reads logs that keep each quantity in a file of its own: `read` takes the folder as well."""

    def log_folder(self, path: Path) -> Path | None:
        """Return the folder that holds the whole log of which `path` is a file, if there is one."""
