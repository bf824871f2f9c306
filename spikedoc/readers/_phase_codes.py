"""Columns that tell training from validation by numbers or truth values: `phase` 0 and 1."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

import numpy as np

from spikedoc.readers._phase_counters import Counters, SharedSteps
from spikedoc.text import Text

# is_train, training: true for rows of training; is_val, in_eval: true for held-out rows.
_OF_TRAINING: Final = re.compile(r"(is|in)?_?(?:train|training)", re.IGNORECASE)
# `valid` may say that a row is sound.
_HELD_OUT: Final = re.compile(r"(is|in)?_?(val|validation|eval|evaluation|test)", re.IGNORECASE)
# What the cells may be, by what they stand for; those of the first two are numbers as well.
_NO: Final = frozenset({"0", "0.0", "false"})
_YES: Final = frozenset({"1", "1.0", "true"})
_TRUTH: Final = frozenset({"true", "false"})
# A column of two numbers without a word for them is one of phases when it goes back and forth, 0
# first: as often as this, which a curriculum of two stages does not. In another order it is one
# when rows of both stand at the same steps, as those of two stages do not.
LEAST_TURNS: Final = 3
# Where one kind has fewer rows than this share of the other, it is the held-out one: no log has
# twice as many evaluations as records of training.
MOST_OF_HELD_OUT: Final = 0.5
# Two stages that count their epochs anew may be called so; one sorted after the other is then none
# of two data sets.
_STAGES: Final = re.compile(r"(?:.*[ _./\-])?stage", re.IGNORECASE)
MOST_VALUES: Final = 100  # remembered of a column that says more
VAL: Final = "val"
NAMES_CACHED: Final = 1_024
CODED: Final = Text(
    "{column} holds 0 and 1: rows of {held_out} are taken for held-out data, those of {training} "
    "for training",
    "{column} 只有 0 和 1：值为 {held_out} 的行视为留出集，值为 {training} 的行视为训练",
)


@lru_cache(NAMES_CACHED)
def tells_truth(name: str) -> bool:
    """Return whether a column of this name may say yes or no to training or to held-out data."""
    return any(kind.fullmatch(name.strip()) for kind in (_OF_TRAINING, _HELD_OUT))


def is_scalar(cell: object) -> bool:
    """Return whether a cell is text, a number or a truth value."""
    return isinstance(cell, str | int | float | np.generic)


def is_no_training(name: str, cell: object) -> bool:
    """Return whether a field of one record says that the record is not of training."""
    named = _OF_TRAINING.fullmatch(name) if tells_truth(name) and is_scalar(cell) else None
    return named is not None and _said(cell) in (_NO if named.group(1) else _NO & _TRUTH)


class YesAndNo:
    """What a column says of yes and no, in as many pieces as it comes."""

    def __init__(self) -> None:
        """Start with no cell seen."""
        self._values: set[str] = set()
        self._first: bool | None = None
        self._last: bool | None = None
        self._turns = 0
        self._counts = [0, 0]  # rows of no and of yes
        self._steps = SharedSteps()

    @property
    def says_more(self) -> bool:
        """Whether some cell was neither yes nor no."""
        return not self._values <= _NO | _YES

    def see(self, cells: Sequence[Any], counters: Counters | None = None) -> None:
        """Look at the next piece of the column, and at the counters of the same rows."""
        said = {cell: text for cell in set(filter(is_scalar, cells)) if (text := _said(cell))}
        self._values |= set(list(said.values())[:MOST_VALUES])
        at = [place for place, cell in enumerate(cells) if is_scalar(cell) and cell in said]
        order = [said[cells[place]] in _YES for place in at]
        if not order or self.says_more:
            return
        self._first = order[0] if self._first is None else self._first
        self._turns += sum(before != after for before, after in pairwise([self._last, *order]))
        self._turns -= self._last is None
        self._last = order[-1]
        self._counts[1] += sum(order)
        self._counts[0] += len(order) - sum(order)
        self._steps.see(at, order, counters or {})

    def code(self, name: str, *, is_phase: bool) -> Mapping[str, str]:
        """Return the word for held-out data of what stands for it, by the column's name.

        Nothing when the cells are not yes and no. `is_phase` is for columns called like one whose
        two numbers have no meaning by themselves.
        """
        values = self._values
        if self.says_more or not values & _NO or not values & _YES:
            return {}
        of_training, held_out = _OF_TRAINING.fullmatch(name), _HELD_OUT.fullmatch(name)
        named = of_training or held_out
        if named:
            # a column called `train` may hold an accuracy of 0 and 1
            if not named.group(1) and not values <= _TRUTH:
                return {}
            word = held_out.group(2).lower() if held_out else VAL
            return dict.fromkeys(_NO if of_training else _YES, word)
        if not is_phase or values & _TRUTH or not self._are_phases(name):
            return {}
        return dict.fromkeys(_YES if self._is_yes_held_out() else _NO, VAL)

    def _are_phases(self, name: str) -> bool:
        takes_turns = self._turns >= LEAST_TURNS
        if takes_turns and not self._first:
            return True
        may_be = takes_turns or not _STAGES.fullmatch(name.strip())
        return may_be and self._steps.are_shared()

    def _is_yes_held_out(self) -> bool:
        """Whether 1 stands for held-out data.

        There are fewer evaluations; else training comes first where the two take turns, and 0 is
        training, as the first of two lists, where all rows of one stand behind those of the other.
        """
        no, yes = self._counts
        if min(no, yes) < MOST_OF_HELD_OUT * max(no, yes):
            return yes < no
        return self._turns < LEAST_TURNS or not self._first


def coded_note(column: str, code: Mapping[str, str]) -> Text:
    """Return the note on a column called `column` whose two numbers were taken for phases."""
    held_out = int(bool(code.keys() & _YES))
    return CODED.fill({"column": column, "held_out": held_out, "training": 1 - held_out})


def coded_cells(code: Mapping[str, str], cells: Sequence[Any]) -> Mapping[Any, str]:
    """Return the word of each cell that stands for held-out data, by what `YesAndNo` found."""
    words = ((cell, code.get(_said(cell))) for cell in set(filter(is_scalar, cells)) if code)
    return {cell: word for cell, word in words if word}


def _said(cell: object) -> str:
    """The cell in plain words; empty for none."""
    return "" if cell is None or cell != cell else str(cell).strip().lower()  # noqa: PLR0124
