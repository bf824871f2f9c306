"""Weights & Biases' record file, `run-<id>.wandb`, of an offline or a synchronised run."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from spikedoc.errors import InputError
from spikedoc.model.run import ConfigValue
from spikedoc.readers._block_log import Losses, records
from spikedoc.readers._column import Column
from spikedoc.readers._columns import series_of
from spikedoc.readers._columns_builder import ColumnsBuilder
from spikedoc.readers._json_rows import flatten
from spikedoc.readers._notes import AS_CSV, UNKNOWN_RECORDS
from spikedoc.readers._numbers import plain
from spikedoc.readers._settings import scalars
from spikedoc.readers._wire import fields, messages, signed, text
from spikedoc.readers.base import Progress, Reader, Table
from spikedoc.text import Text

# Identifier, magic number and version.
_HEAD: Final = b":W&B\xe1\xbe"
_HEAD_BYTES: Final = 7
VERSION: Final = 0
# Numbers of the fields that are read: of a record …
_HISTORY, _CONFIG, _METRIC, _RUN = 2, 5, 12, 17
_EXIT: Final = 18
# … of a row of history and of one item of it, which settings share, …
_ITEM, _STEP, _STEP_NUMBER = 1, 2, 1
_KEY, _NESTED_KEY, _JSON = 1, 2, 16
# … of the run, of a definition of a metric, and of the end.
_RUN_CONFIG, _RUN_NAME = 4, 8
_METRIC_STEP: Final = 4
_EXIT_CODE: Final = 1
# Counts calls of `log`, which may be several per optimizer step.
CALLS: Final = "_step"
_CLOCK: Final = "_timestamp"
# Counters that integrations log in each row; where one is there, it is the step.
_STEP_COLUMN: Final = "step"
_COUNTERS: Final = ("trainer/global_step", "train/global_step", "global_step", _STEP_COLUMN)
_OWN_COLUMNS: Final = frozenset({"_runtime"})
# Key that marks a value as a picture, a table or a histogram.
_TYPE: Final = "_type"
_OWN_SETTINGS: Final = "_wandb"
# Share of the rows in which a counter must be to replace the count of calls.
LEAST_COUNTER_SHARE: Final = 0.9

OTHER_STEPS: Final = Text(
    "steps are {counter}, not the count of calls", "步数取自 {counter}，而不是 log 的调用次数"
)
UNKNOWN_VERSION: Final = Text("W&B records of an unknown version", "未知版本的 W&B 记录")
NO_HISTORY: Final = Text("a W&B run without history", "W&B 训练记录中没有 history")


class WandbReader:
    """Reads the history, the settings and the exit code of one run."""

    @property
    def name(self) -> str:
        """Short name shown in reports."""
        return "wandb"

    def accepts(self, path: Path, head: bytes) -> bool:  # noqa: ARG002 - the bytes tell
        """Return whether `head` is that of a W&B record file."""
        return head.startswith(_HEAD)

    def read(self, path: Path, progress: Progress | None = None) -> Table:
        """Return one series per key; raises InputError when the run has no history."""
        with path.open("rb") as file:
            version = file.read(_HEAD_BYTES)[len(_HEAD) :]
        if version != bytes([VERSION]):
            raise InputError(path, UNKNOWN_VERSION, AS_CSV)
        reading, losses = _Reading(), Losses()
        for record in records(path, _HEAD_BYTES, losses, progress):
            reading.take(record)
        table = reading.table(losses.notes())
        if not table.series:
            raise InputError(
                path, NO_HISTORY, Text("did the job log any numbers?", "作业是否记录过数值？")
            )
        return table


@dataclass(slots=True)
class _Reading:
    """What the records gave so far."""

    rows: ColumnsBuilder = field(default_factory=ColumnsBuilder)
    config: dict[str, ConfigValue] = field(default_factory=dict)
    events: list[tuple[int | None, str]] = field(default_factory=list)
    counters: list[str] = field(default_factory=list)  # step metrics that the user defined
    name: str = ""
    odd: int = 0

    def take(self, record: bytes) -> None:
        """Take what is of use in a record; one that cannot be decoded is counted."""
        try:
            for number, _, content in fields(record):
                if isinstance(content, bytes):
                    self._take_field(number, content)
        except ValueError:
            self.odd += 1

    def _take_field(self, number: int, content: bytes) -> None:
        if number == _HISTORY:
            self._add_row(content)
        elif number == _CONFIG:
            self._add_settings(_items(messages(content, _ITEM)))
        elif number == _RUN:
            self._add_run(content)
        elif number == _METRIC:
            self.counters.extend(map(text, messages(content, _METRIC_STEP)))
        elif number == _EXIT:
            self._add_exit(content)

    def _add_row(self, history: bytes) -> None:
        cells: dict[str, float] = {}
        for name, value in _items(messages(history, _ITEM)):
            if name in _OWN_COLUMNS:
                continue
            if isinstance(value, dict):
                cells.update(_nested(name, value))
            elif (number := plain(value)) is not None:
                cells[name] = number
        if not math.isfinite(cells.get(_CLOCK, 0.0)):
            del cells[_CLOCK]
        if CALLS not in cells:
            for step in messages(history, _STEP):
                counted = (signed(v) for n, _, v in fields(step) if n == _STEP_NUMBER)
                cells[CALLS] = float(next(counted, 0))
        self.rows.add(cells.items())

    def _add_run(self, run: bytes) -> None:
        for number, _, content in fields(run):
            if number == _RUN_NAME:
                self.name = text(content)
            elif number == _RUN_CONFIG and isinstance(content, bytes):
                self._add_settings(_items(messages(content, _ITEM)))

    def _add_settings(self, items: Iterable[tuple[str, Any]]) -> None:
        for name, value in items:
            if name.split(".")[0] == _OWN_SETTINGS:
                continue
            self.config.update(scalars({name: value}))

    def _add_exit(self, end: bytes) -> None:
        code = next((signed(v) for n, _, v in fields(end) if n == _EXIT_CODE), 0)
        if code:
            self.events.append((None, f"the process ended with exit code {code}"))

    def table(self, notes: tuple[Text, ...]) -> Table:
        """Return the table; the step is the counter that the user named, else the count of calls.

        A row is a call of `log`, so the count of calls says nothing where a counter of steps is
        logged as well.
        """
        told = list(notes)
        if self.odd:
            told.append(UNKNOWN_RECORDS.fill({"count": self.odd}))
        columns = self.rows.columns()
        counter = self._counter(columns)
        if counter != CALLS:
            told.append(OTHER_STEPS.fill({"counter": counter}))
        others = {k: c for k, c in columns.items() if k not in (counter, CALLS, _STEP_COLUMN)}
        if counter in columns:
            others[_STEP_COLUMN] = columns[counter]
        series, axis_notes = series_of(others, self.rows.row_count)
        return Table(
            series,
            self.config,
            tuple(self.events),
            (*told, *axis_notes),
            framework="wandb",
            name=self.name,
        )

    def _counter(self, columns: Mapping[str, Column]) -> str:
        least = LEAST_COUNTER_SHARE * self.rows.row_count
        named = [name for name in (*self.counters, *_COUNTERS) if name in columns]
        return next((name for name in named if columns[name].rows.size >= least), CALLS)


def _nested(name: str, value: dict[str, Any]) -> Iterator[tuple[str, float]]:
    """Numbers of a nested value by their names joined by dots; pictures and the like have none."""
    if _TYPE in value:
        return
    for key, cell in flatten(value).items():
        number = plain(cell)
        if number is not None:
            yield f"{name}.{key.replace('/', '.')}", number


def _items(encoded: Iterable[bytes]) -> Iterator[tuple[str, Any]]:
    """Name and value of items; parts of a nested name are joined by a dot."""
    for item in encoded:
        parts: list[str] = []
        value: Any = None
        for number, _, content in fields(item):
            if number in (_KEY, _NESTED_KEY):
                parts.append(text(content))
            elif number == _JSON and isinstance(content, bytes):
                value = _value(content)
        name = ".".join(part for part in parts if part)
        if name and value is not None:
            yield name, value


def _value(encoded: bytes) -> Any:
    """The value of a text in JSON, most often a number."""
    try:
        return float(encoded) if b"." in encoded else json.loads(encoded)
    except (ValueError, RecursionError):
        pass
    try:
        return json.loads(encoded)
    except (ValueError, RecursionError):
        return None


READER: Final[Reader] = WandbReader()
