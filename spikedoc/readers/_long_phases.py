"""Long tables whose rows tell training from held-out data, in words or by yes and no."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from spikedoc.readers._phase_codes import CODED, YesAndNo, coded_cells
from spikedoc.readers._phases import Codes, names_phase, words_of
from spikedoc.text import Text

if TYPE_CHECKING:
    import pandas as pd

# The cells of the column of tags, and those of each column that may tell phases, by its name.
Piece = tuple[Sequence[Any], Sequence[tuple[str, Sequence[Any]]]]


def piece_of(chunk: pd.DataFrame, tag: int, phases: Sequence[tuple[str, int]]) -> Piece:
    """Return what a piece of a table says, whose columns are called by their place."""
    return chunk[tag].tolist(), [(name, chunk[place].tolist()) for name, place in phases]


def long_codes(pieces: Iterable[Piece]) -> Codes:
    """Return what yes and no stand for, by the column's name, in a table that comes in pieces.

    They are told apart within one quantity: numbers that differ from quantity to quantity say what
    is logged, not on which data.
    """
    seen: dict[str, dict[Any, YesAndNo]] = {}
    others: dict[str, YesAndNo] = {}
    for tags, columns in pieces:
        for name, cells in columns:
            every = others.setdefault(name, YesAndNo())
            every.see(cells)
            if every.says_more:
                continue
            by_tag: dict[Any, list[Any]] = {}
            for tag, cell in zip(tags, cells, strict=True):
                by_tag.setdefault(tag, []).append(cell)
            known = seen.setdefault(name, {})
            for tag, own in by_tag.items():
                known.setdefault(tag, YesAndNo()).see(own)
        if all(one.says_more for one in others.values()):
            break
    return {name: _code(name, seen[name]) for name, one in others.items() if not one.says_more}


def _code(name: str, by_tag: Mapping[Any, YesAndNo]) -> Mapping[str, str]:
    codes = (one.code(name, is_phase=names_phase(name)) for one in by_tag.values())
    return next(filter(None, codes), {})


def long_words(name: str, cells: Sequence[Any], codes: Codes) -> Mapping[Any, str]:
    """Return the word for held-out data of each different cell; empty for those of training."""
    return {**words_of(cells), **coded_cells(codes.get(name, {}), cells)}


def coded_notes(codes: Codes) -> tuple[Text, ...]:
    """Return what was assumed about columns that hold yes and no."""
    coded = (name for name, code in codes.items() if code and names_phase(name))
    return tuple(CODED.fill({"column": name}) for name in coded)
