"""A log that has been read, before it is known to which run it belongs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from spikedoc.ingest.discovery import LogFile
from spikedoc.model.run import Source
from spikedoc.readers._notes import counts_epochs
from spikedoc.readers.base import Table

EVENTS: Final = "tensorboard"
STATE: Final = "trainer_state"


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A log and what it holds."""

    file: LogFile
    table: Table

    @property
    def kind(self) -> str:
        """Name of its reader."""
        return self.file.reader.name

    @property
    def tags(self) -> set[str]:
        """Names of its series."""
        return {one.tag for one in self.table.series}

    @property
    def source(self) -> Source:
        """What the report says of it."""
        notes = self.table.notes
        place, size = str(self.file.path), self.file.size
        return Source(place, self.kind, size, notes, counts_epochs(notes))


Groups = dict[Path, list[ReadFile]]
