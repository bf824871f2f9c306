"""Printed logs: record lines of many layouts among warnings, progress bars and colours.

Each layout is a module of `readers/lines/` that exports `PROFILE: Final[LineProfile]`. To add one:

1. Write `claims(line)`: a cheap test, substrings at best. It sees every line of every log.
2. Write a parser: `take(line)` returns a Record, or None when the line is not its own. A layout
   whose lines stand alone is a plain function wrapped by `stateless`; one that needs what came
   before (an epoch heading, a table) is a class, of which each file and each rank gets its own.
3. Put what the line says about its place into the record as it is printed: `step`, or `epoch`
   and `batch`. Steps are worked out when the whole file has been read (`_text_steps`).
   Many lines in a row that differ in their numbers alone are not given to `take` one by one: what
   they say is learnt from lines with made-up numbers (`_text_pattern`).
4. Choose `order`: smaller is asked earlier. The generic profile has the highest one.
5. Bound every quantifier of every regular expression, and add a sample to the profile tests.
"""

from __future__ import annotations

from dataclasses import replace
from io import BufferedReader
from pathlib import Path
from typing import Final

import numpy as np

from spikedoc.errors import InputError
from spikedoc.model.budget import DEFAULT
from spikedoc.readers._memory import MORE_MEMORY, TOO_MANY_RECORDS, points_in
from spikedoc.readers._sniff import decode, is_text
from spikedoc.readers._text_commas import Commas, commas_in
from spikedoc.readers._text_counter_last import CLOSED, counter_first
from spikedoc.readers._text_counter_order import Closing
from spikedoc.readers._text_division import LEAST_AT_ONE_STEP, Division
from spikedoc.readers._text_lines import LONGEST_LINE, clean_lines
from spikedoc.readers._text_parts import put_together
from spikedoc.readers._text_reading import Reading
from spikedoc.readers._text_runs import BUFFER_BYTES, Part, Runs
from spikedoc.readers.base import Progress, Reader, Table
from spikedoc.text import Text, listed

LINES_BETWEEN_PROGRESS: Final = 20_000
IN_TURN: Final = Text(
    "several runs print into this log; the lines of each bear its name: {names}",
    "多次训练输出到同一日志，各行带有各自的名称：{names}",
)
ONE_BY_ONE: Final = Text(
    "several trainings one after the other: each begins by printing its settings",
    "日志中依次有多次训练：每次开始时输出其设置",
)
# A record takes this many points: its numbers, and what it says of its place.
POINTS_PER_RECORD: Final = 2


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
        """Return what `read_within` does within the bound that is usual."""
        return self.read_within(path, DEFAULT.memory, progress)

    def read_within(self, path: Path, memory: int, progress: Progress | None = None) -> Table:
        """Return the series of all record lines.

        Raises InputError when no line is a record, and when there are more than fit into memory:
        where a line belongs is only known at the end.
        """
        most = points_in(memory) // POINTS_PER_RECORD
        commas = commas_in(path)
        reading = Reading(path, commas.note)
        runs = Runs(reading)
        size, done = path.stat().st_size, 0
        with BufferedReader(path.open("rb", buffering=0), BUFFER_BYTES) as file:
            for count, line in enumerate(map(commas.plain, clean_lines(file))):
                done += line.size
                reading.take(line)
                if line.plain:
                    runs.see(line.plain)
                    done += runs.take(file)
                if reading.row_count > most:
                    told = {"most": f"{most:,}", "memory": f"{memory / 1e9:.1f}"}
                    raise InputError(path, TOO_MANY_RECORDS.fill(told), MORE_MEMORY)
                if progress is not None and count % LINES_BETWEEN_PROGRESS == 0:
                    progress(done, size)
        closing = reading.order.closing
        if closing is not None:
            return _closed(path, commas, closing)
        table = reading.table()
        table = replace(table, notes=(*reading.order.notes, *table.notes))
        return (
            table if reading.division is None else _divided(path, reading.division, table, commas)
        )


def _closed(path: Path, commas: Commas, closing: Closing) -> Table:
    """Return what a log says whose records close with their step."""
    reading = Reading(path, commas.note)
    with path.open("rb") as file:
        for line in counter_first(map(commas.plain, clean_lines(file)), closing):
            reading.take(line)
    table = reading.table()
    return replace(table, notes=(CLOSED, *table.notes))


def _divided(path: Path, division: Division, whole: Table, commas: Commas) -> Table:
    """Return the runs of a log, each read by itself; the `whole` where they are none.

    Lines before the first one of any run are of no run. Parts of one training are one run.
    """
    parts: dict[str, Part] = {}
    with path.open("rb") as file:
        for line in map(commas.plain, clean_lines(file)):
            run = division.run_of(line.text) if line.text else ""
            if not run and not division.is_of_parts:
                continue
            if run not in parts:
                last = next(reversed(parts.values()), None)
                parts[run] = Part(Reading(path, commas.note), last)
            parts[run].add(line)
    tables = {run: _table(part.whole()) for run, part in parts.items()}
    found = {run: table for run, table in tables.items() if table.series}
    named = [table for run, table in found.items() if run]
    if len(named) < 2 or (division.by_name and not all(map(_is_one_run, named))):
        return whole
    if division.is_of_parts:
        return put_together(found)
    note = (IN_TURN if division.by_name else ONE_BY_ONE).fill({"names": listed(found)})
    runs = (
        replace(table, notes=(note, *table.notes), name=run if division.by_name else f"#{run}")
        for run, table in found.items()
    )
    return Table(runs=tuple(runs))


def _table(reading: Reading) -> Table:
    """What was read; nothing where no line of it is a record."""
    try:
        return reading.table()
    except InputError:
        return Table()


def _is_one_run(table: Table) -> bool:
    """Whether hardly any step comes again in the longest series."""
    longest = max((one.steps for one in table.series), key=np.size)
    return bool(np.unique(longest).size * LEAST_AT_ONE_STEP > longest.size)


def _is_json(head: bytes) -> bool:
    """Whether the file is one JSON value or JSON lines, rather than lines with brackets."""
    start = decode(head[:LONGEST_LINE]).lstrip()
    inside = start[1:].lstrip()[:1]
    return (start[:1] == "{" and inside in ('"', "}")) or (start[:1] == "[" and inside in "{]")


READER: Final[Reader] = TextReader()
