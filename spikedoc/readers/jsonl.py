"""One JSON object per line, one array of objects, or one object of arrays."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final

from spikedoc.errors import InputError
from spikedoc.model.budget import DEFAULT
from spikedoc.readers._json_reading import DividedReading, Reading, come_again
from spikedoc.readers._json_shapes import (
    epoch_files,
    is_boosted,
    is_columns,
    is_epoch,
    is_first_epoch,
    rows_of,
    sacred_series,
)
from spikedoc.readers._memory import points_in, refuse_whole
from spikedoc.readers._notes import CUT_LINE, OF_METRICS
from spikedoc.readers._sniff import HEAD_BYTES, decode, first_char, is_text
from spikedoc.readers.base import Progress, Reader, Table
from spikedoc.readers.lines.boosting import FIRST_SET_NOTE, GUESSED
from spikedoc.readers.lines.boosting import PROFILE as BOOSTING
from spikedoc.text import Text

# A line longer than this is no record of a log.
LONGEST_LINE: Final = 4_000_000
# Share of the lines that must be objects; other lines are warnings between them.
LEAST_OBJECTS: Final = 0.5
# Text parsed at a time.
BLOCK_BYTES: Final = 1_000_000
LARGE_BLOCK_BYTES: Final = 4_000_000
LINES_LOOKED_AT: Final = 30
# A head of this many characters without a line end is the beginning of one long record.
LONG_FIRST_LINE: Final = HEAD_BYTES // 2

NO_OBJECTS: Final = Text(
    "{count} {count|line is no JSON object|lines are no JSON objects} and {count|was|were} left "
    "out",
    "{count} 行不是 JSON 对象，已略去",
)
LONG_LINES: Final = Text(
    "lines of more than 4 MB are no records and were left out",
    "超过 4 MB 的行不是记录，已略去",
)
DAMAGED: Final = Text(
    "the JSON text is damaged or cut short; records before that were kept",
    "JSON 文本已损坏或不完整，损坏处之前的记录已保留",
)
NO_NUMBERS: Final = Text("no numbers in the JSON records", "JSON 记录中没有数值")


class JsonlReader:
    """Reads JSON records; nested keys are joined by `/`."""

    @property
    def name(self) -> str:
        """Short name shown in reports."""
        return "jsonl"

    def accepts(self, path: Path, head: bytes) -> bool:
        """Return whether `head` starts with JSON records (but is no trainer_state.json)."""
        start = first_char(head)
        if is_epoch(path):
            return start == "{" and is_first_epoch(path)
        if start not in ("{", "[") or not is_text(head) or b'"log_history"' in head:
            return False
        text = decode(head)
        if start == "[":
            return text.lstrip()[1:].lstrip().startswith("{")
        return _starts_with_records(text) or is_columns(text)

    def read(self, path: Path, progress: Progress | None = None) -> Table:
        """Return what `read_within` does within the bound that is usual."""
        return self.read_within(path, DEFAULT.memory, progress)

    def read_within(self, path: Path, memory: int, progress: Progress | None = None) -> Table:
        """Return one series per key; raises InputError when no record holds a number.

        Records are thinned where all would take too much; one array is refused then.
        """
        with path.open("rb") as file:
            start = first_char(file.read(4096))
        reading = Reading(path.stat().st_size, points_in(memory))
        if is_epoch(path):
            for file_of_epoch in epoch_files(path):
                refuse_whole(file_of_epoch, memory)
                _read_whole(file_of_epoch, reading)
        elif start == "[" or not _starts_with_records(_head_of(path)):
            refuse_whole(path, memory)
            _read_whole(path, reading)
        else:
            _read_lines(path, reading, progress)
        table = reading.table()
        if not table.series:
            is_long = LONG_LINES in reading.notes
            raise InputError(path, LONG_LINES if is_long else NO_NUMBERS, OF_METRICS)
        return _divided(path, reading, table) if reading.named.key() else table


def _divided(path: Path, whole: Reading, table: Table) -> Table:
    """Return the runs that take turns in a file; the `table` of all where they are none."""
    if not come_again(table.series):
        return table
    divided = DividedReading(path.stat().st_size, whole.most, whole.named.key())
    _read_lines(path, divided, None)
    runs = divided.runs()
    return Table(runs=runs) if runs else table


def _head_of(path: Path) -> str:
    with path.open("rb") as file:
        return decode(file.read(HEAD_BYTES))


def _starts_with_records(text: str) -> bool:
    lines = [line for line in text.split("\n", LINES_LOOKED_AT)[:LINES_LOOKED_AT] if line.strip()]
    if not lines:
        return False
    if len(lines) == 1 and is_columns(text):
        return False
    objects = sum(_parse(line) is not None for line in lines)
    # The first line may be longer than what was read of it.
    is_long = len(lines) == 1 and "\n" not in text and len(text) > LONG_FIRST_LINE
    return objects >= max(1.0, LEAST_OBJECTS * len(lines)) or (
        is_long and text.lstrip().startswith("{") and not is_columns(text)
    )


def _parse(line: str) -> dict[str, Any] | None:
    if len(line) > LONGEST_LINE:
        return None
    try:
        record = json.loads(line.strip().rstrip(","))
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _read_lines(path: Path, reading: Reading, progress: Progress | None) -> None:
    size, done, bad, last_is_bad = path.stat().st_size, 0, 0, False
    with path.open("rb") as file:
        for block in _blocks(file, LARGE_BLOCK_BYTES if reading.quick.is_large else BLOCK_BYTES):
            done += len(block)
            if reading.add_lines(block):
                last_is_bad = False
                if progress is not None:
                    progress(done, size)
                continue
            lines = [line for line in decode(block).split("\n") if line.strip()]
            records = _parse_all(lines)
            if max(map(len, lines), default=0) > LONGEST_LINE and LONG_LINES not in reading.notes:
                reading.notes.append(LONG_LINES)
            good = [record for record in records if record is not None]
            bad += len(records) - len(good)
            last_is_bad = bool(records) and records[-1] is None
            reading.add_all(good)
            if progress is not None:
                progress(done, size)
    if last_is_bad:
        reading.notes.append(CUT_LINE)
    if bad > last_is_bad:
        reading.notes.append(NO_OBJECTS.fill({"count": bad - last_is_bad}))


def _blocks(file: BinaryIO, size: int) -> Iterator[bytes]:
    """Whole lines, about `size` bytes at a time; a line longer than any record comes in pieces."""
    carried = b""
    while data := file.read(size):
        carried += data
        end = carried.rfind(b"\n") + 1
        if end or len(carried) > LONGEST_LINE:
            end = end or len(carried)
            yield carried[:end]
            carried = carried[end:]
    if carried:
        yield carried


def _parse_all(lines: Sequence[str]) -> list[dict[str, Any] | None]:
    """Parse the lines as one array, which takes half the time; singly when one is damaged."""
    try:
        records = json.loads("[" + ",".join(lines) + "]")
    except (ValueError, RecursionError):
        return [_parse(line) for line in lines]
    if len(records) != len(lines) or not all(type(record) is dict for record in records):
        return [_parse(line) for line in lines]
    return list(records)


def _read_whole(path: Path, reading: Reading) -> None:
    text = decode(path.read_bytes()).strip()
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        content = _records_before_the_damage(text)
        reading.notes.append(DAMAGED)
    sacred = sacred_series(content)
    if sacred:
        reading.series = (sacred, ())
        return
    if is_boosted(content):
        reading.profile.framework = BOOSTING.framework
        names = content if isinstance(content, dict) else {}
        if sum(name.startswith(GUESSED) for name in names) > 1:
            reading.notes.append(FIRST_SET_NOTE)
    reading.add_all(rows_of(content))


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


READER: Final[Reader] = JsonlReader()
