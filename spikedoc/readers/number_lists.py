"""Bare lists of numbers: `[0.69, 0.68, …]`, `loss = […]`, and the pairs that trackers export."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from spikedoc.errors import InputError
from spikedoc.model.budget import DEFAULT
from spikedoc.model.run import FloatArray
from spikedoc.readers._columns import EPOCH_NAMES, STEP_NAMES
from spikedoc.readers._memory import refuse_whole
from spikedoc.readers._notes import NO_NUMBERS_IN_TABLE, OF_METRICS, ROW_STEPS
from spikedoc.readers._numbers import are_steps, are_wall_times, number
from spikedoc.readers._sniff import HEAD_BYTES, decode, is_text
from spikedoc.readers.base import Progress, RawSeries, Reader, Table

# A shorter list may be one of sizes or of weights of classes.
LEAST_VALUES: Final = 10
# TensorBoard's download as JSON: wall time, step, value; others have the step and the value.
_PAIR: Final = 2
_TRIPLE: Final = 3
_NUMBER: Final = (
    r"(?:[-+]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][-+]?\d{1,4})?"
    r"|[-+]?(?:[nN]a[nN]|[iI]nf(?:inity)?)|None|null)"
)
_BETWEEN: Final = r"(?:\s{0,80},\s{0,80}|\s{1,80})"
_LIST: Final = rf"[\[(]\s{{0,80}}{_NUMBER}(?:{_BETWEEN}{_NUMBER})*+\s{{0,80}},?\s{{0,80}}[\])]"
_NAME: Final = r"[\"']?(?P<name>[A-Za-z_][\w /.\-]{0,100}?)[\"']?\s{0,8}[:=]\s{0,8}"
_WRAPPED: Final = r"(?:(?:np|numpy|torch|jnp)?\.?(?:array|tensor|asarray)\(\s{0,8})?"
_NAMED_LIST: Final = re.compile(rf"(?:{_NAME})?{_WRAPPED}(?P<list>{_LIST})")
# What may stand between lists: the signs of Python and of JSON, what an array adds at its end, and
# remarks: # done.
_AROUND: Final = re.compile(
    r"(?:[\s,;{}()\[\]]|#[^\n]{0,300}+(?=\n|\Z)|dtype=[\w.]{1,20}|device='[\w:]{1,20}')*+"
)
_VALUES: Final = re.compile(_NUMBER)
# Numbers alone, all in one line.
_ONE_LINE: Final = re.compile(
    rf"\s{{0,80}}{_NUMBER}(?:(?:[ \t]{{0,80}},[ \t]{{0,80}}|[ \t]{{1,80}}){_NUMBER})*+,?\s{{0,80}}"
)
# How a file of lists begins: with a bracket or a brace, or a name and one of these.
_BEGINS: Final = re.compile(
    rf"(?:\s{{0,80}}#[^\n]{{0,300}}\n){{0,20}}+\s{{0,80}}[\[({{]?\s{{0,80}}(?:{_NAME})?{_WRAPPED}[\[(]\s{{0,80}}[\[(]?\s{{0,80}}[-+.\dnNi]"
)
_TAG_IN_NAME: Final = "-tag-"


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    name: str
    values: list[float | None]


class NumberListsReader:
    """Reads text that holds nothing but lists of numbers, with names or without."""

    @property
    def name(self) -> str:
        """Short name shown in reports."""
        return "number_lists"

    def accepts(self, path: Path, head: bytes) -> bool:  # noqa: ARG002 - the name tells nothing
        """Return whether `head` is lists of numbers and nothing else."""
        if not is_text(head):
            return False
        text = decode(head)
        if not _BEGINS.match(text) and "\n" in text.strip():
            return False
        found = _found(_closed(text) if len(head) >= HEAD_BYTES else text)
        return found is not None and _table_of(found, "") is not None

    def read(self, path: Path, progress: Progress | None = None) -> Table:
        """Return what `read_within` does within the bound that is usual."""
        return self.read_within(path, DEFAULT.memory, progress)

    def read_within(self, path: Path, memory: int, progress: Progress | None = None) -> Table:
        """Return a series per list; a list without a name has that of the file.

        Raises InputError when there is anything else in the file, or too much of it.
        """
        refuse_whole(path, memory)
        size = path.stat().st_size
        found = _found(decode(path.read_bytes()))
        table = None if found is None else _table_of(found, _stem(path))
        if progress is not None:
            progress(size, size)
        if table is None:
            raise InputError(path, NO_NUMBERS_IN_TABLE, OF_METRICS)
        return table


def _closed(text: str) -> str:
    """The beginning of a text without its last number, which may be cut, and with a bracket."""
    return text[: max(map(text.rfind, ", \n"))] + "]"


def _stem(path: Path) -> str:
    return path.stem.partition(_TAG_IN_NAME)[2] or path.stem


def _found(text: str) -> list[_Found] | None:
    """The lists in the text, None when there is anything else."""
    if _ONE_LINE.fullmatch(text):
        return [_Found("", _values(text))]
    lists = []
    end = 0
    for match in _NAMED_LIST.finditer(text):
        if not _AROUND.fullmatch(text, end, match.start()):
            return None
        lists.append(_Found(match["name"] or "", _values(match["list"])))
        end = match.end()
    return lists if lists and _AROUND.fullmatch(text, end) else None


def _values(text: str) -> list[float | None]:
    return [number(one) for one in _VALUES.findall(text)]


def _table_of(found: list[_Found], stem: str) -> Table | None:
    widths = {len(one.values) for one in found}
    if len(found) >= LEAST_VALUES and widths <= {_PAIR, _TRIPLE} and len(widths) == 1:
        return _of_pairs(np.array([one.values for one in found], dtype=np.float64), stem)
    long = [one for one in found if len(one.values) >= LEAST_VALUES and _are_measured(one.values)]
    steps = _steps_of(found)
    series = tuple(_series(one, stem, steps) for one in long)
    named = {one.tag for one in series}
    by_row = any(len(one.values) != len(steps) for one in long)
    notes = (ROW_STEPS,) if by_row else ()
    return Table(series, notes=notes) if series and len(named) == len(series) else None


def _steps_of(found: list[_Found]) -> list[int]:
    """The steps, else the epochs, of a list with such a name, rising; none where there is none."""
    named = {one.name.strip().lower(): one.values for one in found}
    for name in (*STEP_NAMES, *EPOCH_NAMES):
        values = named.get(name, [])
        steps = [int(one) for one in values if one is not None and are_steps(np.array([one])).all()]
        if steps and len(steps) == len(values) and bool(np.all(np.diff(steps) > 0)):
            return steps
    return []


def _are_measured(values: list[float | None]) -> bool:
    """Whether some number is no whole one: others count, or are sizes."""
    return any(one is not None and one % 1 != 0 for one in values)


def _series(one: _Found, stem: str, named: list[int]) -> RawSeries:
    """The list at the steps that are `named`, if it is as long as they are, else by its places."""
    places = named if len(named) == len(one.values) else range(len(one.values))
    pairs = zip(places, one.values, strict=True)
    points = [(step, value) for step, value in pairs if value is not None]
    steps, values = zip(*points, strict=True)
    return RawSeries(
        one.name.strip() or stem,
        np.array(steps, dtype=np.int64),
        np.array(values, dtype=np.float64),
    )


def _of_pairs(rows: FloatArray, stem: str) -> Table | None:
    """The table of rows of step and value, with the time of day before them where there are three.

    None when what should be steps does not rise.
    """
    steps, values = rows[:, -2], rows[:, -1]
    walls = rows[:, 0] if rows.shape[1] == _TRIPLE else None
    if not are_steps(steps).all() or not bool(np.all(np.diff(steps) >= 0)):
        return None
    if walls is not None and not are_wall_times(walls):
        return None
    return Table((RawSeries(stem, steps.astype(np.int64), values, walls),))


READER: Final[Reader] = NumberListsReader()
