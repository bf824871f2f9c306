"""One printed log while it is read: which profile takes each line, and the table in the end."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from spikedoc.errors import InputError
from spikedoc.model.run import ConfigValue, IntArray
from spikedoc.readers._column import Column
from spikedoc.readers._columns import MOST_COLUMNS
from spikedoc.readers._columns_builder import ColumnsBuilder
from spikedoc.readers._notes import QUANTITIES, SUMMARY_ROW
from spikedoc.readers._text_counter_last import CounterLast
from spikedoc.readers._text_division import Divider, Division
from spikedoc.readers._text_epochs import EpochSteps, has_bar
from spikedoc.readers._text_events import Events, is_notable
from spikedoc.readers._text_lines import CleanLine
from spikedoc.readers._text_loose import LooseRows, settled_estimate
from spikedoc.readers._text_meaning import Run
from spikedoc.readers._text_passes import checkpoint_in, may_be_of_pass
from spikedoc.readers._text_pattern import Pattern
from spikedoc.readers._text_ranks import (
    bare_rank,
    by_rank,
    joined,
    placed,
    process_of,
    rank_of,
)
from spikedoc.readers._text_steps import Placed, Places
from spikedoc.readers._text_tail import Tail
from spikedoc.readers._text_torn import CUT_NOTE, LineEnds
from spikedoc.readers._text_trainings import TRAININGS, Finished, rows_of_training
from spikedoc.readers._text_unread import UnreadValues, may_be_unread, nothing_in
from spikedoc.readers._text_writer import Found, Memory, UnclearError, Writer, profiles
from spikedoc.readers._text_writers import Writers
from spikedoc.readers.base import RawSeries, Table
from spikedoc.readers.lines.base import LineProfile, Record, is_plain
from spikedoc.text import Text

# Share of the records that must print their epoch for steps to be worked out from it.
LEAST_EPOCH_ROWS: Final = 0.9
GIVE_METRICS: Final = Text(
    "give the metrics file, or see the list of log formats", "请给出指标文件，或查看日志格式列表"
)
# More ranks than this share of the records are no ranks: a step number stands in their place.
MOST_RANKS_SHARE: Final = 0.5
_EPOCH: Final = "epoch"
_LOSS: Final = "loss"


class Reading:
    """State of one file."""

    def __init__(self, path: Path, note: Text | None = None) -> None:
        """Start at the top of the file at `path`, with a `note` on how it is read."""
        self._path = path
        self._builder = ColumnsBuilder()
        self._places, self._epochs = Places(), EpochSteps()
        self._events = Events()
        self._config: dict[str, ConfigValue] = {}
        self._notes: dict[Text, None] = {} if note is None else {note: None}
        self._framework = ""
        self._writers = Writers()
        self._row_ranks = array("q")
        self._loose = LooseRows()
        self._finished = Finished()
        self._ends, self._tail = LineEnds(), Tail()
        self._unread, self._divider = UnreadValues(), Divider()
        self.order: Final = CounterLast()
        self.division: Division | None = None  # known with the table
        self._line = self._last_record = 0  # numbers of lines

    @property
    def row_count(self) -> int:
        """Records so far."""
        return self._builder.row_count

    def take(self, line: CleanLine) -> None:
        """Read one line."""
        self._line += line.size > 0
        if line.text or line.plain:
            self.order.see(line.text, is_finished=line.is_finished)
        if not line.text:
            return
        line = self._ends.parted(line)
        if self._tail.breaks_off(line):
            self._notes[CUT_NOTE] = None
            return
        self._epochs.see(line.text)
        writer, found = self._writers.parsed(line)
        named = found[0].values if found else ()
        self._unread.see(line.text, self._line, self._loose.placed_tags, named)
        if found is None:
            self._events.see(line.text, writer.step)
            writer.passes.open(line.text)
            return
        record, profile = found
        self._divider.see(record, line.text, self._builder.row_count)
        if record.is_event:
            self._events.add(line.text, writer.step)
        if record.values and not line.is_finished and self._ends.is_cut(line.text):
            self._notes[CUT_NOTE] = None
            return
        if record.values:
            record, self._last_record = self._ends.whole(record, line.text), self._line
        self._add(record, profile, writer)

    def rehearse(self, text: str) -> Found | None:
        """Return what a line would say; raises UnclearError when it says more than its numbers."""
        if not text or rank_of(text)[0] is not None or bare_rank(text) or has_bar(text):
            raise UnclearError
        if process_of(text) or may_be_unread(text) or checkpoint_in(text) is not None:
            raise UnclearError
        found = self._writers.of(0).rehearse(text)
        if found is None:
            if is_notable(text):
                raise UnclearError
        elif not is_plain(found[0]) or found[0].is_of_checkpoint or may_be_of_pass(*found):
            raise UnclearError
        return found

    def memory(self, text: str) -> Memory:
        """Return what the parsers that look at such a line remember."""
        return self._writers.of(0).memory(text)

    def take_run(self, pattern: Pattern, lines: bytes) -> int:
        """Read lines of a pattern; returns how many there are."""
        found, passes = pattern.line.findall(lines), self._writers.of(0).passes
        if pattern.meaning and passes.is_of_checkpoint(pattern.meaning.record):
            for row in lines.splitlines(keepends=True):
                self.take(CleanLine(row.decode().strip(), len(row)))
            return len(found)
        torn = self._ends.torn_in(pattern, found)
        if torn is not None:
            rows = lines.splitlines(keepends=True)
            self._take_alike(pattern, found[:torn], b"".join(rows[:torn]))
            self.take(CleanLine(rows[torn].decode().strip(), len(rows[torn])))
            self._take_alike(pattern, found[torn + 1 :], b"".join(rows[torn + 1 :]))
        else:
            self._take_alike(pattern, found, lines)
        return len(found)

    def _take_alike(self, pattern: Pattern, found: Sequence[Any], lines: bytes) -> None:
        self._line += len(found)
        self.order.see_alike()
        self._tail.see_alike(lines)
        if (meaning := pattern.meaning) is None or not found:
            return
        width = pattern.line.groups
        columns = list(zip(*found, strict=True)) if width > 1 else [tuple(found)] * width
        self._divider.see_alike(meaning.record, lines)
        run = Run(meaning, columns, len(found))
        writer, record = self._writers.of(0), meaning.record
        self._add_held(writer)
        self._config.update(run.config())
        self._notes.update(dict.fromkeys(record.notes))
        steps = run.steps()
        if record.values:
            last = lines[lines.rfind(b"\n", 0, -1) + 1 :]
            self._ends.trusts(record, len(found))
            self._ends.see(tuple(record.values), last)
            self._last_record = self._line
            self._framework = self._framework or meaning.profile.framework
            self._add_rows(run, steps, writer)
        if steps is not None:
            writer.step = steps[-1]
        if record.values:
            places = run.batches() or steps
            by_step = steps is not None and not record.epoch and record.batch is None
            epoch = run.epochs()[-1]
            writer.passes.see(places[-1] if places else None, epoch, by_step=by_step)

    def _add_held(self, writer: Writer) -> None:
        """Add what the writer holds back of an evaluation that is over."""
        for record in writer.passes.rest():
            self._add_one(record, profiles()[-1], writer)

    def _add_rows(self, run: Run, steps: Sequence[int] | None, writer: Writer) -> None:
        record = run.meaning.record
        rows = range(self._builder.row_count, self._builder.row_count + run.count)
        self._loose.see(record, rows)
        epochs, values = run.epochs(), run.values()
        if record.epoch and record.step is None and record.batch is None:
            is_first = writer is self._writers.first
            is_train = is_first and _LOSS in values
            for row, epoch in zip(rows, epochs, strict=True):
                self._epochs.add(row, epoch, is_train)
        if record.epoch and record.batch is not None and _EPOCH not in values:
            values[_EPOCH] = array("d", map(float, epochs))
        self._places.add_all(steps, epochs, run.batches(), run.totals(), writer.rank)
        self._row_ranks.extend([writer.rank] * run.count)
        self._builder.add_columns(list(values), list(values.values()))

    def _add(self, record: Record, profile: LineProfile, writer: Writer) -> None:
        for settled in writer.settled_records() if record.is_loose else ():
            self._add(*settled, writer)
        for one in writer.passes.given(record, profile):
            self._add_one(one, profile, writer)

    def _add_one(self, record: Record, profile: LineProfile, writer: Writer) -> None:
        self._config.update(record.config)
        self._notes.update(dict.fromkeys(record.notes))
        if record.is_summary:
            self._notes[SUMMARY_ROW] = None
            self._finished.close(self._builder.row_count, record.epoch, self._config)
            return
        if record.step is not None:
            writer.step = record.step
        elif record.advances and writer.step is not None:
            writer.step += 1
        if record.values:
            self._framework = self._framework or profile.framework
            self._add_row(record, writer)

    def _add_row(self, record: Record, writer: Writer) -> None:
        row = self._builder.row_count
        self._loose.see(record, range(row, row + 1))
        step = writer.step if record.step is not None or record.advances else None
        values: Mapping[str, float] = record.values
        if record.epoch and record.step is None and record.batch is None:
            is_first = writer is self._writers.first
            self._epochs.add(row, record.epoch, is_first and _LOSS in values)
        if record.epoch and record.batch is not None and _EPOCH not in values:
            values = {**values, _EPOCH: float(record.epoch)}
        self._places.add(record, step, writer.rank)
        self._row_ranks.append(writer.rank)
        self._builder.add(values.items())

    def table(self) -> Table:
        """Return what was read; raises InputError when it is nothing at all."""
        for writer in self._writers.all():
            for record, profile in writer.open_records():
                self._add(record, profile, writer)
            self._add_held(writer)
        events = self._events.all()
        columns = self._loose.without(self._builder.columns())
        if not columns and events:
            return Table((), self._config, events)
        if not columns:
            raise InputError(self._path, nothing_in(self._path), GIVE_METRICS)
        self._notes.update(dict.fromkeys(settled_estimate(columns)))
        begins = self._begins(columns)
        found = self._placed(columns, begins)
        series = self._series(columns, found.steps)
        if self._builder.is_full:
            self._notes[QUANTITIES.fill({"most": MOST_COLUMNS})] = None
        torn = self._ends.notes()
        notes = (*self._notes, *torn, *found.notes, *self._unread.notes(self._last_record))
        parts = tuple(series), self._config, events, notes, self._framework
        return Table(*parts, begins=tuple(begins))

    def _begins(self, columns: Mapping[str, Column]) -> list[int]:
        """Rows at which another training begins."""
        rows = rows_of_training(columns)
        told, are_epochs = self._places.told()
        main = rows if rows.size else max((one.rows for one in columns.values()), key=np.size)
        if len(self._writers.all()) == 1:
            self.division = self._divider.found(main, told[main], self._places.keys)
        begins = self._finished.begins(rows, told[rows], are_epochs=are_epochs)
        if begins:
            self._notes[TRAININGS.fill({"count": len(begins) + 1})] = None
        return begins

    def _placed(self, columns: Mapping[str, Column], begins: Sequence[int]) -> Placed:
        ranks = np.array(self._row_ranks, dtype=np.int64)
        densest = max(
            (np.bincount(ranks[c.rows]).max() for tag, c in columns.items() if tag != _EPOCH),
            default=0,
        )
        resolved = self._places.resolved(int(densest))
        count = self._builder.row_count
        if resolved.steps_per_epoch is not None:
            self._config.setdefault("steps_per_epoch", resolved.steps_per_epoch)
        if resolved.kind != "row" or len(self._epochs.rows) < LEAST_EPOCH_ROWS * count:
            return resolved
        parts = self._epochs.divided(begins)
        found = self._finished.steps(parts, begins, self._path.parent, self._config)
        if found is None:
            return resolved
        rows, place = found[0].rows, np.zeros(count, dtype=np.int64)
        place[rows] = np.arange(rows.size)
        steps = found[0].values.astype(np.int64)[np.maximum.accumulate(place)]
        return Placed(steps, _EPOCH, found[1])

    def _series(self, columns: Mapping[str, Column], steps: IntArray) -> list[RawSeries]:
        ranks = np.array(self._row_ranks, dtype=np.int64)
        present = np.unique(ranks)
        if self._writers.in_turn(ranks):
            return [placed(tag, column, steps) for tag, column in columns.items()]
        if not 1 < present.size <= MOST_RANKS_SHARE * ranks.size:
            return [placed(tag, column, steps) for tag, column in columns.items()]
        self._notes[self._writers.mean_note(int(present.size))] = None
        return joined(by_rank(columns, steps, ranks))
