"""One JSON object per line, one array of objects, or one object of arrays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from spikedoc.errors import InputError
from spikedoc.readers._columns import ColumnsBuilder, series_of
from spikedoc.readers._json_rows import Row, RowProfile, flatten, numeric
from spikedoc.readers._sniff import decode, first_char, is_text
from spikedoc.readers.base import Progress, Reader, Table

# A line longer than this is no record of a log.
LONGEST_LINE: Final = 4_000_000
# Share of the lines that must be objects; other lines are warnings between them.
LEAST_OBJECTS: Final = 0.5
# An array is parsed as a whole; above this it is refused.
LARGEST_ARRAY: Final = 1_000_000_000
LINES_BETWEEN_PROGRESS: Final = 20_000
LINES_LOOKED_AT: Final = 30


class JsonlReader:
    """Reads JSON records; nested keys are joined by `/`."""

    @property
    def name(self) -> str:
        """Short name shown in reports."""
        return "jsonl"

    def accepts(self, path: Path, head: bytes) -> bool:  # noqa: ARG002 - the name tells nothing
        """Return whether `head` starts with JSON records (but is no trainer_state.json)."""
        start = first_char(head)
        if start not in ("{", "[") or not is_text(head) or b'"log_history"' in head:
            return False
        text = decode(head)
        if start == "[":
            return text.lstrip()[1:].lstrip().startswith("{")
        return _starts_with_records(text) or _is_history(text)

    def read(self, path: Path, progress: Progress | None = None) -> Table:
        """Return one series per key; raises InputError when no record holds a number."""
        with path.open("rb") as file:
            start = first_char(file.read(4096))
        reading = _Reading()
        if start == "[" or not _starts_with_records(_head_of(path)):
            _read_whole(path, reading)
        else:
            _read_lines(path, reading, progress)
        columns, row_count = reading.builder.columns(), reading.builder.row_count
        series, axis_notes = series_of(columns, row_count)
        if not series:
            raise InputError(path, "no numbers in the JSON records", "is this a log of metrics?")
        notes = (*reading.notes, *reading.profile.notes, *axis_notes)
        return Table(
            series, reading.profile.config, notes=notes, framework=reading.profile.framework
        )


class _Reading:
    """State of one file: the rows so far and what the profile learnt."""

    def __init__(self) -> None:
        self.builder = ColumnsBuilder()
        self.profile = RowProfile()
        self.notes: list[str] = []

    def add(self, record: dict[str, Any]) -> None:
        row = self.profile.apply(flatten(record))
        cells = numeric(row)
        if cells:
            self.builder.add(cells)


def _head_of(path: Path) -> str:
    with path.open("rb") as file:
        return decode(file.read(65536))


def _starts_with_records(text: str) -> bool:
    lines = [line for line in text.splitlines()[:LINES_LOOKED_AT] if line.strip()]
    if not lines:
        return False
    if len(lines) > 1 and not text.endswith("\n") and len(text) >= 65536:
        lines = lines[:-1]
    objects = sum(_parse(line) is not None for line in lines)
    # The one line at the head may be longer than what was read of it.
    long_first = len(lines) == 1 and lines[0].startswith("{") and len(text) >= 60000
    return long_first or objects >= max(1.0, LEAST_OBJECTS * len(lines))


def _is_history(text: str) -> bool:
    """One object of arrays, as Keras' history dumped to JSON."""
    record = _parse(text)
    return record is not None and any(isinstance(value, list) for value in record.values())


def _parse(line: str) -> dict[str, Any] | None:
    if len(line) > LONGEST_LINE:
        return None
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _read_lines(path: Path, reading: _Reading, progress: Progress | None) -> None:
    size, done, bad, last_bad = path.stat().st_size, 0, 0, False
    with path.open("rb") as file:
        for count, line in enumerate(_bounded_lines(file)):
            done += len(line)
            if progress is not None and count % LINES_BETWEEN_PROGRESS == 0:
                progress(done, size)
            text = decode(line).strip().rstrip(",")
            if not text:
                continue
            record = _parse(text)
            last_bad = record is None
            if record is None:
                bad += 1
            else:
                reading.add(record)
    if last_bad:
        reading.notes.append("the last line is cut short and was left out")
    if bad > last_bad:
        reading.notes.append(f"{bad - last_bad} lines are no JSON objects and were left out")


def _bounded_lines(file: Any) -> Iterator[bytes]:
    """Lines of the file; a longer one than any record comes in pieces, which fail to parse."""
    while line := file.readline(LONGEST_LINE + 1):
        yield line


def _read_whole(path: Path, reading: _Reading) -> None:
    if path.stat().st_size > LARGEST_ARRAY:
        raise InputError(path, "one JSON array of more than 1 GB", "write one object per line")
    text = decode(path.read_bytes()).strip()
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        content = _records_before_the_damage(text)
        reading.notes.append("the JSON text is damaged or cut short; records before that were kept")
    if isinstance(content, dict):
        content = list(_transposed(content))
    for record in content if isinstance(content, list) else []:
        if isinstance(record, dict):
            reading.add(record)


def _records_before_the_damage(text: str) -> list[Any]:
    """Decode the objects of an array one by one until the first that fails."""
    decoder, records = json.JSONDecoder(), []
    place = text.find("{")
    while place >= 0:
        try:
            record, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            break
        records.append(record)
        place = text.find("{", end)
    return records


def _transposed(content: dict[str, Any]) -> Iterator[Row]:
    """Rows of an object of equally long arrays."""
    lists = {key: value for key, value in content.items() if isinstance(value, list)}
    length = max((len(value) for value in lists.values()), default=0)
    for index in range(length):
        yield {key: value[index] for key, value in lists.items() if index < len(value)}


READER: Final[Reader] = JsonlReader()
