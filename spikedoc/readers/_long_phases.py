"""Long tables whose rows tell training from held-out data, in words or by yes and no."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from spikedoc.readers._phase_codes import YesAndNo, coded_cells, coded_note
from spikedoc.readers._phases import Codes, names_phase, words_of
from spikedoc.text import Text

if TYPE_CHECKING:
    import pandas as pd

# The cells of the column of tags, those of each column that may tell phases, by its name, and the
# steps.
Piece = tuple[Sequence[Any], Sequence[tuple[str, Sequence[Any]]], Sequence[Any]]
_STEP: Final = "step"


def piece_of(chunk: pd.DataFrame, tag: int, phases: Sequence[tuple[str, int]], step: int) -> Piece:
    """Return what a piece of a table says, whose columns are called by their place."""
    told = [(name, chunk[place].tolist()) for name, place in phases]
    return chunk[tag].tolist(), told, chunk[step].tolist()


def long_codes(pieces: Iterable[Piece]) -> Codes:
    """Return what yes and no stand for, by the column's name, in a table that comes in pieces.

    They are told apart within one quantity: numbers that differ from quantity to quantity say what
    is logged, not on which data.
    """
    seen: dict[str, dict[Any, YesAndNo]] = {}
    others: dict[str, YesAndNo] = {}
    for tags, columns, steps in pieces:
        for name, cells in columns:
            every = others.setdefault(name, YesAndNo())
            every.see(cells)
            if every.says_more:
                continue
            by_tag: dict[Any, tuple[list[Any], list[Any]]] = {}
            for tag, cell, step in zip(tags, cells, steps, strict=True):
                own = by_tag.setdefault(tag, ([], []))
                own[0].append(cell)
                own[1].append(step)
            known = seen.setdefault(name, {})
            for tag, (own_cells, own_steps) in by_tag.items():
                known.setdefault(tag, YesAndNo()).see(own_cells, {_STEP: own_steps})
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
    coded = ((name, code) for name, code in codes.items() if code and names_phase(name))
    return tuple(coded_note(name, code) for name, code in coded)
