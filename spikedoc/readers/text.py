"""Printed logs: lines of known shapes among warnings, progress bars and colours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, Final

from spikedoc.errors import InputError
from spikedoc.model.run import ConfigValue
from spikedoc.readers._columns import ColumnsBuilder
from spikedoc.readers._sniff import ANSI, decode, is_text
from spikedoc.readers._text_epochs import EpochSteps
from spikedoc.readers._text_lines import Line, parse_line, settings_in
from spikedoc.readers.base import Progress, Reader, Table

# A line longer than this is cut: records are short, dumped arrays are not.
LONGEST_LINE: Final = 16_384
# Words of messages worth keeping beside the numbers.
NOTABLE: Final = (
    "returned nan values", "traceback", "cuda error", "out of memory", "overflow", "loss scale",
    "sigterm",
)  # fmt: skip
MOST_EVENTS: Final = 200
# Share of the records that must print their epoch for steps to be worked out from it.
LEAST_EPOCH_ROWS: Final = 0.9
LONGEST_EVENT: Final = 300
LINES_BETWEEN_PROGRESS: Final = 20_000


class TextReader:
    """Reads the record lines of printed logs; keeps notable messages as events."""

    @property
    def name(self) -> str:
        """Short name shown in reports."""
        return "text"

    def accepts(self, path: Path, head: bytes) -> bool:  # noqa: ARG002 - the name tells nothing
        """Return whether `head` is text; records may come after a long preamble."""
        return is_text(head) and not _is_json(head)

    def read(self, path: Path, progress: Progress | None = None) -> Table:
        """Return the series of all record lines; raises InputError when no line is a record."""
        reading = _Reading(path)
        size, done = path.stat().st_size, 0
        with path.open("rb") as file:
            for count, (line, length) in enumerate(_lines(file)):
                done += length
                if line:
                    reading.take(line)
                if progress is not None and count % LINES_BETWEEN_PROGRESS == 0:
                    progress(done, size)
        return reading.table()


def _is_json(head: bytes) -> bool:
    """Whether the file is one JSON value or JSON lines, rather than lines with brackets."""
    start = decode(head[:LONGEST_LINE]).lstrip()
    inside = start[1:].lstrip()[:1]
    return (start[:1] == "{" and inside in ('"', "}")) or (start[:1] == "[" and inside in "{]")


def _lines(file: BinaryIO) -> Iterator[tuple[str, int]]:
    """Yield clean lines with the bytes they took; a carriage return ends a line too."""
    while raw := file.readline(LONGEST_LINE):
        parts = raw.replace(b"\r", b"\n").split(b"\n")
        for index, part in enumerate(parts):
            text = decode(part)
            if "\x1b" in text:
                text = ANSI.sub("", text)
            yield text.strip(), len(raw) if index == 0 else 0


class _Reading:
    """State of one file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.builder = ColumnsBuilder()
        self.config: dict[str, ConfigValue] = {}
        self.events: list[tuple[int | None, str]] = []
        self.notes: dict[str, None] = {}
        self.epochs = EpochSteps()
        self.step: int | None = None
        self.framework = ""
        self.summaries = 0

    def take(self, line: str) -> None:
        self.epochs.see(line)
        record = parse_line(line)
        if record is None:
            settings_in(line, self.config)
            lower = line.lower()
            if len(self.events) < MOST_EVENTS and any(word in lower for word in NOTABLE):
                self.events.append((self.step, line[:LONGEST_EVENT]))
            return
        if record.is_summary:
            self.summaries += 1
            return
        self._add(record)

    def _add(self, record: Line) -> None:
        self.framework = self.framework or record.framework
        for note in record.notes:
            self.notes[note] = None
        values: Mapping[str, float] = record.values
        if record.step is not None:
            self.step = record.step
            values = {"step": float(record.step), **values}
        elif record.epoch:
            self.epochs.add(self.builder.row_count, record.epoch, "loss" in record.values)
        self.builder.add(values.items())

    def table(self) -> Table:
        if not self.builder.row_count and self.events:
            return Table((), self.config, tuple(self.events))
        if not self.builder.row_count:
            reason = "no line holds a step and a value"
            hint = "give the metrics file, or see the list of log formats"
            raise InputError(self.path, reason, hint)
        added = {}
        mostly = len(self.epochs.rows) >= LEAST_EPOCH_ROWS * self.builder.row_count
        if self.epochs.rows and self.step is None and mostly:
            found = self.epochs.steps(self.path.parent, self.config)
            if found is not None:
                added["step"] = found.column
                self.notes[found.note] = None
        series, axis_notes = self.builder.series(added)
        if not series:
            raise InputError(self.path, "the record lines hold no values")
        if self.summaries:
            self.notes["the closing row holds means over the whole run and was left out"] = None
        notes = (*self.notes, *axis_notes)
        return Table(series, self.config, tuple(self.events), notes, self.framework)


READER: Final[Reader] = TextReader()
