"""Tables whose rows tell in a column of text whether they are of training or of validation."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.model.run import FloatArray, IntArray
from spikedoc.readers._column import Column
from spikedoc.readers._phase_codes import (
    VAL,
    YesAndNo,
    coded_cells,
    coded_note,
    is_no_training,
    is_scalar,
    tells_truth,
)
from spikedoc.text import Text

# What such a column is called, alone or behind other words: data_split.
_NAME: Final = re.compile(
    r"(?:.{0,60}[ _./\-])?(?:phase|split|mode|type|subset|stage)", re.IGNORECASE
)
# What its cells say of held-out data; `val_seen` and `val_unseen` are two sets.
_HELD_OUT: Final = re.compile(
    r"(?:val|valid|validation|validate|eval|evaluation|evaluate|dev|test|testing|held-?out|holdout)"
    r"(?:[ _\-/.]\w{1,30})?"
)
# Counted evaluations, `val_120` or `eval-epoch12`, are all of one set; a single digit may
# be the place of a set among several.
_COUNTED: Final = re.compile(
    r"(held-?out|[a-z]+)[ _\-/.](?:(?:epoch|ep|step|iter|iteration|batch|round)[ _\-/.]?)?\d{2,}"
)
_CHINESE: Final = {"验证": "val", "验证集": "val", "测试": "test", "测试集": "test"}
# The same in a printed line: phase=val, 'split': 'test'.
_FIELD: Final = re.compile(
    r"(?<![A-Za-z])(?:phase|split|mode|type|subset|stage)[\"']?\s?[=:]\s?[\"']?"
    r"([A-Za-z][\w\-]{1,40}|[验测][证试]集?)(?![\w./=:])",
    re.IGNORECASE,
)
# A name that speaks of held-out data by itself gets no second word for it.
_SAYS_SO: Final = re.compile(
    r"(?:.*[^a-z])?(?:val|valid|validation|eval|evaluation|dev|test)(?:[^a-z].*)?"
)
LONGEST_WORD: Final = 48
# Held-out sets of one log, each with its own word; with more of them only the first part of a word
# counts.
MOST_SETS: Final = 64
_SEPARATOR: Final = re.compile(r"[ _/.]|(?<!held)-")
WORDS_CACHED: Final = 1_024
# Between word and name of a column of held-out rows, until all rows are there (`_phase_steps`).
MARK: Final = "\0"


@lru_cache(WORDS_CACHED)
def names_phase(name: str) -> bool:
    """Return whether a column of this name may say what a row is of."""
    return _NAME.fullmatch(name.strip()) is not None


def held_out_word(cell: object) -> str:
    """Return the word of a cell that stands for held-out data; empty for all others."""
    if not isinstance(cell, str) or len(cell) > LONGEST_WORD:
        return ""
    word = cell.strip().strip("\"'").lower()
    word = _CHINESE.get(word, word)
    if not _HELD_OUT.fullmatch(word):
        return ""
    counted = _COUNTED.fullmatch(word)
    return counted.group(1) if counted else word


def words_of(cells: Iterable[str]) -> dict[str, str]:
    """Return the word of each different cell; no more words than a log has held-out sets."""
    known = {cell: held_out_word(cell) for cell in set(cells)}
    if len(set(known.values())) > MOST_SETS:
        known = {cell: _SEPARATOR.split(word, maxsplit=1)[0] for cell, word in known.items()}
    return known


def word_of(row: Mapping[str, Any]) -> str:
    """Return the word for held-out data in a record, empty for a record of training."""
    for key, cell in row.items():
        word = held_out_word(cell) if names_phase(key) else ""
        if word or is_no_training(key, cell):
            return word or VAL
    return ""


def marked(word: str, name: str) -> str:
    """Return the name of a column for rows of held-out data."""
    return f"{word}{MARK}{name}"


def unmarked(name: str) -> tuple[str, str]:
    """Return the word for held-out data and the name that `marked` put together; else no word."""
    word, mark, bare = name.partition(MARK)
    return (word, bare) if mark and held_out_word(word) else ("", name)


def prefixed(word: str, name: str) -> str:
    """Return the name of a series of held-out data: `val/loss`."""
    return name if not word or _SAYS_SO.fullmatch(name.lower()) else f"{word}/{name}"


def phase_in(line: str) -> tuple[str, str]:
    """Return the word for held-out data that a field of a printed line gives, and as it is there.

    Both are empty where none does.
    """
    if not any(mark in line for mark in "=:"):
        return "", ""
    said = ((held_out_word(cell), cell) for cell in _FIELD.findall(line))
    return next((one for one in said if one[0]), ("", ""))


def underlined(word: str, name: str) -> str:
    """Return the name of a printed quantity of held-out data: `val_loss`."""
    found = prefixed(word, name)
    return found if "/" in name else found.replace("/", "_", 1)


def phase_places(names: Sequence[str]) -> list[int]:
    """Return the places of the columns that may say what a row is of."""
    return [place for place, name in enumerate(names) if may_tell_phase(name)]


def phases_among(names: Sequence[str]) -> tuple[tuple[str, int], ...]:
    """Return the columns that may say what a row is of: their names and places."""
    return tuple((names[place], place) for place in phase_places(names))


def may_tell_phase(name: str) -> bool:
    """Return whether a column of this name may say what a row is of."""
    return names_phase(name) or tells_truth(name)


Codes = Mapping[str, Mapping[str, str]]


def codes_of(pieces: Iterable[Iterable[tuple[str, Sequence[Any] | NDArray[Any]]]]) -> Codes:
    """Return what yes and no stand for, by the column's name, in a table that comes in pieces.

    Each piece is the columns that may tell phases, with their names, and the counters of the table
    among them. What 0 and 1 mean shows in the whole column alone: a piece may hold a single
    evaluation, or none.
    """
    seen: dict[str, YesAndNo] = {}
    for piece in pieces:
        columns = [(name, _listed(cells)) for name, cells in piece]
        counters = {name: cells for name, cells in columns if not may_tell_phase(name)}
        for name, cells in columns:
            if name not in counters:
                # a header that is there again tells nothing
                said = [None if isinstance(cell, str) and cell == name else cell for cell in cells]
                seen.setdefault(name, YesAndNo()).see(said, counters)
        if all(one.says_more for one in seen.values()):
            break
    return {name: one.code(name, is_phase=names_phase(name)) for name, one in seen.items()}


def _listed(cells: Sequence[Any] | NDArray[Any]) -> Sequence[Any]:
    return cells.tolist() if isinstance(cells, np.ndarray) else cells


@dataclass(frozen=True, slots=True, eq=False)
class Phases:
    """The word for held-out data of each row; empty for rows of training."""

    words: tuple[str, ...]
    code: IntArray  # of each row: 0 for training, else one more than the place of its word
    column: str = ""  # of numbers that say it: no series
    notes: tuple[Text, ...] = ()

    @classmethod
    def of(
        cls,
        columns: Iterable[tuple[str, Sequence[Any] | NDArray[Any]]],
        codes: Codes | None = None,
    ) -> Phases | None:
        """Return what the first of these columns, with their names, says of held-out data.

        `codes` are those of the whole table where the columns are a piece of it.
        """
        for name, cells in columns:
            is_phase = names_phase(name)
            listed = _listed(cells)
            known = words_of(filter(_is_text, listed)) if is_phase else {}
            known_codes = codes_of([[(name, listed)]]) if codes is None else codes
            code = {} if any(known.values()) else known_codes.get(name, {})
            known = {**known, **coded_cells(code, listed)}
            words = tuple(sorted(set(known.values()) - {""}))
            if words or code:
                places = {cell: words.index(word) + 1 for cell, word in known.items() if word}
                found = (places.get(cell, 0) if is_scalar(cell) else 0 for cell in listed)
                notes = (coded_note(name, code),) if code and is_phase else ()
                of_rows = np.fromiter(found, dtype=np.int64, count=len(listed))
                return cls(words, of_rows, name if code else "", notes)
        return None

    def parts(
        self, name: str, rows: IntArray, values: FloatArray
    ) -> Iterator[tuple[str, IntArray, FloatArray]]:
        """Yield the cells of a column in rows of training, and those of each word."""
        if name == self.column:
            return
        code = self.code[rows]
        for place, word in enumerate(("", *self.words)):
            here = code == place
            if here.any():
                yield (marked(word, name) if word else name), rows[here], values[here]


def by_code(
    columns: Mapping[str, Column],
    row_count: int,
    counters: Callable[[Mapping[str, Column]], Collection[str]],
) -> tuple[Mapping[str, Column], tuple[Text, ...]]:
    """Return the columns by phase where one of numbers tells it, and what was assumed.

    `counters` finds the columns that count steps or epochs.
    """
    for name, column in columns.items():
        if MARK in name or not may_tell_phase(name):
            continue
        found_counters = [(tag, columns[tag]) for tag in counters(columns) if tag != name]
        beside = [(tag, _by_row(one, row_count)[column.rows]) for tag, one in found_counters]
        codes = codes_of([[(name, column.values), *beside]])
        phases = Phases.of([(name, column.values)], codes)
        if phases is None:
            continue
        code = np.zeros(row_count, dtype=np.int64)
        code[column.rows] = phases.code
        found: dict[str, list[Column]] = {}
        for tag, cells in columns.items():
            for own, rows, values in replace(phases, code=code).parts(
                tag, cells.rows, cells.values
            ):
                found.setdefault(own, []).append(Column(rows, values))
        return {tag: _in_order(parts) for tag, parts in found.items()}, phases.notes
    return columns, ()


def _by_row(column: Column, row_count: int) -> FloatArray:
    """The cells of a column by row, NaN where there is none."""
    filled: FloatArray = np.full(row_count, np.nan)
    filled[column.rows] = column.values
    return filled


def _in_order(parts: Sequence[Column]) -> Column:
    rows = np.concatenate([part.rows for part in parts])
    order = np.argsort(rows, kind="stable")
    return Column(rows[order], np.concatenate([part.values for part in parts])[order])


def parts_of(
    phases: Phases | None, name: str, rows: IntArray, values: FloatArray
) -> Iterable[tuple[str, IntArray, FloatArray]]:
    """Return the cells of a column by phase; all of them as they are where no column names any."""
    return [(name, rows, values)] if phases is None else phases.parts(name, rows, values)


def notes_of(phases: Phases | None) -> tuple[Text, ...]:
    """Return what was assumed about the column that tells the phases."""
    return () if phases is None else phases.notes


def _is_text(cell: object) -> bool:
    return isinstance(cell, str)
