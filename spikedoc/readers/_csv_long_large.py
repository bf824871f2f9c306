"""Long tables of tens of megabytes, in pieces: one row per value, the name of its series beside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.model.run import FloatArray, IntArray
from spikedoc.readers._csv_long import Places, tag_of
from spikedoc.readers._long_phases import coded_notes, long_words
from spikedoc.readers._memory import POINTS_DROPPED, POINTS_THINNED
from spikedoc.readers._numbers import are_steps, are_wall_times, numbers
from spikedoc.readers._phases import Codes
from spikedoc.readers._points import MOST_TAGS
from spikedoc.readers.base import RawSeries
from spikedoc.signal.decimation import kept
from spikedoc.text import Text

if TYPE_CHECKING:
    import pandas as pd

_Piece = tuple[IntArray, FloatArray, FloatArray, IntArray]  # steps, values, clock, rows
_Key = tuple[str, str]  # run, tag
_NO_RUN: Final = ""


class LongPieces:
    """The points of each series so far."""

    def __init__(self, places: Places, most: int, codes: Codes) -> None:
        """Start empty; of more than `most` points only some are kept.

        `codes` say what yes and no mean in the columns that may tell phases.
        """
        self._codes = codes
        self.row_count = 0
        self._places, self._most, self._held = places, most, 0
        self._thinned = self._dropped = 0
        self._pieces: dict[_Key, list[_Piece]] = {}

    def expect(self, room: int) -> None:
        """Do nothing: how many points a series will have does not show yet."""

    def add(self, chunk: pd.DataFrame) -> None:
        """Append the points of a piece of the table, whose columns are called by their place."""
        places, rows = self._places, np.arange(len(chunk), dtype=np.int64) + self.row_count
        steps, values = _filled(chunk, places.step), _filled(chunk, places.value)
        walls = None if places.wall is None else _filled(chunk, places.wall)
        clock = np.full(rows.size, np.nan) if walls is None else walls[0]
        is_point = steps[1] & values[1] & are_steps(steps[0])
        for key, found in self._groups(chunk).items():
            at = found[is_point[found]]
            if not at.size:
                continue
            pieces = self._pieces.get(key)
            if pieces is None and len(self._pieces) >= MOST_TAGS:
                self._dropped += at.size
                continue
            pieces = self._pieces.setdefault(key, []) if pieces is None else pieces
            pieces.append((steps[0][at].astype(np.int64), values[0][at], clock[at], rows[at]))
            self._held += at.size
        self.row_count += len(chunk)
        if self._held > self._most:
            self._thin()

    def _groups(self, chunk: pd.DataFrame) -> dict[_Key, IntArray]:
        """The rows of each series, in order."""
        places = self._places
        before = [places.tag, *([] if places.run is None else [places.run])]
        named = [*before, *(place for _, place in places.phase)]
        cells = [["" if c != c else str(c) for c in chunk[p].tolist()] for p in named]  # noqa: PLR0124
        names = (name for name, _ in places.phase)
        of_phases = zip(names, cells[len(before) :], strict=True)
        words = [long_words(name, of_column, self._codes) for name, of_column in of_phases]
        known: dict[tuple[str, ...], int] = {}
        codes = np.array([known.setdefault(row, len(known)) for row in zip(*cells, strict=True)])
        order = np.argsort(codes, kind="stable")
        ends = np.cumsum(np.bincount(codes, minlength=len(known)))
        groups: dict[_Key, IntArray] = {}
        for row, at in zip(known, np.split(order, ends[:-1]), strict=True):
            run = row[1].strip() if places.run is not None else _NO_RUN
            phases = zip(words, row[len(before) :], strict=True)
            said = (known_words.get(cell, "") for known_words, cell in phases)
            key = (run, tag_of(row[0], next(filter(None, said), "")))
            groups[key] = np.sort(np.concatenate([groups[key], at])) if key in groups else at
        return groups

    def _thin(self) -> None:
        """Keep about half of the points that may be kept, those that stand out first."""
        share = self._most / 2 / self._held
        for key, pieces in self._pieces.items():
            whole = _joined(pieces)
            at = kept([whole[1]], max(2, int(share * whole[1].size)))
            self._thinned += whole[1].size - at.size
            self._pieces[key] = [(whole[0][at], whole[1][at], whole[2][at], whole[3][at])]
        self._held = sum(pieces[0][1].size for pieces in self._pieces.values())

    def result(self) -> tuple[tuple[RawSeries, ...], tuple[Text, ...]]:
        """Return one series per name, those of several runs with the name of theirs, and notes."""
        several = len({run for run, _ in self._pieces} - {_NO_RUN}) > 1
        series = tuple(
            _series(f"{run}/{tag}" if several and run else tag, _joined(pieces))
            for (run, tag), pieces in self._pieces.items()
        )
        told = [(POINTS_THINNED, self._thinned), (POINTS_DROPPED, self._dropped)]
        left_out = (text.fill({"count": count}) for text, count in told if count)
        return series, (*coded_notes(self._codes), *left_out)


def _joined(pieces: Sequence[_Piece]) -> _Piece:
    steps, values, walls, rows = zip(*pieces, strict=True)
    joined = np.concatenate(steps), np.concatenate(values), np.concatenate(walls)
    return (*joined, np.concatenate(rows))


def _series(tag: str, points: _Piece) -> RawSeries:
    steps, values, walls, rows = points
    return RawSeries(tag, steps, values, walls if are_wall_times(walls) else None, order=rows)


def _filled(chunk: pd.DataFrame, place: int) -> tuple[FloatArray, NDArray[np.bool_]]:
    """The numbers of a column by row, and in which rows there is one."""
    cells = chunk[place].to_numpy()
    if cells.dtype.kind in "iuf":
        values: FloatArray = cells.astype(np.float64)
        return values, ~np.isnan(values)
    rows, found = numbers(["" if cell != cell else str(cell) for cell in cells])  # noqa: PLR0124
    filled: FloatArray = np.full(cells.size, np.nan)
    has = np.zeros(cells.size, dtype=bool)
    filled[rows], has[rows] = found, True
    return filled, has
